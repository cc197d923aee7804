package ernestview

import (
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// spare is how many machines to start beyond those of the best choice, as JSON. Times and costs are with the measuring.
type spare struct {
	Machines         *int        `json:"machines"` // 0: it does not pay; null: too early to say
	Seconds          units.Float `json:"seconds"`  // if each stage waits for its slowest machine
	SecondsShared    units.Float `json:"seconds_shared"`
	Cost             units.Float `json:"cost"`
	SlowestRatio     units.Float `json:"slowest_ratio"`      // how long the slowest machine takes, by the mean machine
	SlowestKeptRatio units.Float `json:"slowest_kept_ratio"` // likewise, of those that are kept
	Why              *string     `json:"why"`                // why it is too early
}

func (v *Choice) spare() *spare {
	s := v.Spare
	switch {
	case s == nil:
		return nil
	case s.Early != "":
		return &spare{nil, nan, nan, nan, nan, nan, &s.Early}
	}
	out := &spare{
		&s.Machines, units.Float(s.Seconds), units.Float(s.SecondsShared), nan, units.Float(s.Slowest),
		units.Float(s.Kept), nil,
	}
	if v.priced(v.Choices[0].Offer) {
		out.Cost = units.Float(s.Cost)
	}
	return out
}

// spareText writes it for people.
func (v *Choice) spareText(b *strings.Builder) {
	s, best := v.Spare, v.Best()
	switch {
	case s == nil || best == nil:
		return
	case s.Early != "":
		fmt.Fprintf(b, "over-allocation: %s\n", s.Early)
		return
	case s.Machines == 0:
		fmt.Fprintf(b, "over-allocation: does not pay; the slowest of %d machines takes %.2f times as long as the mean one\n", best.Machines, s.Slowest)
		return
	}
	costs := ""
	if v.priced(best.Offer) {
		costs = ", costs " + money(s.Cost)
	}
	fmt.Fprintf(b, "over-allocation: start %d, measure each for %s and drop the slowest %d: %s%s if stages wait for the slowest machine left, which takes %.2f times as long as the mean one, not %.2f; %s if work goes to whichever machine is free\n",
		best.Machines+s.Machines, units.Exact(ernest.Measuring*time.Second), s.Machines, units.Seconds(s.Seconds),
		costs, s.Kept, s.Slowest, units.Seconds(s.SecondsShared))
}
