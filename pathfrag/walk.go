package pathfrag

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A walker follows the chain backwards. Its parts are in reverse order.
type walker struct {
	*run
	graph  *dag.Graph
	marks  *Marks
	origin dag.Instant
	at     dag.Instant // the present position of the chain
	parts  []Part
	been   map[int32]bool // attempts that the chain has passed
	done   []bool         // jobs that the chain has passed

	towards *Attempt // of a run that goes on: the attempt that its end waits for, nil if unknown
}

// back moves to an earlier instant and adds a part with a cause for the time between.
func (w *walker) back(c Cause, to dag.Instant, p Part) {
	to = max(to, w.origin)
	if to >= w.at {
		return
	}
	p.Cause, p.Start, p.End = c, to, w.at
	if n := len(w.parts); n > 0 {
		if q := &w.parts[n-1]; q.Cause == c && q.Job == p.Job && q.Stage == p.Stage && q.Task == p.Task &&
			q.Attempt == p.Attempt {
			q.Start, w.at = to, to
			return
		}
	}
	w.parts = append(w.parts, p)
	w.at = to
}

// ofJob returns a part of a job, without a task.
func ofJob(j int32) Part { return Part{Job: int(j), Task: -1, Attempt: -1} }

func (w *walker) of(id int32) Part {
	a := &w.all[id]
	return Part{Job: int(a.job), Stage: a.kind, Task: a.Task, Attempt: a.Number}
}

// walk makes the parts and returns the end of the chain.
func (w *walker) walk() dag.Instant {
	end, last := max(w.s.At, w.origin), int32(-1)
	if w.s.State.Ended() {
		last = w.lastJob()
	}
	if last >= 0 {
		end = max(w.s.Jobs[last].Finished, w.origin)
	}
	if w.at = end; last >= 0 {
		w.jobEnd(last)
	} else {
		w.running()
	}
	w.back(Unknown, w.origin, ofJob(-1))
	return end
}

// lastJob returns the job that ended last, -1 if no end is known.
func (w *walker) lastJob() int32 {
	last := int32(-1)
	for j := range w.s.Jobs {
		if t := w.s.Jobs[j].Finished; t.Known() && (last < 0 || t > w.s.Jobs[last].Finished) {
			last = int32(j)
		}
	}
	return last
}

// jobEnd continues the chain with a job that ended by now.
func (w *walker) jobEnd(j int32) {
	w.done[j] = true
	if id := w.last[j]; id >= 0 {
		w.back(Finish, w.all[id].End, ofJob(j))
		w.follow(id)
		return
	}
	plan, js := &w.s.Plan.Jobs[j], &w.s.Jobs[j]
	if !w.tasksLeft(j) && plan.Tasks() == 0 && js.Started.Known() {
		w.back(Finish, js.Started, ofJob(j)) // it has no tasks
	} else {
		w.back(Unknown, max(js.Started, js.Submitted), ofJob(j))
	}
	w.jobStart(j)
}

// running starts the chain of a run that goes on: with the attempt that its end waits for or, if that is unknown,
// the one that has run longest, except tasks that wait for their input.
func (w *walker) running() {
	best := int32(-1)
	for i := range w.all {
		a := &w.all[i]
		if a.State != dag.AttemptRunning || !a.Start.Known() || w.copies(a) && !a.CopyEnd.Known() && w.inputLeft(a) {
			continue
		}
		if t := w.towards; t != nil && *t == (Attempt{int(a.job), a.kind, a.Task, a.Number}) {
			best = int32(i)
			break
		}
		if best < 0 || a.Start < w.all[best].Start {
			best = int32(i)
		}
	}
	if best >= 0 {
		w.follow(best)
		return
	}
	open := int32(-1)
	for j := range w.s.Jobs {
		js := &w.s.Jobs[j]
		if js.Submitted.Known() && !js.State.Ended() && (open < 0 || js.Submitted < w.s.Jobs[open].Submitted) {
			open = int32(j)
		}
	}
	switch alone := w.s.DriverAlone().Known(); {
	case open < 0:
		if j := w.lastJob(); j >= 0 { // between two waves
			w.back(Launch, w.s.Jobs[j].Finished, ofJob(-1))
			w.jobEnd(j)
		}
	case w.last[open] < 0:
		w.done[open] = true
		w.jobStart(open)
	case alone && w.s.Plan.Open || w.tasksLeft(open):
		cause := Containers
		if alone {
			cause = Launch
		}
		w.done[open] = true
		w.back(cause, w.all[w.last[open]].End, ofJob(open))
		w.follow(w.last[open])
	default:
		w.jobEnd(open)
	}
}

// tasksLeft reports whether tasks of a job have not succeeded.
func (w *walker) tasksLeft(j int32) bool {
	for k := range w.s.Plan.Jobs[j].NumStages() {
		if w.left(j, k) {
			return true
		}
	}
	return false
}

// follow goes back through attempts until the chain leaves them.
func (w *walker) follow(id int32) {
	for id >= 0 && w.at > w.origin {
		w.been[id] = true
		id = w.through(id)
	}
}

// through goes back over an attempt, which ended or runs at w.at, and returns the next attempt of the chain; -1 if
// the chain continues at its job's start.
func (w *walker) through(id int32) int32 {
	x := &w.all[id]
	if !x.Start.Known() {
		if again := w.before(id); again >= 0 && !w.been[again] {
			w.back(Unknown, w.all[again].End, w.of(id))
			return again
		}
		w.back(Unknown, max(w.s.Jobs[x.job].Started, w.s.Jobs[x.job].Submitted), w.of(id))
		w.jobStart(x.job)
		return -1
	}
	vain := x.State == dag.AttemptFailed || x.State == dag.AttemptKilled && !x.overtaken
	if !w.copies(x) {
		if again := w.before(id); vain || again >= 0 && complete(&w.all[again]) {
			w.back(Failures, x.Start, w.of(id))
		} else {
			if w.s.Plan.Cluster.Policy == dag.Executors {
				cause, excess := w.excess(id, x.Start)
				w.back(cause, w.at.Add(-excess), w.of(id))
			}
			w.back(Work, w.ready(x), w.of(id))
			w.back(SetUp, x.Start, w.of(id))
		}
		return w.startedBy(id, w.lastInput(x, x.Start))
	}
	limit := w.at
	if x.CopyEnd.Known() && x.CopyEnd >= x.Start {
		limit = min(limit, x.CopyEnd)
	}
	last := w.lastInput(x, limit)
	begin := x.Start // from here on it may have all its input
	if last >= 0 {
		begin = max(begin, w.all[last].End)
	}
	if vain {
		w.back(Failures, begin, w.of(id))
	} else {
		w.reduce(id, begin)
	}
	if last >= 0 && w.all[last].End > x.Start && !w.been[last] {
		return last
	}
	w.back(Unknown, x.Start, w.of(id))
	return w.startedBy(id, last)
}

// reduce goes back over a reduce to begin, when it ran and its last input was complete. The ends of copy and sort
// separate copy, sort and work; without them the cause is Unknown.
func (w *walker) reduce(id int32, begin dag.Instant) {
	x := &w.all[id]
	copied, sorted := x.CopyEnd, x.SortEnd
	if copied.Known() && copied < x.Start {
		copied = dag.NoInstant
	}
	if !sorted.Known() || sorted < copied {
		sorted = dag.NoInstant
	}
	running := x.State == dag.AttemptRunning
	switch {
	case sorted.Known():
		if cause, excess := w.excess(id, begin); cause == Skew {
			w.back(Skew, max(sorted, w.at.Add(-excess)), w.of(id))
		}
		w.back(Work, sorted, w.of(id))
		if copied.Known() {
			w.back(Sort, copied, w.of(id))
		}
	case copied.Known() && running:
		w.back(Sort, copied, w.of(id))
	case copied.Known():
		w.back(Unknown, copied, w.of(id))
	}
	if !copied.Known() && !running {
		w.back(Unknown, begin, w.of(id))
		return
	}
	if begin == x.Start { // it came after the maps: its copy includes its set-up
		w.back(Shuffle, w.ready(x), w.of(id))
		w.back(SetUp, x.Start, w.of(id))
		return
	}
	w.back(Shuffle, begin, w.of(id))
}

// leastSetUp is the shortest set-up that reports can show, in milliseconds.
const leastSetUp = 100

// ready returns when an attempt's set-up ended, its start if that is unknown. On slots, the cluster's set-up is
// known. Otherwise it follows from a map's reports: the first one is extrapolated back to no work at the rate of
// the following ones (facts/measured.md 4). No report shows when a reduce began to copy.
func (w *walker) ready(x *attempt) dag.Instant {
	if setup := w.s.Plan.Cluster.Setup; setup > 0 {
		return min(x.Start.Add(setup), w.at)
	}
	if w.copies(x) || !x.First.At.Known() || x.End.Known() && x.First.At >= x.End {
		return x.Start
	}
	last, at := x.Last.Done, x.Last.At
	if x.State == dag.AttemptSucceeded && x.Done[0] > x.First.Done {
		last, at = x.Done[0], x.End
	}
	if !at.Known() || at < x.First.At+1000 || !(last > x.First.Done) {
		return x.Start
	}
	back := x.First.Done * float64(at-x.First.At) / (last - x.First.Done)
	if took := float64(x.First.At-x.Start) - back; took >= leastSetUp {
		return min(x.Start+dag.Instant(took), w.at)
	}
	return x.Start
}

// A task that reads other stages is skewed if it exceeds the median working time by both of these, and received
// more input, as for estimators.Skew.
const (
	skewRatio = 1.5
	skewLeast = 5 * time.Second
	skewSize  = 1.1
	skewPower = 3
)

// A middle is the median task of a stage.
type middle struct {
	work  time.Duration
	size  float64
	count int
}

// excess returns how much longer than the median task of its stage a task works after its input is complete, and
// whether it is skewed or a straggler; 0 if it does not work much longer.
func (w *walker) excess(id int32, begin dag.Instant) (Cause, time.Duration) {
	x := &w.all[id]
	m := w.middle(x)
	work := w.at.Sub(begin)
	if m.count < 2 || work < m.work+skewLeast || float64(work) < skewRatio*float64(m.work) {
		return Work, 0
	}
	size := w.sizeOf(x) // a size of NaN explains nothing
	explains := math.Pow(size/m.size, skewPower) * float64(max(m.work, time.Second))
	if size >= skewSize*m.size && float64(work) <= explains {
		return Skew, work - m.work
	}
	return Straggler, work - m.work
}

// middle returns the lower medians over the succeeded tasks of an attempt's stage.
func (w *walker) middle(x *attempt) middle {
	of := phaseOf{x.job, x.kind}
	if m, ok := w.medians[of]; ok {
		return m
	}
	var works []time.Duration
	var sizes []float64
	for _, id := range w.ended[x.job][x.kind] {
		a := &w.all[id]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() {
			continue
		}
		begin, limit := a.Start, a.End
		if a.CopyEnd.Known() {
			limit = min(limit, a.CopyEnd)
		}
		if last := w.lastInput(a, limit); last >= 0 {
			begin = max(begin, w.all[last].End)
		}
		works = append(works, a.End.Sub(begin))
		sizes = append(sizes, w.sizeOf(a))
	}
	m := middle{count: len(works), size: math.NaN()}
	if m.count > 0 {
		slices.Sort(works)
		m.work = works[(len(works)-1)/2]
		if !slices.ContainsFunc(sizes, math.IsNaN) {
			slices.Sort(sizes)
			m.size = sizes[(len(sizes)-1)/2]
		}
	}
	w.medians[of] = m
	return m
}

// sizeOf returns the input of a task: bytes or, if they are not reported, records; NaN unknown. Outside MapReduce,
// records come first: Tez writes a repeated key once, so bytes hide a key that has many (facts/tez.md T4).
func (w *walker) sizeOf(a *attempt) float64 {
	records := a.Done[dag.Work]
	if math.IsNaN(records) {
		records = a.Done[dag.Copy]
	}
	if math.IsNaN(a.Bytes) || !math.IsNaN(records) && !w.s.Plan.Jobs[a.job].IsMapReduce() {
		return records
	}
	return a.Bytes
}
