package main

import (
	"fmt"
	"math"
	"strings"
)

// sentences write a summary of the table.
func sentences(p func(string, ...any), with, without, simulated []*watched) {
	for _, set := range []struct {
		name string
		runs []*watched
	}{{"With another run's profile", with}, {"Without a profile", without}, {"On simulated runs", simulated}} {
		if len(set.runs) == 0 {
			continue
		}
		s := total(set.runs, paratimer)
		text := fmt.Sprintf("- %s ParaTimer warned of %d of %d missed deadlines", set.name, s.warned, s.runs)
		if s.warned > 0 {
			text += fmt.Sprintf(", in the median %.0f %% of the run ahead", median(s.ahead))
		}
		text += fmt.Sprintf(", and gave %d false alerts at %d deadlines that were met (%s; the goal is under 1 %%: %s).", s.falses(), s.chances(),
			percent(s.falses(), s.chances()), reached(float64(s.falses()) < 0.01*float64(s.chances())))
		for _, rule := range rules {
			n := total(set.runs, naive(rule))
			text += fmt.Sprintf(" %s's percentage warned of %d, with %d false alerts.", strings.ToUpper(rule[:1])+
				rule[1:], n.warned, n.falses())
		}
		p("%s", text)
	}
}

func reached(ok bool) string {
	if ok {
		return "reached"
	}
	return "not reached"
}

// reasons explain misses that no rule could avoid, by recording.
var reasons = map[string]string{
	"amrestart-1":  "its master is killed at 46 s; before, nothing can know of it.",
	"cpu-1":        "a lone job whose reduces nobody has seen: \"at least\" is the answer throughout, and a floor is certain only late.",
	"failure-1":    "a map fails at 15 s and costs a round of its own.",
	"long-1":       "every job has its own pace against the other runs; until a job has shown itself it is expected to have changed as the others did.",
	"nodelost-1":   "its node is lost at 54 s; the end is known from then on.",
	"quadratic-1":  "a Streaming job whose counters say nothing for 35 s: \"at least\" throughout.",
	"queues-1":     "another user's script takes its queue's share from 18 s on.",
	"report-1":     "four waves of small jobs; without a profile nothing tells of those to come.",
	"skew-1":       "without a profile nothing is known of the long reduces before they report.",
	"refailure-1":  "the machine was busy with something else from 16 to 40 s, and a reduce fails at 22 s.",
	"two-1":        "another script shares the cluster from 25 s on; what it will need nobody can tell.",
	"wide-1":       "without a profile nothing tells of the jobs to come, and the range stays wide.",
	"v210-sleep-1": "SleepJob reports no records on the way; the two recordings differ in pace and version.",
	"v350-sleep-1": "SleepJob reports no records on the way; the two recordings differ in pace and version.",
}

// misses writes the deadlines that passed without a warning and the false alerts, with reasons.
func misses(p func(string, ...any), all []*watched) {
	p("")
	p("## Misses, and why")
	p("")
	for _, w := range all {
		if w.profile != nil {
			continue
		}
		runs := of(all, w.run)
		var parts []string
		if n, of := silent(runs); n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d times no warning before the deadline of %g", n, of,
				factors[late]))
		}
		if n, worst := wrongs(runs); n > 0 {
			parts = append(parts, fmt.Sprintf("%d false alerts, up to a deadline of %g", n, worst))
		}
		if len(parts) == 0 {
			continue
		}
		why := reasons[w.run.name]
		if why == "" {
			why = "the estimates were off by more than the deadline's distance."
		}
		p("- %s: %s: %s", w.run.name, strings.Join(parts, "; "), why)
	}
}

func silent(runs []*watched) (n, of int) {
	for _, w := range runs {
		if !w.alerts[late].warned() {
			n++
		}
	}
	return n, len(runs)
}

func wrongs(runs []*watched) (n int, worst float64) {
	for _, w := range runs {
		for i, f := range w.alerts {
			if f.wrong() {
				n++
				worst = math.Max(worst, factors[i])
			}
		}
	}
	return n, worst
}
