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
	within(t, "of 15, 5 and 5 s, ms", mean, 5000, 8000)
	within(t, "their plain mean, ms", taskcost.MS(p.plainMean()), 8333, 8334)
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
	if up = m.startOf(reduces, &r); up != 5000-copyMS {
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
