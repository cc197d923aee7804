package planview

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// The elements of lists in JSON. A task is j1.m1: job, kind, index from 1; in rounds and fragments one prime follows
// for each earlier attempt. Pauses are rounds and fragments without tasks. Unknown is null.
type (
	times struct { // milliseconds from now
		StartMS int64 `json:"start_ms"`
		EndMS   int64 `json:"end_ms"`
	}
	span struct {
		Task    string `json:"task"`
		Attempt int32  `json:"attempt"`
		Slot    int32  `json:"slot"` // -1 if unknown
		times
		Outcome string `json:"outcome"` // ok, fails
	}
	round struct {
		ID   int    `json:"id"`
		Type string `json:"type"` // the stage of the tasks, or the pause
		times
		Width int      `json:"width"`
		Tasks []string `json:"tasks"`
	}
	fragment struct {
		round
		Rounds []int `json:"rounds"`
		SumMS  int64 `json:"sum_of_round_durations_ms"`
	}
	segment struct {
		Fragment int    `json:"fragment"`
		Kind     string `json:"kind"` // full, extra
		times
	}
	estimate struct {
		Scenario         string          `json:"scenario"`
		RemainingSeconds *frame.Seconds  `json:"remaining_seconds"`
		TotalSeconds     *frame.Seconds  `json:"total_seconds"`
		LowSeconds       *frame.Seconds  `json:"low_seconds"`
		HighSeconds      *frame.Seconds  `json:"high_seconds"`
		Origin           schedule.Origin `json:"origin"`
		Meaning          string          `json:"meaning"`
		Probability      *frame.Ratio    `json:"probability"`
	}
)

// JSON writes the view: one object, each element of a list on its own line. Elements are made and written one by one:
// a plan may have millions of tasks.
func (v *View) JSON(w io.Writer) error {
	j := jsonWriter{Writer: bufio.NewWriter(w), before: "{\n"}
	spans, warnings := v.attempts(), v.warnings()
	j.field("name", v.Plan.Name)
	j.list("schedule", len(spans), func(i int) any { return v.span(spans[i]) })
	j.list("rounds", len(v.Path.Rounds), v.round)
	j.list("fragments", len(v.Path.Fragments), v.fragment)
	j.list("critical_path", len(v.Path.Critical), v.segment)
	j.field("critical_path_ms", v.Path.Length().Milliseconds())
	task, ms := v.worst()
	j.field("worst_task", task)
	j.field("worst_single_task_ms", ms)
	j.list("estimates", len(v.Estimates), v.estimate)
	j.list("warnings", len(warnings), func(i int) any { return warnings[i] })
	j.field("skew", v.Skew)
	_, _ = j.WriteString("\n}\n")
	return j.Flush()
}

// A jsonWriter keeps errors in its bufio.Writer until Flush.
type jsonWriter struct {
	*bufio.Writer
	before string // the text before the next field
}

func (j *jsonWriter) field(key string, value any) {
	_, _ = j.WriteString(j.before + `"` + key + `": `)
	j.value(value)
	j.before = ",\n"
}

// value leaves <, > and & as they are. It panics if JSON cannot encode v; callers never pass such a value.
func (j *jsonWriter) value(v any) {
	var b bytes.Buffer
	if err := view.JSON(&b, v, ""); err != nil {
		panic("planview: " + err.Error())
	}
	_, _ = j.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (j *jsonWriter) list(key string, n int, element func(i int) any) {
	_, _ = j.WriteString(j.before + `"` + key + `": [`)
	before, end := "\n  ", ""
	for i := range n {
		_, _ = j.WriteString(before)
		j.value(element(i))
		before, end = ",\n  ", "\n"
	}
	_, _ = j.WriteString(end + "]")
	j.before = ",\n"
}

// An attempt is a task of a span.
type attempt struct {
	*schedule.Span
	at, slot int32 // the slot is -1 if unknown
}

// attempts returns every attempt, sorted by start, stage, slot and attempt.
func (v *View) attempts() (all []attempt) {
	for i := range v.Path.Schedule.Spans {
		s := &v.Path.Schedule.Spans[i]
		for at := range s.Count {
			slot := int32(-1)
			if int(at) < len(s.Slots) {
				slot = s.Slots[at]
			}
			all = append(all, attempt{s, at, slot})
		}
	}
	slices.SortStableFunc(all, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.slot, b.slot),
			cmp.Compare(a.Attempt, b.Attempt))
	})
	return all
}

func (v *View) span(a attempt) span {
	out := span{v.task(a.Span, a.at, 0), a.Attempt, a.slot, v.times(a.Start, a.End), "ok"}
	if a.Outcome == schedule.Fails {
		out.Outcome = "fails"
	}
	return out
}

func (v *View) times(start, end dag.Instant) times {
	now := v.Path.Schedule.Now
	return times{int64(start - now), int64(end - now)}
}

func (v *View) task(s *schedule.Span, at, attempt int32) string {
	return schedule.TaskName(v.Plan, int(s.Job), s.Stage, int(s.First+at), int(attempt))
}

func (v *View) round(i int) any {
	r := &v.Path.Rounds[i]
	return round{
		r.ID, v.Path.Schedule.Spans[r.Spans[0]].What(v.Plan), v.times(r.Start, r.End), r.Width, v.tasks(i),
	}
}

// tasks returns the tasks of some rounds.
func (v *View) tasks(rounds ...int) []string {
	all := []string{}
	for _, r := range rounds {
		for _, i := range v.Path.Rounds[r].Spans {
			s := &v.Path.Schedule.Spans[i]
			for at := range s.Count {
				all = append(all, v.task(s, at, s.Attempt))
			}
		}
	}
	return all
}

func (v *View) fragment(i int) any {
	f := &v.Path.Fragments[i]
	kind := schedule.What(v.Plan, v.Path.JobOf(f), f.Stage, f.Pause)
	return fragment{
		round{f.ID, kind, v.times(f.Start, f.End), f.Width, v.tasks(f.Rounds...)},
		f.Rounds,
		v.Path.RoundTime(i).Milliseconds(),
	}
}

func (v *View) segment(i int) any {
	s := &v.Path.Critical[i]
	kind := "full"
	if s.Extra {
		kind = "extra"
	}
	return segment{s.Fragment, kind, v.times(s.Start, s.End)}
}

// worst returns the longest task, the first of several, and its length in milliseconds; nil if there is no task.
func (v *View) worst() (name *string, ms *float64) {
	for j := range v.Plan.Jobs {
		for k := range v.Plan.Jobs[j].NumStages() {
			for i := range v.Plan.Jobs[j].Stages[k].Count() {
				if full := v.Full(j, k, i); ms == nil || full > *ms {
					task := schedule.TaskName(v.Plan, j, k, i, 0)
					name, ms = &task, &full
				}
			}
		}
	}
	return name, ms
}

func (v *View) estimate(i int) any {
	e := &v.Estimates[i]
	out := estimate{
		Scenario: e.Scenario, Origin: e.Origin, Meaning: e.Meaning, RemainingSeconds: frame.SecondsIn(e.Remaining),
		LowSeconds: frame.SecondsIn(e.Low), HighSeconds: frame.SecondsIn(e.High),
	}
	if e.Probability != nil {
		out.Probability = frame.RatioOf(*e.Probability)
	}
	if e.Remaining != nil {
		total := *e.Remaining + v.elapsed()
		out.TotalSeconds = frame.SecondsIn(&total)
	}
	return out
}

// elapsed returns the time since the first job was submitted, 0 before that.
func (v *View) elapsed() time.Duration {
	s := v.Path.Schedule
	first := s.Now
	for _, t := range s.Submitted {
		if t.Known() && t < first {
			first = t
		}
	}
	return s.Now.Sub(first)
}
