package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// baselines are the indicators that the goals are set against.
var baselines = []string{"pig", "hadoop", "dne", "gnm"}

func write(w io.Writer, recs []*recording) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("# How right ParaTimer is")
	p("")
	p("Written by `make accuracy` from recordings of real runs on a real Hadoop. Each number is of ParaTimer's headline (the")
	p("`standard` scenario) over all ticks strictly inside the run, as `mean / max` of the absolute error in percentage points:")
	p("100 t/(t + remaining) against 100 t/total. The true total is the history server's. *gives* is the share of ticks with a point; the")
	p("others say \"at least\". *%% of total* is the mean error of the estimated total in percent of the true one: the points are mild early in a run.")
	p("")
	p("## With the profile of one other run of the same script")
	p("")
	p("| recording | total s | profile of | gives | points | bias | %% of total | from the strike on |")
	p("|---|---|---|---|---|---|---|---|")
	var means []float64
	for _, r := range recs {
		if r.with == nil {
			p("| %s | %.1f | none recorded | | | | | |", r.name, r.without.total)
			continue
		}
		p("| %s | %.1f | %s | %s |", r.name, r.with.total, r.other.name, row(r.with))
		means = append(means, mean(r.with.head.points))
	}
	p("")
	p("Median of the means: %s.", number(median(means)))
	p("")
	p("## Without any profile")
	p("")
	p("| recording | total s | gives | points | bias | %% of total | from the strike on |")
	p("|---|---|---|---|---|---|---|")
	for _, r := range recs {
		p("| %s | %.1f | %s |", r.name, r.without.total, row(r.without))
	}
	p("")
	p("## Beside other indicators")
	p("")
	p("Means in percentage points. ParaTimer's are with the profile where there is one.")
	p("")
	p("| recording | ParaTimer | without profile | pig | hadoop | dne | gnm |")
	p("|---|---|---|---|---|---|---|")
	ratios := map[string][]float64{}
	for _, r := range recs {
		best := r.without
		if r.with != nil {
			best = r.with
		}
		fmt.Fprintf(w, "| %s | %s | %s |", r.name, number(mean(best.head.points)), number(mean(r.without.head.points)))
		for _, name := range baselines {
			e := r.without.others[name]
			fmt.Fprintf(w, " %s |", number(mean(e.points)))
			if m := mean(best.head.points); m > 0 {
				ratios[name] = append(ratios[name], mean(e.points)/m)
			}
		}
		p("")
	}
	p("")
	for _, name := range baselines {
		p("- %s is worse by a factor of %s in the median.", name, number(median(ratios[name])))
	}
	strikes(w, recs)
}

func row(r *result) string {
	out := fmt.Sprintf("%.0f %% | %s / %s | %s | %s |", 100*r.head.share(), number(mean(r.head.points)), number(most(r.head.points)),
		signed(r.head.bias/float64(len(r.head.points))), number(mean(r.head.percent)))
	if r.after != nil {
		out += fmt.Sprintf(" %s / %s (%.0f s on)", number(mean(r.after.points)), number(most(r.after.points)), r.strike)
	}
	return out
}

// strikes says of each failed task whether its cost lay within one_failure before it happened.
func strikes(w io.Writer, recs []*recording) {
	fmt.Fprintf(w, "\n## One failed task\n\nBefore it fails, its cost should lie within `one_failure`.\n\n")
	for _, r := range recs {
		for _, m := range []*result{r.without, r.with} {
			if m == nil || !m.failed {
				continue
			}
			with, answer := "without a profile", "it did"
			if m == r.with {
				with = "with the profile of " + r.other.name
			}
			if !m.covered {
				answer = "**it did not**"
			}
			fmt.Fprintf(w, "- %s, %s: %s (the frame before the failure at %.0f s).\n", r.name, with, answer, m.strike)
		}
	}
}

func median(v []float64) float64 {
	v = slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	slices.Sort(v)
	switch n := len(v); {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return v[n/2]
	default:
		return (v[n/2-1] + v[n/2]) / 2
	}
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f", v)
}

func signed(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%+.1f", v)
}
