// Package watch is the loop: observe, estimate, judge, show, wait.
package watch

import (
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A Source returns snapshots of one query. Next observes once: it neither waits nor retries. After the query has
// ended it returns io.EOF. After a *dag.MissedError the next call may succeed; every other error ends the watch.
type Source = recording.Source

// A Sink receives the result of each observation. An error of a sink ends the watch: its output would be lost.
type Sink interface {
	Show(frame.Tick) error
}
