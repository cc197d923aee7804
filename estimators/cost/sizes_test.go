package cost

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// TestGrowthOfTheLastTasks has a stage whose tasks have all shown their units; by rounding alone the sum is less than
// the profile's total. It also has a stage of 1,000 tasks with one left, while the input is expected to be a tenth
// larger: that task is at most fifty times as large.
func TestGrowthOfTheLastTasks(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name           string
		units          []float64 // of the profile's tasks
		total, written float64
		ended          int
		least, most    float64 // growth of the tasks that are left
	}{
		{"all shown", []float64{0.3, 0.2, 0.1}, math.Nextafter(0.6, 1), 0.9, 3, 0.99, 1.01},
		{"one of many left", make([]float64, 1000), 1000, 1100, 999, 40, 60},
	} {
		if x.ended > 3 {
			for i := range x.units {
				x.units[i] = 1
			}
		}
		n := len(x.units)
		plan := &dag.Plan{Jobs: []dag.Job{{Stages: []dag.Stage{
			{Name: "scan", Tasks: 1, Known: true},
			{Name: "sum", Tasks: n, Known: true, After: []dag.Edge{{From: 0, Kind: dag.Barrier}}},
		}}}}
		o := &observations{numbers: &Spark, s: &dag.Snapshot{Plan: plan}, stages: [][]stage{make([]stage, 2)}}
		from, st := &o.stages[0][0], &o.stages[0][1]
		*from = stage{plan: &plan.Jobs[0].Stages[0], n: 1}
		from.wrote, from.ended = x.written, []*observation{{}}
		*st = stage{k: 1, plan: &plan.Jobs[0].Stages[1], job: &plan.Jobs[0], n: n, prior: prior{
			Tasks: profiles.Tasks{N: n, Records: true, Units: x.units, Total: x.total}, in: x.total,
		}}
		for i := range x.ended {
			st.ended = append(st.ended, &observation{task: i, units: x.units[i]})
		}
		g := o.growthOf(st)
		if left := math.Exp(g.left); !g.known || left < x.least || left > x.most {
			t.Errorf("%s: the tasks that are left are %.3g times as large", x.name, left)
		}
	}
}

// waiting is the job before any of its maps has started, with the file system's data about its input.
func waiting(bytes float64, profile *dag.Plan) *dag.Snapshot {
	s := mapping(6000, 25, 600)
	s.Plan.Jobs[0].InputBytes = bytes
	s.Jobs[0].Stages[dag.Map].Attempts = nil
	return attached(s, profile)
}

// TestSizesByRank checks that maps of a run with another number of maps are as large as the profile's maps of the same
// rank, in proportion to those that have shown their size: splits come largest first (recordings cpu-1 and wc-1).
func TestSizesByRank(t *testing.T) {
	t.Parallel()
	profile := learned()
	maps := &profile.Jobs[0].Stages[dag.Map]
	maps.Tasks, maps.Known = 8, true
	records := dag.Each([]float64{80, 70, 60, 50, 40, 30, 20, 10})
	maps.Pipelines = []dag.Pipeline{{Tuples: records, Alpha: dag.Uniform(25)}}
	s := mapping(14_000, 25, 600)
	s.Plan.Jobs[0].Stages[dag.Map].Tasks = 4
	all := s.Jobs[0].Stages[dag.Map].Attempts[:2]
	for i, n := range []float64{800, 600} {
		all[i] = mapOf(int32(i), 5000, 5000, 25, n, 14_000)
	}
	s.Jobs[0].Stages[dag.Map].Attempts = all
	m := modelOf(attached(s, profile))
	for i, want := range []float64{800, 600, 400, 200} {
		near(t, "records of a map", m.taskSize(0, dag.Map, i), want, 0.1*want)
	}
}

// TestFileSizes checks that a profile is scaled by the files of the input before any map reports, by the profile's own
// files if it has them, else by what its maps read, and that reports count before files: a job may read a part of them.
func TestFileSizes(t *testing.T) {
	t.Parallel()
	byMaps := learned()
	byMaps.Jobs[0].Stages[dag.Map].Bytes = dag.Uniform(700)
	byFiles := cloned(byMaps)
	byFiles.Jobs[0].InputBytes = 5000 // its maps decompress
	of := func(bytes float64, p *dag.Plan, k dag.StageIndex) float64 {
		return workOf(modelOf(waiting(bytes, p)).toCome(k, 3, 1))
	}
	work, reduce := of(0, byMaps, dag.Map), of(0, byMaps, dag.Reduce)
	near(t, "a map of twice the input", of(14_000, byMaps, dag.Map), 2*work, 0.05*work)
	near(t, "its reduce", of(14_000, byMaps, dag.Reduce), 2*reduce, 0.3*reduce)
	near(t, "a map of three times the files", of(15_000, byFiles, dag.Map), 3*work, 0.05*work)
	near(t, "without the size of the files", of(0, byFiles, dag.Map), work, 1)

	reported := func(bytes float64) float64 {
		s := mapping(45_000, 25, 600)
		s.Plan.Jobs[0].InputBytes = bytes
		return workOf(modelOf(attached(s, byMaps)).toCome(dag.Map, 9, 1))
	}
	near(t, "after reports", reported(1e12), reported(0), 0.01*reported(0))
}

// TestSizesGrowWithTheRun checks that the reduces of a run of more data get more in proportion, as do the other scan
// and the job after both, of which nothing has been seen.
func TestSizesGrowWithTheRun(t *testing.T) {
	t.Parallel()
	const grown = 10
	profile := learned()
	profile.Jobs[0].Stages[dag.Reduce].Out = dag.Uniform(1500) // the last job's ten maps read 600 each
	second, next := profile.Jobs[0], profile.Jobs[0]
	second.Node, next.Node, next.After = "scope-2", "scope-3", []int{0, 1}
	profile.Jobs = append(profile.Jobs, second, next)
	s := mapping(14_000, 25, grown*600)
	for i, node := range []string{"scope-2", "scope-3"} {
		job := s.Plan.Jobs[0]
		if job.Node = node; i == 1 {
			job.After = []int{0, 1}
		}
		s.Plan.Jobs = append(s.Plan.Jobs, job)
		s.Jobs = append(s.Jobs, dag.BlockedJob(dag.MapReduceStages))
	}
	m := modelOf(attached(s, profile))
	was := profile.Jobs[0].Stages[dag.Reduce].Bytes.At(2)
	within(t, "maps of the first, times", m.taskSize(0, dag.Map, 9)/600, 0.9*grown, 1.1*grown)
	for j := range 3 {
		within(t, "maps, times", m.taskSize(j, dag.Map, 9)/600, 0.4*grown, 1.3*grown)
		within(t, "reduces, times", m.taskSize(j, dag.Reduce, 2)/was, 0.4*grown, 1.3*grown)
	}
}

// TestUnknownSizeIsWide checks that the range allows for another size of input until something shows it: the number of
// maps, the files, or a report.
func TestUnknownSizeIsWide(t *testing.T) {
	t.Parallel()
	profile := learned()
	profile.Jobs[0].Stages[dag.Map].Bytes = dag.Uniform(700)
	width := func(s *dag.Snapshot) float64 {
		d := drawn(t, s)
		return float64(d.At(0.9)) / float64(d.At(0.1))
	}
	unknown, files := width(waiting(0, profile)), width(waiting(7000, profile))
	if files > 0.95*unknown {
		t.Errorf("the range is %.2f wide without a size, %.2f with that of the files", unknown, files)
	}
	threefold := drawn(t, waiting(21_000, profile)).At(0.5)
	if most := drawn(t, waiting(0, profile)).At(0.95); most < threefold*3/4 {
		t.Errorf("three times the input takes %v, and the range ends at %v", threefold, most)
	}
	if reported := width(attached(mapping(20_000, 25, 600), profile)); reported > files {
		t.Errorf("the range is %.2f wide before reports, %.2f after them", files, reported)
	}
}

// TestUnseenMapsMayBeSmaller checks that maps to come may be much smaller than those that have shown their size.
func TestUnseenMapsMayBeSmaller(t *testing.T) {
	t.Parallel()
	s := mapping(14_000, 25, 600)
	s.Plan.Jobs[0].Stages[dag.Map].Tasks, s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 60, 0
	d := drawn(t, s)
	if part := float64(d.At(0.05)) / float64(d.At(0.95)); !(part > 0 && part <= 0.6) {
		t.Errorf("from %v to %v", d.At(0.05), d.At(0.95))
	}
}

// TestRangeByLengthsAlone checks that maps without counters have a time and a range by how long those took that ended.
func TestRangeByLengthsAlone(t *testing.T) {
	t.Parallel()
	s := mapping(30_000, 25, 600)
	s.Plan.Jobs[0].Stages[dag.Map].Tasks = 30
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		silence(a)
		a.Done, a.Total = [dag.Pipelines]float64{}, [dag.Pipelines]float64{}
	}
	d := drawn(t, s)
	if len(d) == 0 || d.At(0.1) > 80*time.Second || d.At(0.95) < 90*time.Second {
		t.Errorf("%v to %v", d.At(0.1), d.At(0.95))
	}
}

// TestRoomForWhatRuns checks that a cluster has room for what runs on it: a history of a job of one map shows a node of
// one container, and its master has run somewhere as well; a ResourceManager may not give its cluster's size.
func TestRoomForWhatRuns(t *testing.T) {
	t.Parallel()
	one, unknown, fits := mapping(14_000, 25, 600), mapping(14_000, 25, 600), mapping(14_000, 25, 600)
	one.Jobs[0].Stages[dag.Map].Attempts = one.Jobs[0].Stages[dag.Map].Attempts[:1]
	one.Plan.Jobs[0].Stages[dag.Map].Tasks, one.Plan.Jobs[0].MapReduce = 3, dag.MapReduceLimits{}
	one.Plan.Cluster.MemoryMB = 1025
	one.Nodes = []dag.NodeState{{Name: "n1", MemoryMB: 1024, LostAt: dag.NoInstant}}
	unknown.Plan.Cluster.MemoryMB = 0
	for name, s := range map[string]*dag.Snapshot{"one container": one, "no size": unknown, "all fits": fits} {
		before := s.Plan.Cluster.MemoryMB
		m := modelOf(s)
		if _, err := schedule.Replay(m.s, m.left, schedule.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := m.s.Plan.Cluster.MemoryMB; s == fits && got != before {
			t.Errorf("a cluster of %d MB has become one of %d MB", before, got)
		}
		if s.Plan.Cluster.MemoryMB != before || len(s.Nodes) > 0 && s.Nodes[0].MemoryMB != 1024 {
			t.Errorf("%s: the snapshot itself was changed", name)
		}
	}
}

// TestUnitsOf checks what is known of an attempt's units: of a reduce that copies they grow with the outputs copied.
func TestUnitsOf(t *testing.T) {
	t.Parallel()
	reduce, maps := &stage{single: true, bytes: true, waits: true}, &stage{single: true, maps: true}
	a := blank(0, 0)
	a.Bytes, a.Done[dag.Copy], a.Total[dag.Copy] = 100, 2, 8
	near(t, "while it copies", reduce.unitsOf(&a), 400, 0)
	near(t, "of a map, by its split", maps.unitsOf(&a), 8, 0)
	a.CopyEnd = 1
	near(t, "after it", reduce.unitsOf(&a), 100, 0)
	a.CopyEnd, a.Done[dag.Copy] = dag.NoInstant, nan
	if u := reduce.unitsOf(&a); !math.IsNaN(u) {
		t.Errorf("before any output: %v", u)
	}
}
