package schedule

import "github.com/paratimer/paratimer/dag"

// gaps are the stretches between the end of all that a level of the graph waits for and its first submission.
func (h *happened) gaps() []Span {
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
			out = append(out, Span{
				Job: int32(first), Kind: dag.Wave, Outcome: Waits, Start: max(before, h.origin), End: h.snap.Jobs[first].Submitted, Past: true,
			})
		}
		before = end
	}
	return out
}

// open is the gap that a query is in which goes on and has nothing submitted.
func (h *happened) open(sch *Schedule) []Span {
	kind, job := h.stage(-1)
	last := h.origin
	for _, t := range sch.Finished {
		last = max(last, t)
	}
	if h.snap.State.Ended() || kind != dag.Wave || last >= sch.End {
		return nil
	}
	return []Span{{Job: job, Kind: dag.Wave, Outcome: Waits, Start: last, End: sch.End}}
}

// named gives the pause that a running query is in now its name: there is no task after it that would tell.
func (h *happened) named(sch *Schedule, pauses []Span) []Span {
	open := !h.snap.State.Ended() && sch.End <= max(h.snap.At, h.origin) // nothing is told of what is to come
	for i := range pauses {
		p := &pauses[i]
		p.Past = p.End <= h.snap.At
		if open && p.End == sch.End {
			p.Past = false
			if p.Kind == dag.Finish {
				p.Kind, p.Job = h.stage(p.Job)
			}
		}
	}
	return pauses
}

// stage is what a query in which no task runs waits for: a job that has been submitted to start tasks, to end; or the next one to be submitted.
func (h *happened) stage(last int32) (dag.Kind, int32) {
	ending := int32(-1)
	for j := range h.snap.Jobs {
		js, plan := &h.snap.Jobs[j], &h.snap.Plan.Jobs[j]
		if !js.Submitted.Known() || js.State.Ended() {
			continue
		}
		known := plan.Map.Known && plan.Reduce.Known
		if !known || js.Map.Succeeded() < plan.Map.Count() || js.Reduce.Succeeded() < plan.Reduce.Count() {
			return dag.Launch, int32(j)
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
