package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A licence is the text under which a module comes. Its id is SPDX's; "" where the text is none that we know.
type licence struct{ id, text string }

// findLicences reads the licences of a release's modules, of Go's library ("std") and of the release itself, where the go
// command says that they are. A module without one is an error: it must not be passed on.
func findLicences(ctx context.Context, r release) (map[string]licence, error) {
	dirs, err := moduleDirs(ctx)
	if err != nil {
		return nil, err
	}
	paths := []string{r.main.Path, "std"}
	for _, m := range r.modules {
		paths = append(paths, m.Path)
	}
	found := map[string]licence{}
	for _, path := range paths {
		text, err := licenceIn(dirs[path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		found[path] = licence{id: spdx(text), text: text}
	}
	return found, nil
}

// moduleDirs is where the modules of the current one are, by their paths.
func moduleDirs(ctx context.Context) (map[string]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	dirs := map[string]string{"std": strings.TrimSpace(string(root))}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, dir, _ := strings.Cut(line, "\t")
		dirs[path] = dir
	}
	return dirs, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|notice)(\.(md|txt|code))?$`)

// licenceIn is all that a folder says of its licence, notices included.
func licenceIn(dir string) (string, error) {
	if dir == "" {
		return "", fmt.Errorf("it is not in the module cache")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		parts = append(parts, strings.TrimSpace(string(b)))
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("no licence in it: it must not be passed on")
	}
	return strings.Join(parts, "\n\n"), nil
}

// spdx names the licences that our modules come under.
func spdx(text string) string {
	flat := strings.Join(strings.Fields(text), " ")
	for _, l := range []struct {
		id    string
		words []string
	}{
		{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
		{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "Neither the name"}},
		{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "may be used to endorse"}},
		{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
		{"MIT", []string{"Permission is hereby granted, free of charge"}},
		{"MPL-2.0", []string{"Mozilla Public License"}},
	} {
		if !slices.ContainsFunc(l.words, func(w string) bool { return !strings.Contains(flat, w) }) {
			return l.id
		}
	}
	return ""
}

// writeLicences writes the texts of the modules' licences, each once with those that come under it.
func writeLicences(w io.Writer, r release, found map[string]licence) error {
	names := map[string]string{"std": "Go " + strings.TrimPrefix(r.goes, "go")}
	paths := []string{"std"}
	for _, m := range r.modules {
		paths = append(paths, m.Path)
		names[m.Path] = m.Path + " " + m.Version
	}
	if _, err := fmt.Fprintf(w, "What %s %s is built with, and the licences under which that comes.\n", r.main.Path, r.main.Version); err != nil {
		return err
	}
	for i, path := range paths {
		text := found[path].text
		if slices.ContainsFunc(paths[:i], func(p string) bool { return found[p].text == text }) {
			continue // it stands under the first
		}
		var under []string
		for _, p := range paths[i:] {
			if found[p].text == text {
				under = append(under, names[p])
			}
		}
		if _, err := fmt.Fprintf(w, "\n\n==== %s\n\n%s\n", strings.Join(under, ", "), text); err != nil {
			return err
		}
	}
	return nil
}
