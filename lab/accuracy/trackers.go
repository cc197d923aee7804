package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// trackers are the estimators that follow a planned critical path, from the one that needs most counters to the one
// that needs fewest.
var trackers = []string{"standard", "standard_static", "standard_static_subset", "standard_static_thread"}

// A tracked is an estimator's errors with only the counters that it needs, and the number of these.
type tracked struct {
	errors         errorsOf
	asked, running float64 // mean numbers of tasks over the ticks
}

// monitoring writes what monitoring few tasks of the critical path saves and costs (the ParaTimer paper, section
// 3.1.4).
func monitoring(w io.Writer, folder string, seeds int) error {
	fmt.Fprintf(w, `
## Monitoring fewer tasks

The ParaTimer paper (section 3.1.4) follows the critical path of a plan with the counters of all its tasks, of a subset of them, or of one *thread*, a sequence of
tasks from the beginning of a path fragment to its end. Simulated runs on slots of which the plan knows all costs, noise of 2 %% and of a fifth on every task, %d seeds, a tick
each 5 s: mean / max in percentage points with the counters of all other tasks left out, and *asked*, how many tasks' counters are asked for at a tick, of those that are *running*. standard replays
the scheduler at each tick and asks for all. The subset are four tasks of each round. Which tasks have ended is always known; Hadoop tells counters a task at a time.

| query, noise | running | standard | standard_static | asked | standard_static_subset | asked | standard_static_thread | asked |
|---|---|---|---|---|---|---|---|---|
`, seeds)
	for _, q := range sampledQueries {
		plan, err := q.plan(folder, dag.FIFO)
		if err != nil {
			return err
		}
		for _, noise := range []float64{0.02, 0.2} {
			fmt.Fprintf(w, "| %s, %.0f %% |", q.name(), 100*noise)
			for i, name := range trackers {
				t, err := followed(plan, name, noise, seeds)
				if err != nil {
					return err
				}
				if i == 0 {
					fmt.Fprintf(w, " %.1f | %s |", t.running, &t.errors)
					continue
				}
				fmt.Fprintf(w, " %s | %.1f |", &t.errors, t.asked)
			}
			fmt.Fprintln(w)
		}
	}
	return nil
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
	t.asked, t.running = t.asked/ticks, t.running/ticks
	return t, nil
}

// follow adds a run in which the estimator sees only the counters of the tasks that it monitors.
func (t *tracked) follow(plan *dag.Plan, name string, opt simulate.Options) error {
	scenario := scenarioNamed(name)
	model := paper.Model(paper.ObservedSlowdown)
	whole, few := estimators.New(scenario, model, estimators.Options{}), estimators.New(scenario, model,
		estimators.Options{})
	source, err := simulate.New(plan, opt)
	if err != nil {
		return err
	}
	var seen, asked dag.Run
	var ticks []progress
	for {
		s, err := source.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		seen = seen.Append(s)
		if s.State.Ended() {
			continue
		}
		e, err := whole.Estimate(seen) // its set of monitored tasks depends only on the plan and the task states
		if err != nil {
			return err
		}
		t.running += float64(runningTasks(s))
		t.asked += float64(len(e.Monitored))
		if name != "standard" {
			s = without(s, e.Monitored)
		}
		asked = asked.Append(s)
		if e, err = few.Estimate(asked); err != nil {
			return err
		}
		x := progress{at: s.At.Sub(s.Origin()).Seconds()}
		if e.Remaining != nil {
			left := e.Remaining.Seconds()
			x.left = &left
		}
		ticks = append(ticks, x)
	}
	total := seen.Now().At.Sub(seen.Now().Origin()).Seconds()
	for _, x := range ticks {
		if x.at > 0 && x.at < total {
			t.errors.add(x.at, total, x.left, nil)
		}
	}
	return nil
}

func scenarioNamed(name string) estimators.Scenario {
	all := slices.Concat(estimators.Scenarios(), paper.Others())
	return all[slices.IndexFunc(all, func(s estimators.Scenario) bool { return s.Name == name })]
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
