// Command accuracy writes docs/accuracy.md: how right ParaTimer is on every recording, without a profile and with the
// profile of one other run of the same script, beside the other indicators. It runs the paratimer command and reads
// nothing but its frames.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run() error {
	folder := os.Getenv("PARATIMER_RECORDINGS")
	if folder == "" {
		folder = filepath.Join("..", "shared", "recordings")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no recordings in %s: set PARATIMER_RECORDINGS to a folder of *.jsonl.gz (%w)", folder, err)
	}
	tmp, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	t := tool{exe: filepath.Join(tmp, "paratimer"), tmp: tmp}
	if out, err := exec.Command("go", "build", "-o", t.exe, "./cmd/paratimer").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	recs := make([]*recording, len(files))
	for i, f := range files {
		recs[i] = &recording{file: f, name: strings.TrimSuffix(filepath.Base(f), ".jsonl.gz")}
		if err := t.learn(recs[i]); err != nil {
			return err
		}
	}
	for _, r := range recs {
		r.other = another(recs, r)
		if r.without, err = t.replay(r, nil); err != nil {
			return err
		}
		if r.other != nil {
			if r.with, err = t.replay(r, r.other); err != nil {
				return err
			}
		}
	}
	write(os.Stdout, recs)
	return nil
}

// A recording is a run, measured twice.
type recording struct {
	file, name, script, profile string
	other                       *recording // whose profile is used; nil where no other run of the script is recorded
	without, with               *result
}

// another is the next run of the same script in the order of names, the first after the last. A run that failed teaches
// less and is taken only where there is no other.
func another(recs []*recording, r *recording) *recording {
	i := slices.Index(recs, r)
	for k := 1; k < len(recs); k++ {
		if o := recs[(i+k)%len(recs)]; o.script == r.script && o.profile != "" {
			return o
		}
	}
	return nil
}
