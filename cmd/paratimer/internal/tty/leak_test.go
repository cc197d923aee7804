package tty

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no goroutine outlives its test, but for bubbletea's: those that wait for the last tick, half a
// second at most, and a reader that holds a key when its program ends, whom nobody listens to any more (waitForReadLoop
// gives it up).
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("charm.land/bubbletea/v2.Tick.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).execBatchMsg"),
		goleak.IgnoreTopFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}
