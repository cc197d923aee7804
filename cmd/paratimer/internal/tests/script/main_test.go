// Package script runs the sessions in testdata/script.
package script

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

func TestMain(m *testing.M) { session.Main(m) }
