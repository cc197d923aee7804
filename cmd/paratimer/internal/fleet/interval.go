package fleet

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// The wait between observations depends on how soon something of interest can happen. It is a fraction of the
// remaining time, of the time to a deadline, and of a NoProgress bound.
const (
	ofRemaining  = 40
	ofDeadline   = 20
	ofNoProgress = 5
	ofElapsed    = 10 // if the remaining time is unknown
)

// brewing is the probability of being late from which an alert may fire soon.
const brewing = 0.5

// interval returns the time until the next observation.
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
			d = min(d, 2*every) // a state must last some observations before it counts
		}
	}
	for i := range bounds {
		if bounds[i].Kind == alert.NoProgress {
			d = min(d, bounds[i].For/ofNoProgress)
		}
	}
	return max(d, every)
}
