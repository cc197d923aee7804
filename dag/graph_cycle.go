package dag

import (
	"slices"

	"github.com/dominikbraun/graph"
)

// jobGraph returns the jobs of p as a graph: vertex i+1 is job i, an edge leads from a job to one that depends on it.
// Dependencies on jobs that do not exist are left out. For ordering use NewGraph: the library's own sorts are
// quadratic.
//
// Vertices count from 1 because StronglyConnectedComponents of v0.23.0 loses the component of a vertex with the zero
// key.
func jobGraph(p *Plan) graph.Graph[int, int] {
	g := graph.New(graph.IntHash, graph.Directed())
	// Adding fails only for an edge that is there already.
	for i := range p.Jobs {
		_ = g.AddVertex(i + 1)
	}
	for j := range p.Jobs {
		for _, a := range p.Jobs[j].After {
			if a >= 0 && a < len(p.Jobs) {
				_ = g.AddEdge(a+1, j+1)
			}
		}
	}
	return g
}

// cycles returns one CycleError for each group of jobs that wait for each other, ordered by its first job.
func cycles(p *Plan) []error {
	components, err := graph.StronglyConnectedComponents(jobGraph(p))
	if err != nil {
		panic("dag: the job graph is not directed") // its only error
	}
	var groups [][]int
	for _, c := range components {
		if len(c) > 1 || slices.Contains(p.Jobs[c[0]-1].After, c[0]-1) {
			slices.Sort(c)
			groups = append(groups, c)
		}
	}
	slices.SortFunc(groups, func(a, b []int) int { return a[0] - b[0] })
	var errs []error
	for _, c := range groups {
		e := &CycleError{Place: ofJob(p, c[0]-1, "after", -1)}
		for _, v := range c {
			e.Jobs = append(e.Jobs, p.Jobs[v-1].Node)
		}
		errs = append(errs, e)
	}
	return errs
}
