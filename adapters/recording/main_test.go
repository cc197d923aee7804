package recording

import (
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/gc"
)

func TestMain(m *testing.M) {
	gc.Rarely()
	m.Run()
}
