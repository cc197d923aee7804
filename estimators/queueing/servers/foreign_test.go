//go:build foreign

package servers

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestRealServer scores a real machine with up to 70 CPU-bound jobs at once (LucaCanali/Miscellaneous, Apache-2.0),
// read in place. Times stay flat up to 32 jobs: nothing below says where they end to.
func TestRealServer(t *testing.T) {
	f, err := os.Open(fixtures.Foreign("mva/test_CPU_parallel_HDP6.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for _, r := range table[1:] {
		jobs, err := strconv.Atoi(r[0])
		if err != nil {
			t.Fatal(err)
		}
		seconds, err := strconv.ParseFloat(r[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, Row{jobs, seconds})
	}
	for _, c := range []struct {
		upTo, given    int
		servers        int     // expected
		plain, threads float64 // expected mean errors; NaN is refused
	}{
		// One run, and that the machine has 32 cores: bounds the rest.
		{1, 32, 32, 0.10, 0.10},
		{32, 0, 32, math.NaN(), math.NaN()},
		{32, 32, 32, 0.17, 0.17},
		// The first jobs that share a core tell what its second thread is worth.
		{35, 0, 32, 0.15, 0.07},
		{40, 0, 32, 0.13, 0.06},
		{48, 0, 32, 0.08, 0.08},
	} {
		scores, err := Score(rows, c.upTo, Options{Servers: c.given})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range scores {
			t.Logf("trained up to %d jobs, %d servers given: %-11s mean %5.1f %% max %5.1f %% bias %+5.1f %% refused %d %+v",
				c.upTo, c.given, s.Name, 100*s.Mean, 100*s.Max, 100*s.Bias, s.Refused, s.Model)
			if want := []float64{c.plain, c.threads}; i < 2 && (math.IsNaN(want[i]) != math.IsNaN(float64(s.Mean)) ||
				float64(s.Mean) > want[i]) {
				t.Errorf("trained up to %d jobs: %s is off by %v on average, want at most %v", c.upTo, s.Name, s.Mean,
					want[i])
			}
		}
		if m := scores[1].Model; m.Servers != c.servers {
			t.Errorf("trained up to %d jobs: %d servers, want %d", c.upTo, m.Servers, c.servers)
		}
	}
}
