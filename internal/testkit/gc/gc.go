// Package gc makes tests collect garbage less often. Hundreds of short replays with small heaps would spend a quarter
// of their time on it.
package gc

import (
	"os"
	"runtime/debug"
)

// Rarely lets the heap of this process and its child processes grow to five times the live data before a collection,
// unless GOGC is set. Call it in TestMain.
func Rarely() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400)
	if err := os.Setenv("GOGC", "400"); err != nil {
		panic(err)
	}
}
