package schedule

import "github.com/paratimer/paratimer/dag"

// preempt kills the youngest reduces that wait for maps which have no room: the AM does the same when no map of it runs and some wait
// (facts/hadoop.md F, reduce preemption).
func (y *yarn) preempt() bool {
	for _, j := range y.order {
		job := &y.jobs[j]
		if job.stage != active || job.phase[dag.Map].left() == 0 || len(job.copying) == 0 {
			continue
		}
		last := job.copying[len(job.copying)-1]
		job.copying = job.copying[:len(job.copying)-1]
		sp := &y.out[last.span]
		sp.Outcome, sp.End = Fails, y.now
		y.release(last.span)
		p := &job.phase[dag.Reduce]
		if p.attempt == nil {
			p.attempt = map[int32]int32{}
		}
		for i := range sp.Count {
			p.retry = append(p.retry, sp.First+i)
			p.attempt[sp.First+i] = sp.Attempt + 1
		}
		return true
	}
	return false
}
