package sinks

import (
	"context"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// A Bell rings a terminal's bell when an alert fires.
type Bell struct{ W io.Writer }

// Key implements notify.Sink.
func (Bell) Key() string { return "bell" }

// Options implements notify.Sink. A bell that fails is not tried again.
func (Bell) Options() notify.Options { return notify.Options{Batch: 1, Attempts: 1} }

// Send rings the bell for each firing notification.
func (b Bell) Send(_ context.Context, batch []notify.Notification) error {
	for _, n := range batch {
		if _, err := b.Answer(context.Background(), n); err != nil {
			return err
		}
	}
	return nil
}

// Answer rings the bell if the notification is firing.
func (b Bell) Answer(_ context.Context, n notify.Notification) (string, error) {
	if n.Status == notify.Firing {
		if _, err := io.WriteString(b.W, "\a"); err != nil {
			return "", &notify.Refused{Err: err}
		}
	}
	return "rung", nil
}
