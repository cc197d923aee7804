package observed

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// asProfile is a profile of a run whose reduces were r's; points that are condensed have no instants.
func asProfile(r reducer) *dag.Plan {
	s := r.at(400_000, dag.GroupsTapped)
	s.State, s.Jobs[0].State, s.Jobs[0].Finished = dag.Succeeded, dag.Succeeded, 400_000
	g := *s.Jobs[0].Groups
	g.Reduces = append([]dag.ReduceGroups(nil), g.Reduces...)
	for i := range g.Reduces {
		done := append([]dag.GroupPoint(nil), g.Reduces[i].Done...)
		for k := range done {
			done[k].At = dag.NoInstant
		}
		g.Reduces[i].Done = done
	}
	p := Learn(runOf(s))
	p.Jobs[0].Stages[dag.Reduce].Groups = &g
	return p
}

// larger is r with keys f times as large.
func (r reducer) larger(f float64) reducer {
	out := reducer{cost: r.cost}
	for _, sizes := range r.sizes {
		scaled := make([]float64, len(sizes))
		for i := range sizes {
			scaled[i] = f * sizes[i]
		}
		out.sizes = append(out.sizes, scaled)
	}
	return out
}

// pending is what is said of the reduces before they start.
func pending(m *Model, task int) schedule.Cost {
	return m.Left(schedule.Task{Stage: dag.Reduce, Index: task, Node: -1, Slot: -1, Together: 1})
}

// Keys twice as large take four times as long at n²; a profile that knows them says so before the first reduce has
// shown anything, whether a tap tells this run's keys, is yet to tell them, or only the bytes of its maps are known.
func TestProfilesCurveTellsLargerKeys(t *testing.T) {
	r := quadratic()
	profile, twice := asProfile(r), r.larger(2)
	want := float64(twice.end(2) - 30_000)
	for tapped, change := range map[string]func(js *dag.JobState){
		"tapped":        func(*dag.JobState) {},
		"not yet":       func(js *dag.JobState) { js.Groups = &dag.Groups{Origin: dag.GroupsTapped} },
		"not at all":    func(js *dag.JobState) { js.Groups = nil },
		"counters only": func(js *dag.JobState) { js.Groups = &dag.Groups{Origin: dag.GroupsCounted} },
	} {
		s := twice.at(30_001, dag.GroupsTapped)
		change(&s.Jobs[0])
		m := New(runOf(profiles.Attach(s, []*dag.Plan{profile})), Options{})
		left := leftOf(m, 2)
		if !m.ByGroups(0) || left.Origin != schedule.Profiled {
			t.Errorf("%s: by groups %v, origin %v", tapped, m.ByGroups(0), left.Origin)
		}
		near(t, "left", taskcost.MS(left.Work), want, 0.03*want)
	}
}

// A tap around reduces alone is told no keys; they are those of the earlier run, though what is shuffled is compressed.
func TestProfilesKeysOfReducesAlone(t *testing.T) {
	r := quadratic()
	profile := asProfile(r)
	s := r.at(60_000, dag.GroupsTapped)
	g := s.Jobs[0].Groups
	g.Maps = 0
	bytes := make([]float64, len(g.Reduces))
	for i := range g.Reduces {
		shuffled := g.Reduces[i].Bytes / 3
		bytes[i] = shuffled
		g.Reduces[i].Bytes, g.Reduces[i].Explicit, g.Reduces[i].Implicit = shuffled, nil, shuffled
		for k := range s.Jobs[0].Stages[dag.Reduce].Attempts {
			if a := &s.Jobs[0].Stages[dag.Reduce].Attempts[k]; int(a.Task) == i {
				a.Bytes = shuffled
			}
		}
	}
	profile.Jobs[0].Stages[dag.Reduce].Bytes = dag.Each(bytes)
	m := New(runOf(profiles.Attach(s, []*dag.Plan{profile})), Options{})
	if !m.ByGroups(0) {
		t.Error("not by groups")
	}
	want := float64(r.end(2) - 60_000)
	near(t, "left", taskcost.MS(leftOf(m, 2).Work), want, 0.03*want)
}

// Bursts of counters do not overrule keys that were measured in an earlier run; the form that is named after them has
// them still.
func TestCountersYieldToMeasuredKeys(t *testing.T) {
	r := quadratic()
	s := r.at(60_000, dag.GroupsCounted)
	for i := range s.Jobs[0].Groups.Reduces {
		g := &s.Jobs[0].Groups.Reduces[i]
		g.Explicit, g.Implicit = nil, g.Bytes
		for k := range g.Done {
			g.Done[k].Bytes, g.Done[k].Count = 10, g.Done[k].Bytes/10 // what was one group looks like many
			g.Done[k].Took = time.Duration(float64(g.Done[k].Took) / g.Done[k].Count)
		}
	}
	m := New(runOf(profiles.Attach(s, []*dag.Plan{asProfile(r)})), Options{})
	near(t, "left", taskcost.MS(leftOf(m, 2).Work), float64(r.end(2)-60_000), 5000)
	if m.inForm(estimators.FormCounters) == nil {
		t.Error("nearestfit_counters has nothing to say")
	}
}

// A cluster that is half as fast is seen from the groups that have ended, however large these are.
func TestProfilesCurveIsSlowedDown(t *testing.T) {
	r := quadratic()
	profile, slow := asProfile(r), quadratic()
	slow.cost = func(b float64) time.Duration { return 2 * r.cost(b) }
	m := New(runOf(profiles.Attach(slow.at(40_000, dag.GroupsTapped), []*dag.Plan{profile})), Options{})
	near(t, "left", taskcost.MS(leftOf(m, 2).Work), float64(slow.end(2)-40_000), 15_000)
}

// A profile of linear groups tells no more than its bytes, and one of another number of reduces not where keys are.
func TestProfilesGroupsThatTellNothing(t *testing.T) {
	r := quadratic()
	linear := quadratic()
	linear.cost = func(b float64) time.Duration { return time.Duration(b * 3 * float64(time.Millisecond)) }
	if m := New(runOf(profiles.Attach(r.at(30_001, dag.GroupsTapped), []*dag.Plan{asProfile(linear)})),
		Options{}); m.ByGroups(0) {
		t.Error("a profile of linear groups is gone by")
	}
	counted := asProfile(r)
	counted.Jobs[0].Stages[dag.Reduce].Groups.Origin = dag.GroupsCounted
	if m := New(runOf(profiles.Attach(r.at(30_001, dag.GroupsTapped), []*dag.Plan{counted})), Options{}); m.ByGroups(
		0) {
		t.Error("a profile of bursts is gone by")
	}
	s := r.at(30_001, dag.GroupsNone)
	s.Jobs[0].Groups = nil
	s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 5
	m := New(runOf(profiles.Attach(s, []*dag.Plan{asProfile(r)})), Options{})
	if m.ByGroups(0) {
		t.Error("keys of four reduces tell of five")
	}
	if c := pending(m, 4); c.Origin != schedule.Profiled || c.Work <= 0 {
		t.Errorf("the fifth reduce: %+v", c)
	}
}
