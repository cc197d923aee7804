package schedule

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// loadStages makes the stages of a job as the plan has them.
func (y *containers) loadStages(j int) {
	job, plan := &y.jobs[j], &y.s.Plan.Jobs[j]
	n := len(plan.Stages)
	job.phase, y.phases = y.phases[:n:n], y.phases[n:]
	job.rules = rulesOf(&y.s.Plan.Cluster, plan)
	for k := range job.phase {
		stage := &plan.Stages[k]
		p := containersStage{
			after: job.rules.edges(stage.After), mb: y.need(stage), most: stage.MaxRunning,
			ended: dag.NoInstant, from: -1,
		}
		for _, e := range p.after {
			if e.Kind == dag.SlowStart {
				p.from, p.slowStart = e.From, e.Ratio
			}
		}
		if y.endOnly != nil {
			p.row = int32(len(
				y.endOnly.stages)) //nolint:gosec // a plan has fewer stages
			y.endOnly.stages = append(y.endOnly.stages, stageOf{int32(j), dag.StageIndex(k)}) //nolint:gosec // indices
		}
		job.phase[k] = p
	}
	if l := &plan.MapReduce; plan.IsMapReduce() {
		maps, reduces := &job.phase[dag.Map], &job.phase[dag.Reduce]
		maps.mb, maps.most = orMB(l.MapMB, y.unit()), l.MaxMaps
		reduces.mb, reduces.most, reduces.slowStart = orMB(l.ReduceMB, y.unit()), l.MaxReduces, l.SlowStart
	}
	if job.amMB = plan.MasterMB; job.amMB == 0 && !y.cores() && n > 0 {
		job.amMB = job.phase[0].mb
	}
}

// unit is what a container is taken to hold when nobody has said: one core of executors, or MapReduce's default memory.
func (y *containers) unit() int {
	if y.cores() {
		return 1
	}
	return defaultMB
}

// need is what a task of a stage takes: megabytes, or cores of executors.
func (y *containers) need(stage *dag.Stage) int {
	if y.cores() {
		return orMB(stage.Cores, y.unit())
	}
	return orMB(stage.MemoryMB, y.unit())
}

func (y *containers) cores() bool { return y.s.Plan.Cluster.Policy == dag.Executors }

// inputEnd is when the last of the stages that k copies from has ended; NoInstant while one runs.
func (y *containers) inputEnd(j int, k dag.StageIndex) dag.Instant {
	job, last := &y.jobs[j], dag.NoInstant
	for _, e := range job.phase[k].after {
		end := job.phase[e.From].ended
		if e.Kind == dag.SlowStart && !end.Known() {
			return dag.NoInstant
		}
		last = max(last, end)
	}
	return last
}

// openStages decides which stages wait for others. It comes when all stages of the job are loaded.
func (y *containers) openStages(j int) {
	job := &y.jobs[j]
	for i := range job.phase {
		k := dag.StageIndex(i) //nolint:gosec // an index
		p := &job.phase[k]
		for _, e := range p.after {
			if e.Kind == dag.OneToOne {
				y.holdTasks(j, k, e.From)
			}
		}
		if !y.opens(j, k) {
			p.closed, p.waiting = true, 0
		} else if at := y.submits(j, k); at > y.now {
			p.closed, p.waiting = true, 0
			y.openLater(j, k, at)
		}
	}
}

// submits returns when the driver submits a stage whose edges let it start: NoInstant if it has, or pauses for no time.
func (y *containers) submits(j int, k dag.StageIndex) dag.Instant {
	pause, last := y.s.Plan.Jobs[j].Stages[k].Pause, dag.NoInstant
	if state := &y.s.Jobs[j].Stages[k]; pause <= 0 || state.Submitted > 0 || len(state.Attempts) > 0 {
		return last
	}
	for _, e := range y.jobs[j].phase[k].after {
		last = max(last, y.jobs[j].phase[e.From].ended)
	}
	return last.Add(pause)
}

// openLater opens a stage when the driver submits it.
func (y *containers) openLater(j int, k dag.StageIndex, at dag.Instant) {
	if p := &y.jobs[j].phase[k]; !p.paused {
		p.paused = true
		y.at(at, rankSubmit, func(t dag.Instant) { y.open(j, k, t) })
	}
}

// opens reports whether the stages are far enough whose end k waits for.
func (y *containers) opens(j int, k dag.StageIndex) bool {
	job := &y.jobs[j]
	for _, e := range job.phase[k].after {
		from := &job.phase[e.From]
		if from.closed || from.left() > 0 && (e.Kind == dag.Barrier || e.Kind == dag.Broadcast) {
			return false
		}
	}
	return true
}

// holdTasks takes the tasks out of pending and of those to run again that wait for the one of the same index of a
// stage.
func (y *containers) holdTasks(j int, k, from dag.StageIndex) {
	job := &y.jobs[j]
	p, before := &job.phase[k], &job.phase[from]
	before.tracked = true
	done := make([]bool, p.total)
	attempts := y.s.Jobs[j].Stages[from].Attempts
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.Task >= 0 && int(a.Task) < len(done) {
			done[a.Task] = true
		}
	}
	if p.lacks == nil {
		p.lacks = make([]int8, p.total)
		for _, task := range p.doomed {
			p.lacks[task] = 1 // until its master gives up the attempt that is lost
		}
	}
	lacks := func(task int32) bool {
		if !done[task] && int(task) < before.total {
			p.lacks[task]++
		}
		return p.lacks[task] > 0
	}
	for _, task := range p.doomed {
		lacks(task)
	}
	p.retry = slices.DeleteFunc(p.retry, lacks)
	free := p.pending
	p.pending, p.waiting = nil, 0
	for _, r := range free {
		for task := r[0]; task < r[1]; task++ {
			if !lacks(task) {
				p.ask(task)
			}
		}
	}
}

// ask puts a task behind those that are pending.
func (p *containersStage) ask(task int32) {
	if !p.closed {
		p.waiting++
	}
	if n := len(p.pending); n > 0 && p.pending[n-1][1] == task {
		p.pending[n-1][1]++
		return
	}
	p.pending = append(p.pending, [2]int32{task, task + 1})
}

// follow lets go on what waits for the n tasks of stage k from first on, which are done at t.
func (y *containers) follow(j int, k dag.StageIndex, first, n int32, t dag.Instant) {
	job := &y.jobs[j]
	over := job.phase[k].left() == 0
	if over {
		job.phase[k].ended = t
	}
	for i := int(k) + 1; i < len(job.phase); i++ {
		p, to := &job.phase[i], dag.StageIndex(i) //nolint:gosec // an index
		for _, e := range p.after {
			if e.From != k {
				continue
			}
			switch {
			case e.Kind == dag.SlowStart:
				if over {
					y.copied(j, to, t)
				}
				if p.left() > 0 {
					y.beatLater(j, t)
				}
			case e.Kind == dag.OneToOne:
				p.release(first, n)
			}
		}
		if !over || !p.closed || !y.opens(j, to) {
			continue
		}
		if at := y.submits(j, to); at > t {
			y.openLater(j, to, at)
		} else if !p.paused {
			y.open(j, to, t)
		}
	}
}

// release asks for tasks that lack nothing but the tasks of the same indices, which are done.
func (p *containersStage) release(first, n int32) {
	for task := int(first); task < min(int(first+n), len(p.lacks)); task++ {
		if p.lacks[task] == 0 {
			continue // it was done before, or runs
		}
		i := int32(task) //nolint:gosec // a stage has at most 2^31 tasks
		if p.lacks[task]--; p.lacks[task] == 0 && p.attempt[i] > 0 {
			p.retry = append(p.retry, i)
		} else if p.lacks[task] == 0 {
			p.ask(i)
		}
	}
}

// open asks for the tasks of a stage that waited for others. One that has none is done.
func (y *containers) open(j int, k dag.StageIndex, t dag.Instant) {
	p := &y.jobs[j].phase[k]
	p.closed = false
	y.opened++
	for _, r := range p.pending {
		p.waiting += int(r[1] - r[0])
	}
	if p.total == 0 {
		y.follow(j, k, 0, 0, t)
	}
}
