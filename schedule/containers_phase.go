package schedule

import "github.com/paratimer/paratimer/dag"

// loadPhase counts the phase's tasks and finds which have no container.
func (y *containers) loadPhase(j int, k dag.StageIndex) {
	job := &y.jobs[j]
	p := &job.phase[k]
	p.total = y.s.Plan.Jobs[j].Stages[k].Count()
	next := int32(0)
	attempts := y.s.Jobs[j].Stages[k].Attempts
	for i := 0; i < len(attempts); {
		task, end := attempts[i].Task, i
		var has, failed bool
		number := int32(0)
		for ; end < len(attempts) && attempts[end].Task == task; end++ {
			a := &attempts[end]
			if a.State != dag.AttemptWaiting {
				y.started(a.Start)
			}
			switch a.State {
			case dag.AttemptSucceeded:
				has = true
				p.done++
				if a.End.Known() && (!job.lastEnd.Known() || a.End > job.lastEnd) {
					job.lastEnd = a.End
				}
			case dag.AttemptRunning:
				has = true
				if y.doomed(a) {
					y.abandonLater(j, k, a)
				}
			case dag.AttemptFailed, dag.AttemptKilled:
				if y.doomed(a) {
					y.abandonLater(j, k, a)
					has = true
					break
				}
				failed = true
				number = max(number, a.Number+1)
			case dag.AttemptWaiting:
				number = max(number, a.Number)
			}
			if has {
				end = y.skipTask(attempts, end, task)
				break
			}
		}
		if int(task) >= p.total || task < 0 {
			i = end
			continue
		}
		if number > 0 {
			if p.attempt == nil {
				p.attempt = map[int32]int32{}
			}
			p.attempt[task] = number
		}
		if has || failed {
			if task > next {
				p.pending = append(p.pending, [2]int32{next, task})
			}
			next = max(next, task+1)
		}
		if failed && !has {
			p.retry = append(p.retry, task)
		}
		i = end
	}
	if int(next) < p.total {
		p.pending = append(p.pending, [2]int32{next, int32(p.total)})
	}
	for _, r := range p.pending {
		p.waiting += int(r[1] - r[0])
	}
	if p.left() == 0 {
		p.ended = lastSuccess(attempts, y.now)
	}
}

// lastSuccess is when the last task of a stage that is done has ended; now if that is not known.
func lastSuccess(attempts []dag.Attempt, now dag.Instant) dag.Instant {
	last := dag.NoInstant
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() && (!last.Known() || a.End > last) {
			last = a.End
		}
	}
	if !last.Known() {
		return now
	}
	return last
}

// skipTask returns the index after the last attempt of the task.
func (y *containers) skipTask(attempts []dag.Attempt, i int, task int32) int {
	for i < len(attempts) && attempts[i].Task == task {
		i++
	}
	return i
}
