package planview

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
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
		Outcome string         `json:"outcome"` // ok, fails
		stage   dag.StageIndex // for the order
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
		frame.Estimate                // without an instant of its end
		LowSeconds     *frame.Seconds `json:"low_seconds"`
		HighSeconds    *frame.Seconds `json:"high_seconds"`
	}
)

// Figures returns the JSON of the view.
func (v *View) Figures() any {
	task, ms := v.worst()
	return struct {
		Name       string        `json:"name"`
		Schedule   []span        `json:"schedule"`
		Rounds     []round       `json:"rounds"`
		Fragments  []fragment    `json:"fragments"`
		Critical   []segment     `json:"critical_path"`
		CriticalMS int64         `json:"critical_path_ms"`
		Worst      *string       `json:"worst_task"`
		WorstMS    *float64      `json:"worst_single_task_ms"`
		Estimates  []estimate    `json:"estimates"`
		Warnings   []dag.Warning `json:"warnings"`
		Skew       []frame.Skew  `json:"skew"`
	}{
		v.Plan.Name, v.spans(), units.Each(v.Path.Rounds, v.round),
		units.Each(v.Path.Fragments, v.fragment), units.Each(v.Path.Critical, v.segment),
		v.Path.Length().Milliseconds(), task, ms, units.Each(v.Estimates, v.estimate), v.warnings(), v.Skew,
	}
}

// spans returns every attempt, sorted by start, stage, slot and attempt.
func (v *View) spans() []span {
	all := []span{}
	for _, s := range v.Path.Schedule.Spans {
		for at := range s.Count {
			one := span{v.task(&s, at, 0), s.Attempt, -1, v.times(s.Start, s.End), "ok", s.Stage}
			if int(at) < len(s.Slots) {
				one.Slot = s.Slots[at]
			}
			if s.Outcome == schedule.Fails {
				one.Outcome = "fails"
			}
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.stage, b.stage), cmp.Compare(a.Slot, b.Slot),
			cmp.Compare(a.Attempt, b.Attempt))
	})
	return all
}

func (v *View) times(start, end dag.Instant) times {
	now := v.Path.Schedule.Now
	return times{int64(start - now), int64(end - now)}
}

func (v *View) task(s *schedule.Span, at, attempt int32) string {
	return schedule.TaskName(v.Plan, int(s.Job), s.Stage, int(s.First+at), int(attempt))
}

func (v *View) round(r pathfrag.Round) round {
	out := round{r.ID, v.Path.Schedule.Spans[r.Spans[0]].What(v.Plan), v.times(r.Start, r.End), r.Width, []string{}}
	for _, i := range r.Spans {
		s := &v.Path.Schedule.Spans[i]
		for at := range s.Count {
			out.Tasks = append(out.Tasks, v.task(s, at, s.Attempt))
		}
	}
	return out
}

func (v *View) fragment(f pathfrag.Fragment) fragment {
	kind, sum := schedule.What(v.Plan, v.Path.JobOf(&f), f.Stage, f.Pause), v.Path.RoundTime(f.ID).Milliseconds()
	out := fragment{round{f.ID, kind, v.times(f.Start, f.End), f.Width, []string{}}, f.Rounds, sum}
	for _, r := range f.Rounds {
		out.Tasks = append(out.Tasks, v.round(v.Path.Rounds[r]).Tasks...)
	}
	return out
}

func (v *View) segment(s pathfrag.Segment) segment {
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
					name, ms = new(schedule.TaskName(v.Plan, j, k, i, 0)), &full
				}
			}
		}
	}
	return name, ms
}

func (v *View) estimate(e estimators.Estimate) estimate {
	out := estimate{frame.EstimateOf(0, e, new(frame.Seconds(0))), frame.SecondsIn(e.Low), frame.SecondsIn(e.High)}
	out.EndAt = nil
	return out
}
