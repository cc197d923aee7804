package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// waves are Pig's: a level of the DAG is submitted only when every job of the levels before has ended
// (docs/facts/hadoop.md C2). A DAG-eager replay would be wrong for a wave of unlike branches.
type waves struct {
	jobs [][]int // by level
	next int     // the level that is not submitted yet
	gaps []Span
}

func (y *yarn) loadWaves() error {
	w := &y.wave
	graph, err := dag.NewGraph(y.s.Plan)
	if err != nil {
		return err
	}
	w.jobs = graph.Levels()
	if len(y.opt.Owners) > 0 {
		y.withoutOthers()
	}
	y.trimFailed(graph)
	for w.next < len(w.jobs) && y.anySubmitted(w.jobs[w.next]) {
		y.submitRest(w.jobs[w.next])
		w.next++
	}
	y.nextWave(y.now)
	return nil
}

// withoutOthers takes other users' jobs out of our waves. They are submitted when they are.
func (y *yarn) withoutOthers() {
	levels := make([][]int, 0, len(y.wave.jobs))
	for _, level := range y.wave.jobs {
		ours := slices.DeleteFunc(slices.Clone(level), func(j int) bool { return y.owner(j) != nil })
		if len(ours) > 0 {
			levels = append(levels, ours)
		}
	}
	y.wave.jobs = levels
	for j := range y.jobs {
		if o := y.owner(j); o != nil && y.jobs[j].stage == blocked {
			y.at(max(o.At, y.now), rankSubmit, func(t dag.Instant) { y.submit(j, t) })
		}
	}
}

// trimFailed takes out the jobs that depend on one that did not succeed: Pig never submits them (docs/facts/hadoop.md C1).
func (y *yarn) trimFailed(graph *dag.Graph) {
	for _, j := range graph.Order() {
		for _, a := range y.s.Plan.Jobs[j].After {
			s := y.s.Jobs[a].State
			if y.jobs[j].stage == blocked && (s == dag.Failed || s == dag.Killed || y.jobs[a].never) {
				y.jobs[j].never, y.jobs[j].stage = true, ended
			}
		}
	}
}

func (y *yarn) anySubmitted(jobs []int) bool {
	for _, j := range jobs {
		if y.jobs[j].submitted.Known() {
			return true
		}
	}
	return false
}

// submitRest submits the jobs of a wave whose siblings are with the cluster already.
func (y *yarn) submitRest(jobs []int) {
	n := 0
	for _, j := range jobs {
		if y.jobs[j].stage == blocked && !y.jobs[j].submitted.Known() {
			n++
			y.at(y.now.Add(time.Duration(n)*y.s.Plan.Overheads.Stagger), rankSubmit, func(t dag.Instant) { y.submit(j, t) })
		}
	}
}

// nextWave submits the next level if all jobs before have ended.
func (y *yarn) nextWave(t dag.Instant) {
	w := &y.wave
	if w.next >= len(w.jobs) {
		return
	}
	last := dag.NoInstant
	for l := range w.next {
		for _, j := range w.jobs[l] {
			if y.jobs[j].stage != ended {
				return
			}
			if y.jobs[j].finished.Known() && (!last.Known() || y.jobs[j].finished > last) {
				last = y.jobs[j].finished
			}
		}
	}
	at := t
	if last.Known() {
		if at = last.Add(y.s.Plan.Overheads.Wave); at < t {
			at = t.Add(lateShare(t.Sub(at), y.s.Plan.Overheads.Beat))
		}
	}
	jobs := slices.DeleteFunc(slices.Clone(w.jobs[w.next]), func(j int) bool { return y.jobs[j].never })
	w.next++
	if len(jobs) == 0 {
		y.nextWave(t)
		return
	}
	from := t
	if last.Known() {
		from = last
	}
	w.gaps = append(w.gaps, Span{Job: int32(jobs[0]), Kind: dag.Wave, Outcome: Waits, Start: from, End: at})
	for i, j := range jobs {
		y.at(at.Add(time.Duration(i)*y.s.Plan.Overheads.Stagger), rankSubmit, func(t dag.Instant) { y.submit(j, t) })
	}
}

func (y *yarn) submit(j int, t dag.Instant) {
	job := &y.jobs[j]
	job.submitted, job.beat = t, t
	y.order = append(y.order, j)
	if len(y.order) == 1 {
		y.askAnew()
	}
	// The RM takes a moment to accept the application.
	y.at(t.Add(y.s.Plan.Overheads.AMStart), rankAsk, func(dag.Instant) { job.stage = waitingAM })
}

// startAM gives the job's AM its container.
func (y *yarn) startAM(j int, t dag.Instant) {
	job := &y.jobs[j]
	o := y.s.Plan.Overheads
	y.occupy(j, job.amMB)
	job.stage, job.mastered = starting, t
	ready := t.Add(max(0, o.Launch-o.AMStart))
	y.at(ready, rankSubmit, func(t dag.Instant) { y.activate(j, t) })
}

// activate asks for the job's tasks: its first may start now.
func (y *yarn) activate(j int, t dag.Instant) {
	job := &y.jobs[j]
	job.stage = active
	job.beat = t
	if job.phase[dag.Map].total == 0 {
		job.mapsEnd = t
		y.beatLater(j, t)
	}
	if job.phase[dag.Map].left()+job.phase[dag.Reduce].left() == 0 {
		y.at(t.Add(y.s.Plan.Overheads.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
	}
	y.firstGrant(j, t)
}

// firstGrant starts the first tasks at once: Overheads.Launch is measured up to the first launch, hand-off included.
func (y *yarn) firstGrant(j int, t dag.Instant) {
	job := &y.jobs[j]
	p := &job.phase[dag.Map]
	n := min(y.room(j, dag.Map), p.waiting)
	for n > 0 && len(p.pending) > 0 {
		r := &p.pending[0]
		run := min(n, int(r[1]-r[0]))
		first := r[0]
		y.occupy(j, run*job.mb[dag.Map])
		p.granted += run
		lanes := y.seats(j, run, job.mb[dag.Map])
		at := y.batch(batch{job: int32(j), kind: dag.Map, first: first, lanes: lanes, start: t})
		if y.lean != nil {
			y.lean.newest = -1
		}
		y.later(t, rankStart, event{op: opStart, a: at})
		p.waiting -= run
		n -= run
		if r[0] += int32(run); r[0] == r[1] {
			p.pending = p.pending[1:]
		}
	}
}

// finish ends the job; its AM keeps its container a while.
func (y *yarn) finish(j int, t dag.Instant) {
	job := &y.jobs[j]
	if job.stage == ended {
		return
	}
	job.stage, job.finished = ended, t
	mb := job.amMB
	y.at(t.Add(y.s.Plan.Overheads.AMHold), rankEnd, func(dag.Instant) {
		y.vacate(j, mb)
		y.pool.empty(job.seat, mb)
	})
	y.nextWave(t)
}
