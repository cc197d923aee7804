package pathfrag_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"pgregory.net/rapid"
)

// play plays a run and calls visit with every snapshot and the marks so far.
func play(t interface {
	Fatal(...any)
	Helper()
}, plan *dag.Plan, opt simulate.Options, visit func(s *dag.Snapshot, m *pathfrag.Marks),
) {
	t.Helper()
	src, err := simulate.New(plan, opt)
	if err != nil {
		t.Fatal(err)
	}
	var m pathfrag.Marks
	for n := 0; ; n++ {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || n > 20_000 {
			t.Fatal(n, err)
		}
		m.See(s)
		visit(s, &m)
	}
}

// partition checks that parts follow each other from the first submission to the end, that none is empty or negative,
// and that the sums add up.
func partition(s *dag.Snapshot, a *pathfrag.Attribution) error {
	at := a.From
	for _, p := range a.Parts {
		if p.Start != at || p.End <= p.Start {
			return fmt.Errorf("part %+v begins where none ended: %d", p, at)
		}
		at = p.End
	}
	if at != a.To {
		return fmt.Errorf("the last part ends at %d, not %d", at, a.To)
	}
	sum := time.Duration(0)
	for _, d := range a.ByCause() {
		sum += d
	}
	if sum != a.Total() {
		return fmt.Errorf("causes add up to %v, not %v", sum, a.Total())
	}
	to := s.At
	if s.State.Ended() {
		to = dag.NoInstant
		for j := range s.Jobs {
			to = max(to, s.Jobs[j].Finished)
		}
	}
	if origin := s.Origin(); origin.Known() && (a.From != origin || a.To != to) {
		return fmt.Errorf("from %d to %d, not %d to %d", a.From, a.To, origin, to)
	}
	return nil
}

// drawYARN makes a drawn plan one of containers.
func drawYARN(t *rapid.T) *dag.Plan {
	p := golden.Draw(t).Plan
	ms := func(what string, of ...int) time.Duration {
		return time.Duration(rapid.SampledFrom(of).Draw(t, what)) * time.Millisecond
	}
	o := &p.Overheads
	o.AMStart, o.Beat, o.Finish, o.Wave, o.Stagger = ms("am", 0, 30), ms("beat", 0, 10), ms("finish", 0, 20),
		ms("wave", 0, 15), ms("stagger", 0, 5)
	o.Handoff, o.AMHold, o.Copy, o.SetupMin, o.Cold = ms("handoff", 0, 6), ms("hold", 0, 50), ms("copy", 0, 4),
		ms("setup", 0, 7), ms("cold", 0, 9)
	o.Launch = o.AMStart + ms("launch", 0, 40)
	nodes := rapid.IntRange(1, 3).Draw(t, "nodes")
	mb := 256 * rapid.IntRange(11, 14).Draw(t, "memory") // room for each job's master and a task
	p.Cluster = dag.Cluster{Policy: dag.YARN, MemoryMB: nodes * mb}
	for n := range nodes {
		p.Cluster.Nodes = append(p.Cluster.Nodes, dag.Node{Name: string(rune('A' + n)), MemoryMB: mb})
	}
	for j := range p.Jobs {
		p.Jobs[j].MasterMB = 512
		p.Jobs[j].MapReduce = dag.MapReduceLimits{
			MapMB: 256, ReduceMB: 256,
			SlowStart: rapid.SampledFrom([]float64{0.05, 1}).Draw(t, "slow start"), RampUp: 0.5,
		}
	}
	return p
}

func drawOptions(t *rapid.T, p *dag.Plan) simulate.Options {
	o := simulate.Options{
		Seed: rapid.Uint64().Draw(t, "seed"), Start: dag.Instant(rapid.SampledFrom([]int64{0, 1795222440184}).Draw(t,
			"start")),
		Every: time.Duration(rapid.SampledFrom([]int{20, 100, 1000}).Draw(t, "every")) * time.Millisecond,
		Noise: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "noise"), Skew: rapid.SampledFrom([]float64{0, 1}).Draw(t,
			"skew"),
		FailRate: rapid.SampledFrom([]float64{0, 3000}).Draw(t, "fail rate"),
	}
	if rapid.Bool().Draw(t, "lose") {
		at := time.Duration(rapid.IntRange(1, 500).Draw(t, "at")) * time.Millisecond
		o.Lose = []simulate.LostNode{{
			Node: 0, At: at,
			Detect: time.Duration(rapid.IntRange(0, 200).Draw(t, "detect")) * time.Millisecond,
		}}
	}
	return o
}

// TestPartsAddUp checks the partition at every snapshot of drawn runs with failures, skew and lost nodes, with marks
// and without.
func TestPartsAddUp(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) *dag.Plan{
		"fifo": func(t *rapid.T) *dag.Plan { return golden.Draw(t).Plan },
		"yarn": drawYARN,
	} {
		t.Run(name, func(t *testing.T) {
			checked, sums := 0, make([]time.Duration, len(pathfrag.Causes()))
			defer func() { t.Logf("%d accounts, seconds by cause: %v", checked, sums) }()
			rapid.Check(t, func(t *rapid.T) {
				plan := draw(t)
				opt := drawOptions(t, plan)
				if src, err := simulate.New(plan, opt); err != nil {
					t.Skip(src, err) // a cluster on which it can never end
				}
				n := 0
				play(skipStuck{t}, plan, opt, func(s *dag.Snapshot, m *pathfrag.Marks) {
					if n++; n > 200 && !s.State.Ended() {
						return
					}
					for _, marks := range []*pathfrag.Marks{m, nil} {
						a, err := pathfrag.Attribute(s, marks)
						if err != nil {
							t.Fatal(err)
						}
						if err := partition(s, a); err != nil {
							t.Fatalf("at %d: %v\n%s", s.At, err, text(s, a))
						}
						checked++
						for c, d := range a.ByCause() {
							sums[c] += d
						}
					}
				})
			})
		})
	}
}

// skipStuck skips runs that can never end: their only node is lost.
type skipStuck struct{ *rapid.T }

func (s skipStuck) Fatal(args ...any) { s.Skip(args...) }

// text writes an account for people, times from its begin in milliseconds.
func text(s *dag.Snapshot, a *pathfrag.Attribution) string {
	var b strings.Builder
	for _, p := range a.Parts {
		owner := "-"
		if p.Job >= 0 {
			owner = s.Plan.Jobs[p.Job].Node
		}
		if p.Task >= 0 {
			owner += fmt.Sprintf(" %v %d.%d", s.Plan.StageName(p.Job, p.Stage), p.Task, p.Attempt)
		}
		fmt.Fprintf(&b, "%7d-%7d %s %s\n", p.Start-a.From, p.End-a.From, p.Cause, owner)
	}
	return b.String()
}

// Only unobserved data is unknown: a start, a submission, an end of copy; an end of a job with unobserved
// attempts.
func TestUnknown(t *testing.T) {
	no := dag.NoInstant
	attempt := func(task int32, start, end dag.Instant) dag.Attempt {
		return dag.Attempt{
			Task: task, Slot: task, State: dag.AttemptSucceeded, Start: start, End: end, CopyEnd: no,
			SortEnd: no, First: dag.Mark{At: no}, Last: dag.Mark{At: no},
		}
	}
	phase := dag.Stage{Known: true, Tasks: 1}
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 1, ReduceSlots: 1},
		Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(phase, dag.Stage{})},
			{Node: "b", After: []int{0}, Stages: dag.MapReduce(phase, phase)},
		},
	}
	job := func(submitted, finished dag.Instant, maps, reduces []dag.Attempt) dag.JobState {
		return dag.JobState{
			State: dag.Succeeded, Submitted: submitted, Started: no, Finished: finished,
			Stages: []dag.StageState{{Attempts: maps}, {Attempts: reduces}},
		}
	}
	for name, c := range map[string]struct {
		jobs []dag.JobState
		want string
	}{
		"attempts": {[]dag.JobState{job(10, 100, nil, nil), job(110, 200, nil, nil)}, `      0-     90 unknown a
     90-    100 launch b
    100-    190 unknown b
`},
		"start": {
			[]dag.JobState{
				job(10, 100, []dag.Attempt{attempt(0, no, 90)}, nil),
				job(100, 200, []dag.Attempt{attempt(0, 100, 150)}, []dag.Attempt{attempt(0, 155, 200)}),
			},
			`      0-     80 unknown a map 0.0
     80-     90 finish a
     90-    140 work b map 0.0
    140-    145 containers b reduce 0.0
    145-    190 unknown b reduce 0.0
`,
		},
		"submission": {[]dag.JobState{job(10, 20, nil, nil), job(no, 200, []dag.Attempt{attempt(0, 100, 150)},
			[]dag.Attempt{attempt(0, 150, 200)})}, `      0-     90 unknown -
     90-    140 work b map 0.0
    140-    190 unknown b reduce 0.0
`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &dag.Snapshot{Plan: plan, At: 300, State: dag.Succeeded, Stale: no, Jobs: c.jobs}
			a, err := pathfrag.Attribute(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(s, a); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if err := partition(s, a); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := pathfrag.Attribute(&dag.Snapshot{Plan: plan}, nil); err == nil {
		t.Error("a snapshot without its plan's jobs is accounted for")
	}
}

// TestCausesAreDocumented checks that docs/reports.md names every cause with its meaning, and no other, in order.
func TestCausesAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| cause | means |\n|---|---|\n"
	seen := map[string]bool{}
	for _, c := range pathfrag.Causes() {
		title, meaning := c.On(dag.YARN)
		want += fmt.Sprintf("| `%s` | %s |\n", c, meaning)
		name, err := c.MarshalText()
		if err != nil || seen[string(name)] || title == "" || !strings.HasSuffix(meaning, ".") ||
			strings.Count(meaning, ". ") > 0 {
			t.Errorf("cause %s: %q means %q", name, title, meaning)
		}
		seen[string(name)] = true
	}
	if !strings.Contains(string(b), want+"\n") {
		t.Errorf("docs/reports.md lacks the table\n%s", want)
	}
	c := pathfrag.Cause(99)
	if title, meaning := c.On(dag.YARN); c.String() != "unknown(99)" || title != "unknown(99)" || meaning != "" {
		t.Errorf("%v: %q means %q", c, title, meaning)
	}
}

// TestCausesOnCores checks that what people read of a Spark application is about cores, not about containers, and
// that words for other clusters stay.
func TestCausesOnCores(t *testing.T) {
	t.Parallel()
	for _, c := range []pathfrag.Cause{
		pathfrag.Launch, pathfrag.Containers, pathfrag.Work, pathfrag.Failures, pathfrag.Finish,
	} {
		title, meaning := c.On(dag.Executors)
		for _, word := range []string{"container", "master", "Maps", "reduces"} {
			if strings.Contains(title+meaning, word) {
				t.Errorf("%s on executors is %q: %q", c, title, meaning)
			}
		}
		if !strings.HasSuffix(meaning, ".") || title == "" {
			t.Errorf("%s on executors is %q: %q", c, title, meaning)
		}
		title, meaning = c.On(dag.YARN)
		if other, means := c.On(dag.FIFO); other != title || means != meaning {
			t.Errorf("%s on slots is %q: %q, in containers %q: %q", c, other, means, title, meaning)
		}
	}
}

// TestTowards checks that the chain of a run that goes on ends with the attempt that its end waits for, and without
// that knowledge with the one that has run longest.
func TestTowards(t *testing.T) {
	phase := dag.Stage{Known: true, Tasks: 1}
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 2},
		Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(phase, dag.Stage{})},
			{Node: "b", Stages: dag.MapReduce(phase, dag.Stage{})},
		},
	}
	running := func(start dag.Instant) dag.JobState {
		return dag.JobState{
			State: dag.Running, Submitted: start, Started: start, Finished: dag.NoInstant,
			Stages: []dag.StageState{{Attempts: []dag.Attempt{{
				State: dag.AttemptRunning, Start: start, End: dag.NoInstant, CopyEnd: dag.NoInstant,
				SortEnd: dag.NoInstant,
				First:   dag.Mark{At: dag.NoInstant}, Last: dag.Mark{At: dag.NoInstant},
			}}}, {}},
		}
	}
	s := &dag.Snapshot{Plan: plan, At: 9000, Stale: dag.NoInstant, State: dag.Running, Jobs: []dag.JobState{
		running(0),
		running(4000),
	}}
	for _, c := range []struct {
		towards pathfrag.Attempt
		job     int
		worked  time.Duration
	}{
		{pathfrag.Attempt{Job: 1}, 1, 5 * time.Second},
		{pathfrag.Attempt{Job: 0}, 0, 9 * time.Second},
		{pathfrag.Attempt{Job: 1, Stage: dag.Reduce}, 0, 9 * time.Second}, // no attempt is that one
	} {
		a, err := pathfrag.AttributeTowards(s, nil, c.towards)
		if err != nil {
			t.Fatal(err)
		}
		if got, last := a.ByCause()[pathfrag.Work], a.Parts[len(a.Parts)-1].Job; got != c.worked || last != c.job {
			t.Errorf("towards %+v: %v of work, last of job %d; want %v of job %d", c.towards, got, last, c.worked,
				c.job)
		}
	}
}
