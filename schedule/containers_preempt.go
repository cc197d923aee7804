package schedule

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// preemptionLimit is the share of a job's memory that its master takes back from reduces at once
// (yarn.app.mapreduce.am.job.reduce.preemption.limit's default).
const preemptionLimit = 0.5

// hanging says that none of a job's maps holds a container, some have been asked for, and reduces that wait for them
// leave no room.
func (y *containers) hanging(j int) bool {
	job := &y.jobs[j]
	if job.stage != active {
		return false
	}
	for i := range job.phase {
		if p := &job.phase[i]; p.copies() && len(p.copying) > 0 && y.starved(j, p) >= 0 {
			return true
		}
	}
	return false
}

// starved is a stage that p copies from, none of whose tasks holds a container and some of which cannot be given one;
// -1: none is.
func (y *containers) starved(j int, p *containersStage) dag.StageIndex {
	for _, e := range p.after {
		if maps := &y.jobs[j].phase[e.From]; e.Kind == dag.SlowStart && maps.granted == 0 && maps.requested() > 0 &&
			y.room(j, e.From) == 0 {
			return e.From
		}
	}
	return -1
}

// preemptLater makes the master of a job whose maps hang look for room at its next heartbeat.
func (y *containers) preemptLater(t dag.Instant) {
	for _, j := range y.order {
		if y.hanging(j) {
			y.beatLater(j, t)
		}
	}
}

// preempt kills reduces of a job to make room for its maps, the youngest first: as many as all of its maps need, but no
// more than half of what the job may hold (RMContainerAllocator.preemptReducer; docs/facts/hadoop.md F, reduce
// preemption).
func (y *containers) preempt(j int) (any bool) {
	for i := range y.jobs[j].phase {
		if y.jobs[j].phase[i].copies() && y.preemptStage(j, dag.StageIndex(i)) { //nolint:gosec // an index
			any = true
		}
	}
	return any
}

func (y *containers) preemptStage(j int, k dag.StageIndex) bool {
	job := &y.jobs[j]
	reduces := &job.phase[k]
	from := y.starved(j, reduces)
	if from < 0 {
		from = reduces.from
	}
	maps := &job.phase[from]
	if job.stage != active || maps.left() == 0 || len(reduces.copying) == 0 {
		return false
	}
	mapMB, reduceMB := maps.mb, reduces.mb
	containers := func(mb int) int { return (mb + reduceMB - 1) / reduceMB }
	limit := max(y.roomOf(j), 0) + maps.granted*mapMB + reduces.granted*reduceMB
	n := min(max(containers(mapMB), containers(int(preemptionLimit*float64(limit)))),
		containers(memoryOf(max(maps.requested(), 1), mapMB)))
	reduces.asked = 0
	for n > 0 && len(reduces.copying) > 0 {
		n -= y.killYoungest(reduces, n)
	}
	return true
}

// memoryOf is the memory of n containers, at most half of what an int holds, so that a caller may add to it.
func memoryOf(n, mb int) int {
	const most = math.MaxInt / 2
	if mb > 0 && n > most/mb {
		return most
	}
	return n * mb
}

// killYoungest kills up to n of the tasks that copy and started last, and returns how many.
func (y *containers) killYoungest(p *containersStage, n int) int {
	last := &p.copying[len(p.copying)-1]
	at := last.span
	if all := int(y.out[at].Count); n < all {
		// The others of the span go on.
		part := y.out[at]
		part.First += int32(all - n)
		part.Count, part.Slots = int32(n), part.Slots[all-n:]
		y.out[at].Count, y.out[at].Slots = int32(all-n), y.out[at].Slots[:all-n:all-n]
		at = y.span(part)
	} else {
		p.copying = p.copying[:len(p.copying)-1]
	}
	sp := &y.out[at]
	sp.Outcome, sp.End = Fails, y.now
	y.release(at)
	if p.attempt == nil {
		p.attempt = map[int32]int32{}
	}
	for i := range sp.Count {
		p.retry = append(p.retry, sp.First+i)
		p.attempt[sp.First+i] = sp.Attempt + 1
	}
	return int(sp.Count)
}
