package whatif

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/units"
)

// A Row is one change and the models' answers, the preferred model first. It has no answers if no model supports the
// change.
type Row struct {
	Name    string // name of a limit or a marginal value; else empty
	Change  Change
	Answers []Answer
	// Disagreement is the largest difference of an answer from the first, as a ratio of the first; NaN if only one
	// model answers.
	Disagreement float64
	Warnings     []Warning
}

// Remaining returns the answer of the preferred model, nil if it is unknown.
func (r *Row) Remaining() *time.Duration {
	if len(r.Answers) == 0 {
		return nil
	}
	return r.Answers[0].Remaining
}

// A Report is the result of Ask: the base, each change alone, all changes together, the limits, the value of a slot,
// and time against slots.
type Report struct {
	Base     Row
	Alone    []Row
	Together *Row // nil if there are fewer than two changes, or if they exclude each other
	Limits   []Row
	Marginal []Row
	Curve    *Curve // nil if no model supports it
	Warnings []Warning
}

// disagree is the difference between answers above which there is a warning.
const disagree = 0.2

// A Scene is the context of a question: the models and the cluster.
type Scene struct {
	Models []Predictor // the preferred model first
	Room   Room
	Wanted []int // slots that the remaining tasks need, of each kind that the room has (Replay.Wanted)
}

// Ask computes a Report. It returns an error if the base fails. If a change fails, the error names the change.
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

// row evaluates a change with every model.
func (s *Scene) row(name string, c Change) (Row, error) {
	row := Row{Name: name, Change: c, Disagreement: math.NaN()}
	for _, m := range s.Models {
		a, err := m.Predict(c)
		var cannot *UnsupportedError
		switch {
		case errors.As(err, &cannot):
			row.Warnings = append(row.Warnings, Warning{WarnUnsupported, fmt.Sprintf("the %s model does not apply: %s",
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

// A Ranger computes the range of an answer.
type Ranger interface {
	Range(c Change) (low, high time.Duration, ok bool, err error)
}

// ranged returns a row with ranges from the models that support them.
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
					a.Floor = &low // the work with known costs may take less
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
