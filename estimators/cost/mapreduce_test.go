package cost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// TestStartAndWorkApart checks that reports show the start of a task apart from its work: eight JVMs that start
// together take five seconds before their first record.
func TestStartAndWorkApart(t *testing.T) {
	t.Parallel()
	m := modelOf(mapping(19_000, 25, 600), mapping(20_000, 25, 600))
	next := m.toCome(dag.Map, 9, 1)
	near(t, "work of a map to come", workOf(next), 15_000, 600)
	within(t, "start of one alone, s", next.Setup.Seconds(), 0.5, 4)
	within(t, "start of eight in the first batch, ms",
		m.starts.at(8, true)*m.pace.overhead(&m.stages[0][dag.Map]), 4000, 6000)
	left := m.leftOf(dag.Map, 0)
	near(t, "left of a running map", workOf(left)+1000*left.Setup.Seconds(), 5000, 800)
	if left.Origin != schedule.Observed {
		t.Errorf("origin %v", left.Origin)
	}
}

// TestUnseenIsAssumed checks that all of what remains is assumed before any report, and more than a third while no
// reduce has shown anything, whose maps may still run for long.
func TestUnseenIsAssumed(t *testing.T) {
	t.Parallel()
	m := modelOf(mapping(6000, 25, 600))
	if r := m.assumedRatio(replayed(t, m)); r != 1 {
		t.Errorf("before any report: assumed %v, want all", r)
	}
	m = modelOf(mapping(14_000, 100, 600), mapping(20_000, 100, 600))
	if r := m.assumedRatio(replayed(t, m)); r <= 0.1 {
		t.Errorf("before any reduce: assumed %v", r)
	}
	if o := m.toCome(dag.Reduce, 0, 1).Origin; o != schedule.Assumed {
		t.Errorf("origin of a reduce: %v", o)
	}
}

// TestLostWork checks that maps which their master's death has killed halfway still show how long a map takes, until
// the new ones have reported.
func TestLostWork(t *testing.T) {
	t.Parallel()
	kill := func(s *dag.Snapshot) []dag.Attempt {
		list := s.Jobs[0].Stages[dag.Map].Attempts
		for i := range list {
			list[i].State, list[i].End = dag.AttemptKilled, 20_000
		}
		return list
	}
	before, after := mapping(20_000, 25, 600), mapping(20_000, 25, 600)
	kill(after)
	near(t, "work of a map that must run again", workOf(modelOf(before, after).toCome(dag.Map, 0, 1)), 15_000, 600)

	again := mapping(20_000, 25, 600)
	again.At = 24_000
	var list []dag.Attempt
	for i, a := range kill(again) {
		b := mapOf(a.Task, 22_000, 5000, 25, 600, again.At)
		b.Number = 1000
		if list = append(list, a); i < 4 { // the others wait
			list = append(list, b)
		}
	}
	again.Jobs[0].Stages[dag.Map].Attempts = list
	m := modelOf(before, after, again)
	near(t, "work of a waiting map", workOf(m.toCome(dag.Map, 7, 1)), 15_000, 600)
	near(t, "left of a map that starts again", workOf(m.leftOf(dag.Map, 1)), 15_000, 3000)
	if o := m.toCome(dag.Reduce, 0, 1).Origin; o != schedule.Assumed {
		t.Errorf("origin of a reduce: %v", o)
	}
}

// TestReduceByItsOutput checks that a reduce that has read 95% of its input and written 30% of its output has the
// rest of the output left: a bag is read at once (recording skew-1).
func TestReduceByItsOutput(t *testing.T) {
	t.Parallel()
	a := reduceOf(0, 24_000, 0.955, dag.Mark{At: 32_000, Done: 1000, Out: 60},
		dag.Mark{At: 40_000, Done: 1000, Out: 300})
	left := modelOf(reducing(39_000, a), reducing(40_000, a)).leftOf(dag.Reduce, 0)
	near(t, "left", workOf(left), 23_300, 1500) // 700 records at 33.3 ms
	if left.Origin != schedule.Observed {
		t.Errorf("origin %v", left.Origin)
	}
}

// TestSilentReduce checks that what is left of a reduce is unknown that has read all of its input and has written
// nothing (Streaming), although another reduce has ended, and that it is drawn widely.
func TestSilentReduce(t *testing.T) {
	t.Parallel()
	mark := dag.Mark{At: 31_000, Done: 1530}
	a := reduceOf(0, 26_000, 1, mark, mark)
	done := reduceOf(1, 13_900, 1, dag.Mark{At: 31_000, Done: 819}, dag.Mark{At: 34_800, Done: 819, Out: 91})
	done.State, done.End = dag.AttemptSucceeded, 34_800
	m := modelOf(reducing(39_000, a, done), reducing(40_000, a, done))
	if o := m.leftOf(dag.Reduce, 0).Origin; o != schedule.Unknown {
		t.Errorf("origin %v", o)
	}
	// Three of four took 9 s. The last may be in its largest group: it ends at once or takes half a minute more.
	s := finished(25)
	s.At, s.State, s.Jobs[0].State, s.Jobs[0].Finished = 40_000, dag.Running, dag.Running, dag.NoInstant
	for i := range s.Jobs[0].Stages[dag.Reduce].Attempts {
		r := &s.Jobs[0].Stages[dag.Reduce].Attempts[i]
		if r.Bytes, r.End = 8000, r.CopyEnd+9000; i == 3 {
			*r = reduceOf(3, 8000, 1, mark, mark)
		}
	}
	d := drawn(t, s)
	if d.At(0.05) > 3*time.Second || d.At(0.75) < 8*time.Second {
		t.Errorf("from 5 to 75%%: %v to %v", d.At(0.05), d.At(0.75))
	}
}

// TestFarPastItsTime checks that what is left of a map is unknown that is far past its time, and not of one that is a
// little late: its node is dead, and the cluster has not noticed yet.
func TestFarPastItsTime(t *testing.T) {
	t.Parallel()
	for now, want := range map[dag.Instant]schedule.Origin{28_000: schedule.Observed, 60_000: schedule.Unknown} {
		s := mapping(now, 25, 600)
		s.Jobs[0].Stages[dag.Map].Attempts[0] = mapOf(0, 5000, 5000, 25, 600, 20_000) // reports stop 5 s before its end
		if left := modelOf(s).leftOf(dag.Map, 0); left.Origin != want {
			t.Errorf("at %d: origin %v, left %v", now, left.Origin, left.Work)
		}
	}
}

// TestSilentMapIsConditional checks that a map without reports for a minute is expected to need that long again, for
// five minutes five times as long.
func TestSilentMapIsConditional(t *testing.T) {
	t.Parallel()
	median := func(now dag.Instant) time.Duration {
		s := mapping(26_000, 25, 600)
		s.At = now
		late, done := mapOf(8, 26_000, 5000, 25, 600, 36_000), mapOf(9, 26_000, 5000, 25, 600, 50_000)
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, late, done)
		s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 0
		return drawn(t, s).At(0.5)
	}
	one, five := median(100_000), median(340_000)
	if one < 5*time.Second || five < 2*one || five > 10*one {
		t.Errorf("silent for a minute: median %v; for five: %v", one, five)
	}
}

// TestFirstReportIsNoRate checks that two records in the first report, after an unknown start-up of two seconds, do not
// make each record take a second.
func TestFirstReportIsNoRate(t *testing.T) {
	t.Parallel()
	s := mapping(44_000, 25, 600)
	s.Plan.Cluster = dag.Cluster{MapSlots: 1, ReduceSlots: 1}
	s.Plan.Jobs[0].Stages = dag.MapReduce(dag.Stage{Tasks: 1, Known: true, Pipelines: make([]dag.Pipeline, 1)},
		dag.Stage{Known: true})
	a := blank(0, 41_997)
	a.First, a.Last, a.FirstReport = dag.Mark{At: 44_000, Done: 2}, dag.Mark{At: 44_000, Done: 2}, 44_000
	a.Done[0], a.Total[0] = 2, 30_000
	s.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{a}
	if left := modelOf(s).leftOf(dag.Map, 0); left.Work > 10*time.Minute {
		t.Errorf("%v of work are left", left.Work)
	}
}

// TestOverheadIsNoRate checks that reduces of 20 bytes that took a second do not make the last one, of 20,000 bytes,
// take 1,000 s.
func TestOverheadIsNoRate(t *testing.T) {
	t.Parallel()
	s := mapping(60_000, 25, 600)
	s.Plan.Jobs[0].Stages[dag.Map].Tasks = 8
	for i := range int32(4) {
		a := reduceOf(i, 20, 1, dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant})
		a.Start, a.CopyEnd, a.SortEnd = 50_000, 59_000, 59_100
		if i < 3 {
			a.State, a.End = dag.AttemptSucceeded, 60_000
		} else {
			a.Bytes = 20_000
		}
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
	}
	if left := modelOf(s).leftOf(dag.Reduce, 3); workOf(left) > 60_000 {
		t.Errorf("the last reduce takes %v more, which is %v", left.Work, left.Origin)
	}
}

// TestReducesOfUnlikeSizes checks what a reduce takes that is twice as large as any before it, whether their time
// follows their bytes, does not, or in part.
func TestReducesOfUnlikeSizes(t *testing.T) {
	t.Parallel()
	for what, work := range map[string]func(bytes float64) float64{
		"alike":   func(float64) float64 { return 4000 },
		"by size": func(bytes float64) float64 { return bytes },
		"both":    func(bytes float64) float64 { return 4000 + bytes },
	} {
		s := reducing(100_000)
		s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 9
		for i := range int32(9) {
			bytes := 100 * math.Exp2(float64(i))
			a := reduceOf(i, bytes, 1, dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant})
			if a.State, a.End = dag.AttemptSucceeded, a.CopyEnd+dag.Instant(work(bytes)); i == 8 {
				a.State, a.Start, a.End = dag.AttemptRunning, 99_000, dag.NoInstant
				a.CopyEnd, a.SortEnd = 100_000, 100_000
			}
			s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
		}
		near(t, what, workOf(modelOf(s).leftOf(dag.Reduce, 8)), work(25_600), 0.2*work(25_600))
	}
}

// reducerBegin is the instant at which all tasks begin to work.
const reducerBegin = dag.Instant(30_000)

// reducerNamed is the size, in bytes, from which on groups are reported individually.
const reducerNamed = 500

// A reducer is tasks with key groups of these sizes in bytes, in processing order. Cost is the time of a group.
type reducer struct {
	Sizes [][]float64
	Cost  func(bytes float64) time.Duration
}

// quadratic returns four tasks with groups of different sizes, 10 to 10,000 bytes; the third has the large ones.
func quadratic() reducer {
	r := rand.New(rand.NewPCG(1, 2))
	out := reducer{Cost: func(b float64) time.Duration {
		return time.Duration(b * b / 1000 * float64(time.Millisecond))
	}}
	for i := range 4 {
		var sizes []float64
		for range 60 {
			sizes = append(sizes, 10*math.Floor(math.Exp(r.Float64()*5)))
		}
		if i == 2 {
			sizes = append(sizes[:50:50], 7000, 9000, 2500, 1800, 10_000)
		}
		out.Sizes = append(out.Sizes, sizes)
	}
	return out
}

// End returns the instant at which a task ends.
func (t reducer) End(task int) dag.Instant {
	end := reducerBegin
	for _, b := range t.Sizes[task] {
		end = end.Add(t.Cost(b))
	}
	return end
}

// At returns the groups at an instant, as if ten maps had reported.
func (t reducer) At(now dag.Instant, origin dag.GroupOrigin) *dag.Groups {
	g := &dag.Groups{Origin: origin, Maps: 10}
	for _, sizes := range t.Sizes {
		r := dag.NoReduceGroups()
		r.Bytes, r.Implicit, r.Attempt = 0, 0, 0
		end := reducerBegin
		for _, b := range sizes {
			if r.Bytes += b; b >= reducerNamed {
				r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: b, Count: 1})
			} else {
				r.Implicit += b
			}
			if end = end.Add(t.Cost(b)); end <= now {
				r.Done = append(r.Done, dag.GroupPoint{At: end, Bytes: b, Took: t.Cost(b), Count: 1})
			}
		}
		slices.SortFunc(r.Explicit, func(a, b dag.GroupSize) int { return int(a.Bytes - b.Bytes) })
		g.Reduces = append(g.Reduces, r)
	}
	return g
}
