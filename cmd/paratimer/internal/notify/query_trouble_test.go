package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A view is a watcher's view of a query at a time.
type view struct {
	at    time.Duration
	id    string
	state dag.State
	left  time.Duration
}

// notified passes views through the bounds and a webhook, and returns the notifications.
func notified(t *testing.T, due time.Duration, views ...view) string {
	t.Helper()
	s := newServer(t, nil)
	k := newDesk(t, nil, newWebhook(t, s.URL, ""))
	bounds := []alert.Bound{{Name: "deadline", Kind: alert.Deadline, At: at(due), Hold: 1}}
	states := map[string]alert.State{}
	for _, l := range views {
		q := query{id: l.id, length: l.at + l.left}
		f := q.frame(l.at)
		f.Workflow.State = l.state
		if l.state == dag.Submitted {
			f.ElapsedSeconds, f.Left, f.Headline = nil, nil, frame.Headline{}
		}
		w := k.d.Watch(nil)
		if states[l.id].Bounds == nil {
			states[l.id] = w.Recall(f)
		}
		states[l.id], f.Alerts = alert.Step(bounds, states[l.id], f)
		w.Keep(states[l.id], f)
		k.flush()
	}
	var sent []string
	for _, r := range s.all() {
		id := "1"
		if strings.Contains(string(r.body), `"workflow_id":"wf_2"`) {
			id = "2"
		}
		key := r.header.Get("Idempotency-Key")
		sent = append(sent, id+" "+key[strings.LastIndexByte(key, '-')+1:])
	}
	return strings.Join(sent, ", ")
}

// TestQueryTrouble checks the notifications about queries that behave unexpectedly. All are due after ten minutes.
func TestQueryTrouble(t *testing.T) {
	const m = time.Minute
	for _, c := range []struct {
		name  string
		views []view
		want  string
	}{
		{"it never starts", []view{
			{0, "wf_1", dag.Submitted, 0},
			{4 * m, "wf_1", dag.Submitted, 0},
			{8 * m, "wf_1", dag.Submitted, 0},
			{12 * m, "wf_1", dag.Submitted, 0},
		}, "1 late"},
		{"it fails and comes again under a new id", []view{
			{1 * m, "wf_1", dag.Running, 20 * m},
			{2 * m, "wf_1", dag.Failed, 0},
			{3 * m, "wf_2", dag.Running, 20 * m},
			{4 * m, "wf_2", dag.Running, 20 * m},
			{8 * m, "wf_2", dag.Running, 20 * m},
			{11 * m, "wf_2", dag.Running, m},
			{12 * m, "wf_2", dag.Succeeded, 0},
		}, "1 at_risk, 1 resolved, 2 at_risk, 2 late, 2 resolved"},
		{"it ends late between two observations", []view{
			{8 * m, "wf_1", dag.Running, m},
			{9 * m, "wf_1", dag.Running, 30 * time.Second},
			{13 * m, "wf_1", dag.Succeeded, 0},
		}, "1 late, 1 resolved"},
		{"it ends in time between two observations", []view{
			{2 * m, "wf_1", dag.Running, 2 * m}, {5 * m, "wf_1", dag.Succeeded, 0},
		}, ""},
		{"its user kills it while it is at risk", []view{
			{1 * m, "wf_1", dag.Running, 20 * m}, {2 * m, "wf_1", dag.Killed, 0},
		}, "1 at_risk, 1 resolved"},
		{"its user kills it while it is on track", []view{
			{1 * m, "wf_1", dag.Running, 2 * m}, {2 * m, "wf_1", dag.Killed, 0},
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := notified(t, 10*m, c.views...); got != c.want {
				t.Errorf("notifications %q, want %q", got, c.want)
			}
		})
	}
}
