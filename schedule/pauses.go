package schedule

import (
	"github.com/paratimer/paratimer/dag"
)

// addGaps adds the times between the end of the jobs that others waited for and the submission of the others: for
// each level of the graph if levels are submitted together, else for each job. A serial driver's job waits for all
// jobs that were submitted before it.
func (h *history) addGaps() {
	jobs := h.snap.Jobs
	if h.snap.Plan.Driver == dag.Waves {
		before := dag.NoInstant // the last end in the levels so far
		for _, level := range h.graph.Levels() {
			first, end := -1, before
			for _, j := range level {
				if t := jobs[j].Submitted; t.Known() && (first < 0 || t < jobs[first].Submitted) {
					first = j
				}
				end = max(end, jobs[j].Finished)
			}
			h.addGap(first, before)
			before = end
		}
		return
	}
	for j := range jobs {
		before, after := dag.NoInstant, h.snap.Plan.Jobs[j].After
		if h.snap.Plan.Driver == dag.Serial {
			after = h.graph.Order()
		}
		for _, a := range after {
			if end := jobs[a].Finished; end <= jobs[j].Submitted {
				before = max(before, end)
			}
		}
		h.addGap(j, before)
	}
}

// addGap adds the time between the end of the jobs before a job and its submission, if both are known.
func (h *history) addGap(job int, before dag.Instant) {
	from := max(before, h.origin)
	if job < 0 || !before.Known() || h.snap.Jobs[job].Submitted <= from {
		return
	}
	gap := PauseOf(int32(job), dag.Wave, from, h.snap.Jobs[job].Submitted) //nolint:gosec // an index
	gap.Past = true
	h.gaps = append(h.gaps, gap)
}

// addOpenGap adds the present gap of a query that goes on and has no submitted job.
func (h *history) addOpenGap(sch *Schedule) {
	pause, job := h.waitsFor(-1)
	last := h.origin
	for _, t := range sch.Finished {
		last = max(last, t)
	}
	if !h.snap.State.Ended() && pause == dag.Wave && last < sch.End {
		h.gaps = append(h.gaps, PauseOf(job, dag.Wave, last, sch.End))
	}
}

// named sets the name of the pause at the end of a running query's schedule: no task comes after it.
func (h *history) named(sch *Schedule, pauses []Span) []Span {
	for i := range pauses {
		p := &pauses[i]
		atEnd := !h.snap.State.Ended() && p.End == sch.End && sch.End <= max(h.snap.At, h.origin)
		p.Past = p.End <= h.snap.At && !atEnd
		if atEnd && p.Pause == dag.Finish {
			p.Pause, p.Job = h.waitsFor(p.Job)
		}
	}
	return pauses
}

// waitsFor returns what a query without running tasks waits for: a submitted job that has to start tasks or to end,
// or the next submission; else the end of its last job.
func (h *history) waitsFor(last int32) (dag.Pause, int32) {
	ending := int32(-1)
	for j := range h.snap.Jobs {
		js, plan := &h.snap.Jobs[j], &h.snap.Plan.Jobs[j]
		if !js.Submitted.Known() || js.State.Ended() {
			continue
		}
		for k := range plan.Stages {
			if stage := &plan.Stages[k]; !stage.Known || js.Stages[k].Succeeded() < stage.Tasks {
				return dag.Launch, int32(j) //nolint:gosec // an index
			}
		}
		ending = int32(j) //nolint:gosec // an index
	}
	if ending >= 0 {
		return dag.Finish, ending
	}
	for _, j := range h.graph.Order() {
		if !h.snap.Jobs[j].Submitted.Known() {
			return dag.Wave, int32(j) //nolint:gosec // an index
		}
	}
	return dag.Finish, last
}
