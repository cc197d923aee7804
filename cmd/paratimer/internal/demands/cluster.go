package demands

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A cluster is what a run shows of the machines: the number of nodes, and the most simultaneous tasks of a kind on
// one node.
type cluster struct {
	nodes int
	peak  [2]int
}

func clusterOf(s *dag.Snapshot) cluster {
	type change struct {
		at    dag.Instant
		by    int
		node  int32
		which dag.StageIndex
	}
	var all []change
	nodes := map[int32]bool{}
	for i := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[i].Stages[k].Attempts {
				if a.Start.Known() && a.End.Known() {
					all = append(all, change{a.Start, 1, a.Node, k}, change{a.End, -1, a.Node, k})
					nodes[a.Node] = true
				}
			}
		}
	}
	// At the same instant, ends come before starts.
	slices.SortStableFunc(all,
		func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	type place struct {
		node int32
		kind dag.StageIndex
	}
	held := map[place]int{}
	c := cluster{nodes: max(len(nodes), len(s.Nodes))}
	for _, ch := range all {
		p := place{ch.node, ch.which}
		held[p] += ch.by
		c.peak[ch.which] = max(c.peak[ch.which], held[p])
	}
	if nodes[-1] && len(s.Nodes) > 1 { // nodes of the tasks are unknown: assume an equal share of all
		for k := range c.peak {
			c.peak[k] = (c.peak[k] + len(s.Nodes) - 1) / len(s.Nodes)
		}
	}
	return c
}

// A window is the time in which a job ran.
type window struct{ from, to dag.Instant }

func windowOf(s *dag.Snapshot, i int) window { return window{s.Jobs[i].Submitted, s.Jobs[i].Finished} }

func (w window) known() bool { return w.from.Known() && w.to.Known() }

// overlaps reports whether two jobs ran at the same time, or may have.
func (w window) overlaps(v window) bool {
	return !w.known() || !v.known() || w.from < v.to && v.from < w.to
}

func (w window) text(s *dag.Snapshot, i int) string {
	id := s.Jobs[i].ID
	if !w.known() {
		return id
	}
	origin := s.Origin()
	return fmt.Sprintf("%s: ran %s, from %s to %s of its run.", id, units.Exact(w.to.Sub(w.from)),
		units.Exact(w.from.Sub(origin)), units.Exact(w.to.Sub(origin)))
}

// printable makes a foreign name valid in a job file.
func printable(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s))
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}
