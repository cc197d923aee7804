package history

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A Run is a remembered run and what it counts.
type Run struct {
	*state.Run
	// Why says why nothing is learned from it; "" for a run that is.
	Why string
	// Weight is what it counts beside the newest run that is learned from, which counts 1; 0 where nothing is learned.
	Weight float64

	plan *dag.Plan // its profile; nil where it has none
}

// Length is how long the run took.
func (r *Run) Length() time.Duration { return time.Duration(r.TotalSeconds * float64(time.Second)) }

// A Line is the runs of one script, oldest first. Two scripts of one name make two lines.
type Line []Run

// Lines are the runs of a workflow as lines, that of the newest run first. Runs that did not succeed, and those without
// a profile, belong to the first. except is the id of a run that is left out: one does not learn from oneself; "" for
// none.
func Lines(w *state.Workflow, except string) []Line {
	var rest Line
	for i := range w.Runs {
		if r := (Run{Run: &w.Runs[i], Why: w.Runs[i].Excluded}); r.ID != except {
			r.read()
			rest = append(rest, r)
		}
	}
	var lines []Line
	for len(rest) > 0 {
		var line, others Line
		seed := rest.newest()
		for _, r := range rest {
			if r.plan == nil || seed == nil || alike(seed, r.plan) {
				line = append(line, r)
			} else {
				others = append(others, r)
			}
		}
		line.weigh()
		lines, rest = append(lines, line), others
	}
	return lines
}

// read takes in the run's profile. One that cannot be read is as one that is not there.
func (r *Run) read() {
	switch {
	case r.Why != "":
	case math.IsNaN(r.TotalSeconds) || r.TotalSeconds <= 0:
		r.Why = "its length is not known"
	case len(r.Profile) > 0:
		p, err := planfile.Read(bytes.NewReader(r.Profile), planfile.Options{Name: "profile.json", Profile: true})
		if err != nil {
			r.Why = fmt.Sprintf("its profile cannot be read: %v", err)
			return
		}
		r.plan = p
	}
}

// newest is the newest profile, nil where there is none.
func (l Line) newest() *dag.Plan {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].plan != nil {
			return l[i].plan
		}
	}
	return nil
}

// alike says that two profiles are of one script: an edited one still is, as long as most of its jobs are the same.
func alike(a, b *dag.Plan) bool {
	_, script := profiles.Fits(a, b)
	return script
}

// weigh finds the outliers, and gives the runs that are left their weights.
func (l Line) weigh() {
	var at []int
	var lengths []time.Duration
	for i := range l {
		if l[i].Why == "" {
			at, lengths = append(at, i), append(lengths, l[i].Length())
		}
	}
	var left []int
	for k, why := range outliers(lengths) {
		if l[at[k]].Why = why; why == "" {
			left = append(left, at[k])
		}
	}
	for k, w := range profiles.Weights(len(left)) {
		l[left[k]].Weight = w
	}
}

// Usual is the usual length: the weighted median of the runs that are learned from, and how many these are; 0, 0 where
// there are none.
func (l Line) Usual() (length time.Duration, runs int) {
	var lengths, weights []float64
	for i := range l {
		if l[i].Weight > 0 {
			lengths, weights = append(lengths, l[i].TotalSeconds), append(weights, l[i].Weight)
		}
	}
	if len(lengths) == 0 {
		return 0, 0
	}
	return time.Duration(weightedMedian(lengths, weights) * float64(time.Second)).Round(time.Millisecond), len(lengths)
}

// Usual is the usual length of a workflow by the newest of its lines, and of how many runs that is the median.
func Usual(store *state.Store, name string) (length time.Duration, runs int, err error) {
	w, err := store.Read(Key(name))
	if err != nil {
		return 0, 0, err
	}
	lines := Lines(w, "")
	if len(lines) == 0 {
		return 0, 0, nil
	}
	length, runs = lines[0].Usual()
	return length, runs, nil
}

// Profile is one profile of the runs that are learned from, and how many these are; nil, 0 where none has one. The
// residuals of outliers are in it as well: a range that forgets bad nights does not hold what it promises.
func (l Line) Profile() (profile *dag.Plan, runs int) {
	var plans []*dag.Plan
	var weights []float64
	var residuals []dag.Residual
	for i := range l {
		if l[i].plan == nil {
			continue
		}
		residuals = append(residuals, l[i].plan.Residuals...)
		if l[i].Weight > 0 {
			plans, weights = append(plans, l[i].plan), append(weights, l[i].Weight)
		}
	}
	if len(plans) == 0 {
		return nil, 0
	}
	merged, ok := profiles.Merge(plans, weights)
	if !ok { // the newest was an outlier, and what it had in common with the others is gone
		merged, _ = profiles.Merge(plans[len(plans)-1:], nil)
		plans = plans[len(plans)-1:]
	}
	merged.Residuals = residuals
	return merged, len(plans)
}

// Last is the newest run that is learned from; nil where there is none.
func (l Line) Last() *Run {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].Weight > 0 {
			return &l[i]
		}
	}
	return nil
}

// Best is the line whose profile knows most jobs of a plan; of several the one with the newest run. nil where none has
// one.
func Best(lines []Line, plan *dag.Plan) Line {
	var best Line
	most := -1
	for _, l := range lines {
		if p := l.newest(); p != nil {
			if n, _ := profiles.Fits(plan, p); n > most {
				best, most = l, n
			}
		}
	}
	return best
}
