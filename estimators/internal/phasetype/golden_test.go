package phasetype

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

type branches [][3]float64 // weight, stages, rate

func (b branches) mixture() (m Mixture) {
	for _, x := range b {
		m = append(m, Branch{x[0], int(x[1]), x[2]})
	}
	return m
}

// TestGolden compares with closed forms, scipy's quadrature and sampling (docs/facts/queueing.md d). The file has
// twelve digits.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile(fixtures.Golden("numerics/max_two.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Case    string   `json:"case"`
			A       branches `json:"A"`
			B       branches `json:"B"`
			Mean    float64  `json:"mean"`
			Var     float64  `json:"var"`
			MinMean float64  `json:"min_mean"`
			Twice   float64  `json:"h2_forkjoin"`
		} `json:"cases"`
		Harmonic map[string]float64 `json:"harmonic"`
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Cases) == 0 || len(golden.Harmonic) == 0 {
		t.Fatalf("%d cases: %v", len(golden.Cases), err)
	}
	compared := 0
	near := func(t *testing.T, what string, got, want float64) {
		t.Helper()
		compared++
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s is %.12g, want %.12g", what, got, want)
		}
	}
	for _, c := range golden.Cases {
		t.Run(c.Case, func(t *testing.T) {
			a, b := c.A.mixture(), c.B.mixture()
			mean, variance, err := Max(a, b)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "E[max]", mean, c.Mean)
			near(t, "Var[max]", variance, c.Var)
			mean, _, err = Min(a, b)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "E[min]", mean, c.MinMean)
			m, err := Maximum([]Copies{{a, 1}, {b, 1}})
			if err != nil || m.Error > 1e-9*m.Mean {
				t.Fatal(m, err)
			}
			near(t, "E[max] by quadrature", m.Mean, c.Mean)
			near(t, "Var[max] by quadrature", m.Variance, c.Var)
			near(t, "harmonic rule", Harmonic(2)*max(a.Mean(), b.Mean()), c.Twice)
		})
	}
	for n, want := range golden.Harmonic {
		i, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "H_"+n, Harmonic(i), want)
	}
	t.Logf("%d figures of %d cases compared", compared, len(golden.Cases))
}
