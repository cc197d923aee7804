package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

const (
	late  = 0 // index in factors: the deadline that is missed
	tenth = 1
)

// write writes the document.
func write(w io.Writer, all, simulated []*watched) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	all, failed := finished(all)
	p("# When alerts would have fired")
	p("")
	p("Written by `make alerts` from recordings of real runs on a real Hadoop, each held to deadlines of %s times its true length", join(factors))
	p("and watched as `attach` does by default: observed each %s, with the defaults of `--risk` and `--hold`. The first", every)
	p("deadline is missed, so an alert before it is a true warning.")
	p("The others are met, so any alert is false. Every alert is of `--within`, by the probability of the sampled ends.")
	p("")
	p("The defaults of `--risk`, `--hold` and the first tenth below were chosen on these same recordings, among some sixty settings. So these numbers")
	p("are the best case. The pairs share recordings, so they are far fewer than 76 independent runs. The simulated runs did not influence the choice.")
	p("")
	p("The naive rule *after* fires when the deadline has passed. *hadoop* and *pig* fire when elapsed time over the")
	p("engine's own percentage lies beyond the deadline for %d ticks in a row, the same hold as ParaTimer's.", hold)
	p("")
	p("## In one table")
	p("")
	p("Warned: the share of runs with a warning before the deadline of 0.9; ahead: how long before it, median, in percent of the true length.")
	p("False: alerts at deadlines that were met.")
	p("")
	p("| runs | rule | warned | ahead | false at 1.1 | false at 1.25 | false in all |")
	p("|---|---|---|---|---|---|---|")
	with, without := split(all)
	sets := []set{
		{"recordings, with another run's profile", with},
		{"recordings, without a profile", without},
		{"simulated, with what a profile tells", simulated},
	}
	for _, set := range sets {
		p("| %s | **ParaTimer** | %s |", set.name, tally(set.runs, paratimer))
		for _, rule := range rules {
			p("| | %s | %s |", rule, tally(set.runs, naive(rule)))
		}
		p("| | after | %s |", tally(set.runs, after))
	}
	p("")
	sentences(p, with, without, simulated)
	if len(failed) > 0 {
		p("")
		p("Left out, as they did not succeed and no deadline is theirs: %s.", strings.Join(failed, ", "))
	}
	p("")
	p("## Each recording")
	p("")
	p("Seconds of the run. *Warned* is when the alert for the deadline of 0.9 fired, and in brackets how long before the deadline; – is a deadline that")
	p("passed without a warning. *False* are alerts at deadlines that were met: at which, and when. With a profile: the run is watched")
	p("with the profile of each other run of its script; shown are the median warning, and all false alerts.")
	p("")
	p("| recording | total s | without profile: warned | false | with a profile: of | warned | false | hadoop: warned | false | pig: warned | false |")
	p("|---|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range without {
		mine := of(with, r.run)
		p("| %s | %.1f | %s | %s | %s | %s | %s | %s | %s | %s | %s |", r.run.name, r.run.total,
			warned(r.alerts[late]), falses([]*watched{r}, paratimer), count(mine), medianWarned(mine),
			falses(mine, paratimer),
			warned(r.naive["hadoop"][late]), falses([]*watched{r}, naive("hadoop")), warned(r.naive["pig"][late]),
			falses([]*watched{r}, naive("pig")))
	}
	drifts(p, sets)
	misses(p, all)
	fmt.Fprint(w, states)
}

// A set is the runs of one kind.
type set struct {
	name string
	runs []*watched
}

// finished removes the runs that did not succeed, and returns their names.
func finished(all []*watched) (kept []*watched, failed []string) {
	for _, w := range all {
		if w.state == "succeeded" {
			kept = append(kept, w)
		} else if w.profile == nil {
			failed = append(failed, w.run.name)
		}
	}
	return kept, failed
}

func split(all []*watched) (with, without []*watched) {
	for _, w := range all {
		if w.profile != nil {
			with = append(with, w)
		} else {
			without = append(without, w)
		}
	}
	return with, without
}

// of returns the results of one run.
func of(all []*watched, r *recording) []*watched {
	return slices.DeleteFunc(slices.Clone(all), func(w *watched) bool { return w.run != r })
}

// A ruling returns the firings of a rule, for each deadline.
type ruling func(*watched) []firing

func paratimer(w *watched) []firing { return w.alerts }

func naive(rule string) ruling { return func(w *watched) []firing { return w.naive[rule] } }

// after returns the firings of a rule that fires once the deadline has passed.
func after(w *watched) []firing {
	out := make([]firing, len(factors))
	for i, f := range factors {
		out[i] = firing{deadline: f * w.run.total, fired: math.NaN(), late: f < 1}
		if f < 1 {
			out[i].fired = out[i].deadline
		}
	}
	return out
}

// A sum is the results of a rule on several runs.
type sum struct {
	runs, warned int
	ahead        []float64 // percent of the true length
	wrong        []int     // parallel to factors
}

func total(runs []*watched, rule ruling) sum {
	s := sum{runs: len(runs), wrong: make([]int, len(factors))}
	for _, w := range runs {
		for i, f := range rule(w) {
			switch {
			case f.wrong():
				s.wrong[i]++
			case f.late && f.warned():
				s.warned++
				s.ahead = append(s.ahead, 100*f.warning()/w.run.total)
			}
		}
	}
	return s
}

func (s sum) falses() int {
	n := 0
	for _, w := range s.wrong {
		n += w
	}
	return n
}

// chances returns the number of possible false alerts.
func (s sum) chances() int { return s.runs * (len(factors) - tenth) }

func tally(runs []*watched, rule ruling) string {
	s := total(runs, rule)
	ahead := "–"
	if len(s.ahead) > 0 {
		ahead = fmt.Sprintf("%.0f %%", median(s.ahead))
	}
	return fmt.Sprintf("%d of %d | %s | %d of %d | %d of %d | %s", s.warned, s.runs, ahead, s.wrong[1], s.runs,
		s.wrong[2], s.runs, percent(s.falses(), s.chances()))
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

func warned(f firing) string {
	if !f.warned() {
		return "–"
	}
	return fmt.Sprintf("%.0f (%.0f)", f.fired, f.warning())
}

func count(runs []*watched) string {
	if len(runs) == 0 {
		return "none recorded"
	}
	return fmt.Sprintf("%d", len(runs))
}

// medianWarned formats the warning of the run with the median one; runs without a warning sort last.
func medianWarned(runs []*watched) string {
	if len(runs) == 0 {
		return ""
	}
	sorted := slices.SortedStableFunc(slices.Values(runs), func(a, b *watched) int {
		return int(math.Copysign(1, a.alerts[late].deadlineOr()-b.alerts[late].deadlineOr()))
	})
	n := 0
	for _, w := range runs {
		if w.alerts[late].warned() {
			n++
		}
	}
	return fmt.Sprintf("%s, %d of %d", warned(sorted[len(sorted)/2].alerts[late]), n, len(runs))
}

// deadlineOr returns the time of the warning, or the deadline if there was no warning.
func (f firing) deadlineOr() float64 {
	if f.warned() {
		return f.fired
	}
	return f.deadline
}

// falses lists the false alerts: "1.1 at 17".
func falses(runs []*watched, rule ruling) string {
	var out []string
	for _, w := range runs {
		for i, f := range rule(w) {
			if !f.wrong() {
				continue
			}
			text := fmt.Sprintf("%g at %.0f", factors[i], f.fired)
			if w.profile != nil && len(runs) > 1 {
				text += " (" + w.profile.name + ")"
			}
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func join(v []float64) string {
	out := make([]string, len(v))
	for i, f := range v {
		out[i] = fmt.Sprintf("%g", f)
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	switch n := len(v); {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return v[n/2]
	default:
		return (v[n/2-1] + v[n/2]) / 2
	}
}
