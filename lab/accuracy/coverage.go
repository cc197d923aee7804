package main

import (
	"fmt"
	"io"
	"math"
)

// levels are the ranges from the quantiles in frames, and the orders of their ends.
var levels = [...]struct {
	name      string
	low, high float64
}{{"50 %", 0.25, 0.75}, {"80 %", 0.1, 0.9}, {"90 %", 0.05, 0.95}}

// ranges counts how often each range contained the true remaining time, over the ticks with a range. after and later
// count the ticks from the disruption on.
type ranges struct {
	ticks, after int
	held, later  [len(levels)]int
	width        [len(levels)]float64 // in lengths of the run
	// interval score of the 80 % range, seconds (Gneiting and Raftery 2007, equation 43)
	interval float64
}

func (r *ranges) add(t, total float64, f frame, struck bool) {
	if len(f.Quantiles) == 0 {
		return
	}
	r.ticks++
	if struck {
		r.after++
	}
	for i, l := range levels {
		low, high := f.quantile(l.low), f.quantile(l.high)
		r.width[i] += (high - low) / total
		if low <= total-t && total-t <= high {
			r.held[i]++
			if struck {
				r.later[i]++
			}
		}
		if l.name == "80 %" {
			r.interval += high - low + 10*(max(0, low-(total-t))+max(0, total-t-high))
		}
	}
}

func (f *frame) quantile(q float64) float64 {
	for _, x := range f.Quantiles {
		if x.Q == q {
			return x.Remaining
		}
	}
	return math.NaN()
}

// coverage writes how often the ranges on the recordings contained the truth. Each script ran only once or twice, so
// no history corrects the ranges.
func coverage(w io.Writer, recs []*recording) {
	fmt.Fprint(w, `
## Ranges

How often the range held the true remaining time, over the ticks that have one, and its mean width in lengths of the run. All are rough:
no script ran nine times, so nothing corrects the sampler (on simulated runs with a history: calibration.md). Ticks of one run err
together: a run is one observation. *from the disruption on* is the 80 % range. The interval score is the 80 % range's, less is better.

| recording | profile of | ticks | 50 % held | 80 % held | 90 % held | width of 80 % | interval score s | from the disruption on |
|---|---|---|---|---|---|---|---|---|
`)
	var with, without, quiet ranges
	for _, r := range recs {
		if len(r.with) > 0 {
			m := r.middle()
			fmt.Fprintf(w, "| %s | %s | %s |\n", r.name, m.other.name, &m.ranges)
			for _, p := range r.with {
				with.sum(&p.ranges)
				if p.after == nil {
					quiet.sum(&p.ranges)
				}
			}
		}
		fmt.Fprintf(w, "| %s | none | %s |\n", r.name, &r.without.ranges)
		without.sum(&r.without.ranges)
	}
	fmt.Fprintf(w, "| all | of each other run | %s |\n| all without a disruption | of each other run | %s |\n| all | none | %s |\n", &with, &quiet, &without)
}

func (r *ranges) sum(o *ranges) {
	r.ticks, r.after, r.interval = r.ticks+o.ticks, r.after+o.after, r.interval+o.interval
	for i := range levels {
		r.held[i], r.later[i], r.width[i] = r.held[i]+o.held[i], r.later[i]+o.later[i], r.width[i]+o.width[i]
	}
}

func (r *ranges) String() string {
	share := func(n, of int) string {
		if of == 0 {
			return ""
		}
		return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
	}
	n := float64(max(r.ticks, 1))
	return fmt.Sprintf("%d | %s | %s | %s | %.0f %% | %.1f | %s", r.ticks, share(r.held[0], r.ticks),
		share(r.held[1], r.ticks), share(r.held[2], r.ticks),
		100*r.width[1]/n, r.interval/n, share(r.later[1], r.after))
}
