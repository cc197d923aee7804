package estimators

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A Drawn is one possible future drawn from a cost model: the snapshot to replay, the costs, and the failures.
type Drawn struct {
	Snapshot *dag.Snapshot
	Left     schedule.Left
	Fault    schedule.Fault // nil: nothing fails
	Runs     bool           // Left knows schedule.Task.Count
	// Later returns the time of work that was not announced, given the time of all known work; nil: there is none.
	Later func(known time.Duration) time.Duration
}

// Sampled is the scenario that gives a distribution: the scheduler is replayed from the snapshot with sampled costs
// and failures, and the ends of the replays are the distribution. The factors that a whole replay has in common
// (speed, start-up, pauses) are drawn first: errors of single tasks alone would average out, and give a range that
// covers nothing. Remaining is the median. If not even the scale of the remaining work is known, the distribution
// is empty. If standard gives a floor or nothing, because a stage was never seen or an attempt is far past its
// time, the distribution is wide.
func Sampled() Scenario {
	return Scenario{"sampled", "many worlds that may be, replayed: half of them end by then", replayed}
}

func replayed(w *ReplayContext) (Estimate, error) {
	if w.ended() {
		return w.EstimateOf(0), nil
	}
	draw := w.sampling()
	if draw == nil {
		return Estimate{Progress: math.NaN()}, nil
	}
	d, err := w.distribution(draw)
	if err != nil {
		return Estimate{}, err
	}
	if ms, err := w.standardMS(); err == nil && !w.Run.Now().Plan.Open {
		d.centre(ms)
	}
	e := w.EstimateOf(taskcost.MS(d.At(0.5)))
	e.Distribution = d
	return e, nil
}

// sampling returns the model's own way to draw, or the general one.
func (w *ReplayContext) sampling() func(Draws) Drawn {
	if prepare := w.Costs.Sampling; prepare != nil {
		return prepare()
	}
	return w.generalSampling()
}

const (
	minSamples   = 32
	usualSamples = 128
	// maxReplayed is the number of events that a tick replays, unless minSamples replays have more. Few replays are
	// enough for many tasks: the draws of single tasks average out, and common factors are stratified.
	maxReplayed = 320_000
)

// samples returns the number of replays in a tick for a number of events in each: wanted, or usualSamples if that
// is 0, and fewer if the query is very long. It is a power of two, because stratified draws need one.
func samples(events, wanted int) int {
	if wanted == 0 {
		wanted = usualSamples
	}
	return max(floorPower(min(wanted, maxReplayed/max(events, 1))), minSamples)
}

// floorPower returns the greatest power of two that is not above n, at least 1.
func floorPower(n int) int {
	p := 1
	for p <= n/2 {
		p *= 2
	}
	return p
}

// distribution replays each sample on all cores. The result does not depend on which core replays a sample.
func (w *ReplayContext) distribution(draw func(Draws) Drawn) (Distribution, error) {
	events, cores := 0, 0
	if c := &w.Now().Plan.Cluster; c.Policy == dag.Executors && c.Elastic.Each == 0 {
		cores = c.Cores
	}
	w.EachStage(func(_ int, _ dag.StageIndex, p *StageLeft) { events += schedule.RunsOf(p.Unfinished(), cores) })
	n := samples(events, w.options.Samples)
	out := make(Distribution, n)
	errs := make([]error, n)
	seed := seedOf(w.Run.Now())
	workers := min(runtime.GOMAXPROCS(0), n)
	var wait sync.WaitGroup
	panics := make([]any, workers)
	for k := range workers {
		wait.Go(func() {
			defer func() { panics[k] = recover() }()
			var lean schedule.EndOnly
			for i := k; i < n; i += workers {
				s := draw(Draws{seed: seed, own: mix(seed ^ mix(uint64(i)+1)), sample: uint64(i), of: uint64(n)})
				sch, err := schedule.Replay(s.Snapshot, s.Left, schedule.Options{
					Fault: s.Fault, Runs: s.Runs, FutureOnly: true, EndOnly: &lean,
				})
				if err != nil {
					errs[i] = err
					continue
				}
				if out[i] = max(sch.Remaining(), 0); s.Later != nil {
					out[i] += max(s.Later(out[i]), 0)
				}
			}
		})
	}
	wait.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p) // here the caller can recover it
		}
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return out, nil
}

// centreMost is the greatest move of a distribution towards standard, as a ratio.
const centreMost = 0.1

// centre moves the median towards the standard estimate, by a tenth at most. Parallel tasks with drawn costs end
// later than tasks with mean costs, but costs from real runs already include this. So the median of the replays is
// no better than one replay with the best costs, and too late (docs/facts/measured.md 6). A larger difference (an
// attempt past its time, a stage never seen) is no such bias and stays.
func (d Distribution) centre(standard float64) {
	median := taskcost.MS(d.At(0.5))
	if !(median > 0) || !(standard > 0) {
		return
	}
	f := min(max(standard/median, 1-centreMost), 1+centreMost)
	for i, v := range d {
		d[i] = scaled(v, f)
	}
}

// seedOf returns the seed of a run, from its id and script but not the instant. So a sample keeps its random
// numbers from tick to tick, and quantiles move only if observations move them.
func seedOf(s *dag.Snapshot) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for _, text := range []string{s.ID, "\x00", s.Plan.Name} {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * 1099511628211
		}
	}
	return mix(h)
}
