package estimators

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// freedWindow is how far back it is looked how fast containers of others came free.
const freedWindow = 2 * time.Minute

// slotsAsNow has other applications keep what they hold, but for what they free: that comes free as fast as it did, on
// balance, in the last two minutes. They take nothing that is free, and nothing of ours.
func slotsAsNow(run dag.Run, s *dag.Snapshot) {
	held, rate := othersMB(s), freedRate(run)
	for i := range s.Load {
		l := &s.Load[i]
		l.Need, l.PendingMB, l.Length, l.Until = nil, 0, 0, dag.NoInstant
		if rate > 0 {
			l.Until = s.At.Add(duration(float64(held) / rate))
		}
	}
}

// freedRate is by how much less memory others hold each millisecond, in the mean of the last minutes; 0 where they hold
// more.
func freedRate(run dag.Run) float64 {
	now := run.Now()
	for _, s := range run.Window {
		if span := now.At - s.At; span > 0 && now.At.Sub(s.At) <= freedWindow {
			return max(0, float64(othersMB(s)-othersMB(now))/float64(span))
		}
	}
	return 0
}
