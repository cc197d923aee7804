package live

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// fleetText prints a line if a workflow comes, if the state of one of its alerts changes, and if it ends.
type fleetText struct {
	out      io.Writer
	zone     *time.Location         // for times of day; nil: UTC
	reported map[string]alertStates // by workflow id
	held     map[string]holder      // blocking workflows by id
}

// A holder is a blocking workflow, with the number of those that it was reported to block.
type holder struct {
	name    string
	waiting int
}

// alertStates is the last reported state of each alert of a workflow.
type alertStates map[string]frame.AlertState

func (t *fleetText) Show(tick frame.Tick) error {
	f, q := tick.Frame, view.QueryOf(tick)
	id, name := q.ID, view.Escape(cmp.Or(frame.ValueOf(f.Workflow.Name), "?"))
	states, isKnown := t.reported[id]
	if !isKnown && f.Workflow.State.Ended() && f.StaleSeconds > 0 {
		return nil
	}
	var news []string
	if !isKnown {
		states = alertStates{}
		t.reported[id] = states
		news = append(news, view.Escape(id)+"  "+cmp.Or(q.Left, view.Remaining(f.Headline)))
	}
	for _, a := range f.Alerts {
		before := cmp.Or(states[a.Bound], frame.OnTrack)
		states[a.Bound] = a.State
		isOver := a.State == frame.Ended && !before.Firing() && (a.Outcome == nil || *a.Outcome != frame.Missed)
		if before != a.State && !isOver {
			news = append(news, a.Bound+": "+view.Escape(a.Text))
		}
	}
	if f.Workflow.State.Ended() {
		t.Forget(id)
		text := f.Workflow.State.String()
		if f.ElapsedSeconds != nil {
			text += " after " + units.Elapsed(f.ElapsedSeconds.Duration())
		}
		news = append(news, text)
	}
	for _, text := range news {
		if err := t.print(frame.InstantOf(f.At), name, text); err != nil {
			return err
		}
	}
	return nil
}

// Forget drops the state of a workflow that is no longer watched.
func (t *fleetText) Forget(id string) { delete(t.reported, id) }

// namedWaiting is how many waiting workflows are named.
const namedWaiting = 3

// blockings prints a line if a workflow begins to block others, if it blocks twice as many as reported, and if it
// blocks none any more.
func (t *fleetText) blockings(at dag.Instant, blockings []fleet.Blocking) {
	now := map[string]holder{}
	for i := range blockings {
		j := &blockings[i]
		now[j.Holder.ID] = holder{j.Holder.Name, now[j.Holder.ID].waiting + len(j.Waiting)}
	}
	for i := range blockings {
		j := &blockings[i]
		if before := t.held[j.Holder.ID]; before.waiting > 0 && now[j.Holder.ID].waiting < 2*before.waiting {
			now[j.Holder.ID] = before
			continue
		}
		name, text := blockingText(j, cmp.Or(t.zone, time.UTC))
		_ = t.print(at, name, text) // an error will occur again with the next frame, which reports it
	}
	for id, before := range t.held {
		if now[id].waiting == 0 && before.waiting > 0 {
			_ = t.print(at, view.Escape(before.name), "no longer blocks others")
		}
	}
	t.held = now
}

// blockingText formats a blocking, with times of day in a zone. If a single workflow waits, the line is about what
// it waits for; otherwise it is about the blocking workflow.
func blockingText(j *fleet.Blocking, zone *time.Location) (name, text string) {
	holder := view.Escape(j.Holder.Name)
	until := "no end is predicted"
	if j.Holder.End.Known() {
		until = "until about " + units.Clock(j.Holder.End.Time().In(zone), time.Time{}, time.Minute)
	}
	has := fmt.Sprintf("%d of %d", j.Has(), j.Of)
	what := "containers"
	switch j.Scope {
	case fleet.OfQueue:
		has, what = has+" of queue "+view.Escape(j.Holder.Queue), "containers; its queue may have no more"
	case fleet.OfUser:
		has, what = has+" of "+view.Escape(j.Holder.User)+" in "+view.Escape(j.Holder.Queue),
			"containers; its user may have no more"
	case fleet.OfMasters:
		has, what = has+" masters of queue "+view.Escape(j.Holder.Queue), "its application master"
	}
	if len(j.Waiting) == 1 {
		return view.Escape(j.Waiting[0].Name), fmt.Sprintf("waits for %s: %s uses %s, %s", what, holder, has, until)
	}
	named := j.Waiting[:min(len(j.Waiting), namedWaiting)]
	names := units.Each(named, func(t fleet.Tenant) string { return view.Escape(t.Name) })
	if more := len(j.Waiting) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return holder, fmt.Sprintf("blocks %d others, which wait for %s: it uses %s, %s (%s)", len(j.Waiting), what, has,
		until, strings.Join(names, ", "))
}

// print prints a line with a time of day in the reader's zone, with the zone's name.
func (t *fleetText) print(at dag.Instant, name, text string) error {
	clock := "?"
	if at.Known() {
		when := at.Time().In(cmp.Or(t.zone, time.UTC))
		clock = units.Clock(when, time.Time{}, time.Second) + when.Format(" MST")
	}
	_, err := fmt.Fprintf(t.out, "%s  %s  %s\n", clock, name, text)
	return err
}
