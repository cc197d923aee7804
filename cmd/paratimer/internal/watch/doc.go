// Package watch is the loop: observe, estimate, show, wait. What it shows is a Frame; docs/frames.md is its contract.
//
// The loop decides everything that a frame says, the headline included. Sinks show it and compute nothing.
package watch

import (
	"context"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Source yields snapshots of one query. Next observes once: it neither waits nor retries.
// After the query has ended it returns io.EOF. A *dag.MissedError may be over at the next call; every other error ends the watch.
type Source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// A Sink shows frames. An error of a sink ends the watch: nobody would see what follows.
type Sink interface {
	Show(frame.Frame) error
}
