package queueing

import "fmt"

// Axes of a grid, as in Fig. 7 to 9: the values of each axis; an empty axis keeps the Spec's value. Maps and Copies
// apply to every job.
type Axes struct {
	Nodes, MapSlots, ShuffleThreads, Maps, Copies []int
}

// MaxGrid limits the points of a grid.
const MaxGrid = 10_000

// Grid returns the Specs at all points of the axes; the last axis varies fastest. An error is a *FieldError.
func (s *Spec) Grid(a Axes) ([]*Spec, error) {
	all := []*Spec{s.clone()}
	for _, axis := range []struct {
		name   string
		values []int
		set    func(s *Spec, v int)
	}{
		{"Nodes", a.Nodes, func(s *Spec, v int) { s.Nodes = v }},
		{"MapSlots", a.MapSlots, func(s *Spec, v int) { s.MapSlots = v }},
		{"ShuffleThreads", a.ShuffleThreads, func(s *Spec, v int) { s.ShuffleThreads = v }},
		{"Maps", a.Maps, func(s *Spec, v int) {
			for i := range s.Jobs {
				s.Jobs[i].Maps = v
			}
		}},
		{"Copies", a.Copies, func(s *Spec, v int) {
			for i := range s.Jobs {
				s.Jobs[i].Copies = v
			}
		}},
	} {
		if len(axis.values) == 0 {
			continue
		}
		if points := len(all) * len(axis.values); points > MaxGrid {
			return nil, &FieldError{
				axis.name, float64(len(axis.values)),
				fmt.Sprintf("with so many values the grid has more than %d points", MaxGrid),
			}
		}
		var finer []*Spec
		for _, p := range all {
			for _, v := range axis.values {
				q := p.clone()
				axis.set(q, v)
				finer = append(finer, q)
			}
		}
		all = finer
	}
	for _, p := range all {
		if err := p.Validate(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Spec) clone() *Spec {
	c := *s
	c.Jobs = append([]Job(nil), s.Jobs...)
	return &c
}
