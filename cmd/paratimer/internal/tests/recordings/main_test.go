// Package recordings tests what commands compute from recordings of real runs, and from runs of Spark, of Tez and of
// stages of any kind.
package recordings

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

func TestMain(m *testing.M) { session.Main(m) }
