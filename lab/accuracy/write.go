package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// baselines are the indicators that the goals compare with.
var baselines = []string{"pig", "hadoop", "dne", "gnm"}

func write(w io.Writer, recs []*recording) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("# How right ParaTimer is")
	p("")
	p("Written by `make accuracy` from recordings of real runs on a real Hadoop. Each number is about ParaTimer's headline (the")
	p("`standard` scenario) over all ticks strictly inside the run, as `mean / max` of the absolute error in percentage points:")
	p("100 t/(t + remaining) against 100 t/total. The true total is the history server's. *gives* is the share of ticks with a point; the")
	p("others show only a range or \"at least\". *%% of total* is the mean error of the estimated total in percent of the true one. Early in a run, points look better than that.")
	p("")
	p("## With the profile of one other run of the same script")
	p("")
	p("Each recording is tried with the profile of each other one. The table shows the pair of median mean, and the worst mean. The runs")
	p("differ in pace (two-1, nodes-1 and long-1: each job in its own way), size, nodes and other load.")
	p("")
	p("A *disruption* is a failure, a killed master, a lost node or another script. Errors from the disruption on are counted from the first")
	p("tick that shows it.")
	p("")
	p("| recording | total s | profile of | gives | points | bias | %% of total | from the disruption on | worst profile |")
	p("|---|---|---|---|---|---|---|---|---|")
	var means []float64
	var same, own pairs
	for _, r := range recs {
		if len(r.with) == 0 {
			p("| %s | %.1f | none recorded | | | | | | |", r.name, r.without.total)
			continue
		}
		m, worst := r.middle(), r.with[len(r.with)-1]
		p("| %s | %.1f | %s | %s | %s / %s (%s) |", r.name, m.total, m.other.name, row(m.result),
			number(mean(worst.head.points)), number(most(worst.head.points)), worst.other.name)
		means = append(means, mean(m.head.points))
		for _, w := range r.with {
			if alike(r.plan, w.other.plan) {
				same.add(w.result)
			} else {
				own.add(w.result)
			}
		}
	}
	p("")
	p("Median of the means shown: %s. Of all pairs, from the disruption on where there is one:", number(median(means)))
	p("")
	p("| pairs of runs | pairs | median of means | worst mean | worst max |")
	p("|---|---|---|---|---|")
	p("| whose jobs all changed alike (one factor, give or take a quarter) | %s |", &same)
	p("| in which each job changed its own way | %s |", &own)
	p("")
	p("## Without any profile")
	p("")
	p("| recording | total s | gives | points | bias | %% of total | from the disruption on |")
	p("|---|---|---|---|---|---|---|")
	for _, r := range recs {
		p("| %s | %.1f | %s |", r.name, r.without.total, row(r.without))
	}
	p("")
	p("## Beside other indicators")
	p("")
	p("Means in percentage points. ParaTimer uses the profile shown above if there is one.")
	p("")
	p("| recording | ParaTimer | without profile | pig | hadoop | dne | gnm |")
	p("|---|---|---|---|---|---|---|")
	ratios := map[string][]float64{}
	for _, r := range recs {
		best := r.without
		if len(r.with) > 0 {
			best = r.middle().result
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
	coverage(w, recs)
	steadiness(w, recs)
	disruptions(w, recs)
	explain(w, recs)
}

// pairs collects the errors of pairs of runs.
type pairs struct{ means, maxima []float64 }

func (p *pairs) add(r *result) {
	e := &r.head
	if r.after != nil {
		e = r.after
	}
	p.means = append(p.means, mean(e.points))
	p.maxima = append(p.maxima, most(e.points))
}

func (p *pairs) String() string {
	return fmt.Sprintf("%d | %s | %s | %s", len(p.means), number(median(p.means)), number(most(p.means)),
		number(most(p.maxima)))
}

func row(r *result) string {
	out := fmt.Sprintf("%.0f %% | %s / %s | %s | %s |", 100*r.head.share(), number(mean(r.head.points)),
		number(most(r.head.points)),
		signed(r.head.bias/float64(len(r.head.points))), number(mean(r.head.percent)))
	if r.after != nil {
		out += fmt.Sprintf(" %s / %s (%.0f s on)", number(mean(r.after.points)), number(most(r.after.points)),
			r.disruption)
	}
	return out
}

// disruptions writes for each failed task whether its cost was within one_failure before it failed.
func disruptions(w io.Writer, recs []*recording) {
	fmt.Fprintf(w, "\n## One failed task\n\nBefore it fails, its cost should lie within `one_failure`.\n\n")
	fmt.Fprintf(w, "| recording | profile of | failed at s | true total s | total under one_failure before, median |\n|---|---|---|---|---|\n")
	for _, r := range recs {
		if r.without.failed && r.without.state == "succeeded" {
			fmt.Fprintf(w, "| %s | none | %.0f | %.1f | %.1f |\n", r.name, r.without.disruption, r.without.total,
				r.without.worst)
		}
		if len(r.with) > 0 && r.middle().failed && r.middle().state == "succeeded" {
			m := r.middle()
			fmt.Fprintf(w, "| %s | %s | %.0f | %.1f | %.1f |\n", r.name, m.other.name, m.disruption, m.total, m.worst)
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
