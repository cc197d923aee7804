// Command accuracy writes docs/accuracy.md: how right ParaTimer is on every recording, without a profile and with the
// profile of one other run of the same script, beside the other indicators. It runs the paratimer command and reads
// nothing but its frames.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
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
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", t.exe, "./cmd/paratimer").CombinedOutput(); err != nil {
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
		if r.without, err = t.replay(r, nil); err != nil {
			return err
		}
		for _, o := range recs {
			if o == r || o.script != r.script {
				continue
			}
			with, err := t.replay(r, o)
			if err != nil {
				return err
			}
			r.with = append(r.with, pair{o, with})
		}
		slices.SortStableFunc(r.with, func(a, b pair) int { return cmp.Compare(mean(a.head.points), mean(b.head.points)) })
	}
	write(os.Stdout, recs)
	return nil
}

// A recording is a run, measured twice.
type recording struct {
	file, name, script, profile string
	plan                        *dag.Plan // what its profile says
	without                     *result
	with                        []pair // with the profile of each other run of the script, best first
}

// A pair is a recording's result with the profile of another.
type pair struct {
	other *recording
	*result
}

// middle is the pair of median mean.
func (r *recording) middle() pair { return r.with[len(r.with)/2] }
