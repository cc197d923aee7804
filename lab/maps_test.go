package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// TestMaps: if records differ split by split, standard is about as accurate with counters as with samples of
// the running splits (section 3.6). The rows of docs/evidence/nearestfit.md are what this measures over five seeds.
func TestMaps(t *testing.T) {
	all, seeds := splittings(), 5
	rows := make([]string, len(all))
	err := Each(len(all), func(i int) error {
		s := all[i]
		sums := map[string]*gridScore{}
		for seed := range seeds {
			got, err := s.scores(uint64(seed) + 1) //nolint:gosec // a handful
			if err != nil {
				return err
			}
			for _, m := range mapMethods {
				if sums[m] == nil {
					sums[m] = &gridScore{}
				}
				sums[m].merge(got[m], seeds)
			}
		}
		cells := []any{s.name, costNames[int(s.power)], s.splits}
		for _, m := range mapMethods {
			cells = append(cells, sums[m])
		}
		rows[i] = Row(cells...)
		if s.splits == containers && s.power == 2 && s.spread > 0 &&
			!(sums["standard"].mean <= sums["running splits sampled"].mean+0.03) {
			t.Errorf("standard is worse than samples of the running splits: %s", rows[i])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if !strings.Contains(nearestFitText, "\n"+row+"\n") {
			t.Errorf("nearestfit.tmpl has not this line\n%s", row)
		}
	}
}

// splittings returns the distributions of record lengths over splits.
func splittings() []splitting {
	usual := func(rng *rand.Rand) float64 { return math.Exp(0.5 * rng.NormFloat64()) }
	bySplit := func(rng *rand.Rand, typical, _, _ float64) float64 { return typical * usual(rng) }
	var all []splitting
	for _, n := range []int{containers, 4 * containers} {
		all = append(
			all,
			splitting{"alike in all splits", n, 2, bySplit, 0},
			splitting{"split by split, σ 0.5", n, 2, bySplit, 0.5},
			splitting{"split by split, σ 1", n, 2, bySplit, 1},
			splitting{"split by split, σ 1", n, 1, bySplit, 1},
			splitting{"split by split, σ 1", n, 0, bySplit, 1},
			splitting{
				"growing to 4 times from the first split to the last", n, 2,
				func(rng *rand.Rand, _, split, _ float64) float64 { return math.Pow(4, split-0.5) * usual(rng) }, 0,
			},
			splitting{
				"shrinking to a quarter from the first split to the last", n, 2,
				func(rng *rand.Rand, _, split, _ float64) float64 { return math.Pow(4, 0.5-split) * usual(rng) }, 0,
			},
			splitting{"growing to 4 times within each split", n, 2, func(rng *rand.Rand, _, _, place float64) float64 {
				return math.Pow(4, place-0.5) * usual(rng)
			}, 0},
			splitting{"a few very long (Pareto, exponent 1.2)", n, 2, func(rng *rand.Rand, _, _, _ float64) float64 {
				return 0.2 * math.Pow(1-rng.Float64(), -1/1.2)
			}, 0},
		)
	}
	return all
}

// mapMethods are the columns of the table.
var mapMethods = []string{
	"standard", "bytes", "running splits sampled",
	"all splits sampled", "all records known",
}

// costNames are the costs of a record of length l, by the power.
var costNames = []string{"the same", "l", "l²"}

// mapTick is the interval of predictions for a run of maps.
const mapTick = 5 // seconds

// scores runs a splitting and scores the methods along it.
func (s splitting) scores(seed uint64) (map[string]*gridScore, error) {
	r := runMaps(s.make(seed))
	rng := rand.New(rand.NewPCG(seed, 37))
	n := len(r.splits)
	none, some, all := make([]remaining, n), make([]remaining, n), make([]remaining, n)
	for i := range r.splits {
		some[i], all[i] = r.splits[i].sampled(rng), r.splits[i].exactly()
	}
	var ticks []float64
	for t := float64(mapTick); t < r.over; t += mapTick {
		ticks = append(ticks, t)
	}
	standard, err := r.standardEnds(ticks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	out := map[string]*gridScore{}
	for i, t := range ticks {
		for k, end := range []float64{
			standard[i], r.byPace(t, none, none), r.byPace(t, some, none),
			r.byPace(t, some, some), r.byPace(t, all, all),
		} {
			if out[mapMethods[k]] == nil {
				out[mapMethods[k]] = &gridScore{}
			}
			out[mapMethods[k]].add(math.Abs(t/end - t/r.over))
		}
	}
	return out, nil
}

// A splitting is a map phase with a distribution of record lengths in its splits.
type splitting struct {
	name   string
	splits int
	power  float64 // the time of a record is proportional to this power of its length
	// length draws a record's length for a split and a place in it, both as shares, 0..1. typical is drawn once for
	// the split.
	length func(rng *rand.Rand, typical, split, place float64) float64
	spread float64 // sigma of typical, which is lognormal
}

const (
	splitBytes   = 32e6
	recordBytes  = 16_000.0 // typical length
	taskSeconds  = 60.0     // mean time without set-up
	setupSeconds = 3.0
	containers   = 8
)

// A mapSplit is the records of a map: cumulative bytes and work, including each record.
type mapSplit struct{ bytes, work []float64 }

// make creates the splits. Their work is in seconds.
func (s splitting) make(seed uint64) []mapSplit {
	rng := rand.New(rand.NewPCG(seed, 36))
	all, total := make([]mapSplit, s.splits), 0.0
	for i := range all {
		typical := math.Exp(s.spread * rng.NormFloat64())
		bytes, work := 0.0, 0.0
		for bytes < splitBytes {
			at := (float64(i) + 0.5) / float64(s.splits)
			length := min(recordBytes*s.length(rng, typical, at, bytes/splitBytes), splitBytes-bytes)
			bytes, work = bytes+length, work+math.Pow(length, s.power)
			all[i].bytes, all[i].work = append(all[i].bytes, bytes), append(all[i].work, work)
		}
		total += work
	}
	for i := range all {
		for k := range all[i].work {
			all[i].work[k] *= taskSeconds * float64(s.splits) / total
		}
	}
	return all
}

func last(v []float64) float64 { return v[len(v)-1] }

// after returns the number of finished records after an amount of work.
func (s *mapSplit) after(work float64) int {
	return sort.Search(len(s.work), func(i int) bool { return s.work[i] > work })
}

// sumUpTo returns the bytes or work of the first n records.
func sumUpTo(sums []float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sums[n-1]
}

// A mapRun is the start and end of each map.
type mapRun struct {
	splits     []mapSplit
	start, end []float64
	over       float64
}

// runMaps runs the maps in order, each in the first free container.
func runMaps(splits []mapSplit) *mapRun {
	r := &mapRun{splits: splits}
	free := make([]float64, containers)
	for i := range splits {
		first := 0
		for c := range free {
			if free[c] < free[first] {
				first = c
			}
		}
		r.start = append(r.start, free[first])
		free[first] += setupSeconds + last(splits[i].work)
		r.end = append(r.end, free[first])
		r.over = max(r.over, free[first])
	}
	return r
}

// reported returns the time of the newest report of a map that runs at t, and its records at that time. The counters
// change every reportSeconds.
func (r *mapRun) reported(i int, t float64) (at float64, records int) {
	at = r.start[i] + reportSeconds*math.Floor((t-r.start[i])/reportSeconds)
	return at, r.splits[i].after(at - r.start[i] - setupSeconds)
}

const reportSeconds = 3

// samples is the number of records of a split that are sampled before it runs.
const samples = 100

// A remaining returns the remaining work of a split after a position in its bytes. nil: unknown, so that work is
// proportional to bytes.
type remaining func(from float64) float64

// exactly returns a function that uses each record.
func (s *mapSplit) exactly() remaining {
	return func(from float64) float64 {
		return last(s.work) - sumUpTo(s.work, s.records(from))
	}
}

// records returns the number of records that end within that many bytes.
func (s *mapSplit) records(bytes float64) int {
	n := 0
	for n < len(s.bytes) && s.bytes[n] <= bytes {
		n++
	}
	return n
}

// sampled returns a function that uses samples records, one from each part of the split. The cost of a record's length
// is known.
func (s *mapSplit) sampled(rng *rand.Rand) remaining {
	per := make([]float64, samples)
	width := splitBytes / samples
	for k := range per {
		record := min(s.records((float64(k)+rng.Float64())*width), len(s.bytes)-1)
		length := s.bytes[record] - sumUpTo(s.bytes, record)
		per[k] = (s.work[record] - sumUpTo(s.work, record)) / length
	}
	return func(from float64) float64 {
		sum := 0.0
		for k, rate := range per {
			sum += rate * min(width, max(0, float64(k+1)*width-from))
		}
		return sum
	}
}

// byPace predicts the end of the phase at t. A running map continues at its own rate by bytes, or by its function. A
// pending map takes the mean rate by bytes so far, or its function. The work of functions is corrected by the real time
// of the finished part.
func (r *mapRun) byPace(t float64, running, pending []remaining) float64 {
	var spent, bytes, foreseen float64
	done := make([]float64, len(r.splits)) // bytes
	ages := make([]float64, len(r.splits))
	for i := range r.splits {
		switch {
		case r.end[i] <= t:
			done[i], ages[i] = splitBytes, r.end[i]-r.start[i]-setupSeconds
		case r.start[i] < t:
			at, records := r.reported(i, t)
			done[i], ages[i] = sumUpTo(r.splits[i].bytes, records), max(0, at-r.start[i]-setupSeconds)
		}
		if done[i] == 0 {
			continue
		}
		spent, bytes = spent+ages[i], bytes+done[i]
		if remainingAt := running[i]; remainingAt != nil {
			foreseen += remainingAt(0) - remainingAt(done[i])
		}
	}
	if bytes == 0 {
		return math.NaN()
	}
	correct := 1.0
	if foreseen > 0 {
		correct = spent / foreseen
	}
	free := make([]float64, 0, containers)
	for i := range r.splits {
		if r.start[i] >= t || r.end[i] <= t {
			continue
		}
		left := spent / bytes * (splitBytes - done[i])
		if done[i] > 0 {
			left = ages[i] / done[i] * (splitBytes - done[i])
		}
		if remainingAt := running[i]; remainingAt != nil {
			left = correct * remainingAt(done[i])
		}
		free = append(free, max(t, r.start[i]+setupSeconds+ages[i]+left))
	}
	for len(free) < containers {
		free = append(free, t)
	}
	over := t
	for i := range r.splits {
		if r.start[i] < t {
			continue
		}
		left := spent / bytes * splitBytes
		if remainingAt := pending[i]; remainingAt != nil {
			left = correct * remainingAt(0)
		}
		first := 0
		for c := range free {
			if free[c] < free[first] {
				first = c
			}
		}
		free[first] += setupSeconds + left
	}
	for _, at := range free {
		over = max(over, at)
	}
	return over
}

// snapshot returns a watcher's snapshot at t for a job with only maps, from Hadoop's counters.
func (r *mapRun) snapshot(t float64) *dag.Snapshot {
	const master, task = 512, 256 // megabytes
	memory := master + task*containers
	job := dag.JobState{
		ID: "job_1_0001", State: dag.Running, Finished: dag.NoInstant, Attempt: 1,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	running := 0
	for i := range r.splits {
		if r.start[i] < t {
			job.Stages[dag.Map].Attempts = append(job.Stages[dag.Map].Attempts, r.attempt(i, t))
			if r.end[i] > t {
				running++
			}
		}
	}
	job.HeldMB = master + task*running
	return &dag.Snapshot{
		At: instant(t), ID: "1", State: dag.Running, Jobs: []dag.JobState{job}, Stale: dag.NoInstant,
		Plan: &dag.Plan{
			Name: "maps", Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: memory},
			Jobs: []dag.Job{{
				Node: "maps", MasterMB: master, MapReduce: dag.MapReduceLimits{MapMB: task, ReduceMB: task},
				Stages: dag.MapReduce(dag.Stage{Tasks: len(r.splits), Known: true}, dag.Stage{Known: true}),
			}},
		},
	}
}

func instant(seconds float64) dag.Instant { return dag.Instant(math.Round(seconds * 1000)) }

func (r *mapRun) attempt(i int, t float64) dag.Attempt {
	nan, never := math.NaN(), dag.Mark{At: dag.NoInstant, Done: math.NaN(), Out: math.NaN()}
	a := dag.Attempt{
		Task: int32(i), Slot: -1, Start: instant(r.start[i]), End: dag.NoInstant,
		State: dag.AttemptRunning, //nolint:gosec // an index
		Done:  [dag.Pipelines]float64{nan, nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan,
		Bytes:   nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant, First: never, Last: never,
	}
	s := &r.splits[i]
	for at := r.start[i] + reportSeconds; at <= min(t, r.end[i]); at += reportSeconds {
		if n := s.after(at - r.start[i] - setupSeconds); n > 0 {
			records := float64(n)
			a.Last = dag.Mark{At: instant(at), Done: records, Out: records}
			if !a.First.At.Known() {
				a.First, a.FirstReport = a.Last, a.Last.At
			}
			a.Done[0], a.Out, a.Bytes, a.Ratio = records, records, s.bytes[n-1], s.bytes[n-1]/splitBytes
			if a.Ratio >= leastRead {
				a.Total[0] = records / a.Ratio
			}
		}
	}
	if r.end[i] <= t {
		records := float64(len(s.bytes))
		a.State, a.End = dag.AttemptSucceeded, instant(r.end[i])
		a.Done[0], a.Total[0], a.Out, a.Bytes, a.Ratio = records, records, records, splitBytes, 1
	}
	return a
}

// leastRead is the share of a map's input from which on its total number of records is estimated, as in the Hadoop
// adapter.
const leastRead = 0.02

// standardEnds returns the ends that standard predicts at each tick; NaN if it has no estimate.
func (r *mapRun) standardEnds(ticks []float64) ([]float64, error) {
	var standard estimators.Estimator
	for _, s := range estimators.Scenarios() {
		if s.Name == "standard" {
			standard = estimators.New(s, cost.Costs, estimators.Options{})
		}
	}
	var run dag.Run
	ends := make([]float64, len(ticks))
	for i, t := range ticks {
		s := r.snapshot(t)
		run = run.Append(s)
		e, err := standard.Estimate(run)
		if err != nil {
			return nil, fmt.Errorf("at %v s: %w", t, err)
		}
		ends[i] = math.NaN()
		if e.Remaining != nil && e.AssumedRatio <= 1.0/3 {
			ends[i] = t + e.Remaining.Seconds()
		}
	}
	return ends, nil
}
