package compare

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// nights returns n usual runs.
func nights(t *testing.T, p *dag.Plan, from, n int) (runs []*Run) {
	for i := range n {
		runs = append(runs, night(t, p, from+i, usual))
	}
	return runs
}

func compared(t *testing.T, runs ...*Run) *Comparison {
	t.Helper()
	c, err := Compare(runs, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSlowerRecordsAreFound makes each record take half as long again: each phase that works long enough is
// flagged, with about that ratio inside its interval, and with no more records.
func TestSlowerRecordsAreFound(t *testing.T) {
	runs := append(nights(t, joinOf(t, 1, 1), 0, 4), night(t, joinOf(t, 1, 1.5), 4, usual))
	c := compared(t, runs...)
	found := make(map[[2]string]Finding)
	for _, f := range c.Findings {
		found[[2]string{f.Job, f.Phase}] = f
	}
	for _, want := range [][2]string{
		{c.Jobs[0].Node, "map"}, {c.Jobs[1].Node, "map"}, {c.Jobs[2].Node, "reduce"},
	} {
		f, ok := found[want]
		if !ok {
			t.Errorf("%v: it is not flagged", want)
			continue
		}
		if !f.Slower || f.Doubtful || f.Unit != "record" || math.Abs(float64(f.Ratio)-1.5) > 0.15 ||
			math.Abs(float64(f.Amount)-1) > 1e-9 || !(f.Low > 1.1) {
			t.Errorf("%v: %+v", want, f)
		}
		t.Logf("%+v", f)
	}
	if len(found) != 3 || !c.Regressed {
		t.Errorf("%d findings, want 3: %+v", len(found), c.Findings)
	}
}

// TestMoreDataIsNoRegression gives the same script twice the data: it takes longer, and no record does.
func TestMoreDataIsNoRegression(t *testing.T) {
	runs := append(nights(t, joinOf(t, 1, 1), 0, 4), night(t, joinOf(t, 2, 1), 4, usual))
	if c := compared(t, runs...); len(c.Findings) > 0 || !(c.Total > 20_000) {
		t.Errorf("it took %.0f ms more, findings: %+v", c.Total, c.Findings)
	}
}

// TestOneEarlierRunIsUncertain checks that a finding against a single run is marked as uncertain.
func TestOneEarlierRunIsUncertain(t *testing.T) {
	c := compared(t, night(t, joinOf(t, 1, 1), 0, usual), night(t, joinOf(t, 1, 1.5), 1, usual))
	if len(c.Findings) == 0 {
		t.Fatal("nothing is flagged")
	}
	for _, f := range c.Findings {
		if !f.Doubtful || f.Earlier != 1 || f.Chance.Known() {
			t.Errorf("%+v", f)
		}
	}
}

// TestFalseAlarms measures how often noise alone is flagged, and how often records that take a fifth or half longer
// are, and checks the statement of docs/reports.md about it.
func TestFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates hundreds of runs")
	}
	doc, err := os.ReadFile("../../../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	busy := usual
	busy.Speed = 0.15
	const seeds = 200
	plans := map[float64]*dag.Plan{}
	for _, pace := range []float64{1, 1.2, 1.5} {
		plans[pace] = joinOf(t, 1, pace)
	}
	for _, x := range []struct {
		nights string
		noise  simulate.Options
	}{{"as usual", usual}, {"busy", busy}}[:fixtures.Long(1, 2)] {
		paces := []float64{1, 1.2, 1.5}
		slower := make([][]*Run, len(paces))
		for i := range seeds + 7 {
			for n, pace := range paces {
				slower[n] = append(slower[n], night(t, plans[pace], i, x.noise))
			}
		}
		same := slower[0]
		for _, earlier := range []int{1, 2, 3, 7} {
			line := fmt.Sprintf("| %s | %d |", x.nights, earlier)
			for n := range paces {
				found := 0
				for i := range seeds {
					before := append([]*Run(nil), same[i:i+earlier]...)
					if compared(t, append(before, slower[n][i+earlier])...).Regressed {
						found++
					}
				}
				line += fmt.Sprintf(" %.1f%% |", 100*float64(found)/seeds)
			}
			t.Log(line)
			if !strings.Contains(string(doc), line+"\n") {
				t.Errorf("docs/reports.md does not say\n%s", line)
			}
		}
	}
}
