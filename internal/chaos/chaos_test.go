package chaos

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

var (
	seeds = flag.Int("chaos.seeds", fixtures.Long(20, 60), "runs under fault plans, in turn over the worlds that there are")
	first = flag.Uint64("chaos.first", 1, "the first seed")
	one   = flag.Uint64("chaos.seed", 0, "the only seed to run; 0: as many as -chaos.seeds")
)

// TestChaos: under every fault plan a run is seen to the same end, with the same totals; on the way no number is
// shown that no complete response has reported, no work counts as lost that is not, and ended jobs stay ended. An
// old answer with a new date is believed: no service of Hadoop lets a cache keep its answers.
func TestChaos(t *testing.T) {
	worlds := recordedWorlds(t)
	for i := range 2 {
		worlds = append(worlds, simulatedCluster(t, uint64(i+1)))
	}
	done := map[Fault]int{}
	for i := range worlds {
		w := worlds[i]
		t.Run(w.name, func(t *testing.T) {
			var calm watched
			eachSeed(t, i, len(worlds), func(t *testing.T, plan FaultPlan) {
				if calm.run == nil {
					w.open(t)
					calm = w.watch(t, FaultPlan{})
					calm.plausible(t, calm)
				}
				plan.Faults = slices.DeleteFunc(plan.Faults, func(f Fault) bool { return f == Redated })
				got := w.watch(t, plan)
				got.plausible(t, calm)
				got.sameEnd(t, calm)
				for f, k := range got.done {
					done[f] += k
				}
			})
		})
	}
	if *one > 0 || t.Failed() {
		return
	}
	t.Logf("%d runs over %d worlds; answers: %v", *seeds, len(worlds), done)
	for _, f := range Faults() {
		if *seeds >= 60 && done[f] == 0 && f != Redated {
			t.Errorf("%v has spoilt no answer: nothing was tried", f)
		}
	}
}

// eachSeed runs a test under the fault plan of each seed that the flags name, of those that cluster i of n has.
func eachSeed(t *testing.T, i, n int, run func(t *testing.T, plan FaultPlan)) {
	t.Helper()
	from, to := *first, *first+uint64(*seeds)-1 //nolint:gosec // flags of ours
	if *one > 0 {
		from, to = *one, *one
	}
	for seed := from; seed <= to; seed++ {
		if seed%uint64(n) != uint64(i) { //nolint:gosec // small numbers
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("%v; this seed alone: go test ./internal/chaos -chaos.seed %d", Of(seed), seed)
				}
			}()
			run(t, Of(seed))
		})
	}
}

// A total is the outcome of a job.
type total struct {
	State                dag.State
	Seconds              float64
	Maps, Reduces        int
	Failed               int // attempts
	MapIn, MapOut        float64
	ReduceIn, ReduceOut  float64
	Shuffled, MapRead    float64
	Submitted, Completed dag.Instant
}

func totals(s *dag.Snapshot) map[string]total {
	all := map[string]total{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		x := total{
			State: j.State, Seconds: j.Finished.Seconds(j.Submitted), Maps: j.Stages[dag.Map].Succeeded(),
			Reduces:   j.Stages[dag.Reduce].Succeeded(),
			Submitted: j.Submitted, Completed: j.Finished,
		}
		for _, a := range j.Stages[dag.Map].Attempts {
			if a.State == dag.AttemptSucceeded {
				x.MapIn += a.Done[0]
				x.MapOut += a.Out
				x.MapRead += a.Bytes
			}
		}
		for _, a := range j.Stages[dag.Reduce].Attempts {
			if a.State == dag.AttemptSucceeded {
				x.ReduceIn += a.Done[dag.Work]
				x.ReduceOut += a.Out
				x.Shuffled += a.Bytes
			}
		}
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			if j.Attempt > 1 {
				continue // a recording repeats the failed master's last response: the number of lost attempts is random
			}
			for _, a := range j.Stages[k].Attempts {
				// of those that are killed some never were anywhere but in the master's mind
				if a.State == dag.AttemptFailed {
					x.Failed++
				}
			}
		}
		// Where counters are not known they are so in both: NaN is not itself.
		for _, v := range []*float64{
			&x.MapIn, &x.MapOut, &x.ReduceIn, &x.ReduceOut, &x.Shuffled, &x.MapRead,
			&x.Seconds,
		} {
			if math.IsNaN(*v) {
				*v = -1
			}
		}
		all[j.ID] = x
	}
	return all
}

// sameEnd holds the last snapshot against the calm run's.
func (w watched) sameEnd(t *testing.T, calm watched) {
	t.Helper()
	want, is := calm.last(), w.last()
	if is.State != want.State {
		t.Errorf("it ended %v, else %v", is.State, want.State)
	}
	a, b := totals(want), totals(is)
	for id, x := range a {
		if y := b[id]; x != y {
			t.Errorf("%s:\n is %+v\nwas %+v", id, y, x)
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d jobs, else %d", len(b), len(a))
	}
}

// plausible compares every snapshot with the whole responses, and with the one before.
func (w watched) plausible(t *testing.T, calm watched) {
	t.Helper()
	lost := map[string]bool{}
	for _, s := range calm.run {
		each(s, func(name string, _ dag.StageIndex, a *dag.Attempt) {
			lost[name] = lost[name] || a.State == dag.AttemptFailed || a.State == dag.AttemptKilled
		})
	}
	over := map[string]dag.State{}
	for i, s := range w.run {
		if t.Failed() {
			return
		}
		w.responses.check(t, s)
		if i > 0 && s.At < w.run[i-1].At {
			t.Errorf("at %v after %v", s.At, w.run[i-1].At)
		}
		if s.State.Ended() != (i == len(w.run)-1) {
			t.Errorf("snapshot %d of %d: %v", i, len(w.run), s.State)
		}
		each(s, func(name string, _ dag.StageIndex, a *dag.Attempt) {
			if (a.State == dag.AttemptFailed || a.State == dag.AttemptKilled) && !lost[name] {
				t.Errorf("at %v: %s is %v (%s): it never was", s.At, name, a.State, a.Diagnosis)
			}
		})
		for k := range s.Jobs {
			j := &s.Jobs[k]
			if was, ended := over[j.ID]; ended && j.State != was {
				t.Errorf("at %v: %s is %v and was %v", s.At, j.ID, j.State, was)
			}
			if j.State.Ended() {
				over[j.ID] = j.State
			}
		}
	}
}

func each(s *dag.Snapshot, see func(name string, k dag.StageIndex, a *dag.Attempt)) {
	for i := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			all := s.Jobs[i].Stages[k].Attempts
			for n := range all {
				see(all[n].Name(s.Jobs[i].ID, dag.MapReduceName(k)), k, &all[n])
			}
		}
	}
}
