package compare

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// differ splits the difference in length by job and by effect.
func (c *Comparison) differ() {
	for i := range c.Jobs {
		c.Jobs[i].change = Change{Before: math.NaN(), Now: math.NaN()}
	}
	if c.base < 0 || !c.Runs[c.subject].Succeeded() {
		return
	}
	before, now := c.Runs[c.base], c.Runs[c.subject]
	c.Total = now.Length - before.Length
	if before.Path == nil || now.Path == nil {
		return
	}
	c.Effects = make(map[Effect]float64)
	explained := 0.0
	for i := range c.Jobs {
		b, n := c.Jobs[i].index[c.base], c.Jobs[i].index[c.subject]
		c.Jobs[i].change = change(before, now, b, n)
		for _, e := range Effects {
			c.Effects[e] += c.Jobs[i].change.Effects[e]
			explained += c.Jobs[i].change.Effects[e]
		}
	}
	was, is := before.partsOf(-1, 0), now.partsOf(-1, 0) // parts that belong to no job
	for _, e := range Effects {
		outside := length(is[e]) - length(was[e])
		c.Effects[e] += outside
		explained += outside
	}
	c.Effects[Rest] += c.Total - explained
	c.strike()
	c.path()
}

// change compares a job in two runs; its index is -1 in a run that does not have it.
func change(before, now *Run, b, n int) Change {
	ch := Change{Before: before.onPath(b), Now: now.onPath(n), Effects: make(map[Effect]float64)}
	if b < 0 || n < 0 {
		if n >= 0 {
			ch.Effects[Plan] = ch.Now
		}
		if b >= 0 {
			ch.Effects[Plan] = -ch.Before
		}
		return ch
	}
	for _, name := range stages(&now.Jobs[n], &before.Jobs[b]) {
		k, l := before.Jobs[b].Stage(name), now.Jobs[n].Stage(name)
		was, is := before.partsOf(b, k), now.partsOf(n, l)
		if k < 0 || l < 0 { // one of the runs does not have the stage
			for _, e := range append(slices.Clone(Effects), Work) {
				ch.Effects[Plan] += length(is[e]) - length(was[e])
			}
			continue
		}
		work := split(loadOf(&before.Jobs[b].Phases[k], was[Work]), loadOf(&now.Jobs[n].Phases[l], is[Work]))
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

// stages returns the names of the first job's stages, then of those that only the second has.
func stages(first, second *Job) (names []string) {
	for _, p := range slices.Concat(first.Phases, second.Phases) {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// skewed returns the part of Order that is due to a larger longest reduce.
func skewed(order float64, now, before []Part) float64 {
	isSkew := func(parts []Part) []Part {
		return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !p.Skew })
	}
	return within(length(isSkew(now))-length(isSkew(before)), order)
}

// onPath returns a job's milliseconds on the path; NaN if the run does not have the job.
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

// partsOf returns a phase's parts of the path by effect.
func (r *Run) partsOf(job int, k dag.StageIndex) map[Effect][]Part {
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
