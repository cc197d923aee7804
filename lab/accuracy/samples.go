package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// ratios are the sizes of the profiled run against the one that is estimated.
var ratios = []float64{0.01, 0.05, 0.2, 0.5, 1, 2, 10}

// assumedMost is the share of the estimate that may rest on assumptions for it to be shown as a point; the headline has
// the same rule.
const assumedMost = 1.0 / 3

// A sampledQuery is a plan of examples/, with so many times as many records, each at so many times its cost.
type sampledQuery struct {
	file        string
	times, cost float64
}

var sampledQueries = []sampledQuery{
	{"paper-4.2GB.yaml", 1, 1},
	{"pig-join.yaml", 1000, 0.01},
	{"skew.yaml", 1000, 0.01},
}

// samples says how far a profile of a sample, or of a larger run, carries: the ParaTimer paper's debug run.
func samples(w io.Writer, seeds int) error {
	fmt.Fprintf(w, `
## With the profile of a sample, or of a larger run

Simulated runs of plans in examples/ (of those marked × 1000 with a thousand times as many records, each at a hundredth of its cost), on slots and on YARN, noise
of 2 %% on every task, %d seeds: mean / max in percentage points with the profile of a run whose tasks read so many times as many records. The number of tasks is the
same. A run on a sample is mostly start-ups, from which the cost of a record must be told. The ParaTimer paper (section 4.2) has at most 4.6 points on slots for 1/100.
On a real Hadoop, the join with the profiles of runs on 1 and 10 %% of its data: e2e.md.

| query | none | 1/100 | 1/20 | 1/5 | 1/2 | 1 | 2 | 10 |
|---|---|---|---|---|---|---|---|---|
`, seeds)
	for _, q := range sampledQueries {
		for _, policy := range []dag.Policy{dag.FIFO, dag.YARN} {
			plan, err := q.plan("examples", policy)
			if err != nil {
				return err
			}
			none, err := sampledErrors(plan, 0, seeds)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %s, %s | %s (%.0f %%) |", q.name(), policy, none, 100*none.share())
			for _, ratio := range ratios {
				e, err := sampledErrors(plan, ratio, seeds)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, " %s |", e)
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}

func (e *errorsOf) String() string { return number(mean(e.points)) + " / " + number(most(e.points)) }

// plan reads the query's plan for a cluster of the policy.
func (q *sampledQuery) plan(folder string, policy dag.Policy) (*dag.Plan, error) {
	plan, err := planfile.ReadFile(folder+"/"+q.file, planfile.Options{})
	if err != nil {
		return nil, err
	}
	like, err := planfile.ReadFile(folder+"/pig-join.yaml", planfile.Options{})
	if err != nil {
		return nil, err
	}
	if policy == dag.FIFO && plan.Cluster.Policy != dag.FIFO {
		plan.Cluster, plan.Overheads = dag.Cluster{
			Policy: dag.FIFO, MapSlots: 8, ReduceSlots: 8,
			Setup: 2 * time.Second,
		}, dag.Overheads{}
	}
	if policy == dag.YARN && plan.Cluster.Policy != dag.YARN {
		plan.Cluster, plan.Overheads = dag.Cluster{Policy: dag.YARN, MemoryMB: 4608}, like.Overheads
	}
	for j := range plan.Jobs {
		job := &plan.Jobs[j]
		job.MapReduce = dag.MapReduceLimits{}
		if policy == dag.YARN {
			job.MapReduce = like.Jobs[0].MapReduce
			oneRate(&job.Stages[dag.Reduce])
		}
		grow(job, q.times)
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for l := range job.Stages[k].Pipelines {
				p := &job.Stages[k].Pipelines[l]
				p.Alpha = times(p.Alpha, q.cost)
			}
		}
	}
	return plan, dag.Validate(plan)
}

// oneRate puts all work of a reduce into its last pipeline: on YARN its copy runs beside the maps.
func oneRate(p *dag.Stage) {
	sum := 0.0
	for l := range p.Pipelines {
		sum += p.Pipelines[l].Alpha.At(0)
		p.Pipelines[l].Alpha = dag.Uniform(0)
	}
	if n := len(p.Pipelines); n > 0 {
		p.Pipelines[n-1].Alpha = dag.Uniform(sum)
	}
}

// grow makes a job's tasks read and write so many times as many records, at least one each.
func grow(job *dag.Job, by float64) {
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		ph := &job.Stages[k]
		ph.Pipelines = slices.Clone(ph.Pipelines)
		for l := range ph.Pipelines {
			ph.Pipelines[l].Tuples = whole(times(ph.Pipelines[l].Tuples, by))
		}
		ph.Out, ph.Bytes = whole(times(ph.Out, by)), times(ph.Bytes, by)
	}
}

func whole(s dag.Series) dag.Series {
	return mapped(s, func(v float64) float64 { return math.Max(math.Round(v), 1) })
}

func times(s dag.Series, by float64) dag.Series {
	return mapped(s, func(v float64) float64 { return v * by })
}

func mapped(s dag.Series, f func(float64) float64) dag.Series {
	if each := s.Values(); len(each) > 0 {
		out := make([]float64, len(each))
		for i, v := range each {
			out[i] = f(v)
		}
		return dag.Each(out)
	}
	if !s.Known() {
		return s
	}
	return dag.Uniform(f(s.At(0)))
}

// sampledErrors are standard's errors over runs of the plan, each with the profile of another run whose tasks read
// ratio times as much; of none where it is 0.
func sampledErrors(plan *dag.Plan, ratio float64, seeds int) (*errorsOf, error) {
	e := &errorsOf{}
	for seed := range uint64(seeds) {
		profiles, err := sampleProfile(plan, ratio, seed)
		if err != nil {
			return nil, err
		}
		if err := e.play(plan, seed+1, profiles); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// sampleProfile is the profile of a run whose tasks read ratio times as much; none where it is 0.
func sampleProfile(plan *dag.Plan, ratio float64, seed uint64) ([]*dag.Plan, error) {
	if ratio == 0 {
		return nil, nil
	}
	small := *plan
	small.Jobs = dag.CloneJobs(plan.Jobs)
	for j := range small.Jobs {
		grow(&small.Jobs[j], ratio)
	}
	run, err := simulated(&small, simulate.Options{Seed: seed + 101, Every: time.Second}, nil)
	if err != nil {
		return nil, err
	}
	return []*dag.Plan{cost.Learn(run)}, nil
}

// simulated is a run of which nothing is known but what it shows. Each tick is seen.
func simulated(plan *dag.Plan, opt simulate.Options, see func(dag.Run) error) (dag.Run, error) {
	opt.Know, opt.Noise = simulate.Nothing, 0.02
	source, err := simulate.New(plan, opt)
	if err != nil {
		return dag.Run{}, err
	}
	var run dag.Run
	for {
		snap, err := source.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return run, nil
		}
		if err != nil {
			return run, err
		}
		if run = run.Append(snap); see != nil {
			if err := see(run); err != nil {
				return run, err
			}
		}
	}
}

// A progress is what was said of a run at an instant.
type progress struct {
	at   float64  // seconds
	left *float64 // seconds, nil where there is no estimate
	wide bool     // too much is assumed: a range is shown and no point
	done float64  // share of the query's tasks that have ended
}

// play adds the errors of one run.
func (e *errorsOf) play(plan *dag.Plan, seed uint64, profiles []*dag.Plan) error {
	ticks, total, err := estimated(plan, seed, profiles)
	if err == nil {
		e.addRun(ticks, total)
	}
	return err
}

// addRun adds the errors of the points of a run that took total seconds.
func (e *errorsOf) addRun(ticks []progress, total float64) {
	for _, x := range ticks {
		if x.wide {
			x.left = nil
		}
		if x.at > 0 && x.at < total {
			e.add(x.at, total, x.left, nil)
		}
	}
}

// estimated is what standard says of one run, each five seconds, and the run's length in seconds.
func estimated(plan *dag.Plan, seed uint64, profiles []*dag.Plan) ([]progress, float64, error) {
	standard := estimators.New(estimators.Scenarios()[0], cost.Costs, estimators.Options{})
	var ticks []progress
	opt := simulate.Options{Seed: seed, Every: 5 * time.Second}
	run, err := simulated(plan, opt, func(run dag.Run) error {
		s := *run.Now()
		s.Profiles = profiles
		got, err := standard.Estimate(dag.Run{
			Window:  append(slices.Clone(run.Window[:len(run.Window)-1]), &s),
			Anchors: run.Anchors,
		})
		if err != nil || s.State.Ended() {
			return err
		}
		x := progress{at: s.At.Sub(opt.Start).Seconds(), done: doneShare(&s, plan)}
		if got.Remaining != nil {
			left := got.Remaining.Seconds()
			x.left, x.wide = &left, !got.Measured && got.AssumedRatio > assumedMost
		}
		ticks = append(ticks, x)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return ticks, run.Now().At.Sub(opt.Start).Seconds(), nil
}

func doneShare(s *dag.Snapshot, plan *dag.Plan) float64 {
	done, all := 0, 0
	for j := range plan.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			all += plan.Jobs[j].Stages[k].Count()
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.State == dag.AttemptSucceeded {
					done++
				}
			}
		}
	}
	return float64(done) / float64(max(all, 1))
}
