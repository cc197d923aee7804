package whatif

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// TestIdleCoresAreReplayed replays a finished run of two stages on two cores, whose executors came 30 s after the
// submission and whose driver needed 2 s to start each next task. Without these times the replay would take 24 s of 63.
func TestIdleCoresAreReplayed(t *testing.T) {
	t.Parallel()
	plan := &dag.Plan{
		Engine: "Spark", Cluster: dag.Cluster{Policy: dag.Executors, Cores: 2},
		Jobs: []dag.Job{{Node: "application", Stages: []dag.Stage{
			{Name: "scan", Tasks: 6, Known: true},
			{Name: "reduce", Tasks: 4, Known: true, After: []dag.Edge{{From: 0, Kind: dag.Barrier}}},
		}}},
	}
	state := dag.JobState{State: dag.Succeeded, Submitted: 1000, Finished: 64_000, Stages: make([]dag.StageState, 2)}
	add := func(k dag.StageIndex, task, slot int32, start, end dag.Instant) {
		nan := math.NaN()
		state.Stages[k].Attempts = append(state.Stages[k].Attempts, dag.Attempt{
			Task: task, Slot: slot, Node: -1, State: dag.AttemptSucceeded, Start: start, End: end, Out: nan, Bytes: nan,
			Ratio: nan, Done: [dag.Pipelines]float64{nan, nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan},
			CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, First: dag.Mark{At: dag.NoInstant},
			Last: dag.Mark{At: dag.NoInstant}, FirstReport: dag.NoInstant,
		})
	}
	for i := range int32(3) {
		at := 31_000 + 7000*dag.Instant(i)
		add(0, 2*i, 0, at, at+5000)
		add(0, 2*i+1, 1, at, at+5000-3000*dag.Instant(i/2)) // at last the second core waits for the end of the stage
	}
	for i := range int32(2) {
		at := 52_000 + 6500*dag.Instant(i)
		add(1, 2*i, 0, at, at+4500)
		add(1, 2*i+1, 1, at, at+4500)
	}
	state.Stages[0].Submitted, state.Stages[1].Submitted = 1000, 1000
	state.Finished = 63_000
	past, ok := Again(dag.Run{}.Append(&dag.Snapshot{
		At: 63_000, State: dag.Succeeded, Plan: plan, Jobs: []dag.JobState{state}, Stale: dag.NoInstant,
	}))
	if !ok {
		t.Fatal("no job has run")
	}
	r, err := NewReplayOf(past, cost.Costs)
	if err != nil || !(math.Abs(r.Miss()) < 0.01) {
		t.Fatalf("the replay of %v misses by %v, %v", past.Took, r.Miss(), err)
	}
}

// staircase takes a second on 64 slots and more, and is twice as fast on twice the slots up to there.
func staircase(c Change) (time.Duration, error) {
	n := 4.0
	for _, s := range c.Slots {
		n = s.N
	}
	return time.Duration(max(1, 64/n) * float64(time.Second)), nil
}

// The knee of a curve that falls as it should up to 64 containers, and then no more, is the first point from which no
// doubling saves a tenth: at 60.9, a doubling ends at 1 s instead of 1.05.
func TestKnee(t *testing.T) {
	c, err := curveOf(staircase, Room{Policy: dag.YARN, N: [2]int{4}, ContainerMB: 1}, [2]int{400})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) > curvePoints || c.Points[0].Room.N[0] != 1 ||
		c.Points[len(c.Points)-1].Room.N[0] < 400 {
		t.Errorf("%d points, from %v to %v", len(c.Points), c.Points[0].Room, c.Points[len(c.Points)-1].Room)
	}
	knee, before := c.Points[c.Knee], c.Points[c.Knee-1]
	if knee.Room.N[0] < 58 || knee.Room.N[0] > 71 || before.Room.N[0] >= 60 {
		t.Errorf("the knee is at %v, the point before at %v", knee.Room, before.Room)
	}
	base := 0
	for _, p := range c.Points {
		if p.Base {
			base++
			if p.Room.N[0] != 4 || p.Remaining != 16*time.Second {
				t.Errorf("%+v", p)
			}
		}
	}
	if base != 1 {
		t.Errorf("%d points are the base", base)
	}
}

func TestTogether(t *testing.T) {
	if _, err := Together([]Change{{Scale: 2}, {Scale: 3}}); err == nil {
		t.Error("two scales at once")
	}
	if _, err := Together([]Change{{Slots: []Slots{{N: 3}}}, {Slots: []Slots{{Which: Maps, N: 3}}}}); err == nil {
		t.Error("two numbers of map slots at once")
	}
	twice := Pace{Factor: 2}
	if _, err := Together([]Change{{Pace: []Pace{twice}}, {Pace: []Pace{twice}}}); err == nil {
		t.Error("two paces of all jobs at once")
	}
	if c, err := Together([]Change{{Pace: []Pace{twice}}, {Pace: []Pace{{"j", 3}}}}); err != nil ||
		c.String() != "pace 2, pace j=3" {
		t.Errorf("%s, %v", c, err)
	}
	c, err := Together([]Change{
		{Slots: []Slots{{Which: Maps, N: 3}}},
		{Slots: []Slots{{Which: Reduces, N: 2}}},
		{Failures: []Failure{{What: FailNode}}},
		{Failures: []Failure{{What: FailTask}}},
		{Scale: 2},
		{Even: true},
		{Ideal: true},
	})
	if want := "policy ideal, slots map=3, slots reduce=2, scale 2, skew none, fail task, fail node"; err != nil ||
		c.String() != want {
		t.Errorf("%s, %v; want %s", c, err, want)
	}
}
