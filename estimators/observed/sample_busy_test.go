package observed

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// The profile of one run says little of the load that the next one meets. Before this run has launched anything its 80
// % range is wide; the first launch tells much of it.
func TestRangeKnowsOfOtherLoad(t *testing.T) {
	profile := Learn(runOf(finished(25)))
	width := func(s *dag.Snapshot) float64 {
		t.Helper()
		got, err := estimators.New(estimators.Sampled(), Costs, estimators.Options{}).Estimate(
			runOf(profiles.Attach(s, []*dag.Plan{profile})))
		if err != nil || len(got.Distribution) == 0 {
			t.Fatalf("no distribution: %v", err)
		}
		return float64(got.Distribution.At(0.9)) / float64(got.Distribution.At(0.1))
	}
	before := group(4000, 25, 600)
	before.Jobs[0].Stages[dag.Map].Attempts, before.Jobs[0].HeldMB = nil, 512
	if w := width(before); w < 1.8 {
		t.Errorf("before the first launch nine of ten ends lie within %.2f times the first one of ten; recordings differ by 2 to 3", w)
	}
	if w, was := width(group(20_000, 25, 600)), width(before); w > 0.8*was {
		t.Errorf("the range is %.2f wide before the launch and %.2f after %v", was, w, 20*time.Second)
	}
}

// A running reduce whose counters stand still may differ from the three that have ended. A reducer of quadratic cost
// may be in its largest group: it may end at once, or take half a minute more.
func TestSilentReduceIsDrawnWidely(t *testing.T) {
	s := finished(25)
	s.At, s.State = 40_000, dag.Running
	s.Jobs[0].State, s.Jobs[0].Finished = dag.Running, dag.NoInstant
	mark := dag.Mark{At: 31_000, Done: 1530, Out: 0}
	for i := range s.Jobs[0].Stages[dag.Reduce].Attempts {
		a := &s.Jobs[0].Stages[dag.Reduce].Attempts[i]
		if a.Bytes, a.End = 8000, a.CopyEnd+9000; i == 3 {
			*a = reduceAttempt(3, 8000, 1, mark, mark)
		}
	}
	d := ranged(t, s)
	if len(d) == 0 {
		t.Fatal("no range")
	}
	if d.At(0.05) > 2*time.Second || d.At(0.75) < 9*time.Second {
		t.Errorf("the last reduce says nothing of what is left, and from 5 to 75 %% the range is %v to %v", d.At(0.05),
			d.At(0.75))
	}
}

// Splits come largest first. Those that nobody has seen may be much smaller than the last one that has told its size:
// the range of sixty maps of which eight have told theirs reaches down to half of what their sizes would say.
func TestUntoldMapsMayBeSmaller(t *testing.T) {
	s := group(14_000, 25, 600)
	s.Plan.Jobs[0].Stages[dag.Map].Tasks, s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 60, 0
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		s.Jobs[0].Stages[dag.Map].Attempts[i].Total[0] -= float64(i)
	}
	d := ranged(t, s)
	if len(d) == 0 {
		t.Fatal("no range")
	}
	if low := float64(d.At(0.05)) / float64(d.At(0.95)); low > 0.45 {
		t.Errorf("the range begins at %.2f of its end", low)
	}
}

// Maps whose counters tell nothing have ended: how long they took is a scale for the rest, and a wide range better than
// none.
func TestRangeByLengthsAlone(t *testing.T) {
	s := group(30_000, 25, 600)
	s.Plan.Jobs[0].Stages[dag.Map].Tasks = 30
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		a.State, a.End = dag.AttemptSucceeded, 25_000
		a.Done, a.Total = [3]float64{}, [3]float64{}
		a.First, a.Last, a.FirstReport = dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant}, dag.NoInstant
	}
	d := ranged(t, s)
	if len(d) == 0 {
		t.Fatal("no range, though eight of thirty maps have ended after 20 s each")
	}
	if d.At(0.1) > time.Minute || d.At(0.95) < 100*time.Second {
		t.Errorf("the range is %v to %v", d.At(0.1), d.At(0.95))
	}
}

// All tasks are done and the job has not ended: a job of Hadoop 3 ends within a second, one of Hadoop 0.20 cleans up
// for some. The longer it waits the longer it may.
func TestTheEndMayTakeLong(t *testing.T) {
	last := func(waits dag.Instant) estimators.Distribution {
		s := finished(25)
		end := dag.Instant(0)
		for _, a := range s.Jobs[0].Stages[dag.Reduce].Attempts {
			end = max(end, a.End)
		}
		s.At, s.State = end+waits, dag.Running
		s.Jobs[0].State, s.Jobs[0].Finished = dag.Running, dag.NoInstant
		return ranged(t, s)
	}
	soon, late := last(100), last(5000)
	if soon.At(0.5) > 2*time.Second || late.At(0.9) < 5*time.Second || late.At(0.5) < soon.At(0.5) {
		t.Errorf("after 0.1 s: %v to %v; after 5 s: %v to %v", soon.At(0.1), soon.At(0.9), late.At(0.1), late.At(0.9))
	}
}
