package queueing

import "slices"

// A group is neighbouring nodes that have as many map slots in use and reduces of each job: nodes that do the same.
type group struct {
	first, nodes int
}

// groups cuts the nodes where what they have of a job changes. Tasks are dealt to one node after the other, so nodes
// with more of a job come first.
func groups(s *Spec) []group {
	cuts := []int{0, s.Nodes}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Maps < s.Nodes*s.MapSlots {
			cuts = append(cuts, j.Maps%s.Nodes)
		}
		cuts = append(cuts, j.Reduces%s.Nodes)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	all := make([]group, 0, len(cuts)-1)
	for i, c := range cuts[1:] {
		all = append(all, group{cuts[i], c - cuts[i]})
	}
	return all
}

// dealt is how many of so many tasks the node has, of those dealt to one node after the other.
func (g group) dealt(tasks, nodes int) int {
	n := tasks / nodes
	if g.first < tasks%nodes {
		n++
	}
	return n
}
