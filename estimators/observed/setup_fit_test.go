package observed

import (
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// Tasks of two sizes tell what both take alike, though nobody knows what a record costs; tasks of one size tell
// nothing.
func TestLengthsTellTheSetup(t *testing.T) {
	var fit startFit
	fit.addPhase([]taskLength{{1, 100, 5000}, {1, 100, 5000}})
	if alone, each := fit.line(); alone != 0 || each != 0 {
		t.Errorf("tasks of one size tell a set-up of %v + %v ms", alone, each)
	}
	fit.addPhase([]taskLength{{0, 60, 2060}, {0, 60, 2060}, {0, 270, 2270}, {0, 270, 2270}})
	if alone, _ := fit.line(); alone < 1999 || alone > 2001 {
		t.Errorf("set-up %v ms, want 2000", alone)
	}
}

// In a run on a sample of the data a reduce is mostly set-up. Its cost can still be learned, because the maps' reports
// tell the set-up.
func TestLearnFromASample(t *testing.T) {
	slots := finished(25)
	slots.Plan.Cluster = dag.Cluster{Policy: dag.FIFO, MapSlots: 8, ReduceSlots: 4}
	for i := range slots.Jobs[0].Stages[dag.Reduce].Attempts {
		a := &slots.Jobs[0].Stages[dag.Reduce].Attempts[i]
		a.CopyEnd, a.SortEnd = dag.NoInstant, dag.NoInstant
		a.End = a.Start + 5000 + dag.Instant(2*a.Done[dag.Work]) // 5 s of set-up, 2 ms a record
	}
	p := Learn(runOf(slots))
	near(t, "set-up", taskcost.MS(p.Cluster.Setup), 5000, 30)
	near(t, "reduce alpha in µs", 1000*p.Jobs[0].Stages[dag.Reduce].Pipelines[dag.Work].Alpha.At(0), 2000, 120)
}

// Maps of four records in a start-up of five seconds do not tell what a record costs: not where they are a hundred
// times as large now. For a run of the same size it does not matter, and is told.
func TestCostThatDrownsInStartUps(t *testing.T) {
	short := finished(25)
	for i := range short.Jobs[0].Stages[dag.Map].Attempts {
		a := &short.Jobs[0].Stages[dag.Map].Attempts[i]
		a.First, a.Last, a.FirstReport = dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant}, dag.NoInstant
		a.Done[0], a.Total[0], a.End = 4, 4, a.Start+5200
	}
	profile := Learn(runOf(short))
	for records, want := range map[float64]schedule.Origin{4: schedule.Profiled, 400: schedule.Assumed} {
		s := group(7000, 25, records)
		for i := range s.Jobs[0].Stages[dag.Map].Attempts {
			a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
			a.First, a.Last, a.Done[0], a.Total[0] = dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant}, 0,
				records
		}
		m := New(runOf(profiles.Attach(s, []*dag.Plan{profile})), Options{})
		if got := m.phases[0][dag.Map].origin; got != want {
			t.Errorf("%g records a map: the cost is %v, want %v", records, got, want)
		}
	}
}

// A script ran on a hundredth of its data. The maps of one input have told that they are a hundred times as large now:
// those of the other input, the reduces and the next job's maps, of which nobody has seen anything, are expected to be
// so too.
func TestSizesGrowWithTheRun(t *testing.T) {
	profile := Learn(runOf(finished(25)))
	profile.Jobs[0].Stages[dag.Reduce].Out = dag.Uniform(100)
	second, next := profile.Jobs[0], profile.Jobs[0]
	second.Node, next.Node, next.After = "scope-2", "scope-3", []int{0, 1}
	profile.Jobs = append(profile.Jobs, second, next)

	s := group(14_000, 25, 60_000)
	for i, node := range []string{"scope-2", "scope-3"} {
		job := dag.Job{
			Node: node, Feature: "GROUP_BY", Alias: "a,b", MasterMB: 512, MapReduce: limits(),
			Stages: dag.MapReduce(dag.Stage{Tasks: 10, Known: true}, dag.Stage{Tasks: 4, Known: true}),
		}
		if i == 1 {
			job.After = []int{0, 1}
		}
		s.Plan.Jobs = append(s.Plan.Jobs, job)
		s.Jobs = append(s.Jobs, dag.BlockedJob(dag.MapReduceStages))
	}
	m := New(runOf(profiles.Attach(s, []*dag.Plan{profile})), Options{})
	for j := range 3 {
		near(t, "records of a map", m.phases[j][dag.Map].size(9), 60_000, 600)
		was := profile.Jobs[j].Stages[dag.Reduce].Bytes.At(2)
		near(t, "bytes of a reduce", m.phases[j][dag.Reduce].size(2), 100*was, was)
	}
}

// In a sample a record may seem to cost thirty times as much as it does, for start-ups that were longer than their law.
// Once this run shows so in one stage, the others are no more than ten times too long for it.
func TestSlowdownOfASample(t *testing.T) {
	t.Parallel()
	profile := Learn(runOf(finished(25)))
	sample := *profile
	sample.Jobs = dag.CloneJobs(profile.Jobs)
	pipes := slices.Clone(sample.Jobs[0].Stages[dag.Map].Pipelines)
	pipes[0].Alpha, pipes[0].Tuples = dag.Uniform(30*25), dag.Uniform(6)
	sample.Jobs[0].Stages[dag.Map].Pipelines = pipes
	m := New(runOf(profiles.Attach(group(19_000, 25, 600), []*dag.Plan{&sample}),
		profiles.Attach(group(20_000, 25, 600), []*dag.Plan{&sample})), Options{})
	slow := m.slowdowns(profiles.Find(profiles.Attach(group(20_000, 25, 600), []*dag.Plan{&sample})))
	near(t, "per mille of the profile's cost", 1000*slow.of(0, dag.Map), 1000.0/30, 5)
}
