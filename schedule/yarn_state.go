package schedule

import (
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

type stage uint8

const (
	blocked   stage = iota // not submitted
	waitingAM              // submitted, its AM has no container
	starting               // its AM is up, no task asked for yet
	active                 // its tasks are asked for
	ended
)

// A yarnJob is a job's state in the replay.
type yarnJob struct {
	stage               stage
	submitted, finished dag.Instant
	lastEnd             dag.Instant // end of its last task so far
	mapsEnd             dag.Instant // end of its last map; NoInstant while one is left
	beat                dag.Instant // an instant of its AM's heartbeat
	beating             bool        // a heartbeat is scheduled
	phase               [2]yarnPhase
	asked               int // reduces asked of the scheduler and not yet granted
	asking              int // reduces about to be asked
	copying             []waiting
	amMB                int
	mb                  [2]int
	limits              dag.Limits
}

// A yarnPhase counts a phase's tasks. pending are ranges of indices that have not been granted, in order;
// retry are indices to run again, which go first.
type yarnPhase struct {
	total, done int
	granted     int // hold a container, or have been given one
	pending     [][2]int32
	waiting     int // tasks in pending
	retry       []int32
	attempt     map[int32]int32 // next attempt number where it is not 0
}

// A waiting reduce has its container and lacks map outputs.
type waiting struct {
	span  int // index in out
	ready dag.Instant
	work  time.Duration
}

func (p *yarnPhase) left() int { return p.total - p.done }

// defaultMB is what a container is taken to hold when nobody has said: MapReduce's default for tasks.
const defaultMB = 1024

func orMB(v, def int) int {
	if v > 0 {
		return v
	}
	return def
}

func (y *yarn) load() error {
	s := y.s
	y.jobs = make([]yarnJob, len(s.Plan.Jobs))
	y.pool.init(s)
	for j := range y.jobs {
		y.loadJob(j)
	}
	y.loadOthers()
	slices.SortStableFunc(y.order, func(a, b int) int {
		if x, z := y.jobs[a].submitted, y.jobs[b].submitted; x != z {
			return cmpInt(x, z)
		}
		return strings.Compare(s.Jobs[a].ID, s.Jobs[b].ID)
	})
	return y.loadWaves()
}

func (y *yarn) loadJob(j int) {
	s, job := y.s, &y.jobs[j]
	js, plan := &s.Jobs[j], &s.Plan.Jobs[j]
	job.limits = plan.Limits
	job.mb = [2]int{orMB(plan.Limits.MapMB, defaultMB), orMB(plan.Limits.ReduceMB, defaultMB)}
	job.amMB = orMB(plan.Limits.AMMB, job.mb[dag.Map])
	job.submitted, job.finished = js.Submitted, dag.NoInstant
	if job.submitted.Known() && !js.State.Ended() {
		y.order = append(y.order, j)
	}
	job.mapsEnd, job.lastEnd = dag.NoInstant, dag.NoInstant
	job.beat = js.Submitted
	if js.State.Ended() {
		job.stage, job.finished = ended, js.Finished
		if !job.finished.Known() {
			job.finished = s.At
		}
		if js.HeldMB > 0 {
			held := min(js.HeldMB, job.amMB)
			y.pool.take(held)
			y.at(job.finished.Add(s.Plan.Overheads.AMHold), rankEnd, func(dag.Instant) { y.pool.give(held) })
		}
		return
	}
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		y.loadPhase(j, k)
	}
	if job.phase[dag.Map].left() == 0 {
		job.mapsEnd = dag.NoInstant
		for _, a := range js.Map.Attempts {
			if a.State == dag.AttemptSucceeded && a.End.Known() && (!job.mapsEnd.Known() || a.End > job.mapsEnd) {
				job.mapsEnd = a.End
			}
		}
		if !job.mapsEnd.Known() {
			job.mapsEnd = s.At
		}
	}
	y.loadStage(j)
	y.loadRunning(j)
}

// loadPhase counts the phase's tasks and finds which have no container.
func (y *yarn) loadPhase(j int, k dag.Kind) {
	job := &y.jobs[j]
	p := &job.phase[k]
	p.total = y.s.Plan.Jobs[j].Phase(k).Count()
	next := int32(0)
	attempts := y.s.Jobs[j].Phase(k).Attempts
	for i := 0; i < len(attempts); {
		task, end := attempts[i].Task, i
		var has, failed bool
		number := int32(0)
		for ; end < len(attempts) && attempts[end].Task == task; end++ {
			a := &attempts[end]
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
}

// skipTask returns the index after the last attempt of the task.
func (y *yarn) skipTask(attempts []dag.Attempt, i int, task int32) int {
	for i < len(attempts) && attempts[i].Task == task {
		i++
	}
	return i
}

// loadStage says where between submission and its first task the job is.
func (y *yarn) loadStage(j int) {
	s, job, js := y.s, &y.jobs[j], &y.s.Jobs[j]
	o := s.Plan.Overheads
	running := js.Map.Running() + js.Reduce.Running()
	switch {
	case !js.Submitted.Known():
		job.stage = blocked
		return
	case running > 0 || js.State == dag.Running && (job.phase[dag.Map].done+job.phase[dag.Reduce].done > 0 || s.At >= js.Submitted.Add(o.Launch)):
		// Its tasks are asked for; where none runs, they wait for containers.
		job.stage = active
		y.pool.take(job.amMB)
	case js.HeldMB > 0 || js.State == dag.Running:
		job.stage = starting
		y.pool.take(job.amMB)
		ready := js.Submitted.Add(o.Launch)
		if ready <= s.At {
			// Later than usual: it may come at any moment, and what has not come for long will not come at once.
			ready = s.At.Add(lateShare(s.At.Sub(js.Submitted)-o.Launch, o.Beat))
		}
		y.at(ready, rankSubmit, func(t dag.Instant) { y.activate(j, t) })
		return
	default:
		job.stage = waitingAM
		return
	}
	y.loadBeat(j)
	if job.phase[dag.Map].left()+job.phase[dag.Reduce].left() == 0 {
		y.at(job.lastEnd.Add(o.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
		return
	}
	if len(job.phase[dag.Map].retry) > 0 {
		y.retryLater(j, dag.Map, s.At)
	}
	y.loadAsked(j)
}

// lateShare is how much longer to wait for something that is late by d already: half as long again, at least half a beat.
func lateShare(late, beat time.Duration) time.Duration {
	return max(late/2, beat/2)
}

// loadBeat takes the phase of the AM's heartbeat from the newest start of an attempt: tasks start at heartbeats.
func (y *yarn) loadBeat(j int) {
	job, js := &y.jobs[j], &y.s.Jobs[j]
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		for i := range js.Phase(k).Attempts {
			if a := &js.Phase(k).Attempts[i]; a.Start.Known() && a.Start > job.beat {
				job.beat = a.Start
			}
		}
	}
}

// loadAsked guesses how many reduces the AM has asked for: those of its last heartbeat.
func (y *yarn) loadAsked(j int) {
	job := &y.jobs[j]
	if job.mapsEnd.Known() {
		job.asked = job.phase[dag.Reduce].waiting + len(job.phase[dag.Reduce].retry)
		return
	}
	job.asked = max(0, y.wantReduces(j)-job.phase[dag.Reduce].granted)
}

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
			y.pool.take(job.mb[k])
			if twin {
				y.mergeTwin(j, k, a, lane)
				continue
			}
			job.phase[k].granted++
			y.run(j, k, a.Task, 1, a.Number, a.Start, []int32{lane}, a)
		}
	}
}

// doomed says that an attempt's node is lost and its master has not given it up.
func (y *yarn) doomed(a *dag.Attempt) bool {
	return !a.End.Known() && a.Node >= 0 && int(a.Node) < len(y.s.Nodes) && y.s.Nodes[a.Node].Lost
}

// abandonLater runs the task of an attempt again whose node is lost. The AM believes it to run until it has given up trying
// to stop its container (recording nodelost-1: three minutes). It holds no memory: that went with the node.
func (y *yarn) abandonLater(j int, k dag.Kind, a *dag.Attempt) {
	p := &y.jobs[j].phase[k]
	p.granted++
	since := y.s.Nodes[a.Node].LostAt
	if !since.Known() {
		since = y.now
	}
	task, number := a.Task, a.Number
	y.at(since.Add(y.s.Plan.Overheads.Abandon), rankEnd, func(t dag.Instant) {
		p.granted--
		if p.attempt == nil {
			p.attempt = map[int32]int32{}
		}
		p.attempt[task] = number + 1
		p.retry = append(p.retry, task)
		y.retryLater(j, k, t)
	})
}

// mergeTwin lets the better of two attempts of a task decide its end; the other's container is held as long.
func (y *yarn) mergeTwin(j int, k dag.Kind, a *dag.Attempt, lane int32) {
	for i := len(y.out) - 1; i >= 0; i-- {
		sp := &y.out[i]
		if int(sp.Job) == j && sp.Kind == k && sp.First == a.Task {
			mb := y.jobs[j].mb[k]
			// A reduce that waits for maps has no end yet; its twin is taken to be killed soon.
			y.at(max(sp.End, y.now), rankEnd, func(dag.Instant) {
				y.pool.give(mb)
				y.pool.free(lane)
			})
			return
		}
	}
}

func sortSpans(spans []Span) {
	slices.SortStableFunc(spans, func(a, b Span) int {
		if a.Start != b.Start {
			return cmpInt(a.Start, b.Start)
		}
		if a.Kind != b.Kind {
			return cmpInt(a.Kind, b.Kind)
		}
		if x, z := firstSlot(a), firstSlot(b); x != z {
			return cmpInt(x, z)
		}
		return cmpInt(a.Attempt, b.Attempt)
	})
}

func cmpInt[T ~int32 | ~int64 | ~uint8](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func firstSlot(s Span) int32 {
	if len(s.Slots) == 0 {
		return -1
	}
	return s.Slots[0]
}
