// Package gc lets tests collect garbage rarely. Hundreds of short replays with small heaps spend a quarter of their
// time on it otherwise.
package gc

import (
	"os"
	"runtime/debug"
)

// Rarely lets the heap of this process, and of those that it starts, grow to five times what is alive before it is
// collected, unless GOGC is set. It is for TestMain.
func Rarely() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400)
	if err := os.Setenv("GOGC", "400"); err != nil {
		panic(err)
	}
}
