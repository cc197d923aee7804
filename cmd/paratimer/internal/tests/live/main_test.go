// Package live tests the commands that watch a cluster, with files and with the history that they leave, and what
// they send to sinks and to Prometheus during a run.
package live

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

func TestMain(m *testing.M) { session.Main(m) }
