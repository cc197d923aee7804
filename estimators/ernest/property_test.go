package ernest

import (
	"encoding/binary"
	"flag"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func init() { _ = flag.Set("rapid.seed", "20261122") }

func drawRows(t *rapid.T) []Row {
	rows := make([]Row, rapid.IntRange(1, 14).Draw(t, "rows"))
	for i := range rows {
		rows[i] = Row{
			float64(rapid.IntRange(1, 32).Draw(t, "machines")),
			float64(rapid.IntRange(1, 64).Draw(t, "parts")) / 64,
			rapid.Float64Range(0.1, 500).Draw(t, "seconds"),
			0,
		}
	}
	return rows
}

// Neither a unit nor the order of rows changes a model's predictions, and no other non-negative coefficients fit
// better.
func TestFitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		m, err := Fit(rows, FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		minute, size := rapid.Float64Range(1e-3, 1e3).Draw(t, "unit of time"),
			math.Pow(10, float64(rapid.IntRange(-6, 12).Draw(t, "unit of scale")))
		other := make([]Row, len(rows))
		for i, j := range rapid.Permutation(indices(len(rows))).Draw(t, "order") {
			other[i] = Row{rows[j].Machines, rows[j].Scale * size, rows[j].Seconds * minute, 0}
		}
		n, err := Fit(other, FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(n.Residual/minute-m.Residual) > 1e-6*(1+m.Residual) || n.Rank != m.Rank {
			t.Fatalf("residual %g, rank %d in other units, %g, %d in these", n.Residual/minute, n.Rank, m.Residual,
				m.Rank)
		}
		for _, r := range rows {
			p, q := m.Predict(Point{r.Machines, r.Scale, 0}), n.Predict(Point{r.Machines, r.Scale * size, 0})
			if math.Abs(q.Seconds/minute-p.Seconds) > 1e-6*(1+p.Seconds) {
				t.Fatalf("%v: %g in other units, %g in these", r, q.Seconds/minute, p.Seconds)
			}
			checkPrediction(t, p)
		}
		random := make([]float64, len(m.Coefficients))
		for j, x := range m.Coefficients {
			random[j] = x * rapid.Float64Range(0, 2).Draw(t, "x")
		}
		if own, others := m.loss(m.Coefficients), m.loss(random); others < own*(1-1e-9) {
			t.Fatalf("%v fit better: %g, not %g", random, others, own)
		}
		far := m.Predict(Point{rapid.Float64Range(-1, 1e4).Draw(t, "machines"), rapid.Float64Range(-1, 1e4).Draw(t, "scale"), 0})
		checkPrediction(t, far)
	})
}

// loss is what the fit minimizes: the root of the squared errors of the configurations, in seconds or relative to the
// times.
func (m *Model) loss(coefficients []float64) float64 {
	sum := 0.0
	for i := range m.all {
		c := &m.all[i]
		d := dot(coefficients, features(m.Terms, c.Machines, c.Scale)) - c.Seconds
		if m.Relative {
			d /= c.Seconds
		}
		sum += c.runs * d * d
	}
	return math.Sqrt(sum)
}

func indices(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

type failer interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// checkPrediction holds what is so of every prediction: numbers of 0 or more in order, or NaN and a reason.
func checkPrediction(t failer, p Prediction) {
	if math.IsNaN(p.Seconds) {
		if p.Refused == nil || !math.IsNaN(p.Low) || !math.IsNaN(p.High) {
			t.Fatalf("no number, and no reason or a range: %+v", p)
		}
		return
	}
	if p.Seconds < 0 || math.IsInf(p.Seconds, 0) || math.IsNaN(p.Low) != math.IsNaN(p.High) || p.Low < 0 ||
		p.Low > p.Seconds || p.High < p.Seconds {
		t.Fatalf("%g (%g - %g)", p.Seconds, p.Low, p.High)
	}
	if x := p.Extrapolation; !(x.Machines >= 1 && x.Scale >= 1 && x.PerMachine >= 1 && x.Distance >= 0) {
		t.Fatalf("%+v", x)
	}
}

// FuzzFit reads any bytes as rows and terms: nothing panics, and what is fitted predicts numbers or says why not.
func FuzzFit(f *testing.F) {
	seed := func(rows ...Row) []byte {
		var b []byte
		for _, r := range rows {
			for _, v := range []float64{r.Machines, r.Scale, r.Seconds} {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		return b
	}
	f.Add(seed(theRows()...), uint16(0))
	f.Add(seed(theRows()...), uint16(0xffff))
	f.Add(seed(Row{1, 1e308, 1e308, 0}, Row{1e308, 1e-308, 5e-324, 0}, Row{2, 1, 1, 0}), uint16(0x3ff))
	f.Add(seed(Row{1, 5e-324, -1, 0}, Row{math.NaN(), 1, 1, 0}), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, choice uint16) {
		var rows []Row
		for ; len(data) >= 24 && len(rows) < 12; data = data[24:] {
			at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])) }
			rows = append(rows, Row{at(0), at(1), at(2), 0})
		}
		var extra []Term
		for _, term := range AllTerms() {
			if choice>>term&1 == 1 {
				extra = append(extra, term)
			}
		}
		several := slices.Clone(rows)
		for i := range several {
			several[i].Iterations = i + 1
		}
		for _, o := range []FitOptions{{Extra: extra}, {Terms: extra}} {
			if m, err := Fit(rows, o); err == nil {
				for _, r := range rows {
					checkPrediction(t, m.Predict(Point{r.Machines, r.Scale, 0}))
					checkPrediction(t, m.Predict(Point{2 * r.Machines, 3 * r.Scale, 0}))
				}
				Retrain(m, rows...)
			}
			if it, err := Fit(several, o); err == nil {
				checkPrediction(t, it.Predict(Point{2, 1, 3}))
			}
		}
	})
}
