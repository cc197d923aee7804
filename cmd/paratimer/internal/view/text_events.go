package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// mostWarned bounds the warnings that are remembered: beyond it they are written again.
const mostWarned = 10_000

// warnings writes the new ones, of a quiet watch only lost nodes. A code often has many at once: it has one line.
func (t *Text) warnings(b *strings.Builder, f frame.Frame) {
	if len(t.warned) > mostWarned {
		clear(t.warned)
	}
	var news []dag.Warning
	for _, w := range f.Warnings {
		known := w
		if w.Code == dag.WarnClockSkew { // the difference changes from tick to tick, which is no news
			known.Text = ""
		}
		if t.warned[known] || w.Code == dag.WarnStale || t.Quiet && w.Code != dag.WarnNodeLost {
			continue
		}
		t.warned[known] = true
		news = append(news, dag.Warning{Code: w.Code, Text: Escape(w.Text)})
	}
	for _, w := range FirstOfKinds(news) {
		t.line(b, f, t.paint(yellow, "warning: ")+w.Text)
	}
}

// moves writes the moves of the predicted end.
func (t *Text) moves(b *strings.Builder, f frame.Frame) {
	for _, m := range f.Moves {
		line := units.Moved(m.DeltaSeconds.Duration()) + ": " + Escape(m.Why())
		if t.Plain {
			line = "the end comes " + line
		}
		if drift := m.Drift(); drift != "" {
			line += "; " + drift
		}
		t.line(b, f, line)
	}
}

// failures writes the newest one of the new failures: a lost node causes many.
func (t *Text) failures(b *strings.Builder, f frame.Frame) {
	news := f.FailedAttempts - t.failed
	t.failed = f.FailedAttempts
	if news <= 0 || len(f.Failures) == 0 {
		return
	}
	text := t.paint(red, "failed:") + " " + f.Failures[0].Text(Escape)
	if news > 1 {
		text += fmt.Sprintf(" (and %d more)", news-1)
	}
	t.line(b, f, text)
}

// jobLines writes which jobs have started or ended; a quiet watch, which have failed or were killed.
func (t *Text) jobLines(b *strings.Builder, f frame.Frame) {
	for _, j := range f.Jobs {
		bad := j.State == dag.Failed || j.State == dag.Killed
		if j.State != t.jobs[j.Node] && j.State > dag.Submitted && (bad || !t.Quiet) {
			t.line(b, f, t.job(&f, &j))
		}
		t.jobs[j.Node] = j.State
	}
}

func (t *Text) job(f *frame.Frame, j *frame.Job) string {
	s, id := "job "+Escape(j.Node), j.ID
	if f.IsWhole() {
		s, id = "the "+f.Workflow.Whole.Name, f.Workflow.ID
	}
	if id != nil {
		s += " (" + Escape(*id) + ")"
	}
	return s + " " + j.State.String() + counts(f, j) + t.reason(f, j)
}

// reason returns why a job failed; "" if it did not, or if unknown. Without the engine's diagnosis, or if that is only
// the id of a task, as MapReduce's is, it is the newest failure of an attempt. Quiet lines have the failures already.
func (t *Text) reason(f *frame.Frame, j *frame.Job) string {
	switch {
	case t.Quiet && len(f.Failures) > 0:
		return ""
	case j.Diagnosis != nil && !strings.HasPrefix(*j.Diagnosis, "Task failed task_"):
		return ": " + Escape(*j.Diagnosis)
	case j.State != dag.Failed:
		return ""
	}
	for i := range f.Failures {
		if x := &f.Failures[i]; x.Job == j.Node && x.Why != nil {
			return ": " + Escape(x.What()+": "+*x.Why)
		}
	}
	if j.Diagnosis != nil {
		return ": " + Escape(*j.Diagnosis)
	}
	return ""
}

// counts returns how many stages and tasks a job has that has just begun.
func counts(f *frame.Frame, j *frame.Job) string {
	known, all := j.Known()
	switch {
	case j.State != dag.Running || !all:
		return ""
	case f.IsWhole():
		return fmt.Sprintf(", %s: %d, ", f.Workflow.Whole.Parts, len(j.Stages)) + units.Count(*known.Total, "task")
	case j.IsMapReduce():
		return ", " + units.Count(*j.Maps.Total, "map") + ", " + units.Count(*j.Reduces.Total, "reduce")
	}
	return ", " + units.Count(len(j.Stages), "stage") + ", " + units.Count(*known.Total, "task")
}

// shortBlindness is how long a bound may be blind before a line is written: the status line already shows it.
const shortBlindness = 30 * time.Second

// alertLines writes the bounds with a state other than the last one written.
func (t *Text) alertLines(b *strings.Builder, f frame.Frame) {
	for _, a := range f.Alerts {
		reported := cmp.Or(t.reported[a.Bound], frame.OnTrack)
		if a.State == reported || a.State == frame.Blind && (t.Quiet || f.StaleSeconds.Duration() < shortBlindness) {
			continue
		}
		t.reported[a.Bound] = a.State
		t.line(b, f, t.alert(a))
	}
}

// alert returns a bound's text, in the colour of its severity.
func (t *Text) alert(a frame.Alert) string {
	colour := green
	switch {
	case a.State == frame.Late, a.Outcome != nil && *a.Outcome == frame.Missed:
		colour = red
	case a.State == frame.AtRisk, a.State == frame.Blind, a.State == frame.Ended && a.Outcome == nil:
		colour = yellow
	}
	text := Escape(a.Text)
	if !t.Plain {
		text = strings.ReplaceAll(text, "; ", "\n  ")
	}
	head, rest, found := strings.Cut(text, ":")
	if !found {
		return t.paint(colour, head)
	}
	return t.paint(colour, head+":") + rest
}
