package simulate

import (
	"math"
	"math/bits"

	"github.com/paratimer/paratimer/dag"
)

// An attempt is the past and the planned future of a task attempt.
type attempt struct {
	attemptKey
	slot, node int32 // -1 if there is none
	start, end dag.Instant
	ready      dag.Instant      // end of its set-up
	state      dag.AttemptState // at its end
	why        string           // why it failed or was killed
	frozen     bool             // its node has failed, but the cluster has not noticed
	unfailed   dag.Instant      // when it would have ended if it did not fail; NoInstant if it succeeds

	// Its work, in milliseconds: the ends of the pipelines, and all of them with the pause for combiners.
	ends        [dag.Pipelines]int64
	work        int64
	factor      float64 // on the plan's work
	groups      walk    // only for a reduce that is simulated by key group
	resumptions []resumption

	points []dag.GroupPoint // its key groups as a tap reports them, including future ones
	seen   dag.Attempt      // as the newest snapshot shows it
}

type attemptKey struct {
	stage        *stage
	task, number int32
}

// A resumption is an instant at which work begins or continues, with pos milliseconds done. The work then proceeds in
// real time until it is done, or the position of the next resumption is reached.
type resumption struct {
	at  dag.Instant
	pos int64
}

// never is later than any instant of a run.
const never = dag.Instant(1 << 61)

// plan plans that the attempt's work is done at end.
func (a *attempt) plan(end, now dag.Instant) {
	left := a.left(now)
	switch at := end - dag.Instant(left); {
	case left == a.work:
		a.resumptions = []resumption{{at, 0}}
	case at > now: // it had begun and has to wait again
		a.resume(at, a.work-left)
	}
}

func (a *attempt) resume(at dag.Instant, pos int64) {
	a.resumptions, a.points = append(a.resumptions, resumption{at, pos}), nil
}

// freeze stops the attempt's work at now for good.
func (a *attempt) freeze(now dag.Instant) {
	pos := a.position(now)
	if a.frozen, a.end = true, never; a.resumptions[0].at >= now {
		a.resumptions = []resumption{{never, 0}}
		return
	}
	a.resume(never, pos)
}

// kill ends the attempt.
func (a *attempt) kill(now dag.Instant, why string) {
	a.frozen, a.state, a.why = false, dag.AttemptKilled, why
	a.end = min(a.end, now)
}

// left returns how many milliseconds of work are left at t.
func (a *attempt) left(t dag.Instant) int64 { return a.work - max(0, a.position(t)) }

// position returns how many milliseconds of work are done by t; -1 if the work has not begun.
func (a *attempt) position(t dag.Instant) int64 {
	t = min(t, a.end)
	pos := int64(-1)
	for _, r := range a.resumptions {
		if r.at > t {
			pos = min(pos, r.pos)
			break
		}
		pos = r.pos + int64(t-r.at)
	}
	return min(pos, a.work)
}

// reached returns when pos milliseconds of work were done, or will be.
func (a *attempt) reached(pos int64) dag.Instant {
	last := a.resumptions[0]
	for _, r := range a.resumptions[1:] {
		if r.pos >= pos {
			break
		}
		last = r
	}
	return last.at + dag.Instant(pos-last.pos)
}

// facts returns an attempt at t without its counters. It includes what earlier snapshots have shown.
func (a *attempt) facts(t dag.Instant) dag.Attempt {
	nan := math.NaN()
	x := dag.Attempt{
		Task: a.task, Number: a.number, State: dag.AttemptRunning, Slot: a.slot, Node: a.node, Start: a.start,
		End: dag.NoInstant, Total: [dag.Pipelines]float64{nan, nan, nan}, CopyEnd: dag.NoInstant,
		SortEnd: dag.NoInstant, First: a.seen.First, Last: a.seen.Last, FirstReport: a.seen.FirstReport,
	}
	if a.end <= t {
		x.State, x.End, x.Diagnosis = a.state, a.end, a.why
	}
	if !a.stage.Copies() {
		return x
	}
	pos := a.position(t)
	for i, end := range []*dag.Instant{dag.Copy: &x.CopyEnd, dag.Sort: &x.SortEnd} {
		if pos >= a.ends[i] {
			*end = a.reached(a.ends[i])
		}
	}
	return x
}

// show returns an attempt as a snapshot of t shows it. There is a report at each snapshot.
func (a *attempt) show(t dag.Instant, know Know) dag.Attempt {
	if a.seen.End.Known() && a.seen.State == a.state {
		return a.seen // it had ended by the last snapshot
	}
	x, pos, last := a.facts(t), a.position(t), len(a.stage.Pipelines)-1
	for i := range a.stage.Pipelines {
		if x.Done[i] = a.tuples(i, pos); x.Done[i] > 0 && !x.FirstReport.Known() {
			x.FirstReport = t
		}
	}
	x.Out, x.Bytes = a.written(a.stage.Out, last, pos), a.written(a.stage.Bytes, 0, pos)
	if mark := (dag.Mark{At: t, Done: x.Done[last], Out: x.Out}); mark.Done > 0 {
		if !x.First.At.Known() {
			x.First = mark
		}
		if mark.Done == x.Last.Done {
			mark.At = x.Last.At
		}
		x.Last = mark
	}
	// A map's input is known once it has read some of it. A reduce's size is known once it has copied its input.
	for i := range a.stage.Pipelines {
		if know == All || x.FirstReport.Known() && (i == dag.Copy || x.CopyEnd.Known()) {
			x.Total[i] = a.total(i)
		}
	}
	x.Ratio = a.ratio(&x, pos)
	a.seen = x
	return x
}

func (a *attempt) total(i int) float64 { return a.stage.Pipelines[i].Tuples.At(int(a.task)) }

// tuples is K of pipeline i at a position: whole tuples, N·(t-t0)/(t1-t0) in integer division, N if t1 = t0
// (facts/paratimer.md A10). In a reduce that is simulated by key group, tuples are proportional to the groups'
// bytes.
func (a *attempt) tuples(i int, pos int64) float64 {
	n, begin, end := a.total(i), int64(0), a.ends[i]
	if i > 0 {
		begin = a.ends[i-1]
	}
	switch {
	case pos < begin:
		return 0
	case pos >= end:
		return n
	case i == dag.Work && a.stage.keyed != nil:
		return math.Floor(n * a.shareRead(pos))
	}
	hi, lo := bits.Mul64(uint64(n), uint64(pos-begin))
	whole, _ := bits.Div64(hi, lo, uint64(end-begin))
	return float64(whole)
}

// written returns the part of a counter that belongs to the done tuples of pipeline i, in whole units.
func (a *attempt) written(of dag.Series, i int, pos int64) float64 {
	all, n, done := of.At(int(a.task)), a.total(i), a.tuples(i, pos)
	switch {
	case pos >= a.ends[i]:
		return all
	case n == 0 || done == n:
		return all * 0 // NaN if it is unknown
	}
	return math.Floor(all * done / n)
}

const (
	mapShare    = 0.667 // of a map's progress is its input if the output is sorted afterwards (Hadoop's MapTask)
	ratioDigits = 1e4
)

// ratio returns Hadoop's progress. Each of a reduce's pipelines is one third.
func (a *attempt) ratio(x *dag.Attempt, pos int64) float64 {
	if x.State == dag.AttemptSucceeded {
		return 1
	}
	sum := 0.0
	for i := range a.stage.Pipelines {
		if n := a.total(i); n > 0 {
			sum += x.Done[i] / n
		} else if pos >= a.ends[i] {
			sum++
		}
	}
	switch {
	case a.stage.Copies():
		sum /= dag.Pipelines
	case a.stage.sorts:
		sum *= mapShare
	}
	return math.Round(sum*ratioDigits) / ratioDigits
}
