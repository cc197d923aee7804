package observed

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A pause is one kind of time in which nothing of a query works: what was expected of it and what this run has shown,
// oldest first.
type pause struct {
	expected time.Duration
	seen     []time.Duration
}

// pauses are those that this run may show.
type pauses struct{ launch, wave, finish pause }

// seenPauses collects what this run has shown of the pauses of o.
func seenPauses(s *dag.Snapshot, o *dag.Overheads) pauses {
	p := pauses{pause{expected: o.Launch}, pause{expected: o.Wave}, pause{expected: o.Finish}}
	graph, err := dag.NewGraph(s.Plan)
	if err != nil {
		return p
	}
	before := dag.NoInstant
	for _, jobs := range graph.Levels() {
		forgotten := false
		first, quickest, last := dag.NoInstant, time.Duration(-1), dag.NoInstant
		for _, j := range jobs {
			js := &s.Jobs[j]
			first = earlier(first, js.Submitted)
			forgotten = forgotten || restarted(js)
			if start := firstStart(js); start.Known() && js.Submitted.Known() {
				// The others of a wave may have waited for containers.
				if took := start.Sub(js.Submitted); quickest < 0 || took < quickest {
					quickest = took
				}
			}
			if end := js.LastSuccess(); js.State == dag.Succeeded && end.Known() && js.Finished >= end {
				p.finish.add(js.Finished.Sub(end))
			}
			if js.Finished.Known() {
				last = later(last, js.Finished)
			}
		}
		if quickest >= 0 && !forgotten {
			p.launch.add(quickest)
		}
		if before.Known() && first.Known() && first >= before {
			p.wave.add(first.Sub(before))
		}
		before = last
	}
	return p
}

func (p *pause) add(d time.Duration) { p.seen = append(p.seen, d) }

// recent is the mean of what was seen, newer sightings weighing more, and their weight.
func (p *pause) recent() (mean, weight float64) {
	w, sum := 1.0, 0.0
	for _, d := range slices.Backward(p.seen) {
		sum += w * taskcost.MS(d)
		weight += w
		w *= fade
	}
	return sum / max(weight, 1), weight
}

// fade is what a sighting weighs against the next newer one: the load of a cluster changes while a query runs.
const fade = 0.7

// pausePrior is how many sightings the expectation weighs as much as, when the pace of pauses is found.
const pausePrior = 0.1

// pace is how many times as long as expected this run's pauses take: a geometric mean of launches and gaps between
// waves. Both are mostly starts of JVMs, which all take longer on a busy cluster.
func (p *pauses) pace() (pace, seen float64) {
	sum := 0.0
	for _, q := range [...]*pause{&p.launch, &p.wave} {
		if mean, weight := q.recent(); weight > 0 && mean > 0 && q.expected > 0 {
			sum += weight * math.Log(mean/taskcost.MS(q.expected))
			seen += weight
		}
	}
	return clip(math.Exp(sum / (seen + pausePrior))), seen
}

// blended is what to expect of a pause now: what was expected at this run's pace, which counts as one sighting, and
// what was seen.
func (p *pause) blended(pace float64) time.Duration {
	mean, weight := p.recent()
	return taskcost.Duration((pace*taskcost.MS(p.expected) + mean*weight) / (1 + weight))
}

// apply puts what this run has shown into o. A profile that is learned takes what was expected only where nothing was
// seen.
func (p *pauses) apply(o *dag.Overheads, pace float64, learning bool) {
	for _, f := range []struct {
		to *time.Duration
		by *pause
	}{{&o.Launch, &p.launch}, {&o.Wave, &p.wave}, {&o.Finish, &p.finish}} {
		switch {
		case !learning:
			*f.to = f.by.blended(pace)
		case len(f.by.seen) > 0:
			sum := time.Duration(0)
			for _, d := range f.by.seen {
				sum += d
			}
			*f.to = sum / time.Duration(len(f.by.seen))
		}
	}
}

func earlier(a, b dag.Instant) dag.Instant {
	if !a.Known() || b.Known() && b < a {
		return b
	}
	return a
}

func later(a, b dag.Instant) dag.Instant {
	if !a.Known() || b.Known() && b > a {
		return b
	}
	return a
}

func firstStart(js *dag.JobState) dag.Instant {
	t := dag.NoInstant
	for i := range js.Stages[dag.Map].Attempts {
		if a := &js.Stages[dag.Map].Attempts[i]; a.Start.Known() && a.State != dag.AttemptWaiting {
			t = earlier(t, a.Start)
		}
	}
	return t
}

// restarted says that the job's master is not its first and has forgotten what the first one started: its attempts
// count from 1000 on.
func restarted(js *dag.JobState) bool {
	return len(js.Stages[dag.Map].Attempts) > 0 && js.Stages[dag.Map].Attempts[0].Number >= 1000
}
