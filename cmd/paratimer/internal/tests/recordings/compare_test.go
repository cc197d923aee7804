package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestCompareRecordings compares real runs of one script: nothing is flagged among those with the same costs, whatever
// struck them; where records took longer, it is; the effects add up, and the largest is what is known to have happened.
func TestCompareRecordings(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		before, now string
		slower      []string // job and phase
		most        compare.Effect
	}{
		{before: "join-1", now: "slowstart-1"},
		{before: "join-1", now: "failure-1", most: compare.Failures}, // the critical path does not go through it
		{before: "join-1", now: "nodelost-1", most: compare.Failures},
		{before: "join-1", now: "queues-1", most: compare.Load},
		{before: "join-1", now: "two-1", most: compare.Load},
		{before: "join-1", now: "nodes-1"},
		{before: "join-1", now: "amrestart-1", most: compare.Failures},
		{before: "slowstart-1", now: "amrestart-1", most: compare.Failures},
		// 25, 25 and 150 ms a record became 60, 40 and 400.
		{
			before: "join-1", now: "long-1", slower: []string{"scope-30 map", "scope-39 map", "scope-48 reduce"},
			most: compare.Cost,
		},
	} {
		t.Run(x.before+" and "+x.now, func(t *testing.T) {
			d := comparedFiles(t, x.before, x.now)
			sum := 0.0
			most := d.Difference.Effects[0]
			for _, e := range d.Difference.Effects {
				sum += math.Round(1000 * float64(e.Seconds))
				if e.Seconds > most.Seconds {
					most = e
				}
			}
			t.Logf("%s; %v", d.Difference.Says, d.Difference.Effects)
			if sum != math.Round(1000*float64(d.Difference.Seconds)) {
				t.Errorf("the effects add up to %.0f ms of %v s", sum, d.Difference.Seconds)
			}
			var slower []string
			for _, f := range d.Findings {
				if f.Slower {
					slower = append(slower, fmt.Sprintf("%s %s", f.Job, f.Phase))
				}
			}
			if fmt.Sprint(slower) != fmt.Sprint(x.slower) {
				t.Errorf("slower: %v, want %v", slower, x.slower)
			}
			if x.most != "" && most.Effect != x.most {
				t.Errorf("most is due to %s, want %s", most.Effect, x.most)
			}
		})
	}
}

func comparedFiles(t *testing.T, names ...string) *compare.Comparison {
	t.Helper()
	args := []string{"paratimer", "compare", "--output", "json", "--every", "10s"}
	for _, name := range names {
		args = append(args, fixtures.Recording(name+".jsonl.zst"))
	}
	var out, stderr bytes.Buffer
	if code := program.Run(t.Context(), args, session.Environ(t), nil, &out, &stderr); code != program.ExitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var d compare.Comparison
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return &d
}
