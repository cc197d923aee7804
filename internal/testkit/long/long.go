// Package long lets `go test ./...` end in minutes: where a test draws cases by lot, or repeats for hours of virtual
// time, it does a part of them unless PARATIMER_LONG is set. .ci/run sets it for a step of its own.
package long

import "os"

// Of returns many if PARATIMER_LONG is set, few otherwise.
func Of(few, many int) int {
	if os.Getenv("PARATIMER_LONG") != "" {
		return many
	}
	return few
}
