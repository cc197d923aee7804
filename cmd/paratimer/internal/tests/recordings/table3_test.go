package recordings

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestTable3Recordings scores the 27 rows of NearestFit's Table 3, and two more, as they ran on a real cluster. On
// each the form of NearestFit has numbers, and where time follows from the size of a group its mean error is below 10
// points.
func TestTable3Recordings(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/recordings-table3/*.tape")
	if err != nil || len(files) != 29 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		code, out, stderr := session.Run(t, "score", file, "--estimators", "nearestfit,nearestfit_stream", "--output", "json")
		if code != program.ExitOK {
			t.Fatalf("%s: exit code %d\n%s", file, code, stderr)
		}
		var got struct {
			Runs []struct {
				Estimators []struct {
					Name string
					Mean *float64 `json:"mean_points"`
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Runs) != 1 {
			t.Fatalf("%s: %v\n%s", file, err, out)
		}
		means := map[string]*float64{}
		for _, e := range got.Runs[0].Estimators {
			means[e.Name] = e.Mean
		}
		fit := means["nearestfit"]
		if fit == nil {
			fit = means["nearestfit_stream"]
		}
		join := strings.Contains(file, "NaturalJoin") // time is the product of the sides of a join
		if fit == nil || !join && *fit > 10 {
			t.Errorf("%s: NearestFit is off by %v", file, means)
		}
	}
}
