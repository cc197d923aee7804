package recordings

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// disrupted are recordings that were lengthened by events outside a replay.
var disrupted = map[string]string{
	"two-1":    "another script takes containers from 25 s on",
	"queues-1": "another user's script takes the other queue's share from 18 s on",
}

// TestWhatIfReplaysRecordings checks the table of docs/reports.md: a finished run, replayed from its own profile, takes
// what it took, within a tenth where nothing struck it that no replay can know of. Where something did, a what-if says
// that it is doubtful.
func TestWhatIfReplaysRecordings(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"join-1", "slowstart-1", "skew-1", "wide-1", "report-1", "cpu-1", "long-1", "quadratic-1", "failure-1",
		"refailure-1", "nodes-1",
		"two-1", "queues-1", "amrestart-1",
	} {
		past := pastOf(t, name)
		r, err := whatif.NewReplayOf(past, cost.Costs)
		if err != nil {
			t.Fatal(err)
		}
		miss, why := 100*r.Miss(), disrupted[name]
		line := fmt.Sprintf("| %s | %.1f | %+.1f%% | %s |", name, past.Took.Seconds(), miss, why)
		t.Log(line)
		if math.Abs(miss) > 10 != (why != "") {
			t.Errorf("%s: the replay misses by %.1f%%", name, miss)
		}
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("docs/reports.md does not say\n%s", line)
		}
	}
}

// TestWhatIfAcrossRecordings predicts the length of one real run from another. They differ in slow start alone: 0.05
// and 1.
func TestWhatIfAcrossRecordings(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		from, to string
		ratio    float64
	}{{"slowstart-1", "join-1", 0.05}, {"join-1", "slowstart-1", 1}} {
		r, err := whatif.NewReplayOf(pastOf(t, x.from), cost.Costs)
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Predict(whatif.Change{SlowStart: &x.ratio})
		if err != nil || a.Remaining == nil {
			t.Fatal(err)
		}
		took := pastOf(t, x.to).Took.Seconds()
		off := 100 * (a.Remaining.Seconds()/took - 1)
		if math.Abs(off) > 10 {
			t.Errorf("%s with slow start %v: %v, which is %.1f%% off", x.from, x.ratio, *a.Remaining, off)
		}
		line := fmt.Sprintf("| %s | slow start %g | %.1f | %s: %.1f | %+.1f%% |", x.from, x.ratio,
			a.Remaining.Seconds(), x.to, took, off)
		t.Log(line)
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("docs/reports.md does not say\n%s", line)
		}
	}
}

// pastOf is a recorded run, to be run again.
func pastOf(t *testing.T, name string) whatif.Past {
	t.Helper()
	p, ok := whatif.Again(captured(t, name))
	if !ok {
		t.Fatalf("%s: no job has run", name)
	}
	return p
}
