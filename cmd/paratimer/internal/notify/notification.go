// Package notify delivers each alert once and in order, even if this process, its disk or the receiver fails.
//
// A stream is one alert (workflow, bound) at one sink: what was sent and what waits to be sent. Each frame is
// compared with its streams, so a restart, or a second watcher that takes over, continues where the first one
// stopped. The notifications that follow are written with the alerts' state, as one file, before anything is sent;
// they are marked as sent afterwards. A crash between the two sends them again, with the same Notification.ID.
//
// Of several watchers of a run, one sends an alert to a sink: its leader. Each sink has its own goroutine, so no sink
// delays the loop. One lock guards all state; it is not locked while a sink sends.
//
// The sinks are Alertmanager, a webhook, a command, or a dry run; OpenLineage gets events of runs. No error, key or
// preview contains a secret: of a URL, only the scheme and the host are shown.
package notify

import (
	"context"
	"net/url"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Sink delivers notifications to one target.
type Sink struct {
	// Key identifies the sink and its target in the state file. It is the same in each run and contains no secrets.
	Key string
	// Repeats means that the sink forgets: firing alerts are sent again every Repost, and after an outage only the
	// newest state of an alert is sent. Otherwise each notification is sent, in order, until it is accepted.
	Repeats bool
	// Runs means that the sink is sent runs in place of alerts: the start of each, its newest state now and then, its
	// end.
	Runs bool
	// Attempts is the number of failures after which a notification is dropped; 0: never.
	Attempts int
	// Send delivers a notification and returns the response. No error contains a secret.
	Send func(context.Context, Notification) (answer string, err error)
	// Preview returns the body that Send would send, without secrets.
	Preview func(Notification) ([]byte, error)
}

// A Failure is an error of a sink with the time of the next attempt. Other errors are tried again after a back-off.
type Failure struct {
	Err     error
	Refused bool          // the sink will never accept what it was sent
	After   time.Duration // the least wait that the sink requests
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// A Status is firing or resolved: whether a notification raises an alert or resolves it.
type Status string

// The statuses, in Alertmanager's words.
const (
	Firing   Status = "firing"
	Resolved Status = "resolved"
)

// A Notification is one message about an alert. Commands read its JSON on standard input.
type Notification struct {
	// ID is the idempotency key: the same if the notification is sent again, different for any other one.
	ID          string            `json:"id"`
	Fingerprint string            `json:"fingerprint"` // of the labels
	Status      Status            `json:"status"`
	Workflow    Workflow          `json:"workflow"`
	Alert       frame.Alert       `json:"alert"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Link        string            `json:"link"` // a page about the query; "" if none is set
	WaitingOn   *string           `json:"waiting_on"`
	URL         string            `json:"url,omitempty"` // the page of the stage that it waits for
	EndAt       *frame.Time       `json:"predicted_end_at"`
	// StartsAt is when it began to fire and EndsAt when it stopped, by the watcher's clock.
	StartsAt time.Time  `json:"starts_at"`
	EndsAt   *time.Time `json:"ends_at"`
	// Run is the state of the run, for sinks of runs; nil for others.
	Run *Run `json:"run,omitempty"`
	// Again means that a sink of runs had the start of the run before.
	Again bool `json:"-"`
	// Brief means that the alert ended before the sink got it: a sink that expires alerts should let it expire.
	Brief bool `json:"-"`
}

// A Run is the state of a run, as its newest frame shows it.
type Run struct {
	At               *frame.Time    `json:"at"`
	State            dag.State      `json:"state"`
	ProgressRatio    *frame.Ratio   `json:"progress_ratio"`
	ElapsedSeconds   *frame.Seconds `json:"elapsed_seconds"`
	RemainingSeconds *frame.Seconds `json:"remaining_seconds"`
	LowSeconds       *frame.Seconds `json:"low_seconds"`
	HighSeconds      *frame.Seconds `json:"high_seconds"`
}

// A Workflow names what the alert is about.
type Workflow struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
	// Engine runs it: "Tez", "Spark"; "" is MapReduce.
	Engine string `json:"engine,omitempty"`
}

func workflowOf(f frame.Frame) Workflow {
	w := &f.Workflow
	return Workflow{
		ID: frame.ValueOf(w.ID), Name: frame.ValueOf(w.Name), State: w.State.String(), Engine: w.Engine,
	}
}

// about returns the notification of an alert in any state, without ID, status and times. link is the address of a page
// about the query, with fields as in annotations.
func about(f frame.Frame, a frame.Alert, d Dress, link string) Notification {
	n := Notification{
		Workflow: workflowOf(f), Alert: a, WaitingOn: f.WaitingOn, URL: f.WaitingURL, EndAt: f.Headline.EndAt,
	}
	n.Labels = d.labels(n.Workflow, a.Bound)
	n.Fingerprint = fingerprint(n.Labels)
	facts := factsOf(n)
	n.Annotations = d.annotations(facts)
	for name, v := range facts {
		facts[name] = url.PathEscape(v)
	}
	n.Link, _ = expand(link, facts)
	return n
}

// runBound is the bound of a run itself. An alert's bound has a name.
const runBound = ""

// ofRun returns the notification of a run itself: an alert that is late while the run lasts, so that its start raises
// it and its end resolves it.
func ofRun(f frame.Frame) Notification {
	outcome, h := frame.Missed, f.Headline
	a := frame.Alert{Bound: runBound, State: frame.Late, Outcome: &outcome, Opened: true}
	if f.Workflow.State.Ended() {
		a.State = frame.Ended
	}
	n := about(f, a, Dress{}, "")
	n.Run = &Run{
		At: f.At, State: f.Workflow.State, ProgressRatio: f.ProgressRatio, ElapsedSeconds: f.ElapsedSeconds,
		RemainingSeconds: h.RemainingSeconds, LowSeconds: h.LowSeconds, HighSeconds: h.HighSeconds,
	}
	return n
}

// Sample returns a notification that concerns no real query. It fires or resolves at an instant, as an alert with
// this dress and link would.
func Sample(status Status, at time.Time, d Dress, link string) Notification {
	id, name := "paratimer-notify-test", "paratimer notify test"
	likely, by, outcome := frame.Ratio(1), frame.Seconds(24), frame.Met
	due := frame.TimeOf(dag.InstantOf(at.Add(-24 * time.Second)))
	f := frame.Frame{Workflow: frame.Workflow{ID: &id, Name: &name, State: dag.Running}}
	f.Headline.EndAt = frame.TimeOf(dag.InstantOf(at))
	a := frame.Alert{
		Bound: "test", State: frame.Late, Probability: &likely, DeadlineAt: due, Since: due,
		BySeconds: &by, Text: "this is a test, nothing is late: alerts of ParaTimer reach you",
	}
	what := string(a.State)
	if status == Resolved {
		f.Workflow.State, a.State, a.Outcome = dag.Succeeded, frame.Ended, &outcome
		a.Text, what = "test alert resolved", string(Resolved)
	}
	l := alertStream{StartsAt: at.UTC().Truncate(time.Millisecond)}
	l.push(about(f, a, d, link), status, what, at)
	return l.Queue[0]
}
