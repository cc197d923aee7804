package ernest

import (
	"encoding/binary"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestNonnegativeErrors(t *testing.T) {
	one := mat.NewDense(1, 1, []float64{1})
	for name, c := range map[string]struct {
		a    *mat.Dense
		b    []float64
		want string
	}{
		"nil":      {nil, nil, "least squares of 0 rows and 0 columns: give at least one of each"},
		"empty":    {&mat.Dense{}, nil, "least squares of 0 rows and 0 columns: give at least one of each"},
		"no right": {one, nil, "least squares of 1 rows with 0 values on the right: give one a row"},
		"long":     {one, []float64{1, 2}, "least squares of 1 rows with 2 values on the right: give one a row"},
		"infinite": {
			mat.NewDense(2, 1, []float64{1, math.Inf(1)}),
			[]float64{1, 2},
			"row 2, column 1 of the columns and the right side: +Inf: give a finite number",
		},
		"right":     {one, []float64{math.Inf(-1)}, "row 1, column 2 of the columns and the right side: -Inf: give a finite number"},
		"too large": {mat.NewDense(1, 1, []float64{1e-300}), []float64{1e300}, "the coefficient of column 1 is beyond 1e308: give the column in another unit"},
		"residual":  {mat.NewDense(2, 1, []float64{-1, -1}), []float64{1.7e308, 1.7e308}, "the residual is beyond 1e308: give the right side in a larger unit"},
	} {
		x, residual, err := solveNonnegative(c.a, c.b)
		if x != nil || !math.IsNaN(residual) || err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, %v, %v, want %v", name, x, residual, err, c.want)
		}
	}
	if _, _, err := solveNonnegative(mat.NewDense(1, 2, []float64{1, math.NaN()}), []float64{1}); err == nil ||
		err.Error() != "row 1, column 2 of the columns and the right side: NaN: give a finite number" {
		t.Errorf("NaN: %v", err)
	}
}

// Columns of facts/ernest.md a.2, set 4: with one machine count, 1, machines and ln(machines) cannot be
// distinguished.
func TestDependentColumns(t *testing.T) {
	for name, c := range map[string]struct {
		rows [][]float64
		rank int
		sets [][]int
	}{
		"one machine count": {
			[][]float64{{1, 1, 4, 1.3}, {1, 2, 4, 1.3}, {1, 4, 4, 1.3}, {1, 9, 4, 1.3}},
			2,
			[][]int{{0, 2, 3}},
		},
		"few rows": {
			[][]float64{{1, .1, 1, 0}, {1, .1, 2, math.Log(2)}, {1, .05, 8, math.Log(8)}},
			3,
			[][]int{{0, 1, 2, 3}},
		},
		"zeros":     {[][]float64{{1, 0, 2}, {2, 0, 2}}, 2, [][]int{{1}}},
		"all zeros": {[][]float64{{0, 0}, {0, 0}}, 0, [][]int{{0}, {1}}},
		"two pairs": {
			[][]float64{{1, 5, 2, 10, 0}, {2, 1, 4, 2, 0}, {3, 2, 6, 4, 7}},
			3,
			[][]int{{0, 2}, {1, 3}},
		},
		"sum": {
			[][]float64{{1, 2, 3, 1}, {2, 5, 7, 0}, {4, 4, 8, 0}, {4, 1, 5, 0}},
			3,
			[][]int{{0, 1, 2}},
		},
		"independent": {[][]float64{{1, 2}, {2, 5}}, 2, nil},
	} {
		a := mat.NewDense(len(c.rows), len(c.rows[0]), nil)
		for i, r := range c.rows {
			a.SetRow(i, r)
		}
		b := []float64{1, 2, 3, 4}[:len(c.rows)]
		x, _, err := solveNonnegative(a, b)
		if err != nil {
			t.Fatal(err)
		}
		span := spanOf(a)
		if span.Rank != c.rank || !reflect.DeepEqual(span.Dependent(), c.sets) {
			t.Errorf("%s: rank %d and %v, want %d and %v", name, span.Rank, span.Dependent(), c.rank, c.sets)
		}
		if math.IsInf(span.Condition, 1) != (c.rank < len(x)) {
			t.Errorf("%s: condition %v at rank %d", name, span.Condition, c.rank)
		}
		nnlsOptimal(t, a, b, x)
	}
}

// enumerateActive is the least residual of all active sets, by gonum's QR: an oracle that has nothing in common
// with solveNonnegative.
func enumerateActive(a *mat.Dense, b []float64) float64 {
	m, n := a.Dims()
	best := mat.Norm(mat.NewVecDense(m, b), 2)
	for set := 1; set < 1<<n; set++ {
		var columns []int
		for j := range n {
			if set>>j&1 == 1 {
				columns = append(columns, j)
			}
		}
		if len(columns) > m {
			continue
		}
		sub := mat.NewDense(m, len(columns), nil)
		for k, j := range columns {
			column, _ := unitLength(mat.Col(nil, j, a)) // else gonum refuses
			sub.SetCol(k, column)
		}
		var f mat.QR
		f.Factorize(sub)
		var x, r mat.VecDense
		if f.SolveVecTo(&x, false, mat.NewVecDense(m, b)) != nil || mat.Min(&x) < 0 {
			continue
		}
		r.MulVec(sub, &x)
		r.SubVec(mat.NewVecDense(m, b), &r)
		best = min(best, mat.Norm(&r, 2))
	}
	return best
}

// No active set has a smaller residual, in any unit of the columns.
func TestNonnegativeLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 7).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		a, b := mat.NewDense(m, n, nil), make([]float64, m)
		for j := range n {
			unit := math.Pow(10, float64(rapid.IntRange(-12, 12).Draw(t, "unit")))
			for i := range m {
				a.Set(i, j, unit*float64(rapid.IntRange(-3, 9).Draw(t, "a")))
			}
		}
		for i := range b {
			b[i] = float64(rapid.IntRange(-50, 90).Draw(t, "b")) / 8
		}
		x, residual, err := solveNonnegative(a, b)
		if err != nil {
			t.Fatal(err)
		}
		nnlsOptimal(t, a, b, x)
		if least := enumerateActive(a, b); math.Abs(residual-least) > 1e-9*(1+least) {
			t.Fatalf("residual %v, an active set has %v", residual, least)
		}
		again, _, _ := solveNonnegative(a, b)
		if !reflect.DeepEqual(x, again) {
			t.Fatalf("%v, then %v", x, again)
		}
	})
}

// Any bytes are a system: an answer or a typed error, never a panic nor an endless search.
func FuzzNonnegative(f *testing.F) {
	f.Add([]byte{3, 2, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{4, 4, 0, 0, 0, 0, 0xf0, 0x7f, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		m, n := int(data[0]%9)+1, int(data[1]%9)+1
		data = data[2:]
		next := func() float64 {
			var word [8]byte
			data = data[copy(word[:], data):]
			v := math.Float64frombits(binary.LittleEndian.Uint64(word[:]))
			if word[0]%2 == 1 {
				v = float64(int8(word[1]))
			}
			return v
		}
		a, b := mat.NewDense(m, n, nil), make([]float64, m)
		for i := range m {
			for j := range n {
				a.Set(i, j, next())
			}
			b[i] = next()
		}
		x, residual, err := solveNonnegative(a, b)
		if err != nil {
			return
		}
		for j, v := range x {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Fatalf("coefficient %d is %v", j, v)
			}
		}
		if !(residual >= 0) || math.IsInf(residual, 0) || spanOf(a).Rank < 0 || spanOf(a).Rank > min(m, n) {
			t.Fatalf("residual %v, rank %d", residual, spanOf(a).Rank)
		}
	})
}

func BenchmarkNonnegative(b *testing.B) {
	for _, rows := range []int{10, 1000} {
		a, right := mat.NewDense(rows, 4, nil), make([]float64, rows)
		for i := range rows {
			machines := float64(1 + i%64)
			a.SetRow(i, nnlsFeatures(float64(1+i%7)/8, machines))
			right[i] = 12 + 640/machines + math.Sin(float64(i))
		}
		b.Run(map[int]string{10: "ten rows", 1000: "thousand rows"}[rows], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := solveNonnegative(a, right); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A coefficient that is rounding is none: it would count as one that the rows speak for.
func TestNonnegativeRounding(t *testing.T) {
	a := mat.NewDense(4, 4, nil)
	for i, m := range []float64{2, 4, 8, 16} {
		a.SetRow(i, []float64{1, 1 / m, m, math.Log(m)})
	}
	x, _, err := solveNonnegative(a, []float64{60, 33, 20, 14}) // 3 + 112/m + log2(m)
	if err != nil || x[2] != 0 || math.Abs(x[1]-112) > 1e-9 {
		t.Errorf("%v %v", x, err)
	}
}
