package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

const examples = "../examples"

// TestSampleProfiles: on slots the profile of a run of a hundredth, or of ten times, is as good as the ParaTimer
// paper's debug run (section 4.2: at most 4.6 points), on YARN better than none.
func TestSampleProfiles(t *testing.T) {
	t.Parallel()
	for _, q := range sampledQueries {
		for _, policy := range []dag.Policy{dag.FIFO, dag.YARN} {
			plan, err := q.plan(examples, policy)
			if err != nil {
				t.Fatal(err)
			}
			without, _, err := estimated(plan, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, ratio := range ratios {
				profiles, err := sampleProfile(plan, ratio, 0)
				if err != nil {
					t.Fatal(err)
				}
				got, total, err := estimated(plan, 1, profiles)
				if err != nil {
					t.Fatal(err)
				}
				e := &errorsOf{}
				e.addRun(got, total)
				with, none := both(got, without, total, 0)
				switch {
				case e.share() < 0.9:
					t.Errorf("%s, %s, %g: a point on %.0f%% of the ticks", q.file, policy, ratio, 100*e.share())
				case policy == dag.FIFO && !(e.points.Mean() <= 2 && e.points.Most() <= 4.6):
					t.Errorf("%s, %s, %g: %s points, want at most 2.0 / 4.6", q.file, policy, ratio, e)
				case policy == dag.YARN && len(none.points) > 0 && !(with.points.Mean() <= none.points.Mean()+1):
					t.Errorf("%s, %s, %g: %s points, and %s without a profile", q.file, policy, ratio, with, none)
				}
			}
		}
	}
}

// both are the errors of two estimates of one run on the ticks on which both have one, from a share of the tasks on.
func both(a, b []progress, total, from float64) (ea, eb *errorsOf) {
	ea, eb = &errorsOf{}, &errorsOf{}
	for i, x := range a {
		if x.left == nil || b[i].left == nil || x.done < from || x.at <= 0 || x.at >= total {
			continue
		}
		ea.add(x.at, total, x.left)
		eb.add(x.at, total, b[i].left)
	}
	return ea, eb
}

// wrongMost is by how many points a profile of other sizes may make the mean error worse, once a tenth of the tasks has
// ended.
const wrongMost = 0.5

// TestWrongProfiles: sizes in a profile that are all off by any factor do next to no harm once a tenth of the tasks has
// ended, on the ticks that have a point without the profile as well.
func TestWrongProfiles(t *testing.T) {
	t.Parallel()
	type query struct {
		plan, profile *dag.Plan
		none          []progress
	}
	var all []query
	for _, q := range sampledQueries[:2] {
		for _, policy := range []dag.Policy{dag.FIFO, dag.YARN} {
			plan, err := q.plan(examples, policy)
			if err != nil {
				t.Fatal(err)
			}
			run, err := simulated(plan, simulate.Options{Seed: 101, Every: time.Second}, nil)
			if err != nil {
				t.Fatal(err)
			}
			none, _, err := estimated(plan, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, query{plan, cost.Learn(run), none})
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		q := &all[rapid.IntRange(0, len(all)-1).Draw(t, "query")]
		by := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "power of ten"))
		wrong := *q.profile
		wrong.Jobs = dag.CloneJobs(wrong.Jobs)
		for j := range wrong.Jobs {
			grow(&wrong.Jobs[j], by)
		}
		got, total, err := estimated(q.plan, 1, []*dag.Plan{&wrong})
		if err != nil {
			t.Fatal(err)
		}
		with, none := both(got, q.none, total, 0.1)
		if len(with.points) < 5 || with.points.Mean() > none.points.Mean()+wrongMost {
			t.Errorf("%s, sizes × %.3g: %s with the profile, %s without", q.plan.Name, by, with, none)
		}
	})
}

// errorsOf are absolute errors in percentage points over the ticks with an estimate.
type errorsOf struct {
	points Numbers
	ticks  int
}

func (e *errorsOf) add(t, total float64, remaining *float64) {
	e.ticks++
	if remaining != nil {
		e.points = append(e.points, Number(math.Abs(100*t/(t+*remaining)-100*t/total)))
	}
}

func (e *errorsOf) share() float64 { return float64(len(e.points)) / float64(max(e.ticks, 1)) }

func (e *errorsOf) String() string {
	if len(e.points) == 0 {
		return "– / –"
	}
	return e.points.Mean().String() + " / " + e.points.Most().String()
}

// ratios are the sizes of the profiled run against the one that is estimated.
var ratios = []float64{0.01, 0.05, 0.2, 0.5, 1, 2, 10}

// assumedMost is the share of the estimate that may rest on assumptions for it to be shown as a point; the headline has
// the same rule.
const assumedMost = 1.0 / 3

// A sampledQuery is a plan of examples/, with multiplied numbers and costs of records.
type sampledQuery struct {
	file        string
	times, cost float64
}

var sampledQueries = []sampledQuery{
	{"paper-4.2GB.yaml", 1, 1},
	{"pig-join.yaml", 1000, 0.01},
	{"skew.yaml", 1000, 0.01},
}

// sampledTable is how far a profile of a sample, or of a larger run, carries: the ParaTimer paper's debug run.
func sampledTable(seeds int) (string, error) {
	var b strings.Builder
	for _, q := range sampledQueries {
		for _, policy := range []dag.Policy{dag.FIFO, dag.YARN} {
			plan, err := q.plan(examples, policy)
			if err != nil {
				return "", err
			}
			none, err := sampledErrors(plan, 0, seeds)
			if err != nil {
				return "", err
			}
			cells := []any{fmt.Sprintf("%s, %s", q.name(), policy), fmt.Sprintf("%s (%.0f%%)", none, 100*none.share())}
			for _, ratio := range ratios {
				e, err := sampledErrors(plan, ratio, seeds)
				if err != nil {
					return "", err
				}
				cells = append(cells, e)
			}
			fmt.Fprintln(&b, Row(cells...))
		}
	}
	return b.String(), nil
}

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

// grow multiplies the records that a job's tasks read and write, to at least one each.
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

// sampleProfile returns the profile of a run with tasks that read ratio times as much; nil if it is 0.
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

// simulated returns a run without a profile, with each tick observed.
func simulated(plan *dag.Plan, opt simulate.Options, see func(dag.Run) error) (dag.Run, error) {
	opt.Know, opt.Noise = simulate.Nothing, 0.02
	var all dag.Run
	_, err := playPlan(plan, opt, func(run dag.Run) error {
		if all = run; see == nil {
			return nil
		}
		return see(run)
	}, nil)
	return all, err
}

// A progress is the estimate of a run at an instant.
type progress struct {
	at   float64  // seconds
	left *float64 // seconds, nil where there is no estimate
	wide bool     // too much is assumed: a range is shown and no point
	done float64  // share of the query's tasks that have ended
}

// playPlan adds the errors of one run.
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
			e.add(x.at, total, x.left)
		}
	}
}

// estimated is standard's estimate of one run, each five seconds, and the run's length in seconds.
func estimated(plan *dag.Plan, seed uint64, profiles []*dag.Plan) ([]progress, float64, error) {
	standard := estimators.New(estimators.Scenarios()[0], cost.Costs, estimators.Options{})
	var ticks []progress
	opt := simulate.Options{Seed: seed, Every: 5 * time.Second}
	run, err := simulated(plan, opt, func(run dag.Run) error {
		s := *run.Now()
		s.Profiles = profiles
		got, err := standard.Estimate(dag.Run{
			Window:  append(slices.Clone(run.Window[:len(run.Window)-1]), &s),
			Anchors: run.Anchors, Seen: run.Seen,
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
