package phasetype

import (
	"errors"
	"flag"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func init() { _ = flag.Set("rapid.seed", "20261122") }

type failer interface {
	Helper()
	Errorf(string, ...any)
}

func near(t failer, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mean := math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "log mean"))
		cv2 := math.Pow(10, rapid.Float64Range(-4, 6).Draw(t, "log cv2"))
		m, err := Tijms(mean, cv2)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mean", m.Mean(), mean, 1e-12)
		near(t, "cv2", m.Variance()/mean/mean, cv2, 1e-9)
		f, err := Fit(mean, cv2)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mean of a fit", f.Mean(), mean, 1e-12)
		if stages := math.Round(1 / cv2); cv2 < 1 && float64(f[0].Stages) != max(1, stages) {
			t.Errorf("%d stages, want %v", f[0].Stages, stages)
		}
	})
	// Where the variation is that of an Erlang, it is one.
	for _, k := range []int{1, 2, 3, 7, 49, 1000} {
		if m := must(Tijms(5, 1/float64(k))); len(m) != 1 || m[0].Stages != k {
			t.Errorf("1/%d: %v", k, m)
		}
	}
}

// A thousand stages: the closed form, the quadrature and the normal approximation of the largest of two.
func TestManyStages(t *testing.T) {
	a, b := must(Erlang(1000, 10)), must(Erlang(1200, 9.9))
	mean, variance, err := Max(a, b)
	if err != nil {
		t.Fatal(err)
	}
	m := must(Maximum([]Copies{{a, 1}, {b, 1}}))
	near(t, "mean by quadrature", m.Mean, mean, 1e-11)
	near(t, "variance by quadrature", m.Variance, variance, 1e-9)
	// C. Clark, Operations Research 9(2), 1961.
	spread := math.Sqrt(a.Variance() + b.Variance())
	x := (a.Mean() - b.Mean()) / spread
	normal := a.Mean()*math.Erfc(-x/math.Sqrt2)/2 + b.Mean()*math.Erfc(x/math.Sqrt2)/2 +
		spread*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
	near(t, "mean beside normal", mean, normal, 1e-4)
	// Beyond maxProduct it is the quadrature that answers.
	large := must(Erlang(MaxStages, 10))
	mean, variance, err = Max(large, large)
	near(t, "mean", mean, 10+0.1/math.Sqrt(math.Pi), 1e-5)
	near(t, "variance", variance, 0.01*(1-1/math.Pi), 1e-2)
	low, _, err2 := Min(large, large)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	near(t, "max and min", mean+low, 20, 1e-12)
}

// The closed form and the quadrature are two ways to the same figures.
func TestTwoWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() Mixture {
			return must(Tijms(rapid.Float64Range(0.01, 100).Draw(t, "mean"),
				math.Pow(10, rapid.Float64Range(-2, 3).Draw(t, "log cv2"))))
		}
		a, b := draw(), draw()
		mean, variance, err := Max(a, b)
		if err != nil {
			t.Fatal(err)
		}
		m := must(Maximum([]Copies{{a, 1}, {b, 1}}))
		near(t, "E[max]", m.Mean, mean, 1e-9)
		near(t, "Var[max]", m.Variance, variance, 1e-8)
		low, _, err := Min(a, b)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "E[min] by quadrature", minimum(a, b).Mean, low, 1e-9)
		if mean < max(a.Mean(), b.Mean())*(1-1e-12) || low > min(a.Mean(), b.Mean())*(1+1e-12) {
			t.Errorf("max %v, min %v", mean, low)
		}
	})
}

func TestMany(t *testing.T) {
	one := must(Exponential(3))
	for _, n := range []int{1, 2, 5, 100, 1_000_000} {
		m := must(Maximum([]Copies{{one, n}}))
		near(t, "the largest of equal ones", m.Mean, 3*Harmonic(n), 1e-10)
		squares := 0.0
		for i := n; i > 0; i-- {
			squares += 9 / float64(i) / float64(i)
		}
		near(t, "its variance", m.Variance, squares, 1e-9)
		if !(m.Error < 1e-8*m.Mean) {
			t.Errorf("%d: error %v", n, m.Error)
		}
	}
	// Of exponential ones with different rates: inclusion and exclusion.
	rates := []float64{0.1, 0.5, 2, 30}
	var of []Copies
	want := 0.0
	for i, r := range rates {
		of = append(of, Copies{must(Exponential(1 / r)), 1})
		for set := 1 << i; set < 2<<i; set++ {
			sum, sign := 0.0, -1.0
			for j, r := range rates[:i+1] {
				if set>>j&1 == 1 {
					sum, sign = sum+r, -sign
				}
			}
			want += sign / sum
		}
	}
	near(t, "different rates", must(Maximum(of)).Mean, want, 1e-10)
	// After a wait of an hour two tasks are as far apart as without.
	later := must(Maximum([]Copies{{shifted{3600, one}, 2}}))
	near(t, "shifted", later.Mean, 3604.5, 1e-12)
	near(t, "its variance", later.Variance, 9*1.25, 1e-8)
}

// shifted is a variable after a fixed time.
type shifted struct {
	by float64
	Variable
}

func (s shifted) Mean() float64 { return s.by + s.Variable.Mean() }

func (s shifted) Survival(t float64) float64 {
	if t < s.by {
		return 1
	}
	return s.Variable.Survival(t - s.by)
}

// broken is a variable of which nothing is known.
type broken struct{ Mixture }

func (broken) Survival(float64) float64 { return math.NaN() }

// What is not a number stays one, at once.
func TestUnknown(t *testing.T) {
	m := must(Maximum([]Copies{{broken{must(Exponential(1))}, 2}}))
	if !math.IsNaN(m.Mean) || !math.IsNaN(m.Variance) {
		t.Errorf("%+v", m)
	}
}

// A late variable is over at once as often as it starts only then.
type late struct {
	Mixture
	by float64
}

func (l late) Survival(t float64) float64 {
	return (l.Mixture.Survival(t) + shifted{l.by, l.Mixture}.Survival(t)) / 2
}

// A step is seen wherever it is, also just before the end of a piece.
func TestSteps(t *testing.T) {
	one := must(Exponential(1))
	for by := 0.0; by < 120; by += 0.25 {
		near(t, "mean", must(Maximum([]Copies{{late{one, by}, 1}})).Mean, 1+by/2, 1e-9)
	}
}

func TestErrors(t *testing.T) {
	one := Mixture{{1, 1, 1}}
	fails := func(_ any, err error) string {
		var fault *ParameterError
		if !errors.As(err, &fault) {
			t.Errorf("%v", err)
			return ""
		}
		return err.Error()
	}
	max2 := func(a, b Mixture) (float64, error) { m, _, err := Max(a, b); return m, err }
	for want, got := range map[string]string{
		"a mixture of nothing: give at least one branch":                       fails(max2(one, nil)),
		"branch 1: a weight of NaN: give a number above 0, at most 1":          fails(max2(one, Mixture{{math.NaN(), 1, 1}})),
		"branch 1: 0 stages: give 1 to 10000":                                  fails(max2(Mixture{{1, 0, 1}}, one)),
		"branch 1: a rate of -1 a second: give a number from 1e-100 to 1e+100": fails(max2(Mixture{{1, 1, -1}}, one)),
		"weights that sum to 0.5: make it 1":                                   fails(max2(Mixture{{0.5, 1, 1}}, one)),
		"a mean of 0 s: give a number from 1e-100 to 1e+100":                   fails(Exponential(0)),
		"a mean of NaN s: give a number from 1e-100 to 1e+100":                 fails(Tijms(math.NaN(), 0.5)),
		"a squared variation of 0: give at least 0.0001":                       fails(Tijms(1, 0)),
		"a squared variation of NaN: give at least 0.0001":                     fails(Fit(1, math.NaN())),
		"the largest of nothing: give at least one variable":                   fails(Maximum(nil)),
		"variable 1: 0 copies: give at least 1 of something":                   fails(Maximum([]Copies{{one, 0}})),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := Hyperexponential(1, 1); err == nil {
		t.Error("a hyper-exponential that is exponential: no error")
	}
	if !math.IsNaN(Harmonic(-1)) || Harmonic(0) != 0 {
		t.Error("harmonic numbers below 1")
	}
	near(t, "H_64", Harmonic(64), Harmonic(63)+1.0/64, 1e-15)
}

func BenchmarkMax(b *testing.B) {
	a, c := must(Erlang(1000, 10)), must(Erlang(1000, 9))
	b.Run("closed form", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _, _ = Max(a, c)
		}
	})
	b.Run("quadrature", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = Maximum([]Copies{{a, 1}, {c, 1}})
		}
	})
}
