package fleet

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// How often a workflow is looked at follows from how soon something can happen that people wait for: a share of the
// time that remains, of the time to a deadline, and of the time for which nothing may move.
const (
	ofRemaining  = 40
	ofDeadline   = 20
	ofNoProgress = 5
	ofElapsed    = 10 // where nobody can say yet what remains
)

// brewing is the probability of being late from which on somebody may be warned soon.
const brewing = 0.5

// interval is the time until the next observation.
func interval(f frame.Frame, bounds []alert.Bound, every, most time.Duration) time.Duration {
	d := most
	low := f.Headline.LowSeconds
	if low == nil {
		low = f.Headline.RemainingSeconds
	}
	switch {
	case low != nil:
		d = min(d, low.Duration()/ofRemaining)
	case f.ElapsedSeconds != nil:
		d = min(d, f.ElapsedSeconds.Duration()/ofElapsed)
	}
	for i := range f.Alerts {
		a := &f.Alerts[i]
		if a.DeadlineAt != nil && f.At != nil && a.State != frame.Late {
			d = min(d, a.DeadlineAt.Sub(f.At.Instant).Abs()/ofDeadline)
		}
		if a.State == frame.OnTrack && a.Probability != nil && *a.Probability >= brewing {
			d = min(d, 2*every) // alerts are held for some observations: let them come soon
		}
	}
	for i := range bounds {
		if bounds[i].Kind == alert.NoProgress {
			d = min(d, bounds[i].For/ofNoProgress)
		}
	}
	return max(d, every)
}
