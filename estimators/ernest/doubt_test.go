package ernest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestMemoryCliff: two machines cannot hold more than half of the input and take 2 to 8 times as long for it. Errors
// relative to the times keep these few long runs from bending the model of all others.
func TestMemoryCliff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	given, off := 0, 0
	for range 40 {
		cliff, start, work := 2+6*random.Float64(), 5+20*random.Float64(), 200+400*random.Float64()
		law := func(machines, scale float64) float64 {
			v := start + work*scale/machines + 0.1*machines
			if scale/machines > 0.3 {
				v *= cliff
			}
			return v
		}
		var rows []Row
		for _, machines := range []float64{2, 4, 8, 10, 12} {
			for _, scale := range []float64{0.25, 0.5, 0.75, 1} {
				rows = append(rows, Row{
					Machines: machines, Scale: scale,
					Seconds: law(machines, scale) * math.Exp(0.03*random.NormFloat64()),
				})
			}
		}
		m := must(t, rows, FitOptions{})
		if !m.Relative || !slices.Contains(codes(m.Warnings), "relative_errors") {
			t.Errorf("a cliff of %.1f: the model has absolute errors, %.2f in the mean", cliff, m.LOO)
		}
		for _, at := range []Point{{6, 0.75, 0}, {6, 1, 0}, {20, 1, 0}} {
			if p := m.Predict(at); p.Refused == nil {
				given++
				if math.Abs(p.Seconds/law(at.Machines, at.Scale)-1) > DefaultRefuseAbove {
					off++
				}
			}
		}
	}
	t.Logf("%d of %d given numbers are more than 20%% off", off, given)
	if given < 100 || off > given/20 {
		t.Errorf("%d of %d given numbers are more than 20%% off", off, given)
	}
}

// TestCoverage checks what a range of 80% is worth: how many runs of the whole input lie within it, over laws, seeds
// and numbers of machines. Exact laws with little noise are covered more, since the range leaves room for what real
// runs do beyond the rows.
func TestCoverage(t *testing.T) {
	bent := []law{
		{"work to the power of 1.05", func(m, s float64) float64 { return 5 + 200*math.Pow(s, 1.05)/m + m/2 }},
		{"a little serial work", func(m, s float64) float64 { return 5 + 200*s/m + 3*math.Sqrt(s) + math.Log(m) }},
		{"a root of machines", func(m, s float64) float64 { return 5 + 200*s/m + 2*math.Sqrt(m) }},
	}
	for _, c := range []struct {
		name        string
		laws        []law
		noise       float64
		least, most float64
	}{
		{"exact", ernestLaws, 0.05, 0.75, 1},
		{"exact", ernestLaws, 0.20, 0.70, 1},
		{"exact", ernestLaws, 0.01, 0.75, 1},
		{"bent", bent, 0.01, 0.70, 1},
		{"bent", bent, 0.05, 0.75, 1},
		{"bent", bent, 0.20, 0.70, 1},
	} {
		for _, d := range designs {
			in, of, width := 0, 0, 0.0
			for _, l := range c.laws {
				for seed := range uint64(6) {
					random := rand.New(rand.NewPCG(seed, 7))
					m, err := Fit(measure(l.at, d.at, c.noise, random), FitOptions{})
					if err != nil {
						t.Fatal(err)
					}
					for _, machines := range []float64{4, 8, 16, 32, 64} {
						p := m.Predict(Point{machines, 1, 0})
						actual := l.at(machines, 1) * noisy(c.noise, random)
						if p.Low <= actual && actual <= p.High {
							in++
						}
						of++
						width += math.Log(p.High / max(p.Low, 1e-3))
					}
				}
			}
			share := float64(in) / float64(of)
			t.Logf("%-5s noise %2.0f%%, %-9s: %3.0f%% of %d runs within the 80%% range, ends apart by a factor of %.2f", c.name, 100*c.noise, d.name, 100*share, of, math.Exp(width/float64(of)))
			if share < c.least || share > c.most {
				t.Errorf("%s, noise %g, %s: covers %.2f, want %.2f to %.2f", c.name, c.noise, d.name, share, c.least,
					c.most)
			}
		}
	}
}

// scattered is a table as people have it: some machines, some parts of the input, 5 to 10% of noise.
func scattered(at func(m, s float64) float64, random *rand.Rand) []Row {
	where := make([][2]float64, 10+random.IntN(16))
	for i := range where {
		where[i] = [2]float64{float64(1 + random.IntN(16)), math.Pow(2, -1-3*random.Float64())}
	}
	return measure(at, where, 0.05+0.05*random.Float64(), random)
}

// TestScattered checks how often the whole input is refused though the law is the model's, and how often a number is
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

// A suspect widens the range where its time is much larger, and leaves what is among the rows.
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
