package main

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/holdup"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// namedWaiting is how many of those that wait are named.
const namedWaiting = 3

// jams prints a line where a workflow begins to hold others up, where it holds up twice as many as was said, and where it
// holds up nobody any more.
func (t *fleetText) jams(at dag.Instant, jams []holdup.Jam) {
	now := map[string]int{}
	for i := range jams {
		j := &jams[i]
		now[j.Holder.ID] += len(j.Waiting)
	}
	for i := range jams {
		j := &jams[i]
		if told := t.held[j.Holder.ID]; told > 0 && now[j.Holder.ID] < 2*told {
			now[j.Holder.ID] = told
			continue
		}
		name, text := jamWords(j)
		t.say(at, name, text)
	}
	for id, told := range t.held {
		if now[id] == 0 && told > 0 {
			t.say(at, view.Escape(t.names[id]), "holds nobody up any more")
			delete(t.names, id)
		}
	}
	t.held = now
	for i := range jams {
		t.names[jams[i].Holder.ID] = jams[i].Holder.Name
	}
}

// jamWords are a line: of one that waits what it waits for, of several who holds them up.
func jamWords(j *holdup.Jam) (name, text string) {
	holder := view.Escape(j.Holder.Name)
	until := "nobody can say until when"
	if j.Holder.End.Known() {
		until = "until about " + j.Holder.End.Time().Format("15:04")
	}
	has := fmt.Sprintf("%d of %d", j.Has(), j.Of)
	what := "containers"
	switch j.Scope {
	case holdup.Queue:
		has, what = has+" of queue "+view.Escape(j.Holder.Queue), "containers, of which its queue may have no more"
	case holdup.User:
		has, what = has+" of "+view.Escape(j.Holder.User)+" in "+view.Escape(j.Holder.Queue), "containers, of which its user may have no more"
	case holdup.Masters:
		has, what = has+" masters of queue "+view.Escape(j.Holder.Queue), "its application master"
	}
	if len(j.Waiting) == 1 {
		return view.Escape(j.Waiting[0].Name), fmt.Sprintf("waits for %s: %s holds %s, %s", what, holder, has, until)
	}
	var names []string
	for i := range j.Waiting[:min(len(j.Waiting), namedWaiting)] {
		names = append(names, view.Escape(j.Waiting[i].Name))
	}
	if more := len(j.Waiting) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return holder, fmt.Sprintf("holds up %d others, which wait for %s: it holds %s, %s (%s)", len(j.Waiting), what, has, until, strings.Join(names, ", "))
}

func (t *fleetText) say(at dag.Instant, name, text string) {
	// An error is met again, and told, with the next frame.
	_, _ = fmt.Fprintf(t.out, "%s  %s  %s\n", at.Time().UTC().Format("15:04:05"), name, text)
}
