package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/units"

	"gonum.org/v1/gonum/stat"
)

// Limits of what is stored of a workflow.
const (
	maxRuns      = 50      // runs that succeeded; 39 are needed for a 95% range
	maxFailed    = 10      // other runs: a script that fails every minute must not push out good runs
	fullSizes    = 5       // the newest runs keep each task's size; only the newest one's sizes are used
	maxTasks     = 5_000   // a stage of more tasks is stored as means
	maxProfile   = 1 << 20 // bytes of a profile
	maxWorkflows = 2_000   // names that contain a date or a query never come again
)

// encode returns a profile as it is stored: if it is too large, with means in place of its tasks. word describes what
// had to be left out.
func encode(p *dag.Plan) (kept json.RawMessage, word string, err error) {
	for _, most := range []int{maxTasks, 0} {
		small, short := profiles.Summary(p, most)
		if short {
			word = fmt.Sprintf("of phases of more than %d tasks only means are remembered", most)
		}
		if kept, err = marshal(small); err != nil || len(kept) <= maxProfile {
			return kept, word, err
		}
	}
	return nil, "its profile is too large to be remembered", nil
}

func marshal(p *dag.Plan) (json.RawMessage, error) {
	var b, small bytes.Buffer
	if err := planfile.WriteJSON(&b, p); err != nil {
		return nil, err
	}
	if err := json.Compact(&small, b.Bytes()); err != nil {
		return nil, err
	}
	return small.Bytes(), nil
}

// bound drops the oldest runs if there are too many, and the tasks' sizes of all but the newest runs.
func bound(w *state.Workflow) {
	good, bad, profiles := 0, 0, 0
	kept := make([]state.Run, 0, len(w.Runs))
	for i := len(w.Runs) - 1; i >= 0; i-- {
		r := w.Runs[i]
		n, most := &good, maxRuns
		if r.Excluded != "" {
			n, most = &bad, maxFailed
		}
		if *n++; *n > most {
			continue
		}
		if len(r.Profile) > 0 {
			if profiles++; profiles > fullSizes && !r.Means {
				r.Profile, r.Means = means(r.Profile), true
			}
		}
		kept = append(kept, r)
	}
	slices.Reverse(kept)
	w.Runs = kept
}

// means returns a stored profile without the sizes of each task. A profile that cannot be read is returned
// unchanged.
func means(kept json.RawMessage) json.RawMessage {
	p, err := planfile.Read(bytes.NewReader(kept), planfile.Options{Name: "profile.json", Profile: true})
	if err != nil {
		return kept
	}
	p, short := profiles.Summary(p, 0)
	b, err := marshal(p)
	if err != nil || !short {
		return kept
	}
	return b
}

// Outliers are found only in at least minRuns runs. A run is an outlier if the logarithm of its length is more than
// farOut standard deviations from the median. The deviation is the median absolute one times madSigma, which makes
// it the standard deviation of normal values (Leys et al., "Detecting outliers", 2013). It is at least leastSigma:
// if runs are equal to the second, one that is a third longer still counts. Runs are weighted by age, so that a
// lasting change becomes the usual length within profiles.Weights' half-life.
const (
	minRuns    = 5
	farOut     = 3
	madSigma   = 1.4826
	leastSigma = 0.1
)

// outliers returns for each length, oldest first, why it is an outlier; "" if it is none.
func outliers(lengths []time.Duration) []string {
	out := make([]string, len(lengths))
	if len(lengths) < minRuns {
		return out
	}
	logs := units.Each(lengths, func(l time.Duration) float64 { return math.Log(l.Seconds()) })
	weights := profiles.Weights(len(logs))
	median := weightedMedian(logs, weights)
	off := units.Each(logs, func(l float64) float64 { return math.Abs(l - median) })
	limit := farOut * max(madSigma*weightedMedian(off, weights), leastSigma)
	for i := range out {
		switch {
		case off[i] <= limit:
		case logs[i] > median:
			out[i] = fmt.Sprintf("outlier: %.2g times as long as usual", math.Exp(off[i]))
		default:
			out[i] = fmt.Sprintf("outlier: %.2g of the usual length", math.Exp(-off[i]))
		}
	}
	return out
}

// weightedMedian returns the least value with half of the weight at or below it. Weights must be above 0. Without
// values it is NaN.
func weightedMedian(values, weights []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	values, weights = slices.Clone(values), slices.Clone(weights)
	stat.SortWeighted(values, weights)
	return stat.Quantile(0.5, stat.Empirical, values, weights)
}
