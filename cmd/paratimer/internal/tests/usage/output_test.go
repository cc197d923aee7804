package usage

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestOutputNotWhole checks that a command whose output could not be written does not succeed.
func TestOutputNotWhole(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"help"}, {"estimate", "../../examples/fig3a.yaml"}} {
		var stderr bytes.Buffer
		code := program.Run(t.Context(), append([]string{"paratimer"}, args...), session.Environ(t), strings.NewReader(""), full{},
			&stderr)
		if code == program.ExitOK || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%q: exit code %d, %q", args, code, &stderr)
		}
	}
}
