package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
)

// A query that runs is looked at a few times, then asked about: what is left of it, from now on.
func TestWhatIfOfAQueryThatRuns(t *testing.T) {
	url := hadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, out, errs := paratimer(t, "whatif", "--rm", url, "--jhs", url, "--user", "alice", "--no-history", "--slots", "2x", "--output", "json")
	if code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	var d struct {
		Workflow struct{ Name, State string }
		Slots    struct{ Containers int }
		Base     struct {
			Answers []struct {
				Model string
				Floor *float64 `json:"floor_seconds"`
				Left  *float64 `json:"remaining_seconds"`
			}
		}
		Changes []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	if d.Workflow.Name != "join.pig" || d.Workflow.State != "running" || d.Slots.Containers != 12 || len(d.Base.Answers) != 1 || d.Changes[0].Name != "slots 2x" {
		t.Errorf("%+v", d)
	}
	if a := d.Base.Answers[0]; a.Left == nil && a.Floor == nil || a.Left != nil && (*a.Left < 20 || *a.Left > 200) {
		t.Errorf("what is left: %v, at least %v", a.Left, a.Floor)
	}
	code, _, errs = paratimer(t, "whatif", "nobody.pig", "--rm", url, "--jhs", url, "--user", "bob", "--no-history")
	if code != exitBlind || !strings.Contains(errs, "nobody.pig") {
		t.Errorf("nobody's: exit code %d: %s", code, errs)
	}
}
