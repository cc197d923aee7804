// Package watch is the loop: observe, estimate, judge, show, wait.
package watch

import (
	"context"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Source yields snapshots of one query. Next observes once: it neither waits nor retries. After the query has ended
// it returns io.EOF. A *dag.MissedError may be over at the next call; every other error ends the watch.
type Source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// A Sink takes in what each observation gives. An error of a sink ends the watch: nobody would see what follows.
type Sink interface {
	Show(frame.Tick) error
}
