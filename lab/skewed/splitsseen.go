package skewed

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// snapshot returns a watcher's snapshot at t for a job with only maps, from Hadoop's counters.
func (r *mapRun) snapshot(t float64) *dag.Snapshot {
	const master, task = 512, 256 // megabytes
	memory := master + task*containers
	job := dag.JobState{
		ID: "job_1_0001", State: dag.Running, Finished: dag.NoInstant, Attempt: 1,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	held := 0
	for i := range r.splits {
		if r.start[i] < t {
			job.Stages[dag.Map].Attempts = append(job.Stages[dag.Map].Attempts, r.attempt(i, t))
			if r.end[i] > t {
				held++
			}
		}
	}
	job.HeldMB = master + task*held
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

// standardEnds returns the ends that standard predicts at each tick; NaN if it has no estimate. Without bytes it uses
// only records.
func (r *mapRun) standardEnds(ticks []float64, bytes bool) ([]float64, error) {
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
		if !bytes {
			for i := range s.Jobs[0].Stages[dag.Map].Attempts {
				s.Jobs[0].Stages[dag.Map].Attempts[i].Bytes = math.NaN()
			}
		}
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
