// Package history learns from earlier runs of a workflow: which of them count, their profile, their usual length.
// It does no file I/O itself; adapters/state does.
package history

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/units"
)

// Key returns the name that the runs of a workflow share: a script's file name. Pig uses a script's file name first
// and its path later, and deployments change the folder. Runs of different users count as the same work. Two
// scripts with the same name are distinguished by their jobs.
func Key(name string) string {
	base := path.Base(naming.PigScript(name))
	if base == "." || base == "/" {
		return name
	}
	return base
}

// A Run is a stored run with its weight.
type Run struct {
	*state.Run
	// Why is the reason why the run is not learned from; "" if it is.
	Why string
	// Weight is relative to the newest run that is learned from, which has 1; 0 if the run is not learned from.
	Weight float64

	plan *dag.Plan // its profile; nil if it has none
}

// Length returns how long the run took.
func (r *Run) Length() time.Duration { return time.Duration(r.TotalSeconds * float64(time.Second)) }

// A Line is the runs of one script, oldest first. Two scripts with the same name make two lines.
type Line []Run

// Lines splits the runs of a workflow into lines, the one with the newest run first. An edited script still counts as
// the same if most of its jobs are. Runs that did not succeed, and those without a profile, belong to the first line.
// except is the id of a run to leave out, since a run must not learn from itself; "" for none.
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
			if r.plan != nil && seed != nil {
				if _, alike := profiles.Fits(seed, r.plan); !alike {
					others = append(others, r)
					continue
				}
			}
			line = append(line, r)
		}
		line.weigh()
		lines, rest = append(lines, line), others
	}
	return lines
}

// read parses the run's profile. A profile that cannot be read is ignored.
func (r *Run) read() {
	switch {
	case r.Why != "":
	case math.IsNaN(r.TotalSeconds) || r.TotalSeconds <= 0:
		r.Why = "its length is unknown"
	case len(r.Profile) > 0:
		p, err := planfile.Read(bytes.NewReader(r.Profile), planfile.Options{Name: "profile.json", Profile: true})
		if err != nil {
			r.Why = fmt.Sprintf("its profile cannot be read: %v", err)
			return
		}
		r.plan = p
	}
}

// newest returns the newest profile; nil if there is none.
func (l Line) newest() *dag.Plan {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].plan != nil {
			return l[i].plan
		}
	}
	return nil
}

// weigh marks outliers, and sets the weights of the other runs.
func (l Line) weigh() {
	var counted []*Run
	for i := range l {
		if l[i].Why == "" {
			counted = append(counted, &l[i])
		}
	}
	for k, why := range outliers(units.Each(counted, (*Run).Length)) {
		counted[k].Why = why
	}
	counted = slices.DeleteFunc(counted, func(r *Run) bool { return r.Why != "" })
	for k, w := range profiles.Weights(len(counted)) {
		counted[k].Weight = w
	}
}

// Usual returns the usual length, which is the weighted median of the runs that are learned from, and the number of
// these; 0, 0 if there are none.
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

// Profile returns the merged profile of the runs that are learned from, and their number; nil, 0 if none has one.
// It includes the residuals of outliers: without them the ranges would be too narrow.
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
	if !ok { // the newest is an outlier that had the only jobs in common with the others
		merged, _ = profiles.Merge(plans[len(plans)-1:], nil)
		plans = plans[len(plans)-1:]
	}
	merged.Residuals = residuals
	return merged, len(plans)
}

// Best returns the line with the profile that matches the most jobs of a plan; among equals the one with the newest
// run. It is nil if no line has a profile.
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
