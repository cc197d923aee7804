package estimators_test

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// uniform is a cost model of one's own: every map takes so many milliseconds, every reduce so many.
type uniform struct {
	now       *dag.Snapshot
	map_, red float64
}

func (u uniform) costs() estimators.Costs {
	return estimators.Costs{Left: u.left, Full: u.full, Rem: u.rem}
}

func (u uniform) full(_ int, k dag.StageIndex, _ int) float64 {
	if k == dag.Reduce {
		return u.red
	}
	return u.map_
}

func (u uniform) rem(job int, k dag.StageIndex, i int) float64 {
	for _, a := range u.now.Jobs[job].Stages[k].Attempts {
		switch {
		case int(a.Task) != i:
		case a.State == dag.AttemptSucceeded:
			return 0
		case a.State == dag.AttemptRunning:
			return max(0, u.full(job, k, i)-float64(u.now.At-a.Start))
		}
	}
	return u.full(job, k, i)
}

func (u uniform) left(t schedule.Task) schedule.Cost {
	ms := u.full(t.Job, t.Stage, t.Index)
	if t.Running != nil {
		ms = u.rem(t.Job, t.Stage, t.Index)
	}
	return schedule.Cost{Work: time.Duration(ms) * time.Millisecond, Same: 1, Origin: schedule.Observed}
}

// mid is a query of six maps and a reduce on two map slots, 25 s after its start: four maps are done, two run.
func mid() dag.Run {
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 1},
		Jobs: []dag.Job{{Node: "load", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 6},
			dag.Stage{Known: true, Tasks: 1})}},
	}
	s := &dag.Snapshot{
		Plan: plan, At: 25_000, State: dag.Running, Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			State: dag.Running, Submitted: 0, Started: 0, Finished: dag.NoInstant,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
	for i := range int32(6) {
		a := dag.Attempt{
			Task: i, Slot: i % 2, State: dag.AttemptSucceeded, Start: dag.Instant(i/2) * 10_000,
			End: dag.Instant(i/2+1) * 10_000,
		}
		if i >= 4 {
			a.State, a.End = dag.AttemptRunning, dag.NoInstant
		}
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
	}
	return dag.Run{}.Append(s)
}

// A cost model of one's own is enough for all of ParaTimer's scenarios. Asked for the same run they share one replay.
func ExampleShared() {
	model := func(run dag.Run) estimators.Costs { return uniform{run.Now(), 10_000, 20_000}.costs() }
	scenarios := estimators.Scenarios()
	for _, e := range estimators.Shared(scenarios, model, estimators.Options{}) {
		answer, err := e.Estimate(mid())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-20s %4v, %2.0f%%: %s\n", answer.Scenario, *answer.Remaining, 100*answer.Progress, answer.Meaning)
	}
	// Output:
	// standard              25s, 50%: nothing else goes wrong
	// one_failure           45s, 36%: the longest unfinished task fails once, just before its end
	// failure_until_proven  45s, 36%: a worst failure is still to come, until one has been seen in the part that runs
	// skew_low              25s, 50%: data skew at its best: the long reduces run beside each other
	// skew_high             25s, 50%: data skew at its worst: the long reduces run one after another
	// best_guess            25s, 50%: the tasks in the order that the scheduler is expected to take, between the bounds of skew
	// slots_as_now          25s, 50%: others keep what they hold, and free it as fast as in the last minute
	// slots_fair_share      25s, 50%: we end up with our queue's share, split evenly among its users
	// alone                 25s, 50%: no other application takes anything from now on
}

// An estimate comes with the critical path that it rests on.
func ExampleNew() {
	model := func(run dag.Run) estimators.Costs { return uniform{run.Now(), 10_000, 20_000}.costs() }
	run := mid()
	e, err := estimators.New(estimators.Scenarios()[0], model, estimators.Options{}).Estimate(run)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(*e.Remaining, "left, costs", e.Origin)
	for _, seg := range e.Path.Critical {
		f := e.Path.Fragments[seg.Fragment]
		fmt.Printf("%v: %v slots of %v tasks\n", seg.End.Sub(seg.Start), f.Width,
			schedule.What(run.Now().Plan, e.Path.JobOf(&f), f.Stage, f.Pause))
	}
	// Output:
	// 25s left, costs observed
	// 5s: 2 slots of map tasks
	// 20s: 1 slots of reduce tasks
}

// How right an estimator was along a run that took 200 s, in percentage points of progress. It had no estimate at
// first.
func ExampleGrade() {
	score := estimators.Grade(200, []estimators.Sample{
		{Elapsed: 20, Remaining: math.NaN(), Progress: math.NaN()},
		{Elapsed: 100, Remaining: 60, Progress: math.NaN()},
		{Elapsed: 160, Remaining: 40, Progress: math.NaN()},
	})
	fmt.Printf("%d ticks, %.2f of them silent; mean error %.2f points, %.0f s, too optimistic by %.2f\n",
		score.Ticks, score.NoEstimate, score.MeanPoints, score.MeanSeconds, score.BiasPoints)
	// Output:
	// 3 ticks, 0.33 of them silent; mean error 6.25 points, 20 s, too optimistic by 6.25
}

// A distribution of the remaining time, as an estimator that draws worlds gives it, answers with quantiles and
// probabilities.
func ExampleDistribution() {
	left := estimators.Distribution{
		4 * time.Minute, 5 * time.Minute, 5 * time.Minute, 6 * time.Minute,
		10 * time.Minute,
	}
	fmt.Println("half the time within", left.At(0.5))
	fmt.Println("more than 8 minutes with probability", left.Above(8*time.Minute))
	// Output:
	// half the time within 5m0s
	// more than 8 minutes with probability 0.2
}
