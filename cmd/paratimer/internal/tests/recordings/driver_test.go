package recordings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestDriverAlone checks that commands agree on an application with a driver that works alone: for a minute between two
// jobs of 10 s and for 20 minutes after the last one.
func TestDriverAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, profile := filepath.Join(dir, "eventlog"), filepath.Join(dir, "nightly.yaml")
	l := fixtures.NewSparkLog(4)
	end := l.Job(time.Minute+10*time.Second, 10*time.Second, 4, -1)
	l.Job(0, 10*time.Second, 4, -1)
	l.End(end + 20*time.Minute)
	if err := os.WriteFile(log, l.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		code  int
		want  []string
		wrong []string
	}{
		{[]string{"learn", log, "-o", profile}, program.ExitOK, nil, nil},
		{
			[]string{"replay", log, "--profile", profile, "--within", "10m", "--speed", "0", "--every", "2m"},
			program.ExitOK,
			[]string{
				"0s  ~20m", "the driver, which works alone since", "missed: succeeded", "11m20s after its 10m",
				"succeeded after 21m20s",
			},
			[]string{"met", "later than first predicted"},
		},
		{
			[]string{"check", "--recording", log, "--at", "15m", "--profile", profile},
			program.ExitOK,
			[]string{"'remaining'=380.0", "'progress'=70.3"},
			nil,
		},
		{
			[]string{"check", "--recording", log, "--at", "15m"},
			program.ExitOK,
			[]string{"nightly ?", "'remaining'=U", "'progress'=U"},
			nil,
		},
		{
			[]string{"report", log, "--output", "json", "--every", "5m"},
			program.ExitOK,
			[]string{
				`"diagnosis":"20m of the critical path, 94%, was the driver after the last job."`, `"elapsed_seconds":1280.01,`,
			},
			[]string{"waiting for cores ("},
		},
		{[]string{"compare", log, log}, program.ExitOK, []string{"21m20s, as before"}, nil},
		{
			[]string{"whatif", log},
			program.ExitOK,
			[]string{"took 21m20s on 4 cores; a replay of it takes as long"},
			nil,
		},
	} {
		code, out, stderr := session.Run(t, c.args...)
		if code != c.code {
			t.Fatalf("%v: %d, %s", c.args, code, stderr)
		}
		for _, text := range c.want {
			if !strings.Contains(out, text) {
				t.Errorf("%v: no %q in\n%s", c.args, text, out[:min(len(out), 4000)])
			}
		}
		for _, text := range c.wrong {
			if strings.Contains(out, text) {
				t.Errorf("%v: %q in\n%s", c.args, text, out[:min(len(out), 4000)])
			}
		}
	}
}
