package ernest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// scattered is a table as people have it: some machines, some parts of the input, 5 to 10% of noise.
func scattered(at func(m, s float64) float64, random *rand.Rand) []Row {
	where := make([][2]float64, 10+random.IntN(16))
	for i := range where {
		where[i] = [2]float64{float64(1 + random.IntN(16)), math.Pow(2, -1-3*random.Float64())}
	}
	return measure(at, where, 0.05+0.05*random.Float64(), random)
}

// TestScattered holds how often the whole input is refused though the law is the model's, and how often a number is
// given that is more than half off, without a warning and with a range that does not hold the run, though the law is
// another.
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
			m, err := Fit(scattered(at, random), FitOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p := m.Predict(Point{16, 1, 0})
			switch {
			case p.Refused != nil:
				refused++
			case math.Abs(p.Seconds/at(16, 1)-1) > 0.5 && !(p.Low <= at(16, 1) && at(16, 1) <= p.High) &&
				!slices.Contains(codes(p.Warnings), "faster_than_scale") &&
				!slices.Contains(codes(p.Warnings), "likely_off"):
				wrong++
			}
		}
		t.Logf("%-17s of %d tables %d refused, %d more than half off", c.name, tables, refused, wrong)
		if refused > c.refused || wrong > c.wrong {
			t.Errorf("%s: of %d tables %d are refused and %d more than half off, want at most %d and %d", c.name,
				tables, refused, wrong, c.refused, c.wrong)
		}
	}
}

// A suspect widens the range where it says much more, and leaves what is among the rows.
func TestSuspect(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 13))
	law := func(m, s float64) float64 { return 10 + 300*s/m + 60*s*s }
	m, err := Fit(measure(law, designs[3].at, 0.02, random), FitOptions{Extra: []Term{}})
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Predict(Point{4, 0.2, 0}); slices.Contains(codes(p.Warnings), "faster_than_scale") {
		t.Errorf("among the rows: %v", p.Warnings)
	}
	p := m.Predict(Point{16, 1, 0})
	if i := slices.Index(codes(p.Warnings), "faster_than_scale"); i < 0 ||
		!strings.Contains(p.Warnings[i].Text, "scale^2") {
		t.Errorf("far beyond them: %v", p.Warnings)
	}
	if p.Refused == nil && p.High < law(16, 1) {
		t.Errorf("far beyond them up to %g s, the run takes %g", p.High, law(16, 1))
	}
}
