package schedule

import "github.com/paratimer/paratimer/dag"

// loadRunning puts the running attempts into lanes and schedules their ends.
func (y *yarn) loadRunning(j int) {
	job, js := &y.jobs[j], &y.s.Jobs[j]
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		attempts := js.Phase(k).Attempts
		last := int32(-1)
		for i := range attempts {
			a := &attempts[i]
			if a.State != dag.AttemptRunning || int(a.Task) >= job.phase[k].total {
				continue
			}
			twin := a.Task == last // a speculative second attempt holds a container too
			last = a.Task
			if y.doomed(a) {
				continue
			}
			lane := y.pool.lane(a.Node)
			if !y.pool.shuts(lane) {
				y.occupy(j, job.mb[k])
				y.pool.fill(a.Node, job.mb[k])
			}
			if twin {
				y.mergeTwin(j, k, a, lane)
				continue
			}
			job.phase[k].granted++
			y.run(j, k, a.Task, 1, a.Number, a.Start, []int32{lane}, a)
		}
	}
}

// mergeTwin lets the better of two attempts of a task decide its end; the other's container is held as long.
func (y *yarn) mergeTwin(j int, k dag.Kind, a *dag.Attempt, lane int32) {
	for i := len(y.out) - 1; i >= 0; i-- {
		sp := &y.out[i]
		if int(sp.Job) == j && sp.Kind == k && sp.First == a.Task {
			mb := y.jobs[j].mb[k]
			// A reduce that waits for maps has no end yet; its twin is taken to be killed soon.
			y.at(max(sp.End, y.now), rankEnd, func(dag.Instant) {
				y.leave(j, mb, []int32{lane})
			})
			return
		}
	}
}
