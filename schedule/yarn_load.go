package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A load is another application in the replay: it gives what it holds back evenly up to its expected end, and takes freed
// memory for what it has asked, before the jobs that were submitted after it. An application of another queue takes its
// queue's guaranteed share before anybody of ours.
type load struct {
	held, pending int
	shareMB       int
	submitted     dag.Instant
	foreign       bool // of another queue
	length        time.Duration
}

// loadOthers puts the other applications into the pool, in the order of their submission.
func (y *yarn) loadOthers() {
	others := slices.Clone(y.s.Load)
	slices.SortStableFunc(others, func(a, b dag.Load) int { return cmp.Compare(a.Submitted, b.Submitted) })
	for k, l := range others {
		y.loads = append(y.loads, load{
			held: l.HeldMB, pending: max(l.PendingMB, 0), shareMB: l.ShareMB,
			submitted: l.Submitted, foreign: l.Queue != y.s.Queue, length: l.Length,
		})
		if l.Until.Known() {
			y.giveBack(k, l.Until)
		}
	}
}

// giveBackSteps is in how many parts an application gives its memory back.
const giveBackSteps = 8

func (y *yarn) giveBack(k int, until dag.Instant) {
	step := max((until-y.now)/giveBackSteps, 1)
	for i := range dag.Instant(giveBackSteps) {
		y.at(y.now+step*(i+1), rankEnd, func(dag.Instant) {
			l := &y.loads[k]
			part := l.held / int(giveBackSteps-i)
			y.pool.give(part)
			l.held -= part
		})
	}
}

func (y *yarn) endLoad(k int) {
	l := &y.loads[k]
	y.pool.give(l.held)
	l.held, l.pending = 0, 0
}

// takeLoads lets the applications that come before a job submitted at t take what they have asked for.
func (y *yarn) takeLoads(t dag.Instant) {
	for k := range y.loads {
		l := &y.loads[k]
		want := l.pending
		if l.foreign {
			want = min(want, max(0, l.shareMB-l.held))
		} else if l.submitted > t {
			continue
		}
		if take := min(want, y.pool.freeMB); take > 0 {
			y.pool.take(take)
			l.held += take
			l.pending -= take
			if l.length > 0 {
				y.giveBack(k, y.now.Add(l.length))
				l.length = 0
			}
		}
	}
}

// freeLoads gives all memory of other applications back. It is the last resort of a replay in which nothing else can
// happen: they will end some day, and the estimate is a floor.
func (y *yarn) freeLoads() bool {
	gave := false
	for k := range y.loads {
		if y.loads[k].held > 0 {
			gave = true
			y.endLoad(k)
		}
		y.loads[k].pending = 0
	}
	return gave
}

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
