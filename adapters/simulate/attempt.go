package simulate

import (
	"math"
	"math/bits"

	"github.com/paratimer/paratimer/dag"
)

// A reporter simulates the reports of attempts. There is a report at each snapshot: at the run's start, at multiples
// of every after it, and at its end.
type reporter struct {
	*simulationState
	every dag.Instant
	know  Know
	t     dag.Instant
}

// seen returns the first snapshot at or after t.
func (p *reporter) seen(t dag.Instant) dag.Instant {
	ticks := (t - p.opt.Start + p.every - 1) / p.every
	return max(t, min(p.opt.Start+ticks*p.every, p.end))
}

// attempt returns the known facts of an attempt at p.t.
func (p *reporter) attempt(j int, k dag.StageIndex, r *track) dag.Attempt {
	nan, unseen := math.NaN(), dag.Mark{At: dag.NoInstant, Done: math.NaN(), Out: math.NaN()}
	a := dag.Attempt{
		Task: r.task, Number: r.number, State: dag.AttemptRunning, Slot: r.slot, Node: r.node, Start: r.start,
		End:   dag.NoInstant,
		Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan, Bytes: nan, CopyEnd: dag.NoInstant,
		SortEnd: dag.NoInstant,
		First:   unseen, Last: unseen, FirstReport: dag.NoInstant,
	}
	if r.end <= p.t {
		a.State, a.End, a.Diagnosis = r.how, r.end, r.why
	}
	c := p.counted(j, k, r)
	if p.copies(j, k) && c.x.pipes == dag.Pipelines && r.begun(p.t) {
		if c.pos >= c.x.ends[dag.Copy] {
			a.CopyEnd = r.reached(c.x.ends[dag.Copy])
		}
		if c.pos >= c.x.ends[dag.Sort] {
			a.SortEnd = r.reached(c.x.ends[dag.Sort])
		}
	}
	for i := range c.x.pipes {
		a.Done[i] = c.tuples(i)
	}
	p.fillMarks(&a, &c)
	p.fillTotals(&a, &c)
	a.Ratio = c.ratio(&a, p.whole(j, k))
	return a
}

// whole reports whether reading its input is all the work of a task. That is false for a map that sorts its output
// for reduces.
func (p *reporter) whole(j int, k dag.StageIndex) bool {
	job := &p.plan.Jobs[j]
	return !job.IsMapReduce() || job.Stages[dag.Reduce].Count() == 0
}

// counted has the progress of an attempt's counters.
type counted struct {
	x     extent
	r     *track
	phase *dag.Stage
	t     dag.Instant
	pos   int64 // milliseconds of work done
	begun bool
}

func (p *reporter) counted(j int, k dag.StageIndex, r *track) counted {
	x := p.extentOf(attemptKey{j, k, r.task, r.number}, r)
	return counted{x, r, &p.plan.Jobs[j].Stages[k], p.t, r.position(p.t, x.work), r.begun(p.t)}
}

func (c *counted) total(i int) float64 { return c.phase.Pipelines[i].Tuples.At(int(c.r.task)) }

// tuples is K of pipeline i: whole tuples, N·(t-t0)/(t1-t0) in integer division, N if t1 = t0
// (docs/facts/paratimer.md A10). In a reduce that is simulated by key group, tuples are proportional to the groups'
// bytes.
func (c *counted) tuples(i int) float64 {
	n, begin, end := c.total(i), c.x.begin(i), c.x.ends[i]
	switch {
	case !c.begun || c.pos < begin:
		return 0
	case c.pos >= end:
		return n
	}
	if i == dag.Work && c.x.walk != nil {
		return math.Floor(n * c.x.share(c.pos))
	}
	hi, lo := bits.Mul64(uint64(n), uint64(c.pos-begin))
	whole, _ := bits.Div64(hi, lo, uint64(end-begin))
	return float64(whole)
}

// begin returns when pipeline i begins, in milliseconds of work.
func (x *extent) begin(i int) int64 {
	if i == 0 {
		return 0
	}
	return x.ends[i-1]
}

// since returns the first snapshot with k tuples of pipeline i. The pipeline must have reached k.
func (p *reporter) since(c *counted, i int, k float64) dag.Instant {
	n, begin, length := c.total(i), c.x.begin(i), c.x.ends[i]-c.x.begin(i)
	pos := begin + length
	switch {
	case i == dag.Work && c.x.walk != nil:
		for low := begin; low < pos; {
			if mid := low + (pos-low)/2; math.Floor(n*c.x.share(mid)) < k {
				low = mid + 1
			} else {
				pos = mid
			}
		}
	case k < n:
		// The least pos with n·(pos-begin)/length >= k.
		hi, lo := bits.Mul64(uint64(k), uint64(length))
		at, rest := bits.Div64(hi, lo, uint64(n))
		if pos = begin + int64(at); rest > 0 {
			pos++
		}
	}
	return p.seen(c.r.reached(pos))
}

// fillMarks sets when the counters were first seen, and when they last changed.
func (p *reporter) fillMarks(a *dag.Attempt, c *counted) {
	last := c.x.pipes - 1
	if last < 0 {
		return
	}
	for i := range c.x.pipes {
		if a.Done[i] > 0 {
			if at := p.since(c, i, min(1, c.total(i))); at <= p.t {
				a.FirstReport = at
			}
			break
		}
	}
	a.Out, a.Bytes = c.share(c.phase.Out, last), c.share(c.phase.Bytes, 0)
	if a.Done[last] == 0 {
		return
	}
	if at := p.since(c, last, a.Done[last]); at <= p.t {
		a.Last = dag.Mark{At: at, Done: a.Done[last], Out: a.Out}
	}
	if at := p.since(c, last, min(1, c.total(last))); at <= p.t {
		then := *c
		then.t, then.pos = at, c.r.position(at, c.x.work)
		a.First = dag.Mark{At: at, Done: then.tuples(last), Out: then.share(c.phase.Out, last)}
	}
}

// share returns the part of a counter that belongs to the done tuples of pipeline i, in whole units.
func (c *counted) share(of dag.Series, i int) float64 {
	all, n := of.At(int(c.r.task)), c.total(i)
	if n == 0 || c.tuples(i) == n {
		if c.begun && c.pos >= c.x.ends[i] {
			return all
		}
		return all * 0
	}
	return math.Floor(all * c.tuples(i) / n)
}

// fillTotals sets the known sizes of an attempt: all of them, or those that follow from its reports. A map's input is
// known once it has read some of it. A reduce's size is known once it has copied its input.
func (p *reporter) fillTotals(a *dag.Attempt, c *counted) {
	reported := a.FirstReport.Known()
	for i := range c.x.pipes {
		if p.know == All || reported && (i == dag.Copy || c.phase.Copies() && a.CopyEnd.Known()) {
			a.Total[i] = c.total(i)
		}
	}
}

// ratio returns Hadoop's progress. A map's input is two thirds of it if the output is sorted afterwards. Each of a
// reduce's pipelines is one third.
func (c *counted) ratio(a *dag.Attempt, mapOnly bool) float64 {
	if a.State == dag.AttemptSucceeded {
		return 1
	}
	sum := 0.0
	for i := range c.x.pipes {
		switch n := c.total(i); {
		case n > 0:
			sum += a.Done[i] / n
		case c.begun && c.pos >= c.x.ends[i]:
			sum++
		}
	}
	switch {
	case c.phase.Copies():
		sum /= dag.Pipelines
	case !mapOnly:
		sum *= mapShare
	}
	return math.Round(sum*ratioDigits) / ratioDigits
}

const (
	mapShare    = 0.667 // of a map's progress is its input (Hadoop's MapTask)
	ratioDigits = 1e4
)
