package compare

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// exactly is a night without noise.
var exactly = simulate.Options{Every: time.Second}

// share of the difference that effects have.
func (c *Comparison) share(effects []Effect) float64 {
	sum := 0.0
	for _, e := range effects {
		sum += c.Effects[e]
	}
	return sum / c.Total
}

func TestEffects(t *testing.T) {
	base := joinOf(t, 1, 1)
	small := joinOf(t, 1, 1)
	small.Cluster.MemoryMB /= 2
	failing := exactly
	failing.Fail = []simulate.Failure{{Job: "scope-50", Stage: dag.Reduce, Task: 2, At: 113 * time.Second}}
	skewed := joinOf(t, 1, 1)
	skewed.Jobs[2].Stages[dag.Reduce].Pipelines[2].Tuples = dag.Each([]float64{120, 16, 16, 16, 16, 16})
	skewed.Jobs[2].Stages[dag.Reduce].Bytes = skewed.Jobs[2].Stages[dag.Reduce].Pipelines[2].Tuples
	for _, x := range []struct {
		name string
		plan *dag.Plan
		how  simulate.Options
		want []Effect
	}{
		{"twice the data", joinOf(t, 2, 1), exactly, []Effect{Data}},
		{"records that take half as long again", joinOf(t, 1, 1.5), exactly, []Effect{Cost}},
		{"half the cluster", small, exactly, []Effect{Cluster}},
		{"reduces with unlike numbers of records", skewed, exactly, []Effect{Skew}},
		{"a failure", base, failing, []Effect{Failures}},
	} {
		c := compared(t, night(t, base, 0, exactly), night(t, x.plan, 1, x.how))
		t.Logf("%s: %+.0f ms, %v", x.name, c.Total, c.Effects)
		if c.Total < 4000 || math.Abs(c.share(x.want)-1) > 0.2 {
			t.Errorf("%s: of %+.0f ms %v have %.0f%%: %v", x.name, c.Total, x.want, 100*c.share(x.want), c.Effects)
		}
		checkSums(t, c)
	}
}

// heartbeat is between two heartbeats of a master, in milliseconds: containers come and jobs end only then, so that a
// replay may be off by one.
const heartbeat = 1000

// TestWhatAFailureCost checks that a failure is reported with its cost, on the critical path or off it: the same night
// with and without it differ by nothing else.
func TestWhatAFailureCost(t *testing.T) {
	plan := joinOf(t, 1, 1)
	for n := range 6 {
		plain := night(t, plan, n, usual)
		for _, f := range []simulate.Failure{
			{Job: "scope-40", Stage: dag.Map, Task: 3, At: 18 * time.Second}, // the path goes elsewhere
			{Job: "scope-50", Stage: dag.Reduce, Task: 2, At: time.Duration(plain.Length-4000) * time.Millisecond},
		} {
			how := usual
			how.Fail = []simulate.Failure{f}
			c := compared(t, plain, night(t, plan, n, how))
			t.Logf("night %d, %s fails: %+.0f ms, %v", n, f.Job, c.Total, c.Effects)
			if got := c.Effects[Failures]; math.Abs(got-c.Total) > heartbeat {
				t.Errorf("night %d, %s: a failure: got %.0f ms, want %.0f", n, f.Job, c.Total, got)
			}
			checkSums(t, c)
		}
	}
}

// TestWhatFailedIsNoGain checks that what struck only the run is never reported to have shortened it, whatever the
// replays say.
func TestWhatFailedIsNoGain(t *testing.T) {
	for _, x := range []struct {
		v           float64
		now, before bool
		want        float64
	}{{-5, true, false, 0}, {5, true, false, 5}, {5, false, true, 0}, {-5, false, true, -5}, {-5, true, true, -5}} {
		if got := sided(x.v, x.now, x.before); got != x.want {
			t.Errorf("%+v: %f", x, got)
		}
	}
}

// TestDisplaceTakesNoMoreThanThereIs moves an effect: no more than the others have of its sign, and what is not known
// moves nothing.
func TestDisplaceTakesNoMoreThanThereIs(t *testing.T) {
	for _, x := range []struct{ amount, order, failures float64 }{
		{6, 4, 6}, {100, 0, 12}, {-3, 8, -1}, {math.NaN(), 8, 0},
	} {
		c := &Comparison{Effects: map[Effect]float64{Order: 8, Startup: 4, Waiting: -1}}
		c.displace(Failures, x.amount)
		if c.Effects[Order] != x.order || c.Effects[Failures] != x.failures {
			t.Errorf("%f: %v", x.amount, c.Effects)
		}
	}
}

// TestOthersAreMeasured checks what other applications held: over the run, in the mean, not before it and not after.
func TestOthersAreMeasured(t *testing.T) {
	var along Collector
	plan := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 1000},
		Jobs:    []dag.Job{{Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}},
	}
	at := func(now dag.Instant, mb int, submitted dag.Instant, state dag.State) {
		along.See(&dag.Snapshot{
			Plan: plan, At: now, State: state, Stale: dag.NoInstant,
			Jobs: []dag.JobState{{Submitted: submitted, Stages: make([]dag.StageState, dag.MapReduceStages)}},
			Load: []dag.Load{{HeldMB: mb}},
		})
	}
	at(0, 900, dag.NoInstant, dag.Submitted)
	at(10, 200, 10, dag.Running)
	at(20, 600, 10, dag.Running)
	plan.Cluster.MemoryMB = 500 // a node is lost
	at(30, 900, 10, dag.Succeeded)
	at(50, 900, 10, dag.Succeeded)
	var c Circumstances
	along.circumstances(&c, &dag.Snapshot{Plan: plan})
	if c.Cluster.MemoryMB != 1000 || math.Abs(float64(c.Others)-0.4) > 1e-9 {
		t.Errorf("%+v", c)
	}
}

// checkSums checks that effects add up: those of the comparison to its total, and those of a job to its additional
// the path.
func checkSums(t *testing.T, c *Comparison) {
	t.Helper()
	sum := 0.0
	for _, ms := range c.Effects {
		sum += ms
	}
	if math.Abs(sum-c.Total) > 1e-6 {
		t.Errorf("effects add up to %f ms of %f", sum, c.Total)
	}
	for i := range c.Jobs {
		row, sum := &c.Jobs[i], 0.0
		for _, ms := range row.effects {
			sum += ms
		}
		before, now := float64(row.BeforeSeconds), float64(row.OnPathSeconds) // to the millisecond
		if math.Abs(sum-1000*(zero(now)-zero(before))) > 1+1e-6 {
			t.Errorf("job %d: effects add up to %f ms of %f s", i, sum, now-before)
		}
	}
}

// TestIdleContainersTakeMoreData checks that data that lengthen nothing have no effect: twice the tasks on containers
// that were idle.
func TestIdleContainersTakeMoreData(t *testing.T) {
	before := load{ms: 10_000, records: 100, all: 1000, cost: 100}
	now := load{ms: 10_000, records: 100, all: 2000, cost: 100}
	for e, ms := range split(before, now) {
		if ms != 0 {
			t.Errorf("%s: %f ms", e, ms)
		}
	}
}

// TestSplit checks the formulas of docs/reports.md.
func TestSplit(t *testing.T) {
	before := load{ms: 10_000, records: 100, all: 1000, cost: 100}
	for _, x := range []struct {
		name string
		now  load
		want map[Effect]float64
	}{
		{"more records", load{ms: 15_000, records: 150, all: 1500, cost: 100}, map[Effect]float64{Data: 5000}},
		{"fewer records", load{ms: 5000, records: 50, all: 500, cost: 100}, map[Effect]float64{Data: -5000}},
		{"slower records", load{ms: 15_000, records: 100, all: 1000, cost: 150}, map[Effect]float64{Cost: 5000}},
		{"both", load{ms: 30_000, records: 200, all: 2000, cost: 150}, map[Effect]float64{Data: 10_000, Cost: 10_000}},
		{"another round", load{ms: 20_000, records: 200, all: 1000, cost: 100}, map[Effect]float64{Order: 10_000}},
		{
			"another round for a tenth more",
			load{ms: 20_000, records: 200, all: 1100, cost: 100},
			map[Effect]float64{Data: 1000, Order: 9000},
		},
		{"off the path", load{records: 0, all: 1000, cost: 100}, map[Effect]float64{Order: -10_000}},
		{
			"records not known",
			load{ms: 12_000, records: math.NaN(), all: math.NaN(), cost: math.NaN()},
			map[Effect]float64{Rest: 2000},
		},
	} {
		got := split(before, x.now)
		for _, e := range append(Effects, Work) {
			if math.Abs(got[e]-x.want[e]) > 1e-6 {
				t.Errorf("%s: %s is %f ms, want %f", x.name, e, got[e], x.want[e])
			}
		}
	}
}

// zero is v, or 0 if it is unknown.
func zero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
