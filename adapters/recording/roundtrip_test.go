package recording

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// A failer is a *testing.T or *rapid.T.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// A script is a source that yields given observations.
type script struct {
	items []any // *dag.Snapshot or error
}

func (s *script) Next(context.Context) (*dag.Snapshot, error) {
	if len(s.items) == 0 {
		return nil, io.EOF
	}
	item := s.items[0]
	s.items = s.items[1:]
	if err, ok := item.(error); ok {
		return nil, err
	}
	return item.(*dag.Snapshot), nil
}

// record returns the tape of what src yields.
func record(t failer, src Source) []byte {
	t.Helper()
	var w bytes.Buffer
	return recordOn(t, Tee(src, &w), &w)
}

func recordOn(t failer, tee Source, w *bytes.Buffer) []byte {
	t.Helper()
	for {
		s, err := tee.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return w.Bytes()
		}
		if s != nil {
			for _, warning := range s.Warnings {
				if warning.Code == dag.WarnTornTape && strings.HasPrefix(warning.Text, "the recording ends here") {
					t.Fatalf("the tape cannot be written: %s", warning.Text)
				}
			}
		}
	}
}

// play returns all items of a tape: snapshots and errors.
func play(t failer, tape []byte) []any {
	t.Helper()
	r, err := NewReader(bytes.NewReader(tape))
	if err != nil {
		t.Fatal(err)
	}
	return playAll(r)
}

func playAll(r *Reader) []any {
	var items []any
	for {
		s, err := r.Next(context.Background())
		var missed *dag.MissedError
		switch {
		case errors.Is(err, io.EOF):
			return items
		case err == nil:
			items = append(items, s)
		default:
			if items = append(items, err); !errors.As(err, &missed) {
				return items
			}
		}
	}
}

// drawRun returns snapshots and missed observations. Snapshots are drawn anew or made of the one before, as sources do.
func drawRun(t *rapid.T) []any {
	var items []any
	var before *dag.Snapshot
	for range rapid.IntRange(1, 6).Draw(t, "observations") {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case kind == 0:
			at := dag.Instant(rapid.OneOf(rapid.Just(int64(dag.NoInstant)), rapid.Int64()).Draw(t, "missed"))
			items = append(items, &dag.MissedError{At: at, Err: errors.New(dag.Clean(rapid.String().Draw(t, "why")))})
			continue
		case kind <= 3 || before == nil:
			before = drawSnapshot(t, "snapshot")
		default:
			before = grow(t, before)
		}
		items = append(items, before)
	}
	return items
}

// grow returns a snapshot that follows s: some attempts are new, some moved on, some are gone. Phases that stay are
// shared.
func grow(t *rapid.T, s *dag.Snapshot) *dag.Snapshot {
	next := *s
	next.At = s.At.Add(5 * time.Second)
	next.Jobs = dag.CloneStates(s.Jobs)
	for i := range next.Jobs {
		for k := range next.Jobs[i].Stages {
			if p := &next.Jobs[i].Stages[k]; rapid.Bool().Draw(t, "moves") {
				p.Attempts = growAttempts(t, p.Attempts)
			}
		}
		if rapid.Bool().Draw(t, "groups move") {
			next.Jobs[i].Groups = growGroups(t, next.Jobs[i].Groups, next.At)
		}
	}
	return &next
}

// growGroups returns groups that follow g: points are appended, condensed or of a new attempt, profiles change. What
// stays is shared.
func growGroups(t *rapid.T, g *dag.Groups, at dag.Instant) *dag.Groups {
	if g == nil {
		return &dag.Groups{Origin: dag.GroupsTapped, Reduces: []dag.ReduceGroups{
			dag.NoReduceGroups(),
			dag.NoReduceGroups(),
		}}
	}
	next := *g
	next.Reduces = slices.Clone(g.Reduces)
	for i := range next.Reduces {
		r := &next.Reduces[i]
		switch rapid.IntRange(0, 4).Draw(t, "fate of a reduce") {
		case 0:
			r.Explicit = append(slices.Clone(r.Explicit), dag.GroupSize{Bytes: 7, Count: 2})
		case 1:
			r.Done = append(r.Done[:len(r.Done):len(r.Done)], dag.GroupPoint{At: at, Bytes: 5, Took: 3, Count: 1},
				dag.GroupPoint{At: at, Count: 2})
		case 2:
			r.Done = slices.Clone(r.Done[len(r.Done)/2:])
		case 3:
			r.Attempt, r.Done = r.Attempt+1, []dag.GroupPoint{}
		}
	}
	return &next
}

func growAttempts(t *rapid.T, old []dag.Attempt) []dag.Attempt {
	as := []dag.Attempt{}
	for _, a := range old {
		switch rapid.IntRange(0, 3).Draw(t, "fate") {
		case 0:
			continue
		case 1:
			a.Done[rapid.IntRange(0, 2).Draw(t, "pipeline")] = rapid.Float64Range(0, 3).Draw(t, "done")
		case 2:
			a.State, a.Diagnosis = dag.AttemptFailed, "it broke"
		}
		as = append(as, a)
	}
	for range rapid.IntRange(0, 3).Draw(t, "new") {
		a := drawAttempt(t, "attempt")
		a.Task, a.Number = rapid.Int32Range(0, 9).Draw(t, "task"), rapid.Int32Range(0, 1).Draw(t, "number")
		as = append(as, a)
		if rapid.Bool().Draw(t, "a wave") { // equal attempts in the slots that follow
			for range 3 {
				a.Task, a.Slot = a.Task+1, a.Slot+1
				as = append(as, a)
			}
		}
	}
	if rapid.Bool().Draw(t, "ordered") {
		slices.SortFunc(as, func(a, b dag.Attempt) int {
			return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
		})
		as = slices.CompactFunc(as, func(a, b dag.Attempt) bool { return a.Task == b.Task && a.Number == b.Number })
	}
	return as
}

// Whatever sources yield, a tape gives it back bit for bit. Their texts are clean.
func TestDecodeEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := drawRun(t)
		var w bytes.Buffer
		src := Tee(&script{items: slices.Clone(items)}, &w)
		if rapid.Bool().Draw(t, "many whole lines") {
			src = wholeLines{src.(*tee)}
		}
		got := play(t, recordOn(t, src, &w))
		if !slices.ContainsFunc(items, func(i any) bool { _, ok := i.(*dag.Snapshot); return ok }) {
			got = got[:len(got)-1] // the error that there was no snapshot
		}
		if len(got) != len(items) {
			t.Fatalf("%d observations come back as %d", len(items), len(got))
		}
		for i, want := range items {
			if d := unequal(want, got[i]); d != "" {
				t.Fatalf("observation %d of %d: %s", i, len(items), d)
			}
		}
	})
}

// wholeLines writes each snapshot as a whole line.
type wholeLines struct{ *tee }

func (w wholeLines) Next(ctx context.Context) (*dag.Snapshot, error) {
	w.enc.before = nil
	return w.tee.Next(ctx)
}

// unequal returns the difference of two observations, "" where they are the same bit for bit.
func unequal(want, got any) string {
	missed, ok := want.(*dag.MissedError)
	if !ok {
		return difference(want, got)
	}
	m, ok := got.(*dag.MissedError)
	if !ok || m.At != missed.At || m.Err.Error() != missed.Err.Error() {
		return fmt.Sprintf("%v, want %v", got, want)
	}
	return ""
}
