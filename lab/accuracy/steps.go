package main

import (
	"fmt"
	"io"
	"math"
)

// largeStep is the share of the run's length from which on a step of the predicted end counts as large.
const largeStep = 0.05

// steps are the moves of the predicted end between two ticks without a named cause: the reason is "other" or has no
// subject.
type steps struct {
	largest float64 // share of the run's length
	large   int
}

func (s *steps) add(f frame, total float64) {
	for _, c := range f.Changes {
		if c.Reason != "other" && c.Subject != nil {
			continue
		}
		share := math.Abs(c.Delta) / total
		s.largest = max(s.largest, share)
		if share > largeStep {
			s.large++
		}
	}
}

func (s *steps) String() string { return fmt.Sprintf("%.1f %% | %d", 100*s.largest, s.large) }

// answered counts the ticks from the end of the first task on, and those of them with a point, and with a point or a
// range.
type answered struct{ ticks, points, ranges int }

func (a *answered) add(f frame) {
	if a.ticks == 0 && !f.taskDone() {
		return
	}
	a.ticks++
	if f.Headline.Remaining != nil {
		a.points++
	}
	if f.Headline.Remaining != nil || f.Headline.High != nil {
		a.ranges++
	}
}

func (a *answered) String() string {
	n := float64(max(a.ticks, 1))
	return fmt.Sprintf("%.0f %% | %.0f %%", 100*float64(a.points)/n, 100*float64(a.ranges)/n)
}

func (f *frame) taskDone() bool {
	for _, j := range f.Jobs {
		if j.Maps.Done+j.Reduces.Done > 0 {
			return true
		}
	}
	return false
}

// steadiness writes how often there is an answer, and how far the predicted end moves without a named cause.
func steadiness(w io.Writer, recs []*recording) {
	fmt.Fprint(w, `
## Answers and steps

How many ticks from the end of the first task on have a point, and a point or a range. A *step* is a move of the predicted end between two ticks
that has no named cause, in percent of the run's length; those above 5 % are counted.

| recording | profile of | a point | a point or a range | largest step | steps above 5 % |
|---|---|---|---|---|---|
`)
	for _, r := range recs {
		if len(r.with) > 0 {
			m := r.middle()
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.name, m.other.name, &m.answered, &m.steps)
		}
		fmt.Fprintf(w, "| %s | none | %s | %s |\n", r.name, &r.without.answered, &r.without.steps)
	}
}
