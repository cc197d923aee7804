package ernest

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// goldenFit is a case of nnls*.json: values from scipy.optimize.nnls, an enumeration of active sets and Octave's
// lsqnonneg, which agree (facts/ernest.md a.2).
type goldenFit struct {
	Note     string       `json:"note"`
	Features string       `json:"features"`
	Rows     [][3]float64 `json:"rows"` // scale, machines, seconds
	Coef     []float64    `json:"coef"`
	Residual float64      `json:"residual_norm"`
	Rank     int          `json:"rank"`
	Predict  []struct {
		Scale    float64 `json:"scale"`
		Machines float64 `json:"machines"`
		Seconds  float64 `json:"t"`
	} `json:"predict"`
}

func (g *goldenFit) rows() []Row {
	rows := make([]Row, len(g.Rows))
	for i, r := range g.Rows {
		rows[i] = Row{Scale: r[0], Machines: r[1], Seconds: r[2]}
	}
	return rows
}

func goldenCases[C any](t *testing.T, pattern string) map[string]C {
	t.Helper()
	cases := map[string]C{}
	files, err := filepath.Glob(fixtures.Golden("numerics/" + pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var in map[string]C
		if err := json.Unmarshal(data, &in); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for name, c := range in {
			cases[filepath.Base(file)+"/"+name] = c
		}
	}
	return cases
}

func TestGoldenFit(t *testing.T) {
	cases, figures := goldenCases[goldenFit](t, "nnls*.json"), 0
	near := func(t *testing.T, what string, got, want, tolerance float64) {
		t.Helper()
		figures++
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s: %.12g, want %.12g within %.2g", what, got, want, tolerance)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			if c.Features != "[1, scale/machines, machines, ln(machines)]" {
				t.Fatalf("features %q: this test supports the four of §3.2 only", c.Features)
			}
			rows := c.rows()
			m, err := Fit(rows, FitOptions{})
			if err != nil {
				t.Fatal(err)
			}
			length, largest := 0.0, 0.0
			for _, r := range rows {
				length = math.Hypot(length, r.Seconds)
			}
			for _, x := range c.Coef {
				largest = max(largest, x)
			}
			near(t, "residual", m.Residual, c.Residual, 1e-9*length)
			if m.Rank != c.Rank {
				t.Errorf("rank %d, want %d", m.Rank, c.Rank)
			}
			figures++
			for j, x := range c.Coef {
				// What depends on others is not unique.
				if !slices.ContainsFunc(m.base.span.Dependent(),
					func(set []int) bool { return slices.Contains(set, j) }) {
					near(t, m.Terms[j].String(), m.Coefficients[j], x, max(1e-8*x, 1e-13*largest))
				}
			}
			for _, p := range c.Predict {
				got := m.Predict(Point{p.Machines, p.Scale, 0})
				near(t, "prediction", got.Seconds, p.Seconds, 1e-10*max(1, p.Seconds))
			}
		})
	}
	t.Logf("%d cases, %d figures compared", len(cases), figures)
	if figures == 0 {
		t.Fatal("nothing was compared")
	}
}

// The predictions that examples/mllib_rcv1.md of the authors' program prints for its own training data, to 10 digits.
func TestPublishedPredictions(t *testing.T) {
	rows := []Row{
		{32, 0.125, 7.94516801834, 0},
		{4, 0.015625, 4.72029209137, 0},
		{4, 0.021382, 4.87661099434, 0},
		{12, 0.050164, 6.71376490593, 0},
		{12, 0.055921, 6.71519398689, 0},
		{12, 0.061678, 6.6739718914, 0},
		{16, 0.061678, 6.83566999435, 0},
	}
	m, err := Fit(rows, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Doubt; err != nil {
		t.Errorf("the paper's own example is not trusted: %v", err)
	}
	for i, want := range []float64{
		44.6515640166, 25.4777295249, 19.36348049, 16.4412832993, 14.7682298198,
		13.7061636865, 12.9855393036,
	} {
		p := m.Predict(Point{float64(4 * (i + 1)), 1, 0})
		if math.Abs(p.Seconds/want-1) > 1e-10 || p.Refused != nil {
			t.Errorf("%g machines: %.12g s, published %.12g; refused: %v", p.Machines, p.Seconds, want, p.Refused)
		}
		t.Logf("%g: %.12g (%.3g - %.3g) %v", p.Machines, p.Seconds, p.Low, p.High, p.Warnings)
	}
}
