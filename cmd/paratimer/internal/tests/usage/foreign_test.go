//go:build foreign

package usage

import (
	"encoding/json"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestErnestSharedServer: a real server with up to 70 jobs at once; the first 35 tell what its cores' second threads
// are worth.
func TestErnestSharedServer(t *testing.T) {
	t.Parallel()
	table := fixtures.Foreign("mva/test_CPU_parallel_HDP6.csv")
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	code, stdout, stderr := session.Run(t, "ernest", "score", table, "--concurrency", "Num_concurrent_jobs", "--seconds",
		"job_median_run_time (sec)", "--output", "json")
	if code != program.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var got struct {
		Jobs []struct {
			Train, Test int
			Methods     []struct {
				Name      string
				MeanRatio float64 `json:"mean_ratio"`
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	j := got.Jobs[0]
	if m := j.Methods[1]; j.Train != 35 || j.Test != 35 || m.Name != "mva-threads" || m.MeanRatio > 0.07 {
		t.Errorf("%+v", got)
	}
}
