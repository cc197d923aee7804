package pathfrag_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// The worked examples of ParaTimer (SIGMOD 2010), as facts/paratimer.md A2 reads them. Job 1 is j1, m11 is j1.m1,
// r1 is j1.r1.

// A paperJob is a job whose tasks of a kind are alike; lengths in seconds.
type paperJob struct {
	maps       int
	mapTime    float64
	reduces    int
	reduceTime float64
	after      []int
}

// figure3 is the running example of section 3: two jobs and one that joins them, on five map and five reduce slots.
func figure3(d1, d2 float64) []paperJob {
	return []paperJob{{2, d1, 1, 2, nil}, {6, d2, 1, 2, nil}, {1, 3, 1, 2, []int{0, 1}}}
}

func paperPlan(slots int, setup time.Duration, jobs []paperJob) *dag.Plan {
	p := &dag.Plan{Cluster: dag.Cluster{MapSlots: slots, ReduceSlots: slots, SlotsPerNode: 1, Setup: setup}}
	if slots == 16 {
		p.Cluster.SlotsPerNode = 2 // section 4.1: eight nodes
	}
	for i, j := range jobs {
		pipe := func(seconds float64) dag.Pipeline {
			return dag.Pipeline{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(seconds)}
		}
		p.Jobs = append(p.Jobs, dag.Job{
			Node: fmt.Sprintf("j%d", i+1), After: j.after,
			Stages: dag.MapReduce(dag.Stage{Tasks: j.maps, Known: true, Pipelines: []dag.Pipeline{pipe(j.mapTime)}},
				dag.Stage{Tasks: j.reduces, Known: true, Pipelines: []dag.Pipeline{
					pipe(0), pipe(0),
					pipe(j.reduceTime),
				}}),
		})
	}
	return p
}

// find schedules a snapshot and finds its path.
func find(t *testing.T, s *dag.Snapshot, par pathfrag.Params) *pathfrag.Path {
	t.Helper()
	var c golden.Case
	sch, err := schedule.Replay(s, c.Left(s, [4]float64{1, 1, 1, 1}), schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pathfrag.Find(s.Plan, sch, par)
	if err != nil {
		t.Fatal(err)
	}
	if p.Length() != sch.Remaining() {
		t.Errorf("the path is %v long, the schedule %v", p.Length(), sch.Remaining())
	}
	return p
}

// failing returns what is seen when a map of a job fails at a time after its start.
func failing(t *testing.T, plan *dag.Plan, job, task int, after time.Duration) *dag.Snapshot {
	t.Helper()
	var c golden.Case
	var at dag.Instant
	s := golden.Start(plan)
	run, err := schedule.Replay(s, c.Left(s, [4]float64{1, 1, 1, 1}), schedule.Options{
		Fault: func(x schedule.Task, start, _ dag.Instant) (dag.Instant, bool) {
			if x.Job != job || x.Stage != dag.Map || x.Index != task || x.Attempt > 0 {
				return 0, false
			}
			at = start.Add(after)
			return at, true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return golden.Cut(plan, run, at)
}

// show writes a fragment as its rounds, runs of tasks collapsed: "j1.m1-4 | j2.m13-16".
func show(plan *dag.Plan, p *pathfrag.Path, fragment int) string {
	var rounds []string
	for _, r := range p.Fragments[fragment].Rounds {
		rounds = append(rounds, collapse(tasksOf(p, plan, r)))
	}
	return strings.Join(rounds, " | ")
}

func collapse(names []string) string {
	var out []string
	for i := 0; i < len(names); {
		base, first := split(names[i])
		n := i + 1
		for n < len(names) {
			if b, k := split(names[n]); b != base || k != first+n-i {
				break
			}
			n++
		}
		if n-i > 2 {
			out = append(out, fmt.Sprintf("%s-%d", names[i], first+n-i-1))
		} else {
			out = append(out, names[i:n]...)
		}
		i = n
	}
	return strings.Join(out, " ")
}

func split(name string) (base string, n int) {
	at := strings.LastIndexAny(name, "mr") + 1
	if _, err := fmt.Sscanf(name[at:], "%d", &n); err != nil || strings.HasSuffix(name, "'") {
		return name, 0
	}
	return name[:at], n
}

var half = pathfrag.Params{Delta1: 500 * time.Millisecond, Delta2: 500 * time.Millisecond}

// of section 4: delta1 takes up noise of 2% on 727 s, delta2 is set-up and a heartbeat (facts/paratimer.md P7).
var join = pathfrag.Params{Delta1: 30 * time.Second, Delta2: 5 * time.Second}

func TestPaperFragments(t *testing.T) {
	for _, x := range []struct {
		name      string
		slots     int
		setup     time.Duration
		jobs      []paperJob
		par       pathfrag.Params
		fragments []string // all of them
		path      []string // fragment numbers, "extra" where it is
		seconds   float64
	}{{
		// Figure 3(a): d2 - d1 > delta1, m3 longer than delta2.
		name: "3.1.2 figure 3(a)", slots: 5, jobs: figure3(8, 10), par: half,
		fragments: []string{"j1.m1 j1.m2 | j2.m4 j2.m5", "j2.m1-3 | j2.m6", "j1.r1", "j2.r1", "j3.m1", "j3.r1"},
		path:      []string{"1", "3", "4", "5"}, seconds: 27,
	}, {
		// "if the map tasks of job 1 took longer": d1 - d2 > delta1.
		name: "3.1.2 converse of figure 3(a)", slots: 5, jobs: figure3(10, 8), par: half,
		fragments: []string{"j1.m1 j1.m2", "j2.m1-3 | j2.m4-6", "j1.r1", "j2.r1", "j3.m1", "j3.r1"},
		path:      []string{"1", "3", "4", "5"}, seconds: 23,
	}, {
		// All maps alike: rounds mix jobs, and there is one fragment.
		name: "3.1.2 d1 = d2", slots: 5, jobs: figure3(10, 10), par: half,
		fragments: []string{"j1.m1 j1.m2 j2.m1-3 | j2.m4-6", "j1.r1", "j2.r1", "j3.m1", "j3.r1"},
		path:      []string{"0", "2", "3", "4"}, seconds: 27,
	}, {
		// "a sequence of jobs": one fragment a job and kind.
		name: "3.1.2 sequence of jobs", slots: 16, setup: 100 * time.Millisecond, par: half,
		jobs: []paperJob{{36, 10, 16, 5, nil}, {20, 10, 20, 5, []int{0}}},
		fragments: []string{
			"j1.m1-16 | j1.m17-32 | j1.m33-36", "j1.r1-16", "j2.m1-16 | j2.m17-20",
			"j2.r1-16 | j2.r17-20",
		},
		path: []string{"0", "1", "2", "3"}, seconds: 65.8,
	}, {
		// Two wide jobs: more slots go from the first round to job 2 than to the rest of job 1. "Same job first" would
		// give three fragments for two jobs (facts/paratimer.md A2, "handoff count").
		name: "3.1.2 two wide jobs", slots: 16, par: half,
		jobs:      []paperJob{{20, 10, 0, 0, nil}, {16, 15, 0, 0, nil}},
		fragments: []string{"j1.m1-16 | j2.m1-12", "j1.m17-20 | j2.m13-16"},
		path:      []string{"0", "1 extra"}, seconds: 35,
	}, {
		// Case 2 of the critical path: r1 runs beyond m26, and only its extra time counts.
		name: "3.1.3 case 2", slots: 5, par: half,
		jobs:      []paperJob{{2, 8, 1, 20, nil}, {6, 10, 1, 2, nil}, {1, 3, 1, 2, []int{0, 1}}},
		fragments: []string{"j1.m1 j1.m2 | j2.m4 j2.m5", "j2.m1-3 | j2.m6", "j1.r1", "j2.r1", "j3.m1", "j3.r1"},
		path:      []string{"1", "2 extra", "4", "5"}, seconds: 33,
	}, {
		// Case 3: reduces in sequence. Of a multiple of C reduces of job 1 the slots go to job 2: one fragment.
		name: "3.1.3 case 3, 5 reduces", slots: 5, par: half,
		jobs:      []paperJob{{2, 8, 5, 20, nil}, {6, 10, 1, 2, nil}, {1, 3, 1, 2, []int{0, 1}}},
		fragments: []string{"j1.m1 j1.m2 | j2.m4 j2.m5", "j2.m1-3 | j2.m6", "j1.r1-5 | j2.r1", "j3.m1", "j3.r1"},
		path:      []string{"1", "2 extra", "3", "4"}, seconds: 35,
	}, {
		name: "3.1.3 case 3, 10 reduces", slots: 5, par: half,
		jobs: []paperJob{{2, 8, 10, 20, nil}, {6, 10, 5, 2, nil}, {1, 3, 1, 2, []int{0, 1}}},
		fragments: []string{
			"j1.m1 j1.m2 | j2.m4 j2.m5", "j2.m1-3 | j2.m6", "j1.r1-5 | j1.r6-10 | j2.r1-5", "j3.m1",
			"j3.r1",
		},
		path: []string{"1", "2 extra", "3", "4"}, seconds: 55,
	}, {
		// Otherwise two: of seven the last two are narrower and close their fragment.
		name: "3.1.3 case 3, 7 reduces", slots: 5, par: half,
		jobs: []paperJob{{2, 8, 7, 20, nil}, {6, 10, 1, 2, nil}, {1, 3, 1, 2, []int{0, 1}}},
		fragments: []string{
			"j1.m1 j1.m2 | j2.m4 j2.m5", "j2.m1-3 | j2.m6", "j1.r1-5 | j1.r6 j1.r7", "j2.r1", "j3.m1",
			"j3.r1",
		},
		path: []string{"1", "2 extra", "4", "5"}, seconds: 53,
	}, {
		// "or two" is not general: with five reduces of job 2 there are three.
		name: "3.1.3 case 3, 7 and 5 reduces", slots: 5, par: half,
		jobs: []paperJob{{2, 8, 7, 20, nil}, {6, 10, 5, 2, nil}, {1, 3, 1, 2, []int{0, 1}}},
		fragments: []string{
			"j1.m1 j1.m2 | j2.m4 j2.m5", "j2.m1-3 | j2.m6", "j1.r1-5 | j2.r1-3", "j1.r6 j1.r7", "j2.r4 j2.r5", "j3.m1",
			"j3.r1",
		},
		path: []string{"1", "2 extra", "3 extra", "5", "6"}, seconds: 53,
	}, {
		// Section 4.2, figure 4: 4.2 GB, 4 and 17 maps of 557 s and 727 s, 226 s from r2 on: 28 minutes.
		name: "4.2 figure 4", slots: 16, par: join, jobs: joinQuery(17),
		fragments: []string{
			"j1.m1-4 | j2.m13-16", "j2.m1-12 | j2.m17", "j1.r1-16", "j2.r1-16", "j3.m1-16 | j3.m17-32",
			"j3.r1-16",
		},
		path: []string{"1", "3", "4", "5"}, seconds: 1680,
	}, {
		// 4 GB: without m217 "the critical path has changed", and the query takes 25 minutes.
		name: "4.2 4 GB", slots: 16, par: join, jobs: joinQuery(16),
		fragments: []string{
			"j1.m1-4 | j2.m13-16", "j2.m1-12", "j1.r1-16", "j2.r1-16", "j3.m1-16 | j3.m17-32",
			"j3.r1-16",
		},
		path: []string{"0", "3", "4", "5"}, seconds: 1510,
	}, {
		// Section 4.3, the set-up of cases B and D: 28 maps.
		name: "4.3 28 maps", slots: 16, par: join, jobs: joinQuery(28),
		fragments: []string{
			"j1.m1-4 | j2.m13-16", "j2.m1-12 | j2.m17-28", "j1.r1-16", "j2.r1-16",
			"j3.m1-16 | j3.m17-32", "j3.r1-16",
		},
		path: []string{"1", "3", "4", "5"}, seconds: 1680,
	}} {
		t.Run(x.name, func(t *testing.T) {
			plan := paperPlan(x.slots, x.setup, x.jobs)
			p := find(t, golden.Start(plan), x.par)
			expect(t, plan, p, x.fragments, x.path, x.seconds)
		})
	}
}

// joinQuery is the parallel join of section 4.2 by the times that facts/paratimer.md A2 infers: 557 s and 727 s a
// map, 226 s from r2 to the end.
func joinQuery(maps int) []paperJob {
	return []paperJob{{4, 557, 16, 27, nil}, {maps, 727, 16, 106, nil}, {32, 20, 16, 80, []int{0, 1}}}
}

func expect(t *testing.T, plan *dag.Plan, p *pathfrag.Path, fragments, path []string, seconds float64) {
	t.Helper()
	var got []string
	for i := range p.Fragments {
		got = append(got, show(plan, p, i))
	}
	if !slices.Equal(got, fragments) {
		t.Errorf("fragments %q\nwant      %q", got, fragments)
	}
	got = nil
	for _, s := range p.Critical {
		id := fmt.Sprint(s.Fragment)
		if s.Extra {
			id += " extra"
		}
		got = append(got, id)
	}
	if !slices.Equal(got, path) {
		t.Errorf("critical path %q, want %q", got, path)
	}
	if got := p.Length().Seconds(); got != seconds {
		t.Errorf("%v s, want %v", got, seconds)
	}
}

// Section 3.2.1, figure 3(b): m26 fails right before its end, the worst time, and runs again at once. The query takes
// longer by one whole map, less the 100 ms.
func TestPaperFigure3b(t *testing.T) {
	plan := paperPlan(5, 0, figure3(8, 10))
	s := failing(t, plan, 1, 5, 9900*time.Millisecond)
	if s.At != 19_900 {
		t.Fatalf("m26 fails at %d", s.At)
	}
	p := find(t, s, half)
	expect(t, plan, p, []string{"j1.m1 j1.m2 | j2.m4 j2.m5", "j2.m1-3", "j1.r1", "j2.m6'", "j2.r1", "j3.m1", "j3.r1"},
		[]string{"3", "4", "5", "6"}, 17)
}

// Section 3.2.2, figure 3(c): m12 fails. m24 takes its slot (not m12 itself: facts/paratimer.md A7), m12' runs
// after m11; they form two fragments, m25 moves to p2, and the query takes as long as before.
func TestPaperFigure3c(t *testing.T) {
	plan := paperPlan(5, 0, figure3(8, 10))
	s := failing(t, plan, 0, 1, 3*time.Second)
	if s.At != 3000 {
		t.Fatalf("m12 fails at %d", s.At)
	}
	if a := s.Jobs[1].Stages[dag.Map].Attempts[3]; a.Task != 3 || a.Slot != 1 || a.Start != s.At {
		t.Errorf("m24 takes the slot of m12: %+v", a)
	}
	p := find(t, s, half)
	expect(t, plan, p, []string{"j1.m1 | j1.m2'", "j2.m1-3 | j2.m5 j2.m6", "j2.m4", "j1.r1", "j2.r1", "j3.m1", "j3.r1"},
		[]string{"1", "4", "5", "6"}, 24)
}

// Section 3.1.3: neither the fragments nor the tolerances change the time remaining (facts/paratimer.md A3).
func TestPaperTolerances(t *testing.T) {
	plan := paperPlan(16, 2*time.Second, joinQuery(17))
	want := find(t, golden.Start(plan), join).Length()
	for _, d1 := range []time.Duration{0, time.Second, time.Minute, time.Hour} {
		for _, d2 := range []time.Duration{0, 5 * time.Second, time.Hour} {
			p := find(t, golden.Start(plan), pathfrag.Params{Delta1: d1, Delta2: d2})
			if p.Length() != want {
				t.Errorf("delta1 %v, delta2 %v: %v, want %v", d1, d2, p.Length(), want)
			}
		}
	}
}

// Slack in figure 3(a): r1 ends at 10 s and job 3 begins at 22 s; jobs 2 and 3 are on the critical path.
func TestPaperSlack(t *testing.T) {
	plan := paperPlan(5, 0, figure3(8, 10))
	p := find(t, golden.Start(plan), half)
	if want := []time.Duration{12 * time.Second, 0, 0}; !slices.Equal(p.Slack, want) {
		t.Errorf("slack %v, want %v", p.Slack, want)
	}
}
