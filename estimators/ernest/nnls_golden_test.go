package ernest

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

type nnlsReference struct {
	Rows     [][3]float64 `json:"rows"` // scale, machines, seconds
	Coef     []float64    `json:"coef"`
	Residual float64      `json:"residual_norm"`
	Rank     int          `json:"rank"`
	Predict  []struct {
		Scale    float64 `json:"scale"`
		Machines float64 `json:"machines"`
		T        float64 `json:"t"`
	} `json:"predict"`
}

func nnlsFeatures(scale, machines float64) []float64 {
	return []float64{1, scale / machines, machines, math.Log(machines)}
}

func closeTo(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.15g, want %.15g within %.3g", what, got, want, tolerance)
	}
}

// TestNonnegativeGolden compares with scipy, Octave and an enumeration of all active sets (facts/ernest.md a.2),
// at the tolerances given there.
func TestNonnegativeGolden(t *testing.T) {
	data, err := os.ReadFile(fixtures.Golden("numerics/nnls.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]nnlsReference
	if err := json.Unmarshal(data, &sets); err != nil || len(sets) == 0 {
		t.Fatalf("%d sets: %v", len(sets), err)
	}
	compared := 0
	for name, want := range sets {
		t.Run(name, func(t *testing.T) {
			a, b := mat.NewDense(len(want.Rows), 4, nil), make([]float64, len(want.Rows))
			for i, r := range want.Rows {
				a.SetRow(i, nnlsFeatures(r[0], r[1]))
				b[i] = r[2]
			}
			x, residual, err := solveNonnegative(a, b)
			if err != nil {
				t.Fatal(err)
			}
			size, span := floats.Norm(b, 2), spanOf(a)
			closeTo(t, "residual", residual, want.Residual, 1e-9*size)
			if span.Rank != want.Rank {
				t.Errorf("rank %d, want %d", span.Rank, want.Rank)
			}
			compared += 2
			unique := []bool{true, true, true, true}
			for _, set := range span.Dependent() {
				for _, j := range set {
					unique[j] = false
				}
			}
			for j, v := range want.Coef {
				if unique[j] {
					closeTo(t, "coefficient "+strconv.Itoa(j), x[j], v, 1e-8*math.Abs(v)+1e-12*size)
					compared++
				}
			}
			for _, p := range want.Predict {
				closeTo(t, "t", floats.Dot(nnlsFeatures(p.Scale, p.Machines), x), p.T, 1e-9*size)
				compared++
			}
			var atb mat.VecDense
			atb.MulVec(a.T(), mat.NewVecDense(len(b), b))
			for j, w := range nnlsOptimal(t, a, b, x) {
				if limit := 1e-8 * mat.Norm(&atb, 2); w > limit || x[j] > 0 && w < -limit {
					t.Errorf("column %d: coefficient %v with gradient %v, limit %v", j, x[j], w, limit)
				}
				compared++
			}
		})
	}
	t.Logf("%d figures of %d sets compared", compared, len(sets))
}

// nnlsOptimal holds the Karush-Kuhn-Tucker conditions, computed from what went in. It returns the gradient.
func nnlsOptimal(t interface {
	Helper()
	Errorf(string, ...any)
}, a *mat.Dense, b, x []float64,
) []float64 {
	t.Helper()
	var ax, w mat.VecDense
	ax.MulVec(a, mat.NewVecDense(len(x), x))
	ax.SubVec(mat.NewVecDense(len(b), b), &ax)
	w.MulVec(a.T(), &ax)
	for j, v := range x {
		// Columns differ in unit by up to 1e12: the limit of facts/ernest.md a.2 means little for the smaller ones.
		limit := 1e-8 * floats.Norm(mat.Col(nil, j, a), 2) * floats.Norm(b, 2)
		if v < 0 || !(w.AtVec(j) <= limit) || v > 0 && !(w.AtVec(j) >= -limit) {
			t.Errorf("column %d: coefficient %v with gradient %v, limit %v", j, v, w.AtVec(j), limit)
		}
	}
	return w.RawVector().Data
}

// The csv files hold the same rows as nnls.json.
func TestNonnegativeTables(t *testing.T) {
	files, _ := filepath.Glob(fixtures.Golden("numerics/nnls_*.csv"))
	if len(files) == 0 {
		t.Fatal("no nnls_*.csv")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".csv"), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			rows, err := csv.NewReader(f).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			a, b := mat.NewDense(len(rows)-1, 4, nil), make([]float64, len(rows)-1)
			for i, r := range rows[1:] {
				var v [3]float64
				for k := range v {
					if v[k], err = strconv.ParseFloat(r[k], 64); err != nil {
						t.Fatal(err)
					}
				}
				a.SetRow(i, nnlsFeatures(v[0], v[1]))
				b[i] = v[2]
			}
			x, _, err := solveNonnegative(a, b)
			if err != nil {
				t.Fatal(err)
			}
			nnlsOptimal(t, a, b, x)
		})
	}
}
