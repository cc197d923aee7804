package view

import (
	"slices"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// queryAt is a tick of a running query with an alert in a state.
func queryAt(name string, state frame.AlertState, end dag.Instant) frame.Tick {
	f := frame.Frame{Workflow: frame.Workflow{ID: &name, Name: &name, State: dag.Running}}
	f.Headline.EndAt = frame.TimeOf(end)
	if state != "" {
		f.Alerts = []frame.Alert{{Bound: "deadline", State: state}}
	}
	return frame.Tick{Frame: f}
}

// TestQueriesAreSorted checks that late queries come first, then those that end first, and the summary of all.
func TestQueriesAreSorted(t *testing.T) {
	t.Parallel()
	two := 2
	holder := queryAt("holder", "", 5)
	holder.Frame.HoldsUp = &two
	over := queryAt("over", frame.Ended, 1)
	over.Frame.Workflow.State = dag.Succeeded
	var all []Query
	for _, tick := range []frame.Tick{
		holder, over, queryAt("fine", frame.OnTrack, 9), queryAt("late", frame.Late, 8),
		queryAt("risk", frame.AtRisk, 2), queryAt("soon", frame.OnTrack, 3),
	} {
		all = append(all, QueryOf(tick))
	}
	SortQueries(all)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	if want := []string{"late", "risk", "soon", "fine", "holder", "over"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if got, want := FleetSummary(all), "5 running, 1 late, 1 at risk; holder is blocking 2."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := FleetSummary(nil); got != "No query was seen yet." {
		t.Error(got)
	}
}

// TestHeldUpText checks the text about a blocking query, in each scope.
func TestHeldUpText(t *testing.T) {
	t.Parallel()
	name := "etl\x1b"
	for scope, want := range map[string]string{
		"cluster": `etl\x1b: 3 of the cluster's 8 containers`, "queue": `etl\x1b: 3 of its queue's 8 containers`,
		"user": `etl\x1b: 3 of its user's 8 containers`, "masters": `etl\x1b: 3 of 8 masters of its queue`,
	} {
		if got := HeldUpText(&frame.HeldUp{Name: &name, Scope: scope, Containers: 3, OfContainers: 8}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if HeldUpText(nil) != "" {
		t.Error("no query blocks it")
	}
}

// TestStandingOfUnknown checks that a state which does not exist is no alarm.
func TestStandingOfUnknown(t *testing.T) {
	t.Parallel()
	if got := StandingOf(&frame.Alert{}); got != IsOnTrack {
		t.Errorf("got %v, want on track", got)
	}
}
