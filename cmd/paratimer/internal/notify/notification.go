package notify

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A Status says whether a notification raises an alert or resolves it.
type Status string

// The statuses, in Alertmanager's words.
const (
	Firing   Status = "firing"
	Resolved Status = "resolved"
)

// A Notification is one message about an alert. Its JSON is what commands read on standard input.
type Notification struct {
	// ID is the idempotency key: the same if the notification is sent again, different for any other one.
	ID          string            `json:"id"`
	Fingerprint string            `json:"fingerprint"` // of the labels
	Status      Status            `json:"status"`
	Workflow    Workflow          `json:"workflow"`
	Alert       frame.Alert       `json:"alert"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	WaitingOn   *string           `json:"waiting_on"`
	EndAt       *frame.Time       `json:"predicted_end_at"`
	// StartsAt is when it began to fire and EndsAt when it stopped, by the watcher's clock.
	StartsAt time.Time  `json:"starts_at"`
	EndsAt   *time.Time `json:"ends_at"`
	// Brief means that the alert ended before the sink got it: a sink that expires alerts should let it expire.
	Brief bool `json:"-"`
}

// A Workflow names what the alert is about.
type Workflow struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
	// Engine is what runs it: "Tez", "Spark"; "" is MapReduce.
	Engine string `json:"engine,omitempty"`
}

func workflowOf(f frame.Frame) Workflow {
	w := Workflow{State: f.Workflow.State.String(), Engine: f.Workflow.Engine}
	if f.Workflow.ID != nil {
		w.ID = *f.Workflow.ID
	}
	if f.Workflow.Name != nil {
		w.Name = *f.Workflow.Name
	}
	return w
}
