package schedule

import "github.com/paratimer/paratimer/dag"

// gaps returns the times between the end of the jobs that others waited for and the submission of the others: for
// each level of the graph if levels are submitted together, else for each job.
func (h *history) gaps() []Span {
	if h.snap.Plan.Driver != dag.Waves {
		return h.jobGaps()
	}
	var out []Span
	before := dag.NoInstant // the last end in the levels so far
	for level, jobs := range h.graph.Levels() {
		first, end := -1, before
		for _, j := range jobs {
			js := &h.snap.Jobs[j]
			if t := js.Submitted; t.Known() && (first < 0 || t < h.snap.Jobs[first].Submitted) {
				first = j
			}
			end = max(end, js.Finished)
		}
		if level > 0 && first >= 0 && before.Known() && h.snap.Jobs[first].Submitted > before {
			gap := pauseOf(int32(first), dag.Wave, max(before, h.origin), h.snap.Jobs[first].Submitted)
			gap.Past = true
			out = append(out, gap)
		}
		before = end
	}
	return out
}

// jobGaps returns the gaps before jobs that are submitted separately. A serial driver's job waits for all jobs that
// were submitted before it.
func (h *history) jobGaps() []Span {
	var out []Span
	var all []int
	if h.snap.Plan.Driver == dag.Serial {
		all = h.graph.Order()
	}
	for j := range h.snap.Jobs {
		submitted, before := h.snap.Jobs[j].Submitted, dag.NoInstant
		for _, a := range append(all[:len(all):len(all)], h.snap.Plan.Jobs[j].After...) {
			if end := h.snap.Jobs[a].Finished; end <= submitted {
				before = max(before, end)
			}
		}
		if submitted.Known() && before.Known() && submitted > max(before, h.origin) {
			gap := pauseOf(int32(j), dag.Wave, max(before, h.origin), submitted) //nolint:gosec // an index
			gap.Past = true
			out = append(out, gap)
		}
	}
	return out
}

// open returns the present gap of a query that goes on and has no submitted job.
func (h *history) open(sch *Schedule) []Span {
	pause, job := h.stage(-1)
	last := h.origin
	for _, t := range sch.Finished {
		last = max(last, t)
	}
	if h.snap.State.Ended() || pause != dag.Wave || last >= sch.End {
		return nil
	}
	return []Span{pauseOf(job, dag.Wave, last, sch.End)}
}

// named sets the name of the pause at the end of a running query's schedule: no task comes after it.
func (h *history) named(sch *Schedule, pauses []Span) []Span {
	open := !h.snap.State.Ended() && sch.End <= max(h.snap.At, h.origin) // the schedule ends now
	for i := range pauses {
		p := &pauses[i]
		p.Past = p.End <= h.snap.At
		if open && p.End == sch.End {
			p.Past = false
			if p.Pause == dag.Finish {
				p.Pause, p.Job = h.stage(p.Job)
			}
		}
	}
	return pauses
}

// stage returns what a query without running tasks waits for: a submitted job that has to start tasks or to end, or
// the next submission.
func (h *history) stage(last int32) (dag.Pause, int32) {
	ending := int32(-1)
	for j := range h.snap.Jobs {
		js, plan := &h.snap.Jobs[j], &h.snap.Plan.Jobs[j]
		if !js.Submitted.Known() || js.State.Ended() {
			continue
		}
		for k := range plan.Stages {
			if stage := &plan.Stages[k]; !stage.Known || js.Stages[k].Succeeded() < stage.Tasks {
				return dag.Launch, int32(j)
			}
		}
		ending = int32(j)
	}
	if ending >= 0 {
		return dag.Finish, ending
	}
	for _, j := range h.graph.Order() {
		if !h.snap.Jobs[j].Submitted.Known() {
			return dag.Wave, int32(j)
		}
	}
	return dag.Finish, last
}
