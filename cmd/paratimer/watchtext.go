package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// fleetText prints a line where a workflow comes, where an alert of it changes its state, and where it ends.
type fleetText struct {
	out  io.Writer
	told map[string]toldOf // by workflow id
	// Who holds others up, by id: how many it was said to, and its name.
	held  map[string]int
	names map[string]string
}

func newFleetText(out io.Writer) *fleetText {
	return &fleetText{out: out, told: map[string]toldOf{}, held: map[string]int{}, names: map[string]string{}}
}

// toldOf is what was said of a workflow: the state of each alert.
type toldOf map[string]frame.AlertState

func (t *fleetText) Show(f frame.Frame) error {
	id, name := "", "?"
	if f.Workflow.ID != nil {
		id = *f.Workflow.ID
	}
	if f.Workflow.Name != nil {
		name = view.Escape(*f.Workflow.Name)
	}
	told, known := t.told[id]
	if !known && f.Workflow.State.Ended() && f.StaleSeconds > 0 {
		return nil
	}
	if !known {
		told = toldOf{}
		t.told[id] = told
		left := view.Remaining(f.Headline)
		if f.TooLarge() {
			left = "too large to estimate"
		}
		if err := t.line(f, name, fmt.Sprintf("%s  %s", view.Escape(id), left)); err != nil {
			return err
		}
	}
	for _, a := range f.Alerts {
		before := cmp.Or(told[a.Bound], frame.OnTrack)
		told[a.Bound] = a.State
		if before == a.State || a.State == frame.Ended && !before.Firing() && (a.Outcome == nil || *a.Outcome != frame.Missed) {
			continue
		}
		if err := t.line(f, name, fmt.Sprintf("%s: %s", a.Bound, view.Escape(a.Text))); err != nil {
			return err
		}
	}
	if !f.Workflow.State.Ended() {
		return nil
	}
	delete(t.told, id)
	text := f.Workflow.State.String()
	if f.ElapsedSeconds != nil {
		text += " after " + f.ElapsedSeconds.Duration().Round(time.Second).String()
	}
	return t.line(f, name, text)
}

func (t *fleetText) line(f frame.Frame, name, text string) error {
	at := "?"
	if f.At != nil {
		at = f.At.Time().UTC().Format("15:04:05")
	}
	_, err := fmt.Fprintf(t.out, "%s  %s  %s\n", at, name, text)
	return err
}
