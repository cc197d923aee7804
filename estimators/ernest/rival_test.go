package ernest

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// scattered is a table as people have it: some machines, some parts of the input, 5 to 10 % of noise.
func scattered(at func(m, s float64) float64, random *rand.Rand) []Row {
	where := make([][2]float64, 10+random.IntN(16))
	for i := range where {
		where[i] = [2]float64{float64(1 + random.IntN(16)), math.Pow(2, -1-3*random.Float64())}
	}
	return measure(at, where, 0.05+0.05*random.Float64(), random)
}

// TestScattered holds how often the whole input is refused though the law is the model's, and how often a number is given that
// is more than half off though the law is another.
func TestScattered(t *testing.T) {
	const tables = 40
	for _, c := range []struct {
		name           string
		law            func(random *rand.Rand) func(m, s float64) float64
		refused, wrong int // of tables, at most
	}{
		{"the model's", func(r *rand.Rand) func(m, s float64) float64 {
			return theta(30*r.Float64(), 50*math.Pow(20, r.Float64()), 1.5*r.Float64(), 8*r.Float64())
		}, tables / 10, tables / 20},
		{"pairs of records", func(r *rand.Rand) func(m, s float64) float64 {
			a, b, c := 20*r.Float64(), 100*math.Pow(20, r.Float64()), r.Float64()
			return func(m, s float64) float64 { return a + b*s*s/m + c*m }
		}, tables, tables / 20},
		{"quadratic reducer", func(r *rand.Rand) func(m, s float64) float64 {
			a, b := 20*r.Float64(), 50*math.Pow(20, r.Float64())
			q := b * (0.2 + r.Float64())
			return func(m, s float64) float64 { return a + b*s/m + q*s*s }
		}, tables, tables / 10},
	} {
		refused, wrong := 0, 0
		for seed := range uint64(tables) {
			random := rand.New(rand.NewPCG(seed, 13))
			at := c.law(random)
			m, err := Fit(scattered(at, random), FitOptions{Resamples: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := m.Predict(16, 1)
			switch {
			case p.Refused != nil:
				refused++
			case math.Abs(p.Seconds/at(16, 1)-1) > 0.5:
				wrong++
			}
		}
		t.Logf("%-17s of %d tables %d refused, %d more than half off", c.name, tables, refused, wrong)
		if refused > c.refused || wrong > c.wrong {
			t.Errorf("%s: of %d tables %d are refused and %d more than half off, want at most %d and %d", c.name, tables, refused, wrong, c.refused, c.wrong)
		}
	}
}

// A rival refuses what is far from the rows and leaves what is among them.
func TestRival(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 13))
	m, err := Fit(measure(func(m, s float64) float64 { return 10 + 300*s/m + 60*s*s }, designs[3].at, 0.02, random), FitOptions{Resamples: 1})
	if err != nil {
		t.Fatal(err)
	}
	m.doubt = nil // whether it is doubted at all is TestDoubted's
	if p := m.Predict(4, 0.2); p.Refused != nil {
		t.Errorf("among the rows: %v", p.Refused)
	}
	p := m.Predict(16, 1)
	var doubt *DoubtError
	if !errors.As(p.Refused, &doubt) || doubt.Code != "faster_than_scale" || !strings.Contains(doubt.Text, "scale^2") {
		t.Errorf("far beyond them: %v", p.Refused)
	}
}
