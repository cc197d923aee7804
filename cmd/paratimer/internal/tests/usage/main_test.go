// Package usage tests what users read: help, errors, exit codes, completion, configuration, a real terminal, and
// documents. Commands, pictures, links and published numbers in the documents must match the program.
package usage

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

func TestMain(m *testing.M) { session.Main(m) }
