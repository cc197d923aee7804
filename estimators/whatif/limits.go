package whatif

import (
	"errors"
	"math"

	"github.com/paratimer/paratimer/dag"
)

// The names of limits.
const (
	LimitSlots    = "infinite_slots" // a slot for every task: the critical path
	LimitSkew     = "no_skew"        // the work of each job's reduces spread evenly
	LimitFailures = "no_failures"    // a finished run without its failures
	LimitIdeal    = "ideal"          // a slot for every task, no start-ups, no pauses
)

func (s *Scene) limits(r *Report) error {
	for _, l := range []struct {
		name   string
		change Change
	}{
		{LimitSlots, Change{Slots: []Slots{{N: math.Inf(1)}}}},
		{LimitSkew, Change{Even: true}},
		{LimitFailures, Change{Unfailing: true}},
		{LimitIdeal, Change{Policy: Ideal}},
	} {
		row, err := s.row(l.name, l.change)
		if err != nil {
			return err
		}
		r.Limits = append(r.Limits, row)
	}
	return nil
}

// marginal adds rows for one more slot and for twice as many slots.
func (s *Scene) marginal(r *Report) error {
	asked := []Slots{{Op: Add, N: 1}, {Op: Times, N: 2}}
	if s.Room.Policy == dag.FIFO {
		asked = nil
		for _, k := range []struct {
			which Which
			n     int
		}{{Maps, s.Room.Maps}, {Reduces, s.Room.Reduces}} {
			if k.n > 0 {
				asked = append(asked, Slots{Which: k.which, Op: Add, N: 1}, Slots{Which: k.which, Op: Times, N: 2})
			}
		}
		asked = append(asked, Slots{Op: Times, N: 2})
	} else if s.Room.Total() == 0 {
		return nil
	}
	for _, by := range asked {
		row, err := s.row(by.String(), Change{Slots: []Slots{by}})
		if err != nil {
			return err
		}
		r.Marginal = append(r.Marginal, row)
	}
	return nil
}

// curve computes the curve with the first model that supports it.
func (s *Scene) curve(r *Report) error {
	for _, m := range s.Models {
		c, err := CurveOf(m, s.Room, s.Wanted)
		var cannot *UnsupportedError
		switch {
		case errors.As(err, &cannot):
			continue
		case err != nil:
			return err
		}
		r.Curve = c
		return nil
	}
	return nil
}
