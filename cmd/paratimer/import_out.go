package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/adapters/tape"
	"github.com/paratimer/paratimer/dag"
)

// An unusableError says that a workflow cannot be played; others can.
type unusableError struct{ error }

// tapeName is the name of a workflow's tape. Ids come from files: they do not lead out of the folder.
func tapeName(id string, used map[string]bool) string {
	const longest = 150
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, id)
	safe = strings.TrimLeft(safe[:min(len(safe), longest)], ".")
	if safe == "" {
		safe = "workflow"
	}
	name := safe
	for n := 2; used[name]; n++ {
		name = fmt.Sprintf("%s-%d", safe, n)
	}
	used[name] = true
	return name + ".tape.gz"
}

// importOne writes the tape of one workflow.
func importOne(ctx context.Context, w *past.Workflow, folder, name string, every time.Duration) (done imported, err error) {
	src, err := past.NewSource(w, every)
	if err != nil {
		return done, unusableError{err}
	}
	path := filepath.Join(folder, name)
	var last *dag.Snapshot
	var snapshots int
	err = writeFile(path, func(w io.Writer) (err error) {
		zip := gzip.NewWriter(w)
		checked := &failing{w: zip}
		last, snapshots, err = drain(ctx, tape.Tee(src, checked))
		return cmp.Or(err, checked.err, zip.Close())
	})
	if err != nil {
		return done, err
	}
	done = imported{ID: w.ID, Name: w.Name, Tape: path, State: last.State.String(), Jobs: len(w.Jobs), Snapshots: snapshots, Remarks: []string{}}
	done.TotalSeconds = total(last)
	for _, warning := range last.Warnings {
		done.Remarks = append(done.Remarks, warning.Text)
	}
	return done, nil
}

// drain plays a source to its end.
func drain(ctx context.Context, src tape.Source) (last *dag.Snapshot, n int, err error) {
	for {
		s, err := src.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return last, n, nil
		case ctx.Err() != nil:
			return nil, n, context.Cause(ctx)
		case err != nil:
			return nil, n, err
		}
		last, n = s, n+1
	}
}

// total is the length of a run in seconds: from the first submission to the last end.
func total(s *dag.Snapshot) float64 {
	end := s.Origin()
	for i := range s.Jobs {
		if t := s.Jobs[i].Finished; t.Known() && t > end {
			end = t
		}
	}
	if !s.State.Ended() {
		end = s.At
	}
	return end.Seconds(s.Origin())
}

// failing remembers that writing failed: a Tee goes on without its tape.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	if err != nil && f.err == nil {
		f.err = err
	}
	return n, err
}
