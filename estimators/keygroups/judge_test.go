package keygroups

import (
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// Looks are made when groups have taken twice as much time as at the one before.
func TestLooks(t *testing.T) {
	t.Parallel()
	points := make([]nearestfit.Arrival, 64)
	for i := range points {
		points[i].GroupPoint = &dag.GroupPoint{Took: 125 * time.Millisecond, Count: 1}
	}
	if got, want := looks(points), []int{0, 1, 2, 4, 8, 16, 32, 64}; !slices.Equal(got, want) {
		t.Errorf("cuts %v, want %v", got, want)
	}
	if got := looks(nil); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("cuts of nothing: %v", got)
	}
}

// With the groups of a profile those that ended before the first look are predicted too.
func TestJudgeWithProfile(t *testing.T) {
	t.Parallel()
	s := quadratic().at(35_000, dag.GroupsTapped)
	points, params := nearestfit.Arrivals(s.Groups), s.params()
	params.Pooled = true
	without := judge(points, 5, nil, params)
	all := s.profile(quadratic())
	with := judge(points, 5, all.curve(&dag.Groups{}, params), params)
	if took := points[0].Took.Seconds(); with.weight < without.weight+took/2 || with.logs >= without.logs {
		t.Errorf("with a profile %+v, without %+v", with, without)
	}
}

// A verdict rests on enough groups: on time, or, of small ones, on their number.
func TestVerdictRestsOnEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		v    verdict
		want bool
	}{
		{"seconds in batches", verdict{took: 4, batches: 4, groups: 8}, true},
		{"too few seconds", verdict{took: 3.9, batches: 9, groups: 8}, false},
		{"too few batches", verdict{took: 400, batches: 3, groups: 8}, false},
		{"many small groups", verdict{took: 2, batches: 2, groups: 200}, true},
		{"many groups that took no time", verdict{took: 1.9, batches: 9, groups: 9000}, false},
		{"many groups at one look", verdict{took: 9, batches: 1, groups: 9000}, false},
	} {
		if got := c.v.settled(1); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// NearestFit must be better by a margin, and there must be something to win.
func TestVerdictIsBetterByAMargin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		nearest, byJob, byTask float64 // of 100 s
		want                   bool
	}{
		{10, 20, 30, true},
		{17, 20, 30, false},
		{10, 30, 12, false}, // the task's line is nearly as good
		{0.5, 1.5, 1.5, false},
	} {
		v := verdict{took: 100, nearest: c.nearest, byJob: c.byJob, byTask: c.byTask}
		if got := v.better(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
