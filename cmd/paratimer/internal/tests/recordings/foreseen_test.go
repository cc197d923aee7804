package recordings

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestForeseenStages holds that frames tell the stages which adaptive execution has not submitted, with how many tasks
// these have at most and none for sure, and the tasks of those that it has.
func TestForeseenStages(t *testing.T) {
	t.Parallel()
	log := filepath.Join("..", "..", "adapters", "spark", "testdata", "aqe-3.eventlog.gz")
	code, out, stderr := session.Run(t, "replay", log, "--output", "ndjson")
	if code != program.ExitOK {
		t.Fatal(stderr)
	}
	var most, least int
	for line := range strings.Lines(out) {
		var f struct {
			Workflow struct{ State string }
			Jobs     []struct {
				Stages []struct {
					Name   string
					Total  *int
					AtMost int `json:"at_most"`
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		foreseen := 0
		for _, s := range f.Jobs[0].Stages {
			comes := strings.Contains(s.Name, "(not submitted)")
			if comes {
				foreseen++
			}
			if comes != (s.Total == nil) || s.AtMost > 0 != comes && s.AtMost != 0 {
				t.Fatalf("%s has %v tasks, %d at most", s.Name, s.Total, s.AtMost)
			}
			most = max(most, s.AtMost)
		}
		least = foreseen
	}
	if most != 20 || least != 0 {
		t.Errorf("%d tasks at most, %d stages to come in the end", most, least)
	}
}
