package observed

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A reducer is a job's reduces whose key groups cost by a law, and when each group ends. Reduces begin to work at 30 s.
type reducer struct {
	sizes [][]float64 // of each reduce, in the order in which they are processed
	cost  func(bytes float64) time.Duration
}

// quadratic has four reduces with groups of unlike sizes, 10 to 10,000 bytes; one of them has the large ones.
func quadratic() reducer {
	r := rand.New(rand.NewPCG(1, 2))
	out := reducer{cost: func(b float64) time.Duration {
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
		out.sizes = append(out.sizes, sizes)
	}
	return out
}

// at is the job as a watcher sees it at an instant.
func (r reducer) at(now dag.Instant, origin dag.GroupOrigin) *dag.Snapshot {
	s := reducing(now)
	s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = len(r.sizes)
	g := &dag.Groups{Origin: origin, Maps: 10}
	for i, sizes := range r.sizes {
		a := reduceAttempt(int32(i), 0, 0.9, dag.Mark{At: 31_000, Done: 1}, dag.Mark{At: 31_000, Done: 1})
		red := dag.NoReduceGroups()
		red.Bytes, red.Implicit, red.Attempt = 0, 0, 0
		end := dag.Instant(30_000)
		for _, b := range sizes {
			red.Bytes += b
			if b >= 500 {
				red.Explicit = append(red.Explicit, dag.GroupSize{Bytes: b, Count: 1})
			} else {
				red.Implicit += b
			}
			if end = end.Add(r.cost(b)); end <= now {
				red.Done = append(red.Done, dag.GroupPoint{At: end, Bytes: b, Took: r.cost(b), Count: 1})
			}
		}
		slices.SortFunc(red.Explicit, func(a, b dag.GroupSize) int { return int(a.Bytes - b.Bytes) })
		a.Bytes = red.Bytes
		if k := float64(len(red.Done)); k > 1 {
			a.Last = dag.Mark{At: now, Done: k, Out: k}
			a.Done[dag.Work], a.Out = k, k
		}
		if now >= end {
			a.State, a.End = dag.AttemptSucceeded, end
		}
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
		g.Reduces = append(g.Reduces, red)
	}
	s.Jobs[0].Groups = g
	return s
}

// end is when a reduce ends.
func (r reducer) end(task int) dag.Instant {
	end := dag.Instant(30_000)
	for _, b := range r.sizes[task] {
		end = end.Add(r.cost(b))
	}
	return end
}

func (r reducer) model(now dag.Instant, origin dag.GroupOrigin) *Model {
	return New(runOf(r.at(now-1000, origin), r.at(now, origin)), Options{})
}

func leftOf(m *Model, task int) schedule.Cost {
	a := &m.Snapshot.Jobs[0].Stages[dag.Reduce].Attempts[task]
	if a.State != dag.AttemptRunning {
		a = nil
	}
	return m.Left(schedule.Task{Stage: dag.Reduce, Index: task, Running: a, Node: -1, Slot: -1, Together: 1})
}

// What is left of a reduce with a few large keys is told exactly once its groups' cost is known; before, the linear
// model stands.
func TestKeyGroupsTellWhatIsLeft(t *testing.T) {
	r := quadratic()
	if m := r.model(30_500, dag.GroupsTapped); m.ByGroups(0) || len(m.Warnings) > 0 {
		t.Errorf("after half a second it goes by key groups: %v", m.Warnings)
	}
	for _, now := range []dag.Instant{40_000, 60_000, 120_000, 250_000} {
		m := r.model(now, dag.GroupsTapped)
		left := leftOf(m, 2)
		if !m.ByGroups(0) || left.Origin != schedule.Observed {
			t.Fatalf("at %d: by groups %v, origin %v", now, m.ByGroups(0), left.Origin)
		}
		near(t, "left", taskcost.MS(left.Work), float64(r.end(2)-now), 2000)
		if w := m.Warnings; len(w) != 1 || w[0].Code != dag.WarnKeyGroups {
			t.Errorf("warnings %v", w)
		}
		sch, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a := m.AssumedRatio(sch); a > 0 {
			t.Errorf("at %d %v of it is assumed", now, a)
		}
	}
}

// A curve is no better than a line where cost is linear: NearestFit is not gone by. The line is that of the groups:
// what a tap has measured is done, while counters tell what a pipe has swallowed.
func TestLinearReducesStayLinear(t *testing.T) {
	r := quadratic()
	r.cost = func(b float64) time.Duration { return time.Duration(b * 3 * float64(time.Millisecond)) }
	noise := rand.New(rand.NewPCG(5, 6))
	for _, now := range []dag.Instant{35_000, 45_000, r.end(3) + 5000} {
		s := r.at(now, dag.GroupsTapped)
		for i := range s.Jobs[0].Groups.Reduces {
			done := s.Jobs[0].Groups.Reduces[i].Done
			for k := range done {
				done[k].Took = time.Duration(float64(done[k].Took) * math.Exp(0.1*noise.NormFloat64()))
			}
		}
		m := New(runOf(s), Options{})
		if m.groups[0].nearest || !m.ByGroups(0) {
			t.Errorf("at %d: NearestFit is %v, by groups %v: %+v", now, m.groups[0].nearest, m.ByGroups(0),
				m.groups[0].judged)
		}
	}
}

// Without anything that counters tell of running reduces (Streaming), their groups' bytes are a linear model too.
func TestSilentReducesGoByTheirBytes(t *testing.T) {
	r := quadratic()
	r.cost = func(b float64) time.Duration { return time.Duration(b * 3 * float64(time.Millisecond)) }
	s := r.at(60_000, dag.GroupsTapped)
	for i := range s.Jobs[0].Stages[dag.Reduce].Attempts {
		a := &s.Jobs[0].Stages[dag.Reduce].Attempts[i]
		a.Ratio, a.Last = 1, a.First
	}
	m := New(runOf(s), Options{})
	left := leftOf(m, 2)
	near(t, "left", taskcost.MS(left.Work), float64(r.end(2)-60_000), 2000)
	if left.Origin != schedule.Observed {
		t.Errorf("origin %v", left.Origin)
	}
	s.Jobs[0].Groups.Origin = dag.GroupsCounted // whose bytes are guessed
	if left := leftOf(New(runOf(s), Options{}), 2); left.Origin != schedule.Unknown {
		t.Errorf("by counters: origin %v", left.Origin)
	}
}

// Where no reduce of the phase has ended, and their output moves as if they had little left, time by bytes of the
// groups is the linear model; nothing is assumed.
func TestUnseenPhaseGoesByItsGroupsBytes(t *testing.T) {
	r := quadratic()
	r.cost = func(b float64) time.Duration { return time.Duration(b * 3 * float64(time.Millisecond)) }
	m := New(runOf(r.at(40_000, dag.GroupsTapped)), Options{})
	left := leftOf(m, 2)
	near(t, "left", taskcost.MS(left.Work), float64(r.end(2)-40_000), 2000)
	if m.phases[0][dag.Reduce].origin != schedule.Observed || m.groups[0].nearest {
		t.Errorf("origin %v, by NearestFit: %v", m.phases[0][dag.Reduce].origin, m.groups[0].nearest)
	}
}

// A new attempt has all of its groups to do; what the lost one measured is still known.
func TestLostAttemptsGroupsStillTell(t *testing.T) {
	r := quadratic()
	s := r.at(60_000, dag.GroupsTapped)
	lost := &s.Jobs[0].Stages[dag.Reduce].Attempts[2]
	lost.State, lost.End = dag.AttemptFailed, 59_000
	m := New(runOf(s), Options{})
	if left := leftOf(m, 2); !m.ByGroups(0) || left.Origin != schedule.Observed {
		t.Fatalf("by groups %v, origin %v", m.ByGroups(0), left.Origin)
	}
	near(t, "all of it again", taskcost.MS(leftOf(m, 2).Work), float64(r.end(2)-30_000), 4000)
	again := reduceAttempt(2, lost.Bytes, 0, dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant})
	again.Number, again.Start, again.CopyEnd, again.SortEnd = 1, 50_000, 52_000, 52_000
	s.Jobs[0].Stages[dag.Reduce].Attempts = slices.Insert(s.Jobs[0].Stages[dag.Reduce].Attempts, 3, again)
	m = New(runOf(s), Options{})
	left := m.Left(schedule.Task{Stage: dag.Reduce, Index: 2, Running: &s.Jobs[0].Stages[dag.Reduce].Attempts[3]})
	lost = &s.Jobs[0].Stages[dag.Reduce].Attempts[2]
	if n := len(m.groups[0].own.Reduces[4].Done); n != len(s.Jobs[0].Groups.Reduces[2].Done) {
		t.Errorf("%d groups of the lost attempt are known", n)
	}
	near(t, "of the new attempt", taskcost.MS(left.Work), float64(r.end(2)-30_000-8000), 4000)
	lost.State, lost.End = dag.AttemptRunning, dag.NoInstant // the new one is a speculative one
	m = New(runOf(s), Options{})
	near(t, "of the older one", taskcost.MS(leftOf(m, 2).Work), float64(r.end(2)-60_000), 3000)
	left = m.Left(schedule.Task{Stage: dag.Reduce, Index: 2, Running: &s.Jobs[0].Stages[dag.Reduce].Attempts[3]})
	near(t, "of the speculative one", taskcost.MS(left.Work), float64(r.end(2)-30_000-8000), 4000)
	near(t, "and in full", m.Full(0, dag.Reduce, 2)-m.startCost(dag.Reduce, -1, 1, false), float64(r.end(2)-30_000),
		4000)
}

// While half of the maps have told their keys, these are taken to be half of what they will be.
func TestKeysStillGrow(t *testing.T) {
	r := quadratic()
	s := r.at(40_000, dag.GroupsTapped)
	for _, now := range []int{10, 5} {
		s.Jobs[0].Groups.Maps = now
		m := New(runOf(s), Options{})
		near(t, "bytes", m.groups[0].own.Reduces[2].Bytes, s.Jobs[0].Groups.Reduces[2].Bytes*10/float64(now), 1)
		near(t, "the largest", m.groups[0].own.Reduces[2].Explicit[len(s.Jobs[0].Groups.Reduces[2].Explicit)-1].Bytes,
			100_000/float64(now), 1)
	}
}

// A range of reduces by their key groups holds the truth, and is as wide as groups were off.
func TestRangeByKeyGroups(t *testing.T) {
	r := quadratic()
	truth := r.end(2).Sub(60_000)
	width := func(noise float64) time.Duration {
		s, rnd := r.at(60_000, dag.GroupsTapped), rand.New(rand.NewPCG(7, 8))
		for i := range s.Jobs[0].Groups.Reduces {
			for k := range s.Jobs[0].Groups.Reduces[i].Done {
				d := &s.Jobs[0].Groups.Reduces[i].Done[k]
				d.Took = time.Duration(float64(d.Took) * math.Exp(noise*rnd.NormFloat64()))
			}
		}
		d := ranged(t, s)
		low, high := d.At(0.05), d.At(0.95)
		if low > truth || high < truth {
			t.Errorf("noise %v: 90 %% range %v to %v, truth %v", noise, low, high, truth)
		}
		return high - low
	}
	if exact, noisy := width(0), width(0.15); exact > truth/2 || noisy < exact*5/4 {
		t.Errorf("widths %v and, where groups were off by 40 %%, %v", exact, noisy)
	}
}

// Forms are for the groups that they are named after, and never a copy of the standard.
func TestForms(t *testing.T) {
	r := quadratic()
	remaining := func(s *dag.Snapshot, name string) *time.Duration {
		for _, c := range estimators.Others() {
			if c.Name == name {
				e, err := estimators.New(c, Costs, estimators.Options{}).Estimate(runOf(s))
				if err != nil {
					t.Fatal(err)
				}
				return e.Remaining
			}
		}
		t.Fatalf("no estimator %s", name)
		return nil
	}
	truth := r.end(2).Sub(60_000)
	for _, c := range []struct {
		name   string
		origin dag.GroupOrigin // of which it speaks; GroupsNone: any
		right  bool
	}{
		{"nearestfit", dag.GroupsComplete, true},
		{"nearestfit_stream", dag.GroupsTapped, true},
		{"nearestfit_counters", dag.GroupsCounted, true},
		{"nearestfit_fit_only", dag.GroupsNone, true},
		{"nearestfit_neighbours_only", dag.GroupsNone, false},
		{"job_ratio", dag.GroupsNone, false},
		{"task_ratio", dag.GroupsNone, false},
		{"job_ratio_ewma", dag.GroupsNone, false},
		{"task_ratio_ewma", dag.GroupsNone, false},
	} {
		for _, origin := range []dag.GroupOrigin{dag.GroupsComplete, dag.GroupsTapped, dag.GroupsCounted} {
			got := remaining(r.at(60_000, origin), c.name)
			if speaks := c.origin == dag.GroupsNone || c.origin == origin; speaks != (got != nil) {
				t.Errorf("%s of %v groups: %v", c.name, origin, got)
				continue
			}
			if got == nil {
				continue
			}
			if right := (*got - truth).Abs() < 5*time.Second; right != c.right {
				t.Errorf("%s of %v groups: %v, the truth is %v", c.name, origin, got, truth)
			}
		}
		for what, s := range map[string]*dag.Snapshot{"no groups": reducing(60_000), "no group has ended": r.at(30_001,
			dag.GroupsTapped)} {
			if got := remaining(s, c.name); got != nil {
				t.Errorf("%s where %s: %v", c.name, what, got)
			}
		}
	}
}

// The smoothed ratios follow the newest work: here groups grow, and so does the time for a byte.
func TestSmoothedRatios(t *testing.T) {
	s := quadratic().at(60_000, dag.GroupsTapped)
	remaining := map[string]time.Duration{}
	for _, c := range estimators.Others() {
		if strings.HasPrefix(c.Name, "job_ratio") || strings.HasPrefix(c.Name, "task_ratio") {
			e, err := estimators.New(c, Costs, estimators.Options{}).Estimate(runOf(s))
			if err != nil || e.Remaining == nil {
				t.Fatalf("%s: %v, %v", c.Name, e.Remaining, err)
			}
			remaining[c.Name] = *e.Remaining
		}
	}
	for _, name := range []string{"job_ratio", "task_ratio"} {
		if plain, smoothed := remaining[name], remaining[name+"_ewma"]; plain == smoothed {
			t.Errorf("%s: %v, smoothed as well", name, plain)
		}
	}
}

// Groups are hostile: more or fewer reduces than the job has, sizes and times that are none.
func TestOddGroups(t *testing.T) {
	r := quadratic()
	odd := func(change func(g *dag.Groups)) *dag.Snapshot {
		s := r.at(60_000, dag.GroupsTapped)
		change(s.Jobs[0].Groups)
		return s
	}
	for name, s := range map[string]*dag.Snapshot{
		"none":  odd(func(g *dag.Groups) { g.Reduces = nil }),
		"fewer": odd(func(g *dag.Groups) { g.Reduces = g.Reduces[:1] }),
		"more":  odd(func(g *dag.Groups) { g.Reduces = append(g.Reduces, g.Reduces...) }),
		"no bytes": odd(func(g *dag.Groups) {
			for i := range g.Reduces {
				g.Reduces[i].Bytes, g.Reduces[i].Implicit, g.Reduces[i].Explicit = nan, nan, nil
			}
		}),
		"no numbers": odd(func(g *dag.Groups) {
			for i := range g.Reduces {
				for k := range g.Reduces[i].Done {
					d := &g.Reduces[i].Done[k]
					d.Bytes, d.Count, d.Took, d.At = math.Inf(1), nan, math.MinInt64, dag.NoInstant
				}
			}
		}),
		"for ever": odd(func(g *dag.Groups) {
			for i := range g.Reduces {
				for k := range g.Reduces[i].Done {
					g.Reduces[i].Done[k].Took, g.Reduces[i].Done[k].Count = math.MaxInt64, 1e15
				}
			}
		}),
		"of the future": odd(func(g *dag.Groups) {
			for i := range g.Reduces {
				for k := range g.Reduces[i].Done {
					g.Reduces[i].Done[k].At += 1_000_000
				}
			}
		}),
	} {
		m := New(runOf(s), Options{})
		for _, c := range append([]estimators.Scenario{estimators.Sampled()},
			append(estimators.Scenarios(), estimators.Others()...)...) {
			if _, err := c.Of(estimators.NewReplayContext(runOf(s), Costs, estimators.Options{})); err != nil {
				t.Errorf("%s: %s: %v", name, c.Name, err)
			}
		}
		for i := range r.sizes {
			if full := m.Full(0, dag.Reduce, i); math.IsNaN(full) || full < 0 || math.IsInf(full, 0) {
				t.Errorf("%s: reduce %d takes %v", name, i, full)
			}
		}
	}
}
