package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// Section 3.1.4: fewer tasks are polled in the order of the trackers, the thread's one at a time, and none is much
// worse for noise of 2%.
func TestTrackersAskLess(t *testing.T) {
	t.Parallel()
	for _, q := range sampledQueries {
		plan, err := q.plan(examples, dag.FIFO)
		if err != nil {
			t.Fatal(err)
		}
		before := 0.0
		for i, name := range trackers {
			got, err := followed(plan, name, 0.02, 1)
			if err != nil {
				t.Fatal(err)
			}
			polled := got.polled
			if i == 0 {
				polled = got.running
			} else if polled > before || polled < 0.5 {
				t.Errorf("%s: %s polls %.1f tasks, the one before %.1f", q.file, name, polled, before)
			}
			if before = polled; !(got.errors.points.Mean() < 1) {
				t.Errorf("%s: %s: %s points", q.file, name, &got.errors)
			}
			if name == "standard_static_thread" && polled > 1.2 {
				t.Errorf("%s: a thread polls %.1f tasks, want 1", q.file, polled)
			}
		}
	}
}

// trackers are the estimators that follow a planned critical path, from the one that needs most counters to the one
// that needs fewest.
var trackers = []string{"standard", "standard_static", "standard_static_subset", "standard_static_thread"}

// A tracked is an estimator's errors with only the counters that it needs, and the number of these.
type tracked struct {
	errors          errorsOf
	polled, running float64 // mean numbers of tasks over the ticks
}

// monitored is the table of what monitoring few tasks of the critical path saves and costs.
func monitored(seeds int) (string, error) {
	var b strings.Builder
	for _, q := range sampledQueries {
		plan, err := q.plan(examples, dag.FIFO)
		if err != nil {
			return "", err
		}
		for _, noise := range []float64{0.02, 0.2} {
			cells := []any{fmt.Sprintf("%s, %.0f%%", q.name(), 100*noise)}
			for i, name := range trackers {
				t, err := followed(plan, name, noise, seeds)
				if err != nil {
					return "", err
				}
				if i == 0 {
					cells = append(cells, Number(t.running), &t.errors)
					continue
				}
				cells = append(cells, &t.errors, Number(t.polled))
			}
			fmt.Fprintln(&b, Row(cells...))
		}
	}
	return b.String(), nil
}

// followed returns an estimator's results over simulated runs with the given number of seeds.
func followed(plan *dag.Plan, name string, noise float64, seeds int) (*tracked, error) {
	t := &tracked{}
	for seed := range uint64(seeds) {
		if err := t.follow(plan, name, simulate.Options{Seed: seed + 1, Noise: noise}); err != nil {
			return nil, err
		}
	}
	ticks := float64(max(t.errors.ticks, 1))
	t.polled, t.running = t.polled/ticks, t.running/ticks
	return t, nil
}

// follow adds a run in which the estimator sees only the counters of the tasks that it monitors.
func (t *tracked) follow(plan *dag.Plan, name string, opt simulate.Options) error {
	scenario := scenarioNamed(name)
	model := paper.Model(paper.ObservedSlowdown)
	whole, few := estimators.New(scenario, model, estimators.Options{}), estimators.New(scenario, model,
		estimators.Options{})
	var polledRun dag.Run
	var ticks []progress
	total, err := playPlan(plan, opt, func(run dag.Run) error {
		s := run.Now()
		if s.State.Ended() {
			return nil
		}
		e, err := whole.Estimate(run) // its set of monitored tasks depends only on the plan and the task states
		if err != nil {
			return err
		}
		t.running += float64(runningTasks(s))
		t.polled += float64(len(e.Monitored))
		if name != "standard" {
			s = without(s, e.Monitored)
		}
		polledRun = polledRun.Append(s)
		if e, err = few.Estimate(polledRun); err != nil {
			return err
		}
		x := progress{at: s.At.Sub(s.Origin()).Seconds()}
		if e.Remaining != nil {
			left := e.Remaining.Seconds()
			x.left = &left
		}
		ticks = append(ticks, x)
		return nil
	}, nil)
	if err != nil {
		return err
	}
	for _, x := range ticks {
		if x.at > 0 && x.at < total {
			t.errors.add(x.at, total, x.left)
		}
	}
	return nil
}

func runningTasks(s *dag.Snapshot) int {
	n := 0
	for j := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.State == dag.AttemptRunning {
					n++
				}
			}
		}
	}
	return n
}

// without returns a snapshot in which only the tasks in but have counters, of the running ones.
func without(s *dag.Snapshot, but []estimators.TaskID) *dag.Snapshot {
	out := *s
	out.Jobs = dag.CloneStates(s.Jobs)
	for j := range out.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			p := &out.Jobs[j].Stages[k]
			p.Attempts = slices.Clone(p.Attempts)
			for i := range p.Attempts {
				a := &p.Attempts[i]
				if a.State == dag.AttemptRunning &&
					!slices.Contains(but, estimators.TaskID{Job: j, Stage: k, Task: int(a.Task)}) {
					a.Done = [dag.Pipelines]float64{}
				}
			}
		}
	}
	return &out
}

func (q *sampledQuery) name() string {
	if q.times == 1 {
		return q.file
	}
	return fmt.Sprintf("%s × %g", q.file, q.times)
}
