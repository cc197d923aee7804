package compare

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A Comparison is the last run against those before it. Times are milliseconds; NaN is unknown.
type Comparison struct {
	Runs    []*Run   // in order of their start
	Why     []string // by run: why it is no baseline; "" for one that is
	Subject int      // the run that is asked about: the last one
	Base    int      // the run that it is set against; -1 where none will do
	// Total is how much longer the subject took than the base, Effects what of that is due to what; they add up to it. NaN
	// and nil where one of the two has not succeeded or its critical path is not known.
	Total    float64
	Effects  map[Effect]float64
	Rows     []Row
	Changes  []Change // by row
	Path     PathChange
	Findings []Finding // by row, maps first
}

// A Change is what a job did to the difference.
type Change struct {
	// Before and Now are its milliseconds on the critical path, NaN where the path is not known or the run has no such job.
	Before, Now float64
	Effects     map[Effect]float64
}

// A PathChange says which jobs are on the critical path, as rows.
type PathChange struct {
	Before, Now []int // in order of the path, each job once
	Came, Left  []int
}

// A BaseError says that a run cannot be the base.
type BaseError struct {
	Run int // counted from 1
	Why string
}

func (e *BaseError) Error() string { return fmt.Sprintf("run %d cannot be the base: %s", e.Run, e.Why) }

// Compare sets the last of two runs or more against base, counted from 1 in order of their starts; 0 is the newest before the last
// that succeeded. Its errors are *StrangerError and *BaseError.
func Compare(runs []*Run, base int) (*Comparison, error) {
	InOrder(runs)
	c := &Comparison{Runs: runs, Subject: len(runs) - 1, Base: -1, Total: math.NaN(), Why: make([]string, len(runs))}
	for i, r := range runs[:c.Subject] {
		if c.Why[i] = notBaseline(r); c.Why[i] == "" {
			c.Base = i
		}
	}
	switch {
	case base == 0:
	case base < 1 || base > c.Subject:
		return nil, &BaseError{Run: base, Why: fmt.Sprintf("it is one of the runs before the last: 1 to %d", c.Subject)}
	case c.Why[base-1] != "":
		return nil, &BaseError{Run: base, Why: c.Why[base-1]}
	default:
		c.Base = base - 1
	}
	var err error
	if c.Rows, err = align(runs); err != nil {
		return nil, err
	}
	c.differ()
	c.judge()
	return c, nil
}

// notBaseline says why a run does not tell how long the script takes; "" where it does.
func notBaseline(r *Run) string {
	switch {
	case r.State == dag.Failed:
		return "it failed"
	case r.State == dag.Killed:
		return "it was killed"
	case r.State != dag.Succeeded:
		return "it was not seen to its end"
	case !r.Succeeded():
		return "its length is not known"
	}
	return ""
}

// differ finds what each job and each effect did to the length.
func (c *Comparison) differ() {
	c.Changes = make([]Change, len(c.Rows))
	for i := range c.Changes {
		c.Changes[i] = Change{Before: math.NaN(), Now: math.NaN()}
	}
	if c.Base < 0 || !c.Runs[c.Subject].Succeeded() {
		return
	}
	before, now := c.Runs[c.Base], c.Runs[c.Subject]
	c.Total = now.Length - before.Length
	if before.Path == nil || now.Path == nil {
		return
	}
	c.Effects = make(map[Effect]float64)
	explained := 0.0
	for i := range c.Rows {
		b, n := c.Rows[i].Index[c.Base], c.Rows[i].Index[c.Subject]
		c.Changes[i] = change(before, now, b, n)
		for _, e := range Effects {
			c.Effects[e] += c.Changes[i].Effects[e]
			explained += c.Changes[i].Effects[e]
		}
	}
	outside := amongJobs(before.Path, now.Path)
	for _, e := range Effects {
		c.Effects[e] += outside[e]
		explained += outside[e]
	}
	c.Effects[Rest] += c.Total - explained
	c.strike()
	c.path()
}

// change compares a job of two runs; its index is -1 in a run that does not have it.
func change(before, now *Run, b, n int) Change {
	ch := Change{Before: before.onPath(b), Now: now.onPath(n), Effects: make(map[Effect]float64)}
	if b < 0 || n < 0 {
		ch.Effects[Plan] = zero(ch.Now) - zero(ch.Before)
		return ch
	}
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		was, is := before.partsOf(b, k), now.partsOf(n, k)
		work := split(loadOf(&before.Jobs[b].Phases[k], was[Work]), loadOf(&now.Jobs[n].Phases[k], is[Work]))
		skew := skewed(work[Order], is[Work], was[Work])
		work[Order], work[Skew] = work[Order]-skew, skew
		for e, ms := range work {
			ch.Effects[e] += ms
		}
		for _, e := range Effects {
			ch.Effects[e] += length(is[e]) - length(was[e])
		}
	}
	return ch
}

// skewed is what of the order of a phase's records is that its longest reduce was given more.
func skewed(order float64, now, before []Part) float64 {
	grown := 0.0
	for _, p := range now {
		if p.Skew {
			grown += p.Length
		}
	}
	for _, p := range before {
		if p.Skew {
			grown -= p.Length
		}
	}
	return within(grown, order)
}

// amongJobs compares the stretches of two paths that are no job's.
func amongJobs(before, now []Part) map[Effect]float64 {
	out := make(map[Effect]float64)
	for _, p := range now {
		if p.Job < 0 {
			out[p.Effect] += p.Length
		}
	}
	for _, p := range before {
		if p.Job < 0 {
			out[p.Effect] -= p.Length
		}
	}
	return out
}

// onPath is how much of the path a job takes; NaN where the run has no such job.
func (r *Run) onPath(job int) float64 {
	if job < 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, p := range r.Path {
		if p.Job == job {
			sum += p.Length
		}
	}
	return sum
}

// partsOf are a phase's parts of the path by effect.
func (r *Run) partsOf(job int, k dag.Kind) map[Effect][]Part {
	out := make(map[Effect][]Part)
	for _, p := range r.Path {
		if p.Job == job && p.Phase == k {
			out[p.Effect] = append(out[p.Effect], p)
		}
	}
	return out
}

func length(parts []Part) float64 {
	sum := 0.0
	for _, p := range parts {
		sum += p.Length
	}
	return sum
}

func zero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// judge looks for phases that became slower or faster than in all earlier runs that succeeded.
func (c *Comparison) judge() {
	for i := range c.Rows {
		n := c.Rows[i].Index[c.Subject]
		if n < 0 {
			continue
		}
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			var earlier []*Phase
			for at, r := range c.Runs[:c.Subject] {
				if j := c.Rows[i].Index[at]; j >= 0 && c.Why[at] == "" {
					earlier = append(earlier, &r.Jobs[j].Phases[k])
				}
			}
			if f, ok := judge(earlier, &c.Runs[c.Subject].Jobs[n].Phases[k]); ok {
				f.Row, f.Phase = i, k
				c.Findings = append(c.Findings, f)
			}
		}
	}
}

// Regressed says whether a phase became slower.
func (c *Comparison) Regressed() bool {
	for i := range c.Findings {
		if c.Findings[i].Slower {
			return true
		}
	}
	return false
}
