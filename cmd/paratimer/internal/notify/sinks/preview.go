package sinks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// A Preview is what a sink would send, without secrets.
type Preview struct {
	Method  string            `json:"method,omitempty"`
	URLs    []string          `json:"urls,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Command string            `json:"command,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`
}

// A Previewer is a sink that can show what it would send.
type Previewer interface {
	notify.Sink
	Preview(n notify.Notification) Preview
}

// An Answerer is a sink that returns the response to a notification.
type Answerer interface {
	notify.Sink
	Answer(ctx context.Context, n notify.Notification) (string, error)
}

// DryRun prints what another sink would send, one JSON object a line, and sends nothing. Repeats are not printed.
type DryRun struct {
	Previewer
	W io.Writer
}

// Options implements notify.Sink.
func (d DryRun) Options() notify.Options { return notify.Options{Batch: 1} }

// Send prints one line for each notification.
func (d DryRun) Send(_ context.Context, batch []notify.Notification) error {
	for _, n := range batch {
		b, err := json.Marshal(struct {
			DryRun bool          `json:"dry_run"`
			Sink   string        `json:"sink"`
			ID     string        `json:"id"`
			Status notify.Status `json:"status"`
			Would  Preview       `json:"would_send"`
		}{true, d.Key(), n.ID, n.Status, d.Preview(n)})
		if err != nil {
			return &notify.Refused{Err: err}
		}
		if _, err := fmt.Fprintf(d.W, "%s\n", b); err != nil {
			return &notify.Refused{Err: fmt.Errorf("cannot print what would be sent: %w", err)}
		}
	}
	return nil
}

// Nobody is a sink without a target. A dry run without other sinks uses it to print all notifications.
type Nobody struct{}

// Key implements notify.Sink.
func (Nobody) Key() string { return "nobody" }

// Options implements notify.Sink.
func (Nobody) Options() notify.Options { return notify.Options{Batch: 1} }

// Send does nothing.
func (Nobody) Send(context.Context, []notify.Notification) error { return nil }

// Preview is the notification itself.
func (Nobody) Preview(n notify.Notification) Preview {
	b, _ := json.Marshal(n) // its values always encode
	return Preview{Body: b}
}
