package whatif

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/units"
)

// A Row is one change and what the models say of it, the one that is believed first. It has no answer where none can
// say.
type Row struct {
	Name    string // of a limit or a marginal value; else the change's own
	Change  Change
	Answers []Answer
	// Disagreement is by how much the answers differ, as a ratio of the first; NaN where one model answers alone.
	Disagreement float64
	Warnings     []Warning
}

// Remaining is what the model that is believed says, nil where it is not known.
func (r *Row) Remaining() *time.Duration {
	if len(r.Answers) == 0 {
		return nil
	}
	return r.Answers[0].Remaining
}

// A Report answers a question: the base, each change alone, all of them together, what cannot be beaten, what a slot is
// worth, and time against slots.
type Report struct {
	Base     Row
	Alone    []Row
	Together *Row // nil where there are fewer than two changes, or they are alternatives
	Limits   []Row
	Marginal []Row
	Curve    *Curve // nil where no model can draw one
	Warnings []Warning
}

// disagree is by how much answers may differ before it is a warning.
const disagree = 0.2

// A Scene is what a question is asked about.
type Scene struct {
	Models []Predictor // the one that is believed first
	Room   Room
	Wanted []int // slots that the tasks that are left take, of each kind that the room has (Replay.Wanted)
}

// Ask answers. An error of the base is an error of all; a change that cannot be is one, too, and names it.
func Ask(s Scene, changes []Change) (*Report, error) {
	r := &Report{}
	var err error
	if r.Base, err = s.ranged(Change{}); err != nil {
		return nil, err
	}
	for _, m := range s.Models {
		if d, ok := m.(interface{ Doubt() (Warning, bool) }); ok {
			if w, doubtful := d.Doubt(); doubtful {
				r.Warnings = append(r.Warnings, w)
			}
		}
	}
	for _, c := range changes {
		row, err := s.ranged(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		r.Alone = append(r.Alone, row)
	}
	if err := s.together(r, changes); err != nil {
		return nil, err
	}
	if err := s.limits(r); err != nil {
		return nil, err
	}
	if err := s.marginal(r); err != nil {
		return nil, err
	}
	return r, s.curve(r)
}

// row asks every model.
func (s *Scene) row(name string, c Change) (Row, error) {
	row := Row{Name: name, Change: c, Disagreement: math.NaN()}
	for _, m := range s.Models {
		a, err := m.Predict(c)
		var cannot *UnsupportedError
		switch {
		case errors.As(err, &cannot):
			row.Warnings = append(row.Warnings, Warning{WarnUnsupported, fmt.Sprintf("the %s model cannot tell: %s",
				cannot.Model, cannot.Why)})
			continue
		case err != nil:
			return row, err
		}
		row.Answers = append(row.Answers, a)
		row.Warnings = append(row.Warnings, a.Warnings...)
	}
	row.compare()
	return row, nil
}

// A Ranger tells within what an answer may be.
type Ranger interface {
	Range(c Change) (low, high time.Duration, ok bool, err error)
}

// ranged is a row whose answers have ranges, where the models tell.
func (s *Scene) ranged(c Change) (Row, error) {
	row, err := s.row("", c)
	if err != nil {
		return row, err
	}
	for i := range row.Answers {
		a := &row.Answers[i]
		for _, m := range s.Models {
			r, tells := m.(Ranger)
			if !tells || a.Model != ModelReplay || a.Remaining == nil && a.Floor == nil {
				continue
			}
			low, high, ok, err := r.Range(c)
			if err != nil {
				return row, err
			}
			if ok {
				a.Low, a.High = &low, &high
				if a.Floor != nil && low < *a.Floor {
					a.Floor = &low // what is known may take less
				}
			}
		}
	}
	return row, nil
}

func (r *Row) compare() {
	first := r.Remaining()
	if first == nil || *first <= 0 {
		return
	}
	for i := range r.Answers[1:] {
		a := &r.Answers[i+1]
		if a.Remaining == nil {
			continue
		}
		d := float64(*a.Remaining-*first) / float64(*first)
		if math.IsNaN(r.Disagreement) || math.Abs(d) > math.Abs(r.Disagreement) {
			r.Disagreement = d
		}
		if math.Abs(d) > disagree {
			r.Warnings = append(r.Warnings, Warning{WarnDisagree, fmt.Sprintf("%s says %s against %s", a.Model,
				units.More(1+d), r.Answers[0].Model)})
		}
	}
}

func (s *Scene) together(r *Report, changes []Change) error {
	if len(changes) < 2 {
		return nil
	}
	all, err := Together(changes)
	var excluded *AlternativesError
	if errors.As(err, &excluded) {
		r.Warnings = append(r.Warnings, Warning{WarnAlternatives, excluded.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	row, err := s.ranged(all)
	if err != nil {
		return fmt.Errorf("%s: %w", all, err)
	}
	r.Together = &row
	return nil
}
