package schedule

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// beatLater makes the AM reconsider its reduces at its first heartbeat at or after t.
func (y *yarn) beatLater(j int, t dag.Instant) {
	job := &y.jobs[j]
	if job.beating {
		return
	}
	job.beating = true
	y.later(y.nextBeat(j, t), rankBeat, event{op: opBeat, a: int32(j)})
}

// beat is a heartbeat of the AM: it makes room for its maps if they hang, else it reconsiders its reduces.
func (y *yarn) beat(j int, t dag.Instant) {
	y.jobs[j].beating = false
	if y.hanging(j) {
		y.preempt(j)
		return
	}
	y.askReduces(j, t)
}

// askReduces asks for more reduces, or takes back asks that were not granted. The scheduler hears it a heartbeat later.
func (y *yarn) askReduces(j int, t dag.Instant) {
	job := &y.jobs[j]
	if job.stage != active {
		return
	}
	more := y.wantReduces(j) - job.phase[dag.Reduce].granted - job.asked - job.asking
	if more < 0 {
		job.asked += max(more, -job.asked) // ramp down what is not granted
		return
	}
	if more == 0 {
		return
	}
	job.asking += more
	y.later(t.Add(y.s.Plan.Overheads.Beat), rankAsk, event{op: opAsk, a: int32(j), b: int32(more)})
}

// wantReduces is how many reduces the AM wants to hold or have asked for: slow start, then all once every map has
// its container, else a share of the room that grows with the maps done (RMContainerAllocator.scheduleReduces,
// docs/facts/hadoop.md F "Slow start").
func (y *yarn) wantReduces(j int) int {
	job := &y.jobs[j]
	maps, reduces := &job.phase[dag.Map], &job.phase[dag.Reduce]
	all := reduces.granted + reduces.waiting + len(reduces.retry)
	if reduces.left() == 0 {
		return reduces.granted
	}
	if float64(maps.done) < math.Ceil(job.limits.SlowStart*float64(maps.total)) {
		return reduces.granted
	}
	scheduled := maps.waiting + len(maps.retry)
	if scheduled == 0 {
		return all
	}
	mapMB, reduceMB := float64(job.mb[dag.Map]), float64(job.mb[dag.Reduce])
	total := float64(max(y.roomOf(j), 0)) + float64(maps.granted)*mapMB + float64(reduces.granted)*reduceMB
	ramp := job.limits.RampUp
	if ramp <= 0 {
		ramp = defaultRampUp
	}
	ideal := total * min(float64(maps.done)/float64(max(maps.total, 1)), ramp)
	if need := float64(scheduled+maps.granted) * mapMB; total-ideal > need {
		ideal = total - need
	}
	return min(all, int(ideal/reduceMB))
}

// defaultRampUp is yarn.app.mapreduce.am.job.reduce.rampup.limit's default.
const defaultRampUp = 0.5

// done ends a span of tasks.
func (y *yarn) done(at int, t dag.Instant) {
	sp := &y.out[at]
	j, k, n := int(sp.Job), sp.Kind, int(sp.Count)
	y.release(at)
	y.over(at)
	y.count(j, k, n, t)
}

// count adds n tasks that are done to a phase whose containers have been given back.
func (y *yarn) count(j int, k dag.Kind, n int, t dag.Instant) {
	job := &y.jobs[j]
	p := &job.phase[k]
	p.done += n
	job.lastEnd = t
	if k == dag.Map {
		if p.left() == 0 {
			y.mapsDone(j, t)
		}
		if job.phase[dag.Reduce].left() > 0 {
			y.beatLater(j, t)
		}
	}
	if job.phase[dag.Map].left()+job.phase[dag.Reduce].left() == 0 {
		y.at(t.Add(y.s.Plan.Overheads.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
	}
}

// release gives a span's containers back.
func (y *yarn) release(at int) {
	sp := &y.out[at]
	job := &y.jobs[sp.Job]
	job.phase[sp.Kind].granted -= int(sp.Count)
	y.leave(int(sp.Job), int(sp.Count)*job.mb[sp.Kind], sp.Slots)
}

// mapsDone lets the waiting reduces copy the last map output and work.
func (y *yarn) mapsDone(j int, t dag.Instant) {
	job := &y.jobs[j]
	job.mapsEnd = t
	for _, w := range job.copying {
		y.endAt(w.span, max(w.ready, t.Add(y.s.Plan.Overheads.Copy)).Add(w.work))
	}
	job.copying = nil
}

// fail ends a simulated attempt that did not succeed. Its task is asked for again.
func (y *yarn) fail(at int, t dag.Instant) {
	sp := y.out[at]
	j, k := int(sp.Job), sp.Kind
	y.release(at)
	y.over(at)
	p := &y.jobs[j].phase[k]
	if p.attempt == nil {
		p.attempt = map[int32]int32{}
	}
	p.attempt[sp.First] = sp.Attempt + 1
	p.retry = append(p.retry, sp.First)
	y.retryLater(j, k, t)
}

// retryLater hides the retries of maps from the scheduler until the AM has asked for them: the request comes a
// heartbeat too late for the container that the failed attempt held, which goes to the next map
// (recording failure-1; ParaTimer section 3.2.2 saw the same of its scheduler).
func (y *yarn) retryLater(j int, k dag.Kind, t dag.Instant) {
	if k == dag.Reduce {
		y.beatLater(j, t)
		return
	}
	job := &y.jobs[j]
	p := &job.phase[k]
	hidden := p.retry
	p.retry = append([]int32{-1}, hidden...)
	y.at(y.nextBeat(j, t).Add(y.s.Plan.Overheads.Beat), rankAsk, func(dag.Instant) {
		for i, task := range p.retry {
			if task < 0 {
				p.retry = append(p.retry[:i:i], p.retry[i+1:]...)
				return
			}
		}
	})
}
