package usage

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// What is shown changes nothing else: not the headline, not the range, not the alerts, which rest on scenarios that are
// not shown.
func TestBatteryMovesNoHeadline(t *testing.T) {
	t.Parallel()
	frames := func(args ...string) []frame.Frame {
		var out, stderr bytes.Buffer
		args = append([]string{
			"paratimer", "simulate", "../../examples/paper-4.2GB.yaml", "--every", "60s", "--noise",
			"0.02", "--output", "ndjson", "--within", "25m",
		}, args...)
		if code := program.Run(t.Context(), args, session.Environ(t), new(bytes.Buffer), &out, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		var all []frame.Frame
		for line := range strings.Lines(out.String()) {
			var f frame.Frame
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
		return all
	}
	whole, few := frames(), frames("--estimators", "skew_high,pig")
	if len(whole) != len(few) || len(few) < 10 {
		t.Fatalf("%d and %d frames", len(whole), len(few))
	}
	for i := range few {
		if n := len(few[i].Estimates); n != 2 || few[i].Estimates[1].Scenario != "skew_high" ||
			len(few[i].Others) != 1 {
			t.Fatalf("tick %d: %d estimates, %d others", i, n, len(few[i].Others))
		}
		few[i].Estimates, few[i].Others = whole[i].Estimates, nil
		a, _ := json.Marshal(whole[i])
		b, _ := json.Marshal(few[i])
		if !bytes.Equal(a, b) {
			t.Errorf("tick %d:\n%s\n%s", i, a, b)
		}
	}
}
