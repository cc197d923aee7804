package cost

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// TestFreshNeed checks that a master's need is updated by what the ResourceManager reports now; the figures are of a
// real run in which the master had answered eleven seconds before.
func TestFreshNeed(t *testing.T) {
	t.Parallel()
	l := dag.Load{HeldMB: 2560, MasterMB: 512, Progress: 0.79, Need: &dag.Need{
		Map:    dag.NeedPhase{Tasks: 10, Running: 8, Progress: 0.2286, LengthMS: math.NaN(), TaskMB: 256},
		Reduce: dag.NeedPhase{Tasks: 8, LengthMS: math.NaN(), TaskMB: 256},
	}}
	n := freshNeed(&l, [2]int{256, 256})
	if n.Map.Progress != 1 || n.Map.Done != 10 || n.Map.Running != 0 {
		t.Errorf("maps %+v, not all done", n.Map)
	}
	if math.Abs(n.Reduce.Progress-0.644) > 0.01 || n.Reduce.Running != 8 {
		t.Errorf("reduces %+v, not eight that run, 64%% done", n.Reduce)
	}
	if l.Need.Map.Running != 8 || l.Need.Map.Progress != 0.2286 {
		t.Error("the snapshot's need was changed")
	}
	// Each reduce that runs copies a third of the maps' progress: 0.3 = 0.225 + 0.225 / 3.
	l.Progress, l.Need.Map.Progress, l.Need.Reduce.Running, l.Need.Reduce.Progress = 0.05+0.9*0.4, 0.5, 8, 0
	if n := freshNeed(&l, [2]int{256, 256}); math.Abs(n.Map.Progress-0.725) > 1e-9 ||
		math.Abs(n.Reduce.Progress-0.075) > 1e-9 {
		t.Errorf("maps %v, reduces %v, want 0.725 and 0.075", n.Map.Progress, n.Reduce.Progress)
	}
	l.Need.Map.Progress, l.Need.Reduce.Running, l.Progress = 0.2286, 0, 0.1
	if n := freshNeed(&l, [2]int{256, 256}); n.Map.Running != 8 || n.Map.Progress != 0.2286 {
		t.Errorf("maps %+v by a figure that is older than the master's answer", n.Map)
	}
}

// other is a run of one job of ours with ten maps of 20 s that have ended, beside another application.
func other(l dag.Load) (dag.Run, *dag.Plan) {
	plan := &dag.Plan{Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 4096}, Jobs: []dag.Job{{
		Node: "a", MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256},
		Stages: dag.MapReduce(dag.Stage{Tasks: 10, Known: true}, dag.Stage{Tasks: 4, Known: true}),
	}}}
	s := &dag.Snapshot{
		Plan: plan, At: 100_000, State: dag.Running, Stale: dag.NoInstant, Jobs: plan.BlockedJobs(),
		Load: []dag.Load{l},
	}
	for i := range int32(10) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, dag.Attempt{
			Task: i, State: dag.AttemptSucceeded, Start: 10_000, End: 30_000,
			CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
		})
	}
	return dag.Run{}.Append(s), plan
}

// TestExpect checks what other applications are expected to need: one whose master reports it has that, one that has
// done nothing is like our jobs, and the end of any other follows from its progress.
func TestExpect(t *testing.T) {
	t.Parallel()
	expect := func(l dag.Load) dag.Load {
		run, plan := other(l)
		got := expectedLoad(run, plan, 1000)
		if now := run.Now().Load[0]; now.Need != l.Need || now.Until != l.Until {
			t.Error("the snapshot has changed")
		}
		return got[0]
	}
	unknown := dag.Load{ID: "x", Submitted: 0, Until: dag.NoInstant, Progress: math.NaN()}
	fresh := expect(unknown)
	if n := fresh.Need; n == nil || n.Map.Tasks != 10 || n.Reduce.Tasks != 4 || n.Map.TaskMB != 256 ||
		math.Abs(n.Map.LengthMS-math.Exp(-loadSigma*loadSigma/2)*20_000) > 1 {
		t.Errorf("of one that has done nothing: %+v", n)
	}
	half := unknown
	half.HeldMB, half.Progress = 512, 0.5
	if got := expect(half); got.Need != nil || got.Until <= 100_000 || got.Until > 200_000 {
		t.Errorf("half done after 100 s: until %v, need %+v", got.Until, got.Need)
	}
	reported := half
	reported.Need = &dag.Need{
		Map:    dag.NeedPhase{Tasks: 8, Done: 4, Running: 2, Progress: 0.6, LengthMS: 5000, TaskMB: 256},
		Reduce: dag.NeedPhase{LengthMS: math.NaN()},
	}
	if n := expect(reported).Need; n == nil || n.Map.Tasks != 8 || n.Map.LengthMS != 5000 || !(n.Reduce.LengthMS > 0) {
		t.Errorf("reported: %+v", n)
	}
}

// TestDraw checks that draws lengthen and shorten what others need, the same each time, and leave their source alone.
func TestDraw(t *testing.T) {
	t.Parallel()
	all := []dag.Load{{ID: "x", Until: 200_000}, {ID: "y", Until: dag.NoInstant, Need: &dag.Need{
		Map: dag.NeedPhase{Tasks: 8, LengthMS: 5000}, Reduce: dag.NeedPhase{Tasks: 1, Done: 1, LengthMS: 4000},
	}}}
	run, plan := other(dag.Load{ID: "x", Until: dag.NoInstant})
	plan.Cluster = dag.Cluster{MapSlots: 4, ReduceSlots: 4}
	left := func(schedule.Task) schedule.Cost { return schedule.Cost{Work: time.Second, Same: 1} }
	var (
		mu      sync.Mutex
		shorter int
		lengths []float64
	)
	draw := func(d estimators.Draws) estimators.Drawn {
		got, again := drawLoad(d, all, 100_000), drawLoad(d, all, 100_000)
		mu.Lock()
		defer mu.Unlock()
		if got[0] != again[0] || *got[1].Need != *again[1].Need {
			t.Error("a second draw differs")
		}
		if got[0].Until < 100_000 || !(got[1].Need.Map.LengthMS > 0) {
			t.Errorf("%+v", got)
		}
		if got[0].Until < 200_000 {
			shorter++
		}
		lengths = append(lengths, got[1].Need.Map.LengthMS)
		return estimators.Drawn{Snapshot: run.Now(), Left: left}
	}
	costs := func(dag.Run) estimators.Costs {
		one := func(int, dag.StageIndex, int) float64 { return 1000 }
		return estimators.Costs{
			Left: left, Full: one, Rem: one, Sampling: func() func(estimators.Draws) estimators.Drawn { return draw },
		}
	}
	sampled := estimators.New(estimators.Sampled(), costs, estimators.Options{Samples: 128})
	if _, err := sampled.Estimate(run); err != nil {
		t.Fatal(err)
	}
	if shorter < 40 || shorter > 88 || slices.Min(lengths) > 2500 || slices.Max(lengths) < 10_000 {
		t.Errorf("%d of 128 are shorter; lengths from %v to %v", shorter, slices.Min(lengths), slices.Max(lengths))
	}
	if all[0].Until != 200_000 || all[1].Need.Map.LengthMS != 5000 {
		t.Error("the source has changed")
	}
}

// TestWarnings checks that warnings name the applications of which the need is not known, and what the scheduler may
// take back.
func TestWarnings(t *testing.T) {
	t.Parallel()
	s := &dag.Snapshot{
		Queue: "a", Plan: &dag.Plan{},
		Jobs:   []dag.JobState{{HeldMB: 2000, Stages: make([]dag.StageState, dag.MapReduceStages)}},
		Load:   []dag.Load{{ID: "x", User: "bob", Name: "etl", Queue: "b", HeldMB: 500, PendingMB: 300}},
		Queues: []dag.QueueState{{Name: "a", ShareMB: 1500, Preempted: true}, {Name: "b", ShareMB: 1500}},
	}
	check := func(what string, known, guessed, taken bool) {
		t.Helper()
		var all []string
		for _, w := range loadWarnings(s) {
			all = append(all, w.Text)
		}
		text := strings.Join(all, "; ")
		for part, want := range map[string]bool{
			"is known": known, "a guess": guessed, "bob's etl": guessed, "500 MB more than its guarantee": taken,
		} {
			if strings.Contains(text, part) != want {
				t.Errorf("%s: %q is in it: %v: %s", what, part, !want, text)
			}
		}
	}
	check("another queue has less than its share", false, true, true)
	s.Load[0].PendingMB = 0
	check("and needs no more", false, true, false)
	s.Load[0].PendingMB, s.Queues[0].Preempted = 300, false
	check("no preemption", false, true, false)
	s.Queues[0].Preempted, s.Load[0].Need, s.Load[0].HeldMB = true, &dag.Need{}, 1500
	check("its master reports", true, false, false)
	s.Load = nil
	check("no other", false, false, false)
}
