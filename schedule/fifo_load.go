package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// roomForSlots bounds how many slots more than there are tasks the engine keeps lists for. Slots are taken in
// ascending order, so that the others are never used.
const roomForSlots = 1 << 20

// load reads the snapshot: jobs and their queues, spans of attempts that are done or run, free slots.
func (e *fifoEngine) load() {
	c := e.plan.Cluster
	e.per = int32(max(1, c.SlotsPerNode))
	e.jobs = make([]fifoJob, len(e.plan.Jobs))
	tasks := [2]int{}
	for j := range e.jobs {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			tasks[k] += e.plan.Jobs[j].Stages[k].Count()
		}
	}
	for k, n := range [...]int{c.MapSlots, c.ReduceSlots} {
		n = max(0, n)
		e.nodes[k] = (n + int(e.per) - 1) / int(e.per)
		e.free[k] = newSlotSet(min(n, tasks[k]+roomForSlots))
		e.holder[k] = make([]int32, len(e.free[k].all))
	}
	e.link()
	e.spans = slices.Grow(e.spans, e.attempts())
	running := newRunningSet(e)
	for j := range e.jobs {
		e.loadJob(int32(j), running)
	}
	e.bury()
	running.start()
	e.loaded = len(e.spans)
	e.submit()
}

// attempts counts the attempts that may become spans.
func (e *fifoEngine) attempts() int {
	n := 0
	for j := range min(len(e.snap.Jobs), len(e.jobs)) {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			attempts := e.snap.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				if s := attempts[i].State; s == dag.AttemptRunning || s == dag.AttemptSucceeded && !e.opt.FutureOnly {
					n++
				}
			}
		}
	}
	return n
}

// link counts the jobs that each job waits for. One that the plan does not have is waited for in vain.
func (e *fifoEngine) link() {
	e.dependents = make([][]int32, len(e.jobs))
	for j := range e.jobs {
		for _, a := range e.plan.Jobs[j].After {
			e.jobs[j].after++
			if a >= 0 && a < len(e.jobs) {
				e.dependents[a] = append(e.dependents[a], int32(j))
			}
		}
	}
}

func (e *fifoEngine) loadJob(j int32, running *runningSet) {
	job := &e.jobs[j]
	job.submitted, job.finished = dag.NoInstant, dag.NoInstant
	state := dag.JobState{
		Submitted: dag.NoInstant, Finished: dag.NoInstant,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	if int(j) < len(e.snap.Jobs) {
		state = e.snap.Jobs[j]
	}
	job.submitted = state.Submitted
	job.dead = state.State == dag.Failed || state.State == dag.Killed
	last := dag.NoInstant
	for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
		p := phaseLoader{
			e: e, job: j, kind: k, ended: state.State.Ended(), running: running, first: dag.NoInstant,
			last: dag.NoInstant,
		}
		p.load(state.Stages[k].Attempts)
		last = max(last, p.last)
		if !job.submitted.Known() && p.first.Known() {
			job.submitted = p.first
		}
	}
	if state.State.Ended() {
		job.finished = state.Finished
		if !job.finished.Known() {
			job.finished = last
		}
		if !job.finished.Known() {
			job.finished = e.now
		}
	} else if job.submitted.Known() && job.phases[dag.Map].left == 0 && job.phases[dag.Reduce].left == 0 &&
		last.Known() {
		job.finished = last
	}
}

// bury takes all work from the jobs that wait for a failed one: they will never be submitted.
func (e *fifoEngine) bury() {
	var dead []int32
	for j := range e.jobs {
		if e.jobs[j].dead {
			dead = append(dead, int32(j))
		}
	}
	for len(dead) > 0 {
		j := dead[len(dead)-1]
		dead = dead[:len(dead)-1]
		for _, d := range e.dependents[j] {
			if dep := &e.jobs[d]; !dep.dead && !dep.submitted.Known() {
				dep.dead = true
				dep.phases = [2]fifoPhase{}
				dead = append(dead, d)
			}
		}
	}
}

// submit queues the jobs that are submitted and submits those that wait for none, all at now.
func (e *fifoEngine) submit() {
	var ended []int32
	for j := range e.jobs {
		if e.jobs[j].finished.Known() && !e.jobs[j].dead {
			ended = append(ended, int32(j))
		}
	}
	for _, j := range ended {
		for _, d := range e.dependents[j] {
			e.jobs[d].after--
		}
	}
	for j := range e.jobs {
		job := &e.jobs[j]
		if job.dead || job.finished.Known() {
			continue
		}
		if job.after == 0 && !job.submitted.Known() {
			job.submitted = e.now
		}
		if job.submitted.Known() {
			e.admit(int32(j), e.now)
		}
	}
}

// stuck says why tasks are left although nothing will happen any more.
func (e *fifoEngine) stuck() error {
	var blocked error
	for j := range e.jobs {
		job := &e.jobs[j]
		if job.dead {
			continue
		}
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			if job.phases[k].left == 0 {
				continue
			}
			stage := e.plan.Jobs[j].Stages[k].Name
			err := &StuckError{Job: e.plan.Jobs[j].Node, Stage: stage}
			if job.submitted.Known() {
				err.Why = "the cluster has no " + stage + " slots; give it at least one"
				return err
			}
			if blocked == nil {
				err.Why = e.waitsFor(int32(j))
				blocked = err
			}
		}
	}
	return blocked
}

func (e *fifoEngine) waitsFor(j int32) string {
	for _, a := range e.plan.Jobs[j].After {
		if a < 0 || a >= len(e.jobs) {
			return "it is after a job that the plan does not have"
		}
		if !e.jobs[a].finished.Known() {
			return "it is after job " + e.plan.Jobs[a].Node + ", which never ends; look for a cycle"
		}
	}
	return "it is never submitted"
}

// sorted returns the attempts ordered by task, then number. They are large, and looked at once a replay: they are
// compared where they are.
func sorted(attempts []dag.Attempt) []dag.Attempt {
	for i := 1; i < len(attempts); i++ {
		if a, b := &attempts[i-1], &attempts[i]; a.Task > b.Task || a.Task == b.Task && a.Number > b.Number {
			attempts = slices.Clone(attempts)
			slices.SortStableFunc(attempts, func(a, b dag.Attempt) int {
				return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
			})
			break
		}
	}
	return attempts
}
