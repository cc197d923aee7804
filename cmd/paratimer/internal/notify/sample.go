package notify

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// SampleName is the workflow that samples are about.
const SampleName = "paratimer notify test"

// Sample returns a notification that concerns no real query. It fires or resolves at an instant, as an alert with
// this dress would.
func Sample(status Status, at time.Time, d Dress) Notification {
	id, name := "paratimer-notify-test", SampleName
	likely, by, outcome := frame.Ratio(1), frame.Seconds(24), frame.Missed
	due := dag.InstantOf(at.Add(-24 * time.Second))
	f := frame.Frame{}
	f.Workflow.ID, f.Workflow.Name, f.Workflow.State = &id, &name, dag.Running
	f.At, f.Headline.EndAt = frame.TimeOf(dag.InstantOf(at)), frame.TimeOf(dag.InstantOf(at))
	a := frame.Alert{
		Bound: "test", State: frame.Late, Probability: &likely, DeadlineAt: frame.TimeOf(due), Since: frame.TimeOf(due),
		BySeconds: &by, Text: "this is a test, nothing is late: alerts of ParaTimer reach you",
	}
	if status == Resolved {
		f.Workflow.State, a.State, a.Outcome = dag.Succeeded, frame.Ended, &outcome
		a.Text = "this is a test: the alert of the test is taken back"
	}
	l := alertStream{StartsAt: at.UTC().Truncate(time.Millisecond)}
	n := about(f, a, d)
	n.Status, n.StartsAt = status, l.StartsAt
	n.ID = l.id(n, string(a.State))
	if status == Resolved {
		end := l.StartsAt.Add(time.Millisecond)
		n.EndsAt, n.ID = &end, l.id(n, string(Resolved))
	}
	return n
}
