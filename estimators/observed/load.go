package observed

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// others says what the other applications will take. Where an application's own master tells what is left of it, that
// is completed (needOf). One that has done nothing yet is taken to be like the jobs of which something is known
// (typicalNeed). Of any other it is guessed when it ends: by how fast the engine's own figure for it has risen while it
// was watched, else since its submission. setup is what a task's start-up takes here, in milliseconds.
func others(run dag.Run, plan *dag.Plan, setup float64) []dag.Load {
	s := run.Now()
	out := slices.Clone(s.Load)
	// Looked for once: of others there may be thousands.
	stranger := sync.OnceValue(func() *dag.Need { return typicalNeed(run, plan) })
	job := sync.OnceValue(func() float64 { return taskcost.MS(typicalJob(s)) })
	for i := range out {
		l := &out[i]
		if l.Need = needOf(run, setup, l); l.Need != nil {
			continue
		}
		switch {
		case l.HeldMB == 0:
			l.Need = stranger()
			continue
		case !(l.Progress >= shownRatio):
			l.Need = begunNeed(*stranger(), l)
			continue
		}
		since, was := l.Submitted, 0.0
		for _, old := range run.Window {
			if p := progressOf(old, l.ID); p > 0 && s.At-old.At >= minWatchMS {
				since, was = old.At, p
				break
			}
		}
		if gain := l.Progress - was; gain > 0.02 && since.Known() && s.At > since {
			left := float64(s.At-since) * (1 - l.Progress) / gain
			// The little it has done says little.
			left = l.Progress*left + (1-l.Progress)*job()
			l.Until = s.At.Add(time.Duration(min(left, taskcost.MostMS)) * time.Millisecond)
		}
	}
	return out
}

// shownRatio is the progress from which an application's own figure says anything: an AM counts its set-up as 5 %.
const shownRatio = 0.1

// typicalJob is the mean length of this run's jobs that have ended, half a minute where none has.
func typicalJob(s *dag.Snapshot) time.Duration {
	sum, n := time.Duration(0), 0
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if start := firstStart(js); js.State == dag.Succeeded && start.Known() && js.Finished.Known() &&
			js.Finished > start {
			sum += js.Finished.Sub(start)
			n++
		}
	}
	if n == 0 {
		return 30 * time.Second
	}
	return sum / time.Duration(n)
}

// minWatchMS is how long another application must have been watched for its own rate to count.
const minWatchMS = 10_000

func progressOf(s *dag.Snapshot, id string) float64 {
	for i := range s.Load {
		if s.Load[i].ID == id {
			return s.Load[i].Progress
		}
	}
	return math.NaN()
}
