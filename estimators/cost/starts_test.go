package cost

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// profileOfStarts is a profile of a quiet cluster with short starts and pauses.
func profileOfStarts() *dag.Plan {
	p := learned()
	o := &p.Overheads
	o.Launch, o.SetupMin, o.SetupPer, o.Cold = 1250*time.Millisecond, time.Second, 100*time.Millisecond, 0
	o.Wave, o.Finish = 4*time.Second, time.Second
	return p
}

// TestPausesFollowTheLoad checks that pauses are expected as those that the run has had, newer ones counting more, and
// of other kinds as is expected at the pace that they show.
func TestPausesFollowTheLoad(t *testing.T) {
	t.Parallel()
	overheads := func(launch dag.Instant) *dag.Overheads {
		s := attached(mapping(5500, 25, 600), profileOfStarts())
		s.Jobs[0].Submitted = 5000 - launch
		return &modelOf(s).s.Plan.Overheads
	}
	quiet, busy := overheads(1250), overheads(5000)
	within(t, "quiet launch, ms", taskcost.MS(quiet.Launch), 1100, 1400)
	within(t, "quiet wave, ms", taskcost.MS(quiet.Wave), 3500, 4500)
	within(t, "busy launch, ms", taskcost.MS(busy.Launch), 2500, 5000)
	within(t, "busy wave against a quiet one", taskcost.MS(busy.Wave)/taskcost.MS(quiet.Wave), 1.2, 4)
	within(t, "busy finish against a quiet one", taskcost.MS(busy.Finish)/taskcost.MS(quiet.Finish), 1.2, 4)

	var p shownPause
	if mean, weight := p.mean(); mean != 0 || weight != 0 {
		t.Errorf("of nothing: %v with weight %v", mean, weight)
	}
	p.had = []time.Duration{15 * time.Second, 5 * time.Second, 5 * time.Second}
	mean, _ := p.mean()
	within(t, "of 15, 5 and 5 s, ms", mean, 8333, 8334)
}

// TestStartsFollowTheFirstLaunch checks that maps that have not reported yet are expected to start slower if the first
// launch was slower than in the profile's run.
func TestStartsFollowTheFirstLaunch(t *testing.T) {
	t.Parallel()
	start := func(submitted dag.Instant) float64 {
		s := attached(mapping(5500, 25, 600), profileOfStarts())
		s.Jobs[0].Submitted = submitted
		return modelOf(s).toCome(dag.Map, 9, 8).Setup.Seconds()
	}
	as, slow := start(3750), start(0)
	within(t, "as in the profile's run, s", as, 1.6, 2.1)
	within(t, "after a launch of four times the time, s", slow, 1.25*as, 4*as)
}

// TestStartsByReports checks when reports show a start: of a map two of them while it works, of a reduce the end of its
// copy if no map was left to wait for.
func TestStartsByReports(t *testing.T) {
	t.Parallel()
	m := modelOf(mapping(19_000, 25, 600), mapping(20_000, 25, 600))
	maps, reduces := &m.stages[0][dag.Map], &m.stages[0][dag.Reduce]
	a := m.s.Jobs[0].Stages[dag.Map].Attempts[0]
	up := m.startOf(maps, &a)
	if near(t, "start of a map", up, 5000, 600); !(up > 0) {
		t.Error("two reports do not show it")
	}
	a.Last = a.First
	if up = m.startOf(maps, &a); !math.IsNaN(up) {
		t.Errorf("one report shows a start of %v ms", up)
	}
	r := reduceOf(0, 1, 1, a.First, a.First)
	if up = m.startOf(reduces, &r); !math.IsNaN(up) {
		t.Errorf("maps run, and a reduce shows a start of %v ms", up)
	}
	reduces.input = 24_000
	if up = m.startOf(reduces, &r); up != 5000-taskcost.LeastMS {
		t.Errorf("start of a reduce: %v ms", up)
	}
}

// TestTogether counts starts that slow each other down: those on the node in the window before, and half of it after.
func TestTogether(t *testing.T) {
	t.Parallel()
	s := mapping(20_000, 25, 600)
	for i, start := range []dag.Instant{5000, 5500, 6500, 9000, 9100, 9200, 9300, 20_000} {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		if a.Start = start; i == 6 {
			a.Node = 1
		}
	}
	m := modelOf(s)
	attempts := m.s.Jobs[0].Stages[dag.Map].Attempts
	for i, want := range []int{2, 2, 3, 3, 3, 3, 1, 1} {
		a := &attempts[i]
		if got := m.starts.together[a]; got != want {
			t.Errorf("attempt %d starts with %d others, want %d", i, got-1, want-1)
		}
		if cold := i < 3; m.starts.isCold(a) != cold {
			t.Errorf("attempt %d of the first batch: %v", i, !cold)
		}
	}
}

// stalledAt is a job of which eight maps of ten have ended at 19 s and nothing has started since.
func stalledAt(now dag.Instant) *dag.Snapshot {
	s := mapping(19_000, 25, 600)
	s.At, s.Jobs[0].HeldMB = now, 512
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		a.State, a.End, a.Done[0], a.Ratio = dag.AttemptSucceeded, 19_000, 600, 1
	}
	return s
}

// TestStall checks that what could start and does not is expected to wait as long again as it has waited, with the
// range of a wait of which only its age is known.
func TestStall(t *testing.T) {
	t.Parallel()
	left := func(now dag.Instant) float64 {
		m := modelOf(stalledAt(now))
		m.findStall()
		return taskcost.MS(replayed(t, m).Remaining())
	}
	usual := left(20_000)
	near(t, "after 10 s", left(29_000), usual, 1500)
	near(t, "after 100 s", left(119_000), usual+100_000, 1500)
	if w := With(Options{Numbers: &fixed})(runOf(stalledAt(119_000))).Warnings; len(w) != 1 ||
		w[0].Code != dag.WarnOtherLoad {
		t.Errorf("warnings %v", w)
	}
	// The rest is shorter than a ninth of the wait with probability 1/10, and longer than nine times it likewise.
	d := drawn(t, stalledAt(119_000))
	within(t, "tenth", taskcost.MS(d.At(0.1)), 11_000, usual+20_000)
	within(t, "nine tenths", taskcost.MS(d.At(0.9)), 650_000, usual+1_150_000)
}

// TestNoStall checks that a wait is none if others have the containers, ours run, or the next job is yet to come.
func TestNoStall(t *testing.T) {
	t.Parallel()
	full, over := stalledAt(119_000), stalledAt(119_000)
	full.Load = []dag.Load{{ID: "job_2", HeldMB: full.Plan.Cluster.MemoryMB - 512, Until: dag.NoInstant}}
	job := over.Plan.Jobs
	job[0].Stages[dag.Map].Tasks, job[0].Stages[dag.Reduce].Tasks = 8, 0
	over.Jobs[0].State, over.Jobs[0].Finished, over.Jobs[0].HeldMB = dag.Succeeded, 20_000, 0
	over.Plan.Jobs = append(job, dag.Job{
		Node: "scope-2", After: []int{0}, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
	})
	over.Jobs = append(over.Jobs, dag.BlockedJob(dag.MapReduceStages))
	for name, s := range map[string]*dag.Snapshot{
		"others have all": full, "ours run": mapping(60_000, 80, 600), "between jobs": over,
	} {
		m := modelOf(s)
		if m.findStall(); m.stalled != 0 {
			t.Errorf("%s: stalled for %v", name, m.stalled)
		}
	}
}

// TestSlowNode checks when tasks show that their node is slow, and when a reader is warned of it.
func TestSlowNode(t *testing.T) {
	t.Parallel()
	type task struct {
		node        int32
		ms, records float64
	}
	for _, c := range []struct {
		name        string
		tasks       []task
		least, most float64 // factor of node 3
		warnings    int
	}{
		{"twice as slow", []task{
			{0, 10_000, 1000}, {1, 10_100, 1000}, {2, 9900, 1000}, {3, 20_000, 1000}, {3, 20_200, 1000},
		}, 1.3, 2.1, 1},
		{"large tasks", []task{{0, 10_000, 1000}, {1, 10_100, 1000}, {3, 50_000, 5000}, {3, 51_000, 5000}}, 1, 1, 0},
		{"one odd task of three", []task{
			{0, 10_000, 1000}, {1, 10_100, 1000}, {3, 10_000, 1000}, {3, 10_100, 1000}, {3, 19_000, 1000},
		}, 1, 1, 0},
		{"too little work", []task{{0, 500, 50}, {1, 500, 50}, {3, 990, 50}, {3, 990, 50}}, 1, 1, 0},
		{"tasks differ as much among themselves", []task{
			{0, 10_000, 1000},
			{0, 20_000, 1000},
			{1, 7000, 1000},
			{1, 16_000, 1000},
			{3, 12_000, 1000},
			{3, 25_000, 1000},
		}, 1, 1, 0},
	} {
		s := mapping(100_000, 25, 600)
		s.Plan.Overheads.SetupMin, s.Plan.Overheads.SetupPer, s.Plan.Overheads.Cold = 1e6, 1e6, 1e6 // 1 ms
		s.Jobs[0].Stages[dag.Map].Attempts = nil
		for _, name := range []string{"a", "b", "c", "d"} {
			s.Nodes = append(s.Nodes, dag.NodeState{Name: name, MemoryMB: 2560, LostAt: dag.NoInstant})
		}
		for i, x := range c.tasks {
			a := mapOf(int32(i), 5000, 0, x.ms/x.records, x.records, 100_000)
			silence(&a)
			a.Node = x.node
			s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
		}
		m := modelOf(s)
		within(t, c.name, m.nodes.factor(3), c.least, c.most)
		near(t, c.name+": a node that is not known", m.nodes.factor(-1), 1, 0)
		if w := m.nodes.warnings(s); len(w) != c.warnings || len(m.nodes.factors()) != c.warnings {
			t.Errorf("%s: warnings %v, factors %v", c.name, w, m.nodes.factors())
		}
		if s.Nodes[3].Lost = true; len(modelOf(s).nodes.warnings(s)) > 0 {
			t.Errorf("%s: a warning of a lost node", c.name)
		}
	}
}
