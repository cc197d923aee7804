package notify

import (
	"context"
	"time"
)

// A Sink is where notifications go.
type Sink interface {
	// Key names the sink and its target in the state, the same in each run, without secrets.
	Key() string
	// Send delivers notifications of different alerts. Its errors are Refused for what will never be taken, Later where
	// the other end says when to come again, and others where trying again may help. No error has a secret in it.
	Send(ctx context.Context, batch []Notification) error
	Options() Options
}

// Options are how a sink wants its notifications.
type Options struct {
	// Batch is how many notifications one Send takes.
	Batch int
	// Repeats says that the sink forgets: what fires is sent again each Repost, and of what changed while it was away
	// only the newest counts. Without it each notification is sent, in order, until it is taken.
	Repeats bool
	// Attempts is after how many failures a notification is given up; 0: never.
	Attempts int
}

// Refused says that a sink will never take what it was sent.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() }
func (e *Refused) Unwrap() error { return e.Err }

// Later says that a sink wants to be left alone for a while.
type Later struct {
	After time.Duration
	Err   error
}

func (e *Later) Error() string { return e.Err.Error() }
func (e *Later) Unwrap() error { return e.Err }
