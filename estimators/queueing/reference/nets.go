package reference

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/internal/mva"
)

type net struct {
	name               string
	network            mva.Network
	exact, approximate *figures // nil if unknown
}

type figures struct {
	residence  [][]float64 // by class and centre
	throughput []float64
}

// Exact compares the networks solved by exact mean value analysis.
func Exact() ([]Case, error) {
	return solve(func(n *net) *figures { return n.exact }, mva.Exact)
}

// Approximate compares the networks solved by the approximation of Bard and Schweitzer.
func Approximate() ([]Case, error) {
	return solve(func(n *net) *figures { return n.approximate }, func(n *mva.Network) (*mva.Result, error) {
		return mva.BardSchweitzer(n, mva.Options{})
	})
}

func solve(known func(*net) *figures, by func(*mva.Network) (*mva.Result, error)) ([]Case, error) {
	var all []Case
	for i := range nets {
		want := known(&nets[i])
		if want == nil {
			continue
		}
		got, err := by(&nets[i].network)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", nets[i].name, err)
		}
		c := Case{Name: nets[i].name}
		for class := range want.throughput {
			c.Figures = append(c.Figures, Figure{
				fmt.Sprintf("throughput of class %d", class+1), want.throughput[class],
				got.Throughput[class],
			})
		}
		for class, row := range want.residence {
			for centre, r := range row {
				c.Figures = append(c.Figures, Figure{fmt.Sprintf("residence of class %d at centre %d", class+1,
					centre+1), r, got.Residence[class][centre]})
			}
		}
		all = append(all, c)
	}
	return all, nil
}
