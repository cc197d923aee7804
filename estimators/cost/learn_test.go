package cost

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// TestLearnMapReduce checks that a profile has what a run showed, and is a valid plan.
func TestLearnMapReduce(t *testing.T) {
	t.Parallel()
	p := learned()
	job := &p.Jobs[0]
	near(t, "µs a record of a map", 1000*job.Stages[dag.Map].Pipelines[0].Alpha.At(0), 25_000, 1000)
	near(t, "of a reduce", 1000*job.Stages[dag.Reduce].Pipelines[dag.Work].Alpha.At(0), 40_000, 100)
	near(t, "bytes of the third reduce", job.Stages[dag.Reduce].Bytes.At(2), 6000, 0)
	if err := dag.ValidateProfile(p); err != nil {
		t.Error(err)
	}
}

// TestLearnFromASample checks that the work of a reduce is learned that is mostly start-up, in a run on a sample of the
// data: reports of the maps show the start-up.
func TestLearnFromASample(t *testing.T) {
	t.Parallel()
	s := finished(25)
	s.Plan.Cluster = dag.Cluster{Policy: dag.FIFO, MapSlots: 8, ReduceSlots: 4}
	for i := range s.Jobs[0].Stages[dag.Reduce].Attempts {
		a := &s.Jobs[0].Stages[dag.Reduce].Attempts[i]
		a.CopyEnd, a.SortEnd = dag.NoInstant, dag.NoInstant
		a.End = a.Start + 5000 + dag.Instant(2*a.Done[dag.Work]) // 5 s of start-up, 2 ms a record
	}
	p := Learn(runOf(s))
	near(t, "start-up, ms", taskcost.MS(p.Cluster.Setup), 5000, 50)
	near(t, "µs a record", 1000*p.Jobs[0].Stages[dag.Reduce].Pipelines[dag.Work].Alpha.At(0), 2000, 200)
}

// TestWorks checks that the work of a map is its length without the start-up that its reports show, and that each task
// counts once if two of its attempts have succeeded.
func TestWorks(t *testing.T) {
	t.Parallel()
	const ms, n = 20, 600
	s := mapping(40_000, ms, n)
	attempts := &s.Jobs[0].Stages[dag.Map].Attempts
	again := (*attempts)[3]
	again.Number, again.End = 1, again.End-2000
	*attempts = slices.Insert(*attempts, 4, again)
	works := Works(runOf(s))[0][dag.Map]
	if len(works) != 8 {
		t.Fatalf("%d tasks, want 8", len(works))
	}
	for i := range 8 {
		if work, ok := works[i]; !ok || i != 3 && math.Abs(work-ms*n) > 600 {
			t.Errorf("task %d: %v ms of work, want %d", i, work, ms*n)
		}
	}
}

// TestProfileAndPace checks that a profile gives a time before any report, and that the reduces, of which nothing has
// been seen, are expected to be slower beside maps that take twice as long, by less: one stage is little evidence.
func TestProfileAndPace(t *testing.T) {
	t.Parallel()
	profile := learned()
	at := func(now dag.Instant, ms, n float64) schedule.Cost {
		return modelOf(attached(mapping(now-1000, ms, n), profile), attached(mapping(now, ms, n), profile)).
			toCome(dag.Reduce, 3, 4)
	}
	early := at(6000, 25, 600)
	near(t, "the largest reduce", workOf(early), 16_000, 1000)
	if early.Origin != schedule.Profiled {
		t.Errorf("origin %v", early.Origin)
	}
	within(t, "beside maps that are twice as slow", workOf(at(30_000, 50, 600)), 20_000, 32_000)
	within(t, "after maps of twice the records", workOf(at(45_000, 25, 1200)), 27_000, 36_000)
}

// TestProfileOfLongRecords checks that once maps show that a record takes a thirtieth of the profile's time, as that
// of a sample may, those to come are expected to take as long as these.
func TestProfileOfLongRecords(t *testing.T) {
	t.Parallel()
	sample := learned()
	sample.Jobs[0].Stages[dag.Map].Pipelines = []dag.Pipeline{{Tuples: dag.Uniform(6), Alpha: dag.Uniform(30 * 25)}}
	m := modelOf(attached(mapping(19_000, 25, 600), sample), attached(mapping(20_000, 25, 600), sample))
	near(t, "work of a map to come", workOf(m.toCome(dag.Map, 9, 1)), 15_000, 3000)
	doubts := func(w dag.Warning) bool { return w.Code == dag.WarnProfileDoubted }
	if w := m.warnings(); !slices.ContainsFunc(w, doubts) {
		t.Errorf("warnings %v", w)
	}
}

// TestForeignProfile checks that one job that looks alike does not make a profile of another script fit.
func TestForeignProfile(t *testing.T) {
	t.Parallel()
	profile := learned()
	profile.Name = "other.pig"
	profile.Jobs = append(profile.Jobs, dag.Job{
		Node: "scope-2", After: []int{0}, Stages: dag.MapReduce(dag.Stage{Tasks: 1, Known: true}, dag.Stage{}),
	})
	m := modelOf(attached(mapping(6000, 25, 600), profile))
	if w := m.warnings(); len(w) != 1 || w[0].Code != dag.WarnNoProfile {
		t.Errorf("warnings %v", w)
	}
	if c := m.toCome(dag.Map, 9, 1); c.Origin < schedule.Assumed {
		t.Errorf("origin %v", c.Origin)
	}
}

// TestProfileOfGroups checks that a summary has no key groups of more tasks than it may have.
func TestProfileOfGroups(t *testing.T) {
	t.Parallel()
	p := Learn(runOf(quadratic().at(400_000, dag.GroupsTapped)))
	groups := func(p *dag.Plan) *dag.Groups { return p.Jobs[0].Stages[dag.Reduce].Groups }
	if s, short := profiles.Summary(p, 3); !short || groups(s) != nil || groups(p) == nil {
		t.Error("the summary has key groups of four tasks")
	}
	if s, _ := profiles.Summary(p, 20); groups(s) == nil {
		t.Error("the key groups of four tasks are too many for 20")
	}
}

// single returns a model like Costs in whose samples each task is an event of its own.
func single(r dag.Run) estimators.Costs {
	c := Costs(r)
	prepare := c.Sampling
	c.Sampling = func() func(estimators.Draws) estimators.Drawn {
		draw := prepare()
		return func(d estimators.Draws) estimators.Drawn {
			out := draw(d)
			out.Runs = false
			return out
		}
	}
	return c
}

// TestRunsEqualSingleTasks compares samples in which several tasks are one event with samples of single tasks: the
// quantiles differ by less than a hundredth of the time left.
func TestRunsEqualSingleTasks(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		tasks  int
		spread func(task int) float64 // of the length of a task
	}{
		{"alike", 100_000, func(task int) float64 { return 1 + 0.1*math.Sin(float64(task)) }},
		{"few waves", 40_000, func(task int) float64 { return 1 + 0.2*math.Sin(float64(task)) }},
		{"heavy tails", 100_000, func(task int) float64 {
			return math.Exp(estimators.Normal(math.Mod(float64(task)*math.Phi, 1)))
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			run := benchRun(x.tasks, 20, 50, false)
			s := run.Now()
			for k := range s.Jobs[0].Stages {
				for i := range s.Jobs[0].Stages[k].Attempts {
					a := &s.Jobs[0].Stages[k].Attempts[i]
					a.End = a.Start + dag.Instant(1500*min(x.spread(i), 20))
				}
			}
			estimate := func(model estimators.Model, samples int) estimators.Distribution {
				w := estimators.NewReplayContext(run, model, estimators.Options{Samples: samples})
				e, err := estimators.Sampled().Of(w)
				if err != nil || e.Distribution == nil {
					t.Fatal(e, err)
				}
				return e.Distribution
			}
			got, want := estimate(Costs, 128), estimate(single, 128)
			left := want.At(0.5)
			for _, q := range []float64{0.1, 0.5, 0.9} {
				off := float64(got.At(q)-want.At(q)) / float64(left)
				t.Logf("q%.0f: %v in runs, %v single: %+.2f%%", 100*q, got.At(q).Round(time.Second),
					want.At(q).Round(time.Second), 100*off)
				if math.Abs(off) > 0.01 {
					t.Errorf("q%.0f differs by %.2f%%", 100*q, 100*off)
				}
			}
		})
	}
}
