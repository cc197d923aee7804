// Package long limits `go test ./...` to minutes. Tests that draw random cases, or repeat for hours of virtual time,
// do only a part of them unless PARATIMER_LONG is set. .ci/run sets it in a separate step.
package long

import "os"

// Of returns many if PARATIMER_LONG is set, few otherwise.
func Of(few, many int) int {
	if os.Getenv("PARATIMER_LONG") != "" {
		return many
	}
	return few
}
