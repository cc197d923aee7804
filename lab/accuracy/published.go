package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// An experiment is one of the ParaTimer paper's experiments.
type experiment struct {
	name string
	plan *dag.Plan // the plan for the estimators
	true *dag.Plan // the real plan; nil: the same
	opt  simulate.Options
	rows []published
}

// A published row is the paper's result for an estimator: mean and maximum in points.
type published struct {
	estimator, paper string
}

// An outcome is an estimator's errors, with the largest underestimate and overestimate.
type outcome struct {
	errorsOf
	under, over float64
}

// lonely is the time of the lone map of case D, relative to a map beside others, that gives the run the length in the
// paper.
const lonely = 0.565

const (
	caseD       = "case D: 28 maps, m201 at 676 s"
	caseDLonely = "case D, the lone map as fast as in the paper"
)

// experiments returns the experiments of sections 4.2 to 4.4. It reads the plan of the first one.
func experiments(folder string) ([]experiment, error) {
	join, err := planfile.ReadFile(folder+"/paper-4.2GB.yaml", planfile.Options{})
	if err != nil {
		return nil, err
	}
	noisy := simulate.Options{Noise: 0.005, Stall: 5 * time.Second, Seed: 1}
	failing := func(job string, task int, at time.Duration) simulate.Options {
		return simulate.Options{Fail: []simulate.Failure{{Job: job, Stage: dag.Map, Task: task, At: at}}}
	}
	unchanged := []published{{"standard", "< 2"}, {"one_failure", "15 / 30 over"}, {"failure_until_proven", "–"}}
	moved := []published{{"standard", "≤ 6 under"}, {"one_failure", "13 / 30 over"}, {"failure_until_proven", "–"}}
	alone := withMaps(join, 28)
	last := &alone.Jobs[1].Stages[dag.Map].Pipelines[0].Alpha
	each := make([]float64, 28)
	for i := range each {
		each[i] = last.At(i)
	}
	each[27] *= lonely
	*last = dag.Each(each)
	all := []experiment{
		{"4.2 GB (§ 4.2)", join, nil, noisy, []published{
			{"standard_static", "1.1 / 4.6"},
			{"standard", "–"},
			{"parallax_aggregate", "7–8 / 19–20"},
		}},
		{"4 GB (§ 4.2)", withMaps(join, 16), nil, noisy, []published{
			{"standard_static", "0.6 / 4.2"},
			{"standard", "–"},
			{"parallax_aggregate", "3–5 / 20"},
		}},
		{"case A: m104 fails at 195 s (§ 4.3)", join, nil, failing("j1", 3, 195*time.Second), unchanged},
		{"case B: 28 maps, m104 at 296 s", withMaps(join, 28), nil, failing("j1", 3, 296*time.Second), moved},
		{"case C: m201 at 59 s", join, nil, failing("j2", 0, 59*time.Second), unchanged},
		{caseD, withMaps(join, 28), nil, failing("j2", 0, 676*time.Second), moved},
		{caseDLonely, withMaps(join, 28), alone, failing("j2", 0, 676*time.Second), moved},
	}
	for _, zipf := range []float64{0.1, 0.3, 0.5, 1} {
		all = append(all, experiment{
			fmt.Sprintf("32 reduces, Zipf %.1f (§ 4.4)", zipf), skewedPlan(), nil,
			simulate.Options{Skew: zipf, Shuffle: true, Noise: 0.01, Seed: 1},
			[]published{
				{"best_guess", "1.5 to 4"},
				{"skew_low", "6 under"},
				{"skew_low_as_printed", "6 under"},
				{"skew_high", "max. 17 over"},
				{"parallax", "11 / 40"},
			},
		})
	}
	return all, nil
}

// withMaps returns the query with another number of maps in its second job, and with output in proportion.
func withMaps(plan *dag.Plan, maps int) *dag.Plan {
	out := *plan
	out.Jobs = dag.CloneJobs(plan.Jobs)
	by := float64(maps) / float64(plan.Jobs[1].Stages[dag.Map].Tasks)
	out.Jobs[1].Stages[dag.Map].Tasks = maps
	out.Jobs[1].Stages[dag.Map].Pipelines = slices.Clone(plan.Jobs[1].Stages[dag.Map].Pipelines)
	for _, p := range []*dag.Stage{
		&out.Jobs[1].Stages[dag.Reduce], &out.Jobs[2].Stages[dag.Map],
		&out.Jobs[2].Stages[dag.Reduce],
	} {
		p.Pipelines = slices.Clone(p.Pipelines)
	}
	small, large := plan.Jobs[0].Stages[dag.Reduce].Pipelines[0].Tuples.At(0),
		plan.Jobs[1].Stages[dag.Reduce].Pipelines[0].Tuples.At(0)*by
	for l := range dag.Pipelines {
		out.Jobs[1].Stages[dag.Reduce].Pipelines[l].Tuples = dag.Uniform(large)
		out.Jobs[2].Stages[dag.Reduce].Pipelines[l].Tuples = dag.Uniform(small + large)
	}
	files := slices.Clone(plan.Jobs[2].Stages[dag.Map].Pipelines[0].Tuples.Values())
	for i := plan.Jobs[0].Stages[dag.Reduce].Tasks; i < len(files); i++ {
		files[i] = large
	}
	out.Jobs[2].Stages[dag.Map].Pipelines[0].Tuples = dag.Each(files)
	return &out
}

// skewedPlan returns one job of 64 maps and 32 reduces on 16 slots each. The simulation skews its sizes.
func skewedPlan() *dag.Plan {
	pipe := func(ms float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(400_000), Alpha: dag.Uniform(ms)}
	}
	return &dag.Plan{
		Name:    "skew",
		Cluster: dag.Cluster{MapSlots: 16, ReduceSlots: 16, SlotsPerNode: 2, Setup: 2 * time.Second},
		Jobs: []dag.Job{{
			Node: "j1",
			Stages: dag.MapReduce(dag.Stage{
				Tasks: 64, Known: true,
				Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(150_000), Alpha: dag.Uniform(1)}},
			},
				dag.Stage{Tasks: 32, Known: true, Pipelines: []dag.Pipeline{pipe(0.3), pipe(0.1), pipe(0.6)}}),
		}},
	}
}

// papers writes the results of the ParaTimer paper's own experiments.
func papers(w io.Writer, folder string) error {
	fmt.Fprintf(w, `
## The ParaTimer paper's own experiments

The paper's queries simulated on its 16 map and 16 reduce slots, with costs as its figures imply them, a tick each 5 s: mean / max in percentage points, how far the estimate is too low
(*under*) and too high (*over*) at most, and what the paper has. Noise is 0.5 %% with a blocking combine of 5 s in section 4.2, none in 4.3, 1 %% in 4.4.

| experiment | length s | estimator | points | under | over | paper |
|---|---|---|---|---|---|---|
`)
	all, err := experiments(folder)
	if err != nil {
		return err
	}
	lengths := make(map[string]float64)
	for i := range all {
		e := &all[i]
		got, total, err := e.run()
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		lengths[e.name] = total
		for k, row := range e.rows {
			fmt.Fprintf(w, "| %s | %.0f | %s | %s | %.1f | %.1f | %s |\n", e.name, total, row.estimator,
				&got[k].errorsOf, got[k].under, got[k].over, row.paper)
		}
	}
	calm := experiment{plan: all[slices.IndexFunc(all, func(e experiment) bool { return e.name == caseD })].plan}
	_, expected, err := calm.run()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `
- Case D. Until the failure nothing can know of it, and the run is expected to take %.0f s. The error before it is what the failure costs: %.0f s here. The task that failed runs again on another
  node, so one map more is left for the end, alone, and here it takes as long as the others. In the paper the failure comes after 33 %% of the run, which makes the run %.0f s
  long: that lone map took %.0f %% of the others' time, with the disks and CPUs of an idle cluster. With such a map the error before the failure is %.1f points, within the paper's 6. From the
  failure to the start of that map, of whose pace nothing tells yet, standard is over; then its pace is expected of the maps of j3 too (the slowdown factor), and standard is under. Contention is
  no part of the paper's cost model.
- skew_low_as_printed is Algorithm 1's lower bound. It follows the shortest reduce that runs, so its error grows with the skew: the paper's 6 points are those of reduces of which the longest is
  about 1.3 times the mean (Zipf 0.1). Its Parallax, at 11 points, is that of strong skew, so no exponent gives both. skew_low is never less than the longest reduce that is left, nor than all
  that is left, spread over all slots. Both hold as surely.
`, expected, lengths[caseD]-expected, 676/0.33, 100*lonely, 100*676*(1/expected-1/lengths[caseDLonely]))
	return nil
}

// run returns the outcome of each estimator of the experiment, and the length of the run in seconds.
func (e *experiment) run() ([]outcome, float64, error) {
	played := e.true
	if played == nil {
		played = e.plan
	}
	source, err := simulate.New(played, e.opt)
	if err != nil {
		return nil, 0, err
	}
	scenarios := make([]estimators.Scenario, len(e.rows))
	for k, row := range e.rows {
		scenarios[k] = scenarioNamed(row.estimator)
	}
	asked := estimators.Shared(scenarios, paper.Model(paper.ObservedSlowdown), estimators.Options{})
	var run dag.Run
	ticks := make([][]progress, len(e.rows))
	for {
		s, err := source.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		if e.true != nil {
			known := *s
			known.Plan = e.plan
			s = &known
		}
		run = run.Append(s)
		for k := range asked {
			got, err := asked[k].Estimate(run)
			if err != nil {
				return nil, 0, err
			}
			x := progress{at: s.At.Sub(s.Origin()).Seconds()}
			if got.Remaining != nil {
				left := got.Remaining.Seconds()
				x.left = &left
			}
			ticks[k] = append(ticks[k], x)
		}
	}
	total := run.Now().At.Sub(run.Now().Origin()).Seconds()
	out := make([]outcome, len(e.rows))
	for k := range out {
		for _, x := range ticks[k] {
			if x.at > 0 && x.at < total && x.left != nil {
				out[k].add(x.at, total, x.left, nil)
				off := 100*x.at/(x.at+*x.left) - 100*x.at/total
				out[k].under, out[k].over = max(out[k].under, off), max(out[k].over, -off)
			}
		}
	}
	return out, total, nil
}
