package view

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// mostWarned bounds the warnings that are remembered: beyond it they are written again.
const mostWarned = 10_000

// warnings writes the new ones that matter, one line for each code: a code often has many at once.
func (t *Text) warnings(b *strings.Builder, f frame.Frame, matters func(dag.Warning) bool) {
	if len(t.warned) > mostWarned {
		clear(t.warned)
	}
	var news []dag.Warning
	more := map[string]int{}
	for _, w := range f.Warnings {
		if w.Code == dag.WarnClockSkew {
			w = t.skew(w)
		}
		if t.warned[w] || w.Code == dag.WarnStale || !matters(w) {
			continue
		}
		t.warned[w] = true
		if more[w.Code]++; more[w.Code] == 1 {
			news = append(news, w)
		}
	}
	for _, w := range news {
		text := t.paint(yellow, "warning: ") + Escape(w.Text)
		if n := more[w.Code] - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more like this)", n)
		}
		t.line(b, f, text)
	}
}

// skew returns the first warning about different clocks: the difference changes from tick to tick, which is no news.
func (t *Text) skew(w dag.Warning) dag.Warning {
	for reported := range t.warned {
		if reported.Code == w.Code {
			return reported
		}
	}
	return w
}

// jobLines writes which jobs have started or ended, if matters selects their state.
func (t *Text) jobLines(b *strings.Builder, f frame.Frame, matters func(dag.State) bool) {
	for i := range f.Jobs {
		j := &f.Jobs[i]
		if j.State != t.jobs[j.Node] && j.State > dag.Submitted && matters(j.State) {
			t.line(b, f, t.job(&f, j))
		}
		t.jobs[j.Node] = j.State
	}
}

func (t *Text) job(f *frame.Frame, j *frame.Job) string {
	if f.IsWhole() {
		s := "the " + f.Workflow.Whole.Name
		if f.Workflow.ID != nil {
			s += " (" + Escape(*f.Workflow.ID) + ")"
		}
		return s + " " + j.State.String() + vertices(f, j) + t.reason(f, j)
	}
	s := "job " + Escape(j.Node)
	if j.ID != nil {
		s += " (" + Escape(*j.ID) + ")"
	}
	return s + " " + j.State.String() + counts(j) + t.reason(f, j)
}

// reason says why a job failed; "" if it did not, or if unknown. Without the engine's diagnosis it is the newest
// failure of an attempt. Quiet lines have the failures already.
func (t *Text) reason(f *frame.Frame, j *frame.Job) string {
	switch {
	case t.quiet && len(f.Failures) > 0:
		return ""
	case j.Diagnosis != nil:
		return ": " + Escape(*j.Diagnosis)
	case j.State != dag.Failed:
		return ""
	}
	for i := range f.Failures {
		if x := &f.Failures[i]; x.Job == j.Node && x.Why != nil {
			return ": " + Escape(*x.Why)
		}
	}
	return ""
}

func vertices(f *frame.Frame, j *frame.Job) string {
	if known, all := j.Known(); j.State == dag.Running && all {
		return fmt.Sprintf(", %s: %d, ", f.Workflow.Whole.Parts, len(j.Stages)) + units.Count(*known.Total, "task")
	}
	return ""
}

func counts(j *frame.Job) string {
	if known, all := j.Known(); j.State == dag.Running && all && !j.IsMapReduce() {
		return ", " + units.Count(len(j.Stages), "stage") + ", " + units.Count(*known.Total, "task")
	}
	if j.State != dag.Running || j.Maps.Total == nil || j.Reduces.Total == nil {
		return ""
	}
	return ", " + units.Count(*j.Maps.Total, "map") + ", " + units.Count(*j.Reduces.Total, "reduce")
}
