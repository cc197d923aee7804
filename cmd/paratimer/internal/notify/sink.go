package notify

import (
	"context"
	"time"
)

// A Sink delivers notifications to one target.
type Sink interface {
	// Key identifies the sink and its target in the state file. It is the same in each run and contains no secrets.
	Key() string
	// Send delivers notifications of different alerts. It returns Refused for what will never be accepted, Later if
	// the other end names a wait, and other errors if a retry may help. No error contains a secret.
	Send(ctx context.Context, batch []Notification) error
	Options() Options
}

// Options say how a sink takes its notifications.
type Options struct {
	// Batch is the greatest number of notifications in one Send.
	Batch int
	// Repeats means that the sink forgets: firing alerts are sent again every Repost, and after an outage only the
	// newest state of an alert is sent. Otherwise each notification is sent, in order, until it is accepted.
	Repeats bool
	// Attempts is the number of failures after which a notification is dropped; 0: never.
	Attempts int
}

// Refused means that a sink will never accept what it was sent.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() }
func (e *Refused) Unwrap() error { return e.Err }

// Later means that a sink requests a wait before the next attempt.
type Later struct {
	After time.Duration
	Err   error
}

func (e *Later) Error() string { return e.Err.Error() }
func (e *Later) Unwrap() error { return e.Err }
