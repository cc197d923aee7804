package ernest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCoverage holds what a range of 80% is worth: how many runs of the whole input lie within it, over laws, seeds
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
