package nearestfit

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A power law without noise is found, also beyond the sizes that were seen, in any unit of either axis.
func TestRecoversPower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, c := rapid.Float64Range(0, 2).Draw(t, "a"), rapid.Float64Range(0.3, 5).Draw(t, "c")
		xUnit := math.Pow(10, float64(rapid.IntRange(-3, 9).Draw(t, "x unit")))
		yUnit := math.Pow(10, float64(rapid.IntRange(-9, 9).Draw(t, "y unit")))
		law := func(x float64) float64 { return (a + math.Pow(x/xUnit, c)) * yUnit }
		var points []powerPoint
		for x := 0.5; x < 12; x *= 1.4 {
			points = append(points, powerPoint{x * xUnit, law(x * xUnit), float64(rapid.IntRange(1, 50).Draw(t, "weight"))})
		}
		f, ok := fitPower(points, mostPower)
		if !ok || math.Abs(f.C-c) > 1e-4 || f.R2 < 1-1e-9 {
			t.Fatalf("(%v + x^%v) gives %+v, %v", a, c, f, ok)
		}
		for _, x := range []float64{0.5, 5, 36} {
			if got, want := f.At(x*xUnit), law(x*xUnit); math.Abs(got/want-1) > 1e-4 {
				t.Fatalf("%v at %v, want %v", got, x, want)
			}
			fields := powerFit{A: f.A, B: f.B, C: f.C}
			if got, want := fields.At(x*xUnit), f.At(x*xUnit); math.Abs(got/want-1) > 1e-9 {
				t.Fatalf("by its fields %v at %v, want %v", got, x, want)
			}
		}
	})
}

// The search is never worse than the law it is drawn from, nor than any on a finer grid of powers.
func TestLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []powerPoint
		for i := range rapid.IntRange(4, 30).Draw(t, "points") {
			x := float64(1 + i/2)
			points = append(points, powerPoint{
				x, rapid.Float64Range(0, 9).Draw(t, "y"),
				float64(rapid.IntRange(1, 9).Draw(t, "weight")),
			})
		}
		f, ok := fitPower(points, mostPower)
		if !ok {
			return
		}
		s := sumsOf(points)
		got := s.total * (1 - f.R2)
		for c := 0.1; c <= 6; c += 0.1 {
			if _, _, sse := s.at(c); sse < got-1e-9*s.total {
				t.Fatalf("power %v leaves %v, the fit's %v leaves %v", c, sse, f.C, got)
			}
		}
		// Not the condensed points but all of them, one by one.
		sse, sst, w, mean := 0.0, 0.0, 0.0, 0.0
		for _, p := range points {
			w += p.Weight
			mean += p.Weight * p.Y
		}
		for _, p := range points {
			d, r := p.Y-mean/w, p.Y-f.A-f.B*math.Pow(p.X, f.C)
			sse += p.Weight * r * r
			sst += p.Weight * d * d
		}
		if math.Abs(1-sse/sst-f.R2) > 1e-9 {
			t.Fatalf("R2 is %v, by the points %v", f.R2, 1-sse/sst)
		}
	})
}

func TestNoPower(t *testing.T) {
	for name, points := range map[string][]powerPoint{
		"nothing":       nil,
		"three sizes":   {{1, 1, 1}, {2, 2, 1}, {3, 7, 1}, {3, 9, 1}},
		"all of a time": {{1, 0.1, 3}, {2, 0.1, 1}, {3, 0.1, 7}, {4, 0.1, 2}},
		"no time":       {{1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {4, 0, 1}},
		"no size":       {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 4, 1}},
	} {
		if f, ok := fitPower(points, mostPower); ok {
			t.Errorf("%s has the fit %+v", name, f)
		}
	}
}

// Points in another order give the same fit, to the bit, and so do very many sizes nearly the fit of all.
func TestManySizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var points []powerPoint
	for range 20_000 {
		x := math.Floor(math.Exp(r.Float64() * 7))
		points = append(points, powerPoint{x, (0.01 + 1e-6*x*x) * (1 + 0.1*r.NormFloat64()), 1})
	}
	points = append(points, powerPoint{0, 0.01, 1})
	f, ok := fitPower(points, mostPower)
	if s := sumsOf(points); len(s.x) > mostSizes {
		t.Errorf("a fit of %d points", len(s.x))
	}
	if !ok || math.Abs(f.C-2) > 0.02 {
		t.Errorf("the power is %v, want about 2", f.C)
	}
	r.Shuffle(len(points), func(i, k int) { points[i], points[k] = points[k], points[i] })
	if again, _ := fitPower(points, mostPower); again != f {
		t.Errorf("%+v in one order, %+v in the other", f, again)
	}
}

// FuzzPower holds that a fit is finite or none, and says finite times, for any points that are allowed.
func FuzzPower(f *testing.F) {
	f.Add([]byte{})
	seed := make([]byte, 0, 24*6)
	for _, v := range []float64{1, 1, 1, 2, 4, 1, 3, 9, 2, 1e9, 1e-9, 1e15, 1e18, 1e12, 1, 0, 0, 1} {
		seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(v))
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		var points []powerPoint
		for ; len(b) >= 24 && len(points) < 50; b = b[24:] {
			value := func(i int, limit float64) float64 {
				v := math.Abs(math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])))
				if !(v <= limit) {
					return limit
				}
				return v
			}
			x := value(0, 1e19)
			if x < 1e-21 {
				x = 0
			}
			points = append(points, powerPoint{x, value(1, 1e12), max(1e-3, value(2, 1e15))})
		}
		fit, ok := fitPower(points, mostPower)
		if !ok {
			return
		}
		if !finite(fit.A) || !finite(fit.R2) || fit.C < gridStep/2 || fit.C > 6.2 {
			t.Errorf("%v: %+v", points, fit)
		}
		for _, x := range []float64{0, 1e-21, 1, 1e19} {
			if y := fit.At(x); !finite(y) || y < 0 {
				t.Errorf("%+v says %v at %v", fit, y, x)
			}
		}
	})
}

func BenchmarkPower(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	points := make([]powerPoint, 1000)
	for i := range points {
		x := math.Exp(r.Float64() * 12)
		points[i] = powerPoint{x, x * x, 1}
	}
	b.ReportAllocs()
	for b.Loop() {
		fitPower(points, mostPower)
	}
}
