package dag

import "fmt"

// A MissedError means that one observation failed and that a later one may succeed. A watcher repeats its last good
// snapshot, marked stale, and goes on; a recording has the error, so that a replay is stale at the same instants.
// Sources return any other error (but io.EOF) only if going on is pointless.
type MissedError struct {
	At  Instant // by the cluster's clock, as exactly as the source can measure
	Err error
}

func (e *MissedError) Error() string { return fmt.Sprintf("observation missed: %v", e.Err) }

func (e *MissedError) Unwrap() error { return e.Err }
