package notify_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the watcher that TestKilled kills.
func TestMain(m *testing.M) {
	if os.Getenv(victimURL) != "" {
		victim()
		return
	}
	goleak.VerifyTestMain(m)
}
