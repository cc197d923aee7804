package observed

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// named gives the reduces' largest groups names.
func named(s *dag.Snapshot) *dag.Snapshot {
	for i := range s.Jobs[0].Groups.Reduces {
		r := &s.Jobs[0].Groups.Reduces[i]
		for k := len(r.Explicit) - 1; k >= 0 && len(r.Top) < dag.MaxTopGroups; k-- {
			r.Top = append(r.Top, dag.KeyGroup{Key: "#" + string(rune('a'+len(r.Top))), Bytes: r.Explicit[k].Bytes})
		}
	}
	return s
}

// The keys of a reduce with quadratic cost: what each takes is told by NearestFit, the largest alone holds the end
// back, and in four parts it takes a quarter of its time in all.
func TestSkewByKeyGroups(t *testing.T) {
	r := quadratic()
	at := func(now dag.Instant) estimators.Skew {
		run := runOf(named(r.at(now-1000, dag.GroupsTapped)), named(r.at(now, dag.GroupsTapped)))
		got, err := estimators.NewReplayContext(run, Costs, estimators.Options{}).Skew(false)
		if err != nil || len(got) != 1 || len(got[0].Worst) != 1 {
			t.Fatalf("at %d: %+v %v", now, got, err)
		}
		return got[0]
	}
	near := func(what string, got time.Duration, want float64) {
		t.Helper()
		if math.Abs(got.Seconds()-want) > 0.05*want {
			t.Errorf("%s: %v, want about %v s", what, got, want)
		}
	}
	s := at(60_000)
	if s.Keys != dag.GroupsTapped || s.Sizes != estimators.SizesBytes || s.Worst[0].Task != 2 {
		t.Fatalf("%+v", s)
	}
	keys := s.Worst[0].Keys
	near("10 kB", keys[0].Took, 100)
	near("9 kB", keys[1].Took, 81)
	if keys[0].Name != "#a" || keys[0].Rule == estimators.RuleLinear || !keys[0].Left || !keys[2].Left {
		t.Errorf("%+v", keys)
	}
	near("without 10 kB", *keys[0].Delay, 100)
	near("split", s.Split.Sooner, 100-100./16) // reduce 2 keeps one part: the others end long before it
	rest := float64(r.end(2)-60_000)/1000 - 100
	near("twice the reduces", *s.Double, rest/2)

	// The 7 kB are done, the 10 kB are not.
	for _, k := range at(120_000).Worst[0].Keys[:3] {
		if k.Left == (k.Bytes == 7000) {
			t.Errorf("at 120 s: %+v", k)
		}
	}
}

// Where the job does not go by its key groups a key takes its share of the time.
func TestSkewBeforeThereIsEvidence(t *testing.T) {
	run := runOf(named(quadratic().at(30_200, dag.GroupsTapped)))
	m := New(run, Options{})
	if groups, took := m.KeyGroups(0); groups == nil || took != nil || m.ByGroups(0) {
		t.Errorf("%v %v", groups, m.ByGroups(0))
	}
	none := quadratic().at(40_000, dag.GroupsTapped)
	none.Jobs[0].Groups = nil
	if groups, took := New(runOf(none), Options{}).KeyGroups(0); groups != nil || took != nil {
		t.Errorf("%v", groups)
	}
}

// While maps are left, what keys have is grown to what they will have, like all sizes.
func TestTopGrowsWithTheMaps(t *testing.T) {
	s := named(quadratic().at(30_200, dag.GroupsTapped))
	s.Jobs[0].Groups.Maps = s.Plan.Jobs[0].Stages[dag.Map].Count() / 2
	groups, _ := New(runOf(s), Options{}).KeyGroups(0)
	if top := groups.Reduces[2].Top[0].Bytes; top != 20_000 || s.Jobs[0].Groups.Reduces[2].Top[0].Bytes != 10_000 {
		t.Errorf("%v, was %v", top, s.Jobs[0].Groups.Reduces[2].Top[0].Bytes)
	}
}
