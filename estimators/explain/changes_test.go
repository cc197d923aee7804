package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// shop is a query of one job of eight maps of 10 s each on four slots, observed at 4 s. Four maps run since 0 s.
func shop(at dag.Instant) *dag.Snapshot {
	tuples := dag.Pipeline{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(10)}
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 4, ReduceSlots: 4, SlotsPerNode: 1},
		Jobs: []dag.Job{{
			Node: "j1",
			Stages: dag.MapReduce(dag.Stage{Tasks: 8, Known: true, Pipelines: []dag.Pipeline{tuples}},
				dag.Stage{Known: true}),
		}},
	}
	job := dag.JobState{
		ID: "job_1_0001", State: dag.Running, Submitted: 0, Started: 0, Finished: dag.NoInstant,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	for i := range int32(4) {
		job.Stages[dag.Map].Attempts = append(job.Stages[dag.Map].Attempts, dag.Attempt{
			Task: i, State: dag.AttemptRunning, Slot: i, Node: i, End: dag.NoInstant,
			Done: [dag.Pipelines]float64{float64(at / 10)},
		})
	}
	return &dag.Snapshot{Plan: plan, At: at, State: dag.Running, Jobs: []dag.JobState{job}, Stale: dag.NoInstant}
}

// slowed is the paper's model with a slowdown that becomes known at an instant.
func slowed(factor float64, from dag.Instant) estimators.Model {
	return func(run dag.Run) estimators.Costs {
		f := 1.0
		if run.Now().At >= from {
			f = factor
		}
		return paper.Model(paper.FixedSlowdown([4]float64{f, f, f, f}))(run)
	}
}

// standardEnd is the end that standard predicts.
func standardEnd(t *testing.T, run dag.Run, model estimators.Model) dag.Instant {
	t.Helper()
	e, err := estimators.New(estimators.Scenarios()[0], model, estimators.Options{}).Estimate(run)
	if err != nil || e.Remaining == nil {
		t.Fatalf("standard = %+v, %v", e, err)
	}
	return run.Now().At.Add(*e.Remaining)
}

func TestChangesNameEachCause(t *testing.T) {
	never := dag.Instant(1 << 40)
	for _, c := range []struct {
		name   string
		change func(*dag.Snapshot)
		model  estimators.Model
		want   []Change
	}{
		{"a failure", func(s *dag.Snapshot) {
			a := &s.Jobs[0].Stages[dag.Map].Attempts[2]
			a.State, a.End = dag.AttemptFailed, 5000
		}, slowed(1, never), []Change{
			// Slot 2 takes m_000004 at 4 s instead of 10 s; the failed task follows it there, until 24 s.
			{
				Delta: 4 * time.Second, Reason: ReasonFailure, Subject: "map 2 of j1 failed and starts again",
				Event: true,
			},
		}},
		{
			"a number of tasks", func(s *dag.Snapshot) { s.Plan.Jobs[0].Stages[dag.Map].Tasks = 12 }, slowed(1, never),
			[]Change{
				{Delta: 10 * time.Second, Reason: ReasonSize, Subject: "job j1 has 12 maps", Event: true},
			},
		},
		{"slots", func(s *dag.Snapshot) { s.Plan.Cluster.MapSlots = 2 }, slowed(1, never), []Change{
			{Delta: 10 * time.Second, Reason: ReasonSlots, Subject: "2 map slots, not 4", Event: true},
		}},
		// 5 s more for the rest of the running maps, 10 s more for the four to come.
		{"speed", func(*dag.Snapshot) {}, slowed(2, 5000), []Change{
			{
				Delta: 15 * time.Second, Reason: ReasonSpeed,
				Subject: "map tasks of job j1 take 2.0 times as long as predicted",
			},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			later := shop(5000)
			c.change(later)
			before := dag.Run{}.Append(shop(4000))
			after := before.Append(later)
			delta := standardEnd(t, after, c.model).Sub(standardEnd(t, before, c.model))
			got := Changes(before, after, delta, c.model)
			if sum(got) != delta {
				t.Errorf("the parts of %v make %v: %v", delta, sum(got), got)
			}
			named := slices.DeleteFunc(slices.Clone(got), func(x Change) bool { return x.Reason == ReasonOther })
			if !slices.Equal(named, c.want) {
				t.Errorf("changes %v of %v, want %v", got, delta, c.want)
			}
		})
	}
}

func sum(changes []Change) (d time.Duration) {
	for _, c := range changes {
		d += c.Delta
	}
	return d
}

func TestChangesComeInOrderAndAddUp(t *testing.T) {
	later := shop(5000)
	later.Jobs[0].Stages[dag.Map].Attempts[0].State = dag.AttemptKilled
	later.Plan.Jobs[0].Stages[dag.Map].Tasks = 20
	later.Plan.Cluster.MapSlots = 3
	model := slowed(1.5, 5000)
	before := dag.Run{}.Append(shop(4000))
	after := before.Append(later)
	delta := standardEnd(t, after, model).Sub(standardEnd(t, before, model))
	var reasons []string
	got := Changes(before, after, delta, model)
	for _, c := range got {
		reasons = append(reasons, string(c.Reason))
	}
	if order := strings.Join(reasons, " "); !strings.HasPrefix(order, "failure size slots speed") {
		t.Errorf("reasons %q, want each in the fixed order", order)
	}
	if sum(got) != delta {
		t.Errorf("the parts of %v make %v", delta, sum(got))
	}
}

func TestChangesOfAnEndAreOther(t *testing.T) {
	later := shop(5000)
	later.State = dag.Succeeded
	before := dag.Run{}.Append(shop(4000))
	got := Changes(before, before.Append(later), -15*time.Second, slowed(1, 0))
	if want := []Change{{Delta: -15 * time.Second, Reason: ReasonOther}}; !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
}

func TestLosses(t *testing.T) {
	state := func(task, number int32, s dag.AttemptState) dag.Attempt {
		return dag.Attempt{Task: task, Number: number, State: s}
	}
	const (
		runs = dag.AttemptRunning
		done = dag.AttemptSucceeded
		fail = dag.AttemptFailed
		kill = dag.AttemptKilled
	)
	for _, c := range []struct {
		name        string
		was, is     []dag.Attempt
		want        []int
		wantSubject string
	}{
		{"nothing", []dag.Attempt{state(0, 0, runs)}, []dag.Attempt{state(0, 0, done)}, nil, ""},
		{
			"failed",
			[]dag.Attempt{state(0, 0, runs)},
			[]dag.Attempt{state(0, 0, fail)},
			[]int{0},
			"map 0 of j failed and starts again",
		},
		{
			"preempted",
			[]dag.Attempt{state(0, 0, runs)},
			[]dag.Attempt{{State: kill, Diagnosis: "Container preempted by scheduler"}},
			[]int{0},
			"map 0 of j was preempted and starts again",
		},
		{
			"its output is lost",
			[]dag.Attempt{state(0, 0, done)},
			[]dag.Attempt{state(0, 0, kill)},
			[]int{0},
			"map 0 of j had succeeded, its output is lost: it runs again",
		},
		{
			"unknown to a new master",
			[]dag.Attempt{state(0, 0, done), state(1, 0, runs)},
			[]dag.Attempt{state(0, 1000, runs)},
			[]int{
				0,
				1,
			},
			"map 0 of j had succeeded, its output is lost, and 1 more: they start again",
		},
		{"speculation", []dag.Attempt{state(0, 0, runs), state(0, 1, runs)}, []dag.Attempt{
			state(0, 0, kill),
			state(0, 1, done),
		}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := losses(c.was, c.is); !slices.Equal(got, c.want) {
				t.Fatalf("losses %v, want %v", got, c.want)
			}
			snap := func(list []dag.Attempt) *dag.Snapshot {
				return &dag.Snapshot{Plan: &dag.Plan{Jobs: []dag.Job{{Node: "j", Stages: dag.MapReduce(dag.Stage{},
					dag.Stage{})}}}, Jobs: []dag.JobState{{Stages: []dag.StageState{{Attempts: list}, {}}}}}
			}
			s, subject := lostWork(snap(c.was), snap(c.is))
			if (s != nil) != (c.want != nil) || subject != c.wantSubject {
				t.Errorf("subject %q, want %q", subject, c.wantSubject)
			}
		})
	}
}

func TestClusterChanges(t *testing.T) {
	nodes := func(list ...dag.NodeState) *dag.Snapshot { return &dag.Snapshot{Plan: &dag.Plan{}, Nodes: list} }
	a, b := dag.NodeState{Name: "a"}, dag.NodeState{Name: "b"}
	lost := dag.NodeState{Name: "b", Lost: true}
	unhealthy, out := dag.NodeState{Name: "b", Lost: true, Cause: dag.NodeUnhealthy}, dag.NodeState{
		Name: "b", Lost: true,
		Cause: dag.NodeDecommissioned,
	}
	drains := dag.NodeState{Name: "b", Draining: true}
	for _, c := range []struct {
		name       string
		was, later *dag.Snapshot
		want       string
	}{
		{"one is new", nodes(a), nodes(a, b), "node b is new"},
		{"one is lost", nodes(a, b), nodes(a, lost), "node b is lost"},
		{"one is back", nodes(a, lost), nodes(a, b), "node b is back"},
		{"unreported before one was lost", nodes(), nodes(a, lost), "node b is lost"},
		{"one is reported when it is lost", nodes(a), nodes(a, lost), "node b is lost"},
		{"one is unhealthy", nodes(a, b), nodes(a, unhealthy), "node b is unhealthy"},
		{"one drains", nodes(a, b), nodes(a, drains), "node b is being decommissioned"},
		{"one has drained", nodes(a, drains), nodes(a, out), "node b is decommissioned"},
		{"one drains no longer", nodes(a, drains), nodes(a, b), "node b stays in the cluster"},
		{"they became known", nodes(), nodes(a, b), "its nodes became known"},
		{"nothing", nodes(a, b), nodes(a, b), ""},
	} {
		if _, got := changedSlots(c.was, c.later); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCoresToComeChange: executors that are starting belong to the cluster that requested them.
func TestCoresToComeChange(t *testing.T) {
	was := &dag.Snapshot{Plan: &dag.Plan{}, Nodes: []dag.NodeState{{Name: "a"}}}
	later := &dag.Snapshot{
		Plan: &dag.Plan{}, Nodes: []dag.NodeState{{Name: "a", Lost: true}},
		Coming: []dag.Capacity{{At: 5, Cores: 2}},
	}
	if s, _ := changedSlots(was, later); s == nil || !slices.Equal(s.Coming, later.Coming) {
		t.Errorf("the executor in place of the lost one is missing: %+v", s)
	}
}

// TestAvoidances: a master that avoids a node is a change of slots, by the node's name, not by its index.
func TestAvoidances(t *testing.T) {
	snap := func(nodes string, avoided ...int32) *dag.Snapshot {
		s := &dag.Snapshot{Plan: &dag.Plan{Jobs: []dag.Job{{Node: "j", Stages: dag.MapReduce(dag.Stage{},
			dag.Stage{})}}}, Jobs: []dag.JobState{{
			Avoided: avoided,
			Stages:  make([]dag.StageState, dag.MapReduceStages),
		}}}
		for _, name := range nodes {
			s.Nodes = append(s.Nodes, dag.NodeState{Name: string(name)})
		}
		return s
	}
	for _, c := range []struct {
		name       string
		was, later *dag.Snapshot
		want       string
		avoided    []int32
	}{
		{"one", snap("ab"), snap("ba", 0), "job j avoids node b", []int32{1}},
		{"one that is new as well", snap("a"), snap("ba", 0), "node b is new, job j avoids node b", []int32{1}},
		{"no longer", snap("ab", 1), snap("ab"), "job j avoids node b no longer", nil},
		{"the same", snap("ab", 1), snap("ba", 0), "", nil},
	} {
		s, subject := changedSlots(c.was, c.later)
		if subject != c.want || (s != nil) != (c.want != "") {
			t.Errorf("%s: %q, want %q", c.name, subject, c.want)
		}
		if s != nil && !slices.Equal(s.Jobs[0].Avoided, c.avoided) {
			t.Errorf("%s: avoids %v, want %v", c.name, s.Jobs[0].Avoided, c.avoided)
		}
	}
}

// A change names the application that came, grew or went.
func TestChangesNameOthers(t *testing.T) {
	bob := dag.Load{ID: "application_1_0002", Name: "skew.pig", User: "bob", HeldMB: 512}
	more := bob
	more.HeldMB = 2560
	for _, c := range []struct {
		was, is []dag.Load
		want    string
	}{
		{nil, []dag.Load{bob}, "bob's skew.pig started and uses 512 MB"},
		{nil, []dag.Load{{ID: "application_1_0003"}}, "application_1_0003 has come and waits"},
		{[]dag.Load{bob}, []dag.Load{more}, "bob's skew.pig uses 2560 MB, not 512"},
		{[]dag.Load{bob}, nil, "bob's skew.pig is gone"},
	} {
		got := loadChanges(&dag.Snapshot{Load: c.was}, &dag.Snapshot{Load: c.is})
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%v, want %q", got, c.want)
		}
	}
}
