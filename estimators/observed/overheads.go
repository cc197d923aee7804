package observed

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// seenOverheads blends in what this run has shown: gaps are steady within a run (facts/live.md 4). The value that o
// came with counts as one sighting; learning counts it only where nothing else was seen.
func seenOverheads(s *dag.Snapshot, o *dag.Overheads, learning bool) {
	graph, err := dag.NewGraph(s.Plan)
	if err != nil {
		return
	}
	levels := graph.Levels()
	var launch, wave, finish mean
	launch.add(o.Launch)
	wave.add(o.Wave)
	finish.add(o.Finish)
	before := dag.NoInstant
	for _, jobs := range levels {
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
			if end := lastEnd(js); js.State == dag.Succeeded && end.Known() && js.Finished >= end {
				finish.add(js.Finished.Sub(end))
			}
			if js.Finished.Known() {
				last = later(last, js.Finished)
			}
		}
		if quickest >= 0 && !forgotten {
			launch.add(quickest)
		}
		if before.Known() && first.Known() && first >= before {
			wave.add(first.Sub(before))
		}
		before = last
	}
	if learning {
		launch.forget()
		wave.forget()
		finish.forget()
	}
	o.Launch, o.Wave, o.Finish = launch.value(), wave.value(), finish.value()
}

type mean struct {
	first, sum time.Duration
	n          int
}

func (m *mean) add(d time.Duration) {
	if m.n == 0 {
		m.first = d
	}
	m.sum += d
	m.n++
}

// forget leaves out the first value where there are others.
func (m *mean) forget() {
	if m.n > 1 {
		m.sum -= m.first
		m.n--
	}
}

func (m *mean) value() time.Duration { return m.sum / time.Duration(m.n) }

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
	for i := range js.Map.Attempts {
		if a := &js.Map.Attempts[i]; a.Start.Known() && a.State != dag.AttemptWaiting {
			t = earlier(t, a.Start)
		}
	}
	return t
}

func lastEnd(js *dag.JobState) dag.Instant {
	t := dag.NoInstant
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		attempts := js.Phase(k).Attempts
		for i := range attempts {
			if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
				t = later(t, a.End)
			}
		}
	}
	return t
}

// restarted says that the job's master is not its first and has forgotten what the first one started: its attempts count
// from 1000 on.
func restarted(js *dag.JobState) bool {
	return len(js.Map.Attempts) > 0 && js.Map.Attempts[0].Number >= 1000
}
