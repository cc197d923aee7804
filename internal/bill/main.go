// Command bill says what a release is made of: `go run ./internal/bill BINARY...` prints a software bill of materials
// (CycloneDX 1.5, JSON) of the modules that are in the binaries, by what they say of themselves; with -licences the texts
// of the licences under which these come. The same binaries give the same bytes.
package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	licences := flag.Bool("licences", false, "print the texts of the licences")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *licences, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bill:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, licences bool, binaries []string) error {
	r, err := releaseOf(binaries)
	if err != nil {
		return err
	}
	found, err := findLicences(ctx, r)
	if err != nil {
		return err
	}
	if licences {
		return writeLicences(w, r, found)
	}
	return writeBill(w, r, found)
}

// A release is what binaries are built from.
type release struct {
	main    debug.Module
	modules []debug.Module // by path; those that are in any of the binaries
	goes    string         // the version of Go, e.g. "go1.26.8"
	time    string         // of the commit, RFC 3339; "" where it is not known
	target  string         // e.g. "linux/amd64"
}

// releaseOf reads what binaries say of themselves. They must be of one build.
func releaseOf(binaries []string) (r release, err error) {
	if len(binaries) == 0 {
		return r, errors.New("of which binaries?")
	}
	for _, path := range binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return r, fmt.Errorf("%s: %w", path, err)
		}
		one := release{main: info.Main, goes: info.GoVersion}
		var os, arch string
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.time":
				one.time = s.Value
			case "GOOS":
				os = s.Value
			case "GOARCH":
				arch = s.Value
			}
		}
		one.target = os + "/" + arch
		if r.goes == "" {
			r = one
		}
		if one.main != r.main || one.goes != r.goes || one.target != r.target {
			return r, fmt.Errorf("%s is not of the same build as %s", path, binaries[0])
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			if m.Sum == "" {
				return r, fmt.Errorf("%s: %s %s has no hash: it was not built from the module cache", path, m.Path, m.Version)
			}
			if !slices.ContainsFunc(r.modules, func(o debug.Module) bool { return o.Path == m.Path }) {
				r.modules = append(r.modules, *m)
			}
		}
	}
	slices.SortFunc(r.modules, func(a, b debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return r, nil
}
