package mva

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

type figures struct {
	R, U, Q [][]float64
	X       []float64
}

type reference struct {
	N       []int
	D       [][]float64
	Kind    string    `json:"kind"` // q or d for each centre
	Servers []int     `json:"servers"`
	Z       []float64 // none for N2b
	Exact   *figures  `json:"exact"`
	Bard    *figures  `json:"bard_schweitzer"`
}

func (r *reference) network() *Network {
	n := &Network{Population: r.N, Demand: r.D, Think: r.Z, Centres: make([]Centre, len(r.D[0]))}
	for k := range n.Centres {
		n.Centres[k].Delay = r.Kind != "" && r.Kind[k] == 'd'
		if r.Servers != nil {
			n.Centres[k].Servers = r.Servers[k]
		}
	}
	return n
}

// TestGolden compares with octave-queueing and another program (docs/facts/queueing.md b).
func TestGolden(t *testing.T) {
	data, err := os.ReadFile(fixtures.Golden("numerics/mva.json"))
	if err != nil {
		t.Fatal(err)
	}
	var nets map[string]*reference
	if err := json.Unmarshal(data, &nets); err != nil || len(nets) == 0 {
		t.Fatalf("%d networks: %v", len(nets), err)
	}
	compared := 0
	near := func(t *testing.T, what string, got, want []float64) {
		t.Helper()
		for i, w := range want {
			compared++
			// The files have twelve digits.
			if !(math.Abs(got[i]-w) <= 1e-9*math.Abs(w)) {
				t.Errorf("%s[%d] is %.12g, want %.12g", what, i, got[i], w)
			}
		}
	}
	all := func(t *testing.T, what string, got *Result, want *figures) {
		t.Helper()
		near(t, what+" X", got.Throughput, want.X)
		for c := range want.R {
			near(t, what+" R", got.Residence[c], want.R[c])
		}
		for c := range want.U {
			near(t, what+" U", got.Utilisation[c], want.U[c])
		}
		for c := range want.Q {
			near(t, what+" Q", got.Queue[c], want.Q[c])
		}
	}
	for name, r := range nets {
		t.Run(name, func(t *testing.T) {
			if r.Exact != nil {
				exact, err := Exact(r.network())
				if err != nil {
					t.Fatal(err)
				}
				all(t, "exact", exact, r.Exact)
			}
			if r.Bard != nil {
				bard, err := BardSchweitzer(r.network(), Options{})
				if err != nil || !bard.Converged {
					t.Fatal(bard, err)
				}
				all(t, "approximate", bard, r.Bard)
			}
		})
	}
	t.Logf("%d figures of %d networks compared", compared, len(nets))
}
