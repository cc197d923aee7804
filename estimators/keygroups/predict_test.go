package keygroups

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// predicted is a prediction that has Work.
func predicted(t *testing.T, s Stage) *Prediction {
	t.Helper()
	p := Predict(s)
	if p == nil || p.Work == nil {
		t.Fatalf("it does not use key groups: %+v", p)
	}
	return p
}

// What is left of a task with a few large keys is exact once its groups' cost is known; before, there is no evidence.
func TestLeftOfLargeKeys(t *testing.T) {
	t.Parallel()
	r := quadratic()
	if p := Predict(r.at(30_500, dag.GroupsTapped)); p.Work != nil {
		t.Error("after half a second it uses key groups")
	}
	for _, now := range []dag.Instant{40_000, 60_000, 120_000, 250_000} {
		p := predicted(t, r.at(now, dag.GroupsTapped))
		near(t, "left", p.Work.left(2, now), float64(r.End(2)-now), 2000)
		near(t, "whole", p.Work.Whole[2], r.whole(2), 2000)
		near(t, "bytes", p.Work.Bytes[2], p.Sizes.Reduces[2].Bytes, 0)
		if p.Time == nil || p.Work.Profiled || p.Work.Attempt[2] != 0 {
			t.Errorf("at %d: %+v", now, p.Work)
		}
	}
}

// Nothing is left of the groups of a task that has read all of its input, while its attempt still runs.
func TestNothingLeftOfReadInput(t *testing.T) {
	t.Parallel()
	for _, r := range []reducer{quadratic(), linear()} {
		s := r.at(r.End(2), dag.GroupsTapped)
		s.Attempts[2].State, s.Attempts[2].End = dag.AttemptRunning, dag.NoInstant
		if w := predicted(t, s).Work; w.Left[2] != 0 || w.Since[2] != r.End(2) {
			t.Errorf("%v ms left after %d, the last group ends at %d", w.Left[2], w.Since[2], r.End(2))
		}
	}
}

// If time is linear in bytes NearestFit cannot win. Tasks' time by the bytes of their groups is used: what a tap has
// measured is done, while counters show what a pipe has taken.
func TestLinearTasksStayLinear(t *testing.T) {
	t.Parallel()
	r, noise := linear(), rand.New(rand.NewPCG(5, 6))
	for _, now := range []dag.Instant{35_000, 45_000, r.End(3) + 5000} {
		s := r.at(now, dag.GroupsTapped)
		for _, red := range s.Groups.Reduces {
			for k := range red.Done {
				red.Done[k].Took = time.Duration(float64(red.Done[k].Took) * math.Exp(0.1*noise.NormFloat64()))
			}
		}
		if p := predicted(t, s); p.Time != nil {
			t.Errorf("at %d: %s", now, p.Basis())
		}
	}
	p := predicted(t, r.at(40_000, dag.GroupsTapped))
	near(t, "left", p.Work.left(2, 40_000), float64(r.End(2)-40_000), 2000)
	if got, want := p.Work.Left, p.Form(estimators.FormTaskRatio).Left; !slices.Equal(got, want) {
		t.Errorf("left %v, by bytes %v", got, want)
	}
}

// If nothing else shows what a task has left, NearestFit need not win by much.
func TestSilentTasks(t *testing.T) {
	t.Parallel()
	r := quadratic() // not far above linear
	r.Cost = func(b float64) time.Duration { return time.Duration(math.Pow(b, 1.15) * 3 * float64(time.Millisecond)) }
	s := r.at(60_000, dag.GroupsTapped)
	if p := predicted(t, s); p.Time != nil {
		t.Error("NearestFit won by little")
	}
	s.Silent = true
	if p := predicted(t, s); p.Time == nil {
		t.Error("NearestFit is better, and nothing else is known")
	}
}

// A new attempt has all of its groups to do; what the lost one measured still counts.
func TestLostAttempts(t *testing.T) {
	t.Parallel()
	r := quadratic()
	s := r.at(60_000, dag.GroupsTapped)
	s.Attempts[2].State, s.Attempts[2].End = dag.AttemptFailed, 59_000
	p := predicted(t, s)
	near(t, "all of it again", p.Work.left(2, 60_000), r.whole(2), 4000)
	if p.Work.Attempt[2] != -1 || p.Work.Since[2].Known() {
		t.Errorf("attempt %d since %d", p.Work.Attempt[2], p.Work.Since[2])
	}
	if got, want := len(p.Sizes.Reduces[4].Done), len(s.Groups.Reduces[2].Done); got != want {
		t.Errorf("%d groups of the lost attempt are known, want %d", got, want)
	}
	for i := range s.Attempts {
		s.Attempts[i].State = dag.AttemptKilled
	}
	near(t, "if all are lost", predicted(t, s).Work.Left[2], r.whole(2), 4000)
}

// While half of the feeders have reported their keys, these are taken for half of what they will be.
func TestKeysStillGrow(t *testing.T) {
	t.Parallel()
	s := quadratic().at(40_000, dag.GroupsTapped)
	was := &s.Groups.Reduces[2]
	for _, n := range []int{10, 5} {
		s.Groups.Maps = n
		now := Predict(s).Sizes.Reduces[2]
		near(t, "bytes", now.Bytes, was.Bytes*10/float64(n), 1)
		near(t, "the largest", now.Explicit[len(was.Explicit)-1].Bytes, 100_000/float64(n), 1)
	}
}

// The more groups of one size vary, the wider the spreads.
func TestSpreads(t *testing.T) {
	t.Parallel()
	spreads := func(noise float64) (own, common float64) {
		s, rnd := quadratic().at(60_000, dag.GroupsTapped), rand.New(rand.NewPCG(7, 8))
		for _, red := range s.Groups.Reduces {
			for k := range red.Done {
				red.Done[k].Took = time.Duration(float64(red.Done[k].Took) * math.Exp(noise*rnd.NormFloat64()))
			}
		}
		w := predicted(t, s).Work
		return w.Spread[2], w.Common
	}
	own, common := spreads(0)
	if own != LeastSpread || common > 0.5 {
		t.Errorf("without noise %v and %v", own, common)
	}
	if noisy, shared := spreads(0.3); noisy < 2*own || noisy > 0.3 || shared <= common {
		t.Errorf("with noise %v of a task, %v of all; without %v", noisy, shared, common)
	}
}

// Forms are for the groups that they are named after.
func TestForms(t *testing.T) {
	t.Parallel()
	r := quadratic()
	origins := []dag.GroupOrigin{dag.GroupsComplete, dag.GroupsTapped}
	left := map[estimators.GroupForm]float64{}
	for f, c := range map[estimators.GroupForm]struct {
		origins []dag.GroupOrigin
		right   bool
	}{
		estimators.FormTheory:            {origins[:1], true},
		estimators.FormStream:            {origins[1:2], true},
		estimators.FormFitOnly:           {origins, true},
		estimators.FormNeighboursOnly:    {origins, false},
		estimators.FormJobRatio:          {origins, false},
		estimators.FormTaskRatio:         {origins, false},
		estimators.FormJobRatioSmoothed:  {origins, false},
		estimators.FormTaskRatioSmoothed: {origins, false},
	} {
		for _, origin := range origins {
			w := Predict(r.at(60_000, origin)).Form(f)
			if (w != nil) != slices.Contains(c.origins, origin) {
				t.Errorf("form %d of %v groups: %+v", f, origin, w)
			}
			if w == nil {
				continue
			}
			left[f] = w.left(2, 60_000)
			if right := math.Abs(left[f]-float64(r.End(2)-60_000)) < 5000; right != c.right {
				t.Errorf("form %d of %v groups: %.0f left of %d", f, origin, left[f], r.End(2)-60_000)
			}
		}
		if w := Predict(r.at(30_001, dag.GroupsTapped)).Form(f); w != nil {
			t.Errorf("form %d before any group has ended", f)
		}
	}
	if left[estimators.FormJobRatio] == left[estimators.FormJobRatioSmoothed] ||
		left[estimators.FormTaskRatio] == left[estimators.FormTaskRatioSmoothed] {
		t.Errorf("nothing is smoothed: %v", left)
	}
}

// oddGroups returns changes that turn groups into invalid reports: more or fewer tasks, and impossible sizes and times.
func oddGroups() map[string]func(g *dag.Groups) {
	each := func(change func(d *dag.GroupPoint)) func(g *dag.Groups) {
		return func(g *dag.Groups) {
			for i := range g.Reduces {
				for k := range g.Reduces[i].Done {
					change(&g.Reduces[i].Done[k])
				}
			}
		}
	}
	nan := math.NaN()
	return map[string]func(g *dag.Groups){
		"none":  func(g *dag.Groups) { g.Reduces = nil },
		"fewer": func(g *dag.Groups) { g.Reduces = g.Reduces[:1] },
		"more":  func(g *dag.Groups) { g.Reduces = append(g.Reduces, g.Reduces...) },
		"no bytes": func(g *dag.Groups) {
			for i := range g.Reduces {
				g.Reduces[i].Bytes, g.Reduces[i].Implicit, g.Reduces[i].Explicit = nan, nan, nil
			}
		},
		"no numbers": each(func(d *dag.GroupPoint) {
			d.Bytes, d.Count, d.Took, d.At = math.Inf(1), nan, math.MinInt64, dag.NoInstant
		}),
		"for ever":      each(func(d *dag.GroupPoint) { d.Took, d.Count = math.MaxInt64, 1e15 }),
		"of the future": each(func(d *dag.GroupPoint) { d.At += 1_000_000 }),
	}
}

// Groups are hostile: more or fewer tasks than the stage has, sizes and times that are none.
func TestOddGroups(t *testing.T) {
	t.Parallel()
	for name, change := range oddGroups() {
		for _, known := range []bool{false, true} {
			s := quadratic().at(60_000, dag.GroupsTapped)
			change(s.Groups)
			if known {
				s = s.profile(quadratic())
			}
			p := Predict(s)
			for f := range estimators.GroupForm(len(forms)) {
				p.Form(f)
			}
			Learn(s.Groups, s.Attempts, s.Tasks, s.Feeders)
			for i := range s.Tasks {
				if p.Work != nil && (p.Work.Whole[i] < 0 || math.IsInf(p.Work.Whole[i], 0)) {
					t.Errorf("%s: task %d takes %v", name, i, p.Work.Whole[i])
				}
			}
		}
	}
}

// Keys twice as large take four times as long at n². A profile that has them predicts so before the first group has
// ended, whether a tap reports this run's keys, is yet to report them, or only the bytes of tasks are known.
func TestProfileOfLargerKeys(t *testing.T) {
	t.Parallel()
	r := quadratic()
	twice := r.larger(2)
	for name, g := range map[string]*dag.Groups{
		"tapped":     twice.at(30_001, dag.GroupsTapped).Groups,
		"not yet":    {Origin: dag.GroupsTapped},
		"not at all": nil,
	} {
		s := twice.at(30_001, dag.GroupsTapped).profile(r)
		s.Groups = g
		p := predicted(t, s)
		near(t, name, p.Work.left(2, 30_001), twice.whole(2), 0.03*twice.whole(2))
		if !p.Work.Profiled || !strings.HasSuffix(p.Basis(), "as a profile has them") {
			t.Errorf("%s: %s", name, p.Basis())
		}
		s.Bytes, s.Growth = dag.Series{}, 2
		near(t, name+", by growth", predicted(t, s).Work.Left[2], twice.whole(2), 0.03*twice.whole(2))
		s = twice.at(30_001, dag.GroupsTapped).profile(r)
		s.Groups, s.ProfileBytes = g, dag.Series{}
		near(t, name+", by its groups' bytes", predicted(t, s).Work.Left[2], twice.whole(2), 0.03*twice.whole(2))
	}
}

// Small keys without a size of their own take what the profile's small keys took.
func TestProfileOfImplicitKeys(t *testing.T) {
	t.Parallel()
	r := quadratic()
	s := r.at(30_001, dag.GroupsTapped).profile(r)
	for i := range s.Profile.Reduces {
		s.Profile.Reduces[i].Explicit = s.Groups.Reduces[i].Explicit
	}
	near(t, "a task with small keys", predicted(t, s).Work.Left[0], r.whole(0), 0.05*r.whole(0))
}

// A profile of few tasks is judged by its points.
func TestProfileOfFewTasks(t *testing.T) {
	t.Parallel()
	r := quadratic()
	r.Sizes = r.Sizes[1:3]
	near(t, "left", predicted(t, r.at(30_001, dag.GroupsTapped).profile(r)).Work.Left[1], r.whole(1), 0.08*r.whole(1))
}

// A tap around reduces alone reports no keys; they are those of the profile, though what is shuffled is compressed.
func TestProfileOfReducesAlone(t *testing.T) {
	t.Parallel()
	r := quadratic()
	s := r.at(60_000, dag.GroupsTapped).profile(r)
	s.Groups.Maps = 0
	shuffled := make([]float64, s.Tasks)
	for i := range s.Groups.Reduces {
		red := &s.Groups.Reduces[i]
		shuffled[i] = red.Bytes / 3
		red.Bytes, red.Explicit, red.Implicit = shuffled[i], nil, shuffled[i]
	}
	s.Bytes, s.ProfileBytes = dag.Each(shuffled), dag.Each(shuffled)
	near(t, "left", predicted(t, s).Work.left(2, 60_000), float64(r.End(2)-60_000), 0.03*r.whole(2))
}

// A cluster that is half as fast is seen from the groups that have ended, however large these are; before, from what
// else shows it.
func TestSlowdown(t *testing.T) {
	t.Parallel()
	r, slow := quadratic(), quadratic()
	slow.Cost = func(b float64) time.Duration { return 2 * r.Cost(b) }
	s := slow.at(40_000, dag.GroupsTapped).profile(r)
	near(t, "left", predicted(t, s).Work.left(2, 40_000), float64(slow.End(2)-40_000), 15_000)
	s = slow.at(30_001, dag.GroupsTapped).profile(r)
	s.Slowdown = 2
	near(t, "at the beginning", predicted(t, s).Work.left(2, 30_001), slow.whole(2), 0.06*slow.whole(2))
}

// A profile of linear groups or of no origin is no evidence. One of another number of tasks has keys in other tasks.
func TestProfilesWithoutEvidence(t *testing.T) {
	t.Parallel()
	r := quadratic()
	if p := Predict(r.at(30_001, dag.GroupsTapped).profile(linear())); p.Work != nil {
		t.Error("a profile of linear groups is used")
	}
	s := r.at(30_001, dag.GroupsTapped).profile(r)
	s.Profile.Origin = dag.GroupsNone
	if p := Predict(s); p.Work != nil {
		t.Error("a profile of unknown origin is used")
	}
	s = r.at(30_001, dag.GroupsTapped).profile(r)
	s.Tasks, s.Groups = 5, nil
	if p := Predict(s); p != nil {
		t.Error("keys of four tasks are used for five")
	}
	if p := Predict(Stage{Tasks: 3}); p != nil {
		t.Error("something is known of nothing")
	}
}

// As long as the evidence for key groups is small, the range includes what bytes predict, which was shown before.
func TestFirstRangeIncludesBytes(t *testing.T) {
	t.Parallel()
	r := quadratic()
	var narrow, wide int
	for now := dag.Instant(30_500); now < 60_000; now += 500 {
		s := r.at(now, dag.GroupsTapped)
		p := Predict(s)
		if p.Work == nil || p.Time == nil {
			continue
		}
		points := nearestfit.Arrivals(p.Sizes)
		v := judge(points, s.Tasks+1, nil, s.params())
		job := nearestfit.FromGroups(p.Sizes, s.params()).Predict()
		left, byBytes := 0.0, 0.0
		for i := range s.Tasks {
			left, byBytes = left+p.Work.Left[i]/1000, byBytes+job.TaskRatio(i)
		}
		low, high := left*math.Exp(-1.29*p.Work.Common), left*math.Exp(1.29*p.Work.Common)
		switch isIn := low <= byBytes && byBytes <= high; {
		case v.settled(2):
			narrow++
		case !isIn:
			t.Errorf("at %d: %.3g – %.3g s are left, by bytes %.3g", now, low, high, byBytes)
		default:
			wide++
		}
	}
	if wide == 0 || narrow == 0 {
		t.Errorf("%d instants with little evidence, %d with more", wide, narrow)
	}
}
