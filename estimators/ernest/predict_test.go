package ernest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// §5.1: a run that leaves its range calls for training; after runs that did not, it takes more of them, or one that is
// far out.
func TestRetrain(t *testing.T) {
	law := theta(3, 120, 0.05, 0.8)
	m := must(t, measure(law, designs[3].at, 0.1, rand.New(rand.NewPCG(1, 2))), FitOptions{})
	p := m.Predict(Point{16, 1, 0})
	within, slow, far := Row{16, 1, p.Seconds, 0}, Row{16, 1, 1.1 * p.High, 0}, Row{16, 1, 10 * p.High, 0}
	fast := Row{16, 1, 0.9 * p.Low, 0}
	for _, c := range []struct {
		name    string
		runs    []Row
		retrain bool
		outside int
	}{
		{"within", []Row{within}, false, 0},
		{"one alone", []Row{slow}, true, 1},
		{"too fast", []Row{fast}, true, 1},
		{"one of three", []Row{within, within, slow}, false, 1},
		{"two of three", []Row{within, slow, slow}, true, 2},
		{"far, after good ones", []Row{within, within, within, far}, true, 1},
		{"far, but long ago", []Row{far, within, within, within}, false, 1},
		{"not compared", []Row{{0, 1, 1, 0}, {16, 1, 0, 0}, {16, 1, math.NaN(), 0}}, false, 0},
		{"none", nil, false, 0},
	} {
		s := Retrain(m, c.runs...)
		if s.Retrain != c.retrain || s.Outside != c.outside || s.Text == "" {
			t.Errorf("%s: %+v", c.name, s)
		}
		if (s.Runs == 0) == s.Chance.Known() || (s.Runs == 0) == s.Error.Known() {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	if s := Retrain(m, slow); !(s.Error < 0) || math.Abs(float64(s.Chance)-0.2) > 1e-12 {
		t.Errorf("slower than predicted: %+v", s)
	}
	// A model without noise has a range without width; a run is not outside for a few percent.
	if s := Retrain(theModel(t), Row{8, 0.4, 1.03 * law(8, 0.4), 0}); s.Retrain || s.Outside != 0 {
		t.Errorf("3%% off: %+v", s)
	}
}

// A right model's runs seldom call for training, a job that has become half as slow again does.
func TestRetrainRates(t *testing.T) {
	law := theta(3, 120, 0.05, 0.8)
	right, changed := 0, 0
	const trials = 30
	for seed := range uint64(trials) {
		random := rand.New(rand.NewPCG(seed, 9))
		m := must(t, measure(law, designs[3].at, 0.05, random), FitOptions{})
		var same, slower []Row
		for range 6 {
			s := law(8, 1) * noisy(0.05, random)
			same, slower = append(same, Row{8, 1, s, 0}), append(slower, Row{8, 1, 1.5 * s, 0})
		}
		if Retrain(m, same...).Retrain {
			right++
		}
		if Retrain(m, slower...).Retrain {
			changed++
		}
	}
	t.Logf("six runs call for training in %d of %d cases where the model is right, in %d where they take half as long again", right, trials, changed)
	if right > trials/4 || changed < trials*9/10 {
		t.Errorf("%d and %d of %d", right, changed, trials)
	}
}

// Values by hand: P(X >= k) of n with probability 0.2.
func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{{0, 5, 1}, {1, 1, 0.2}, {1, 2, 0.36}, {2, 2, 0.04}, {2, 3, 0.104}, {3, 5, 0.05792}} {
		if got := atLeast(c.k, c.n, 0.2); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d of %d: %g, want %g", c.k, c.n, got, c.want)
		}
	}
}

// §6.2.
func TestOverhead(t *testing.T) {
	o := Overhead([]Row{{1, 0.1, 10, 0}, {4, 0.1, 5, 0}})
	if o.Seconds != 15 || o.MachineSeconds != 30 {
		t.Errorf("%+v", o)
	}
}
