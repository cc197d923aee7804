// Package endurance tests that long watches use bounded memory, and measures large ones.
package endurance

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

func TestMain(m *testing.M) { session.Main(m) }
