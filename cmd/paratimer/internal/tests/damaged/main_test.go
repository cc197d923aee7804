// Package damaged tests that no command panics on damaged input, and that secrets do not leak.
package damaged

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

func TestMain(m *testing.M) { session.Main(m) }
