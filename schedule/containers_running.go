package schedule

import "github.com/paratimer/paratimer/dag"

// loadRunning puts the running attempts into lanes and schedules their ends.
func (y *containers) loadRunning(j int) {
	job, js := &y.jobs[j], &y.s.Jobs[j]
	for k := range js.NumStages() {
		p, attempts := &job.phase[k], js.Stages[k].Attempts
		last := int32(-1)
		for i := range attempts {
			a := &attempts[i]
			if a.State != dag.AttemptRunning || int(a.Task) >= p.total {
				continue
			}
			twin := a.Task == last // a speculative second attempt holds a container too
			last = a.Task
			if y.doomed(a) {
				continue
			}
			lane := y.pool.lane(a.Node)
			if !y.pool.shuts(lane) {
				y.occupy(j, p.mb)
				y.pool.fill(a.Node, p.mb)
			}
			if twin {
				y.mergeTwin(j, k, a, lane)
				continue
			}
			p.granted++
			y.run(j, k, a.Task, 1, a.Number, a.Start, []int32{lane}, a, true)
		}
	}
}

// mergeTwin lets the better of two attempts of a task decide its end; the other's container is held as long.
func (y *containers) mergeTwin(j int, k dag.StageIndex, a *dag.Attempt, lane int32) {
	for i := len(y.out) - 1; i >= 0; i-- {
		sp := &y.out[i]
		if int(sp.Job) == j && sp.Stage == k && sp.First == a.Task {
			mb := y.jobs[j].phase[k].mb
			// A reduce that waits for maps has no end yet; its twin is taken to be killed soon.
			y.at(max(sp.End, y.now), rankEnd, func(dag.Instant) {
				y.leave(j, mb, []int32{lane})
			})
			return
		}
	}
}
