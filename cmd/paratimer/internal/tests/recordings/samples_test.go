package recordings

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestSampleProfiles scores a join on an overloaded cluster with the profiles of runs on 1 and 10% of its data. Most
// of the time of these runs does not grow with the data: extrapolated, it gave five times the length of the join.
func TestSampleProfiles(t *testing.T) {
	t.Parallel()
	folder := "../../testdata/recordings-samples/"
	profiles, err := filepath.Glob(folder + "of-*.yaml")
	if err != nil || len(profiles) != 2 {
		t.Fatalf("%d profiles, %v", len(profiles), err)
	}
	for _, profile := range profiles {
		code, out, stderr := session.Run(t, "score", folder+"join.tape", "--profile", profile, "--output", "json")
		var got struct {
			Runs []struct {
				Estimators []struct {
					Name    string  `json:"name"`
					Mean    float64 `json:"mean_points"`
					Missing float64 `json:"no_estimate_ratio"`
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != program.ExitOK || len(got.Runs) != 1 {
			t.Fatalf("%s: exit code %d, %v\n%s", profile, code, err, stderr)
		}
		for _, e := range got.Runs[0].Estimators {
			if e.Name == "standard" && !(e.Mean < 4 && e.Missing < 0.15) {
				t.Errorf("%s: %.1f points off, none for %.0f%% of the ticks", profile, e.Mean, 100*e.Missing)
			}
		}
	}
}
