package paper

import (
	"slices"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// A tracker returns the remaining time of a fragment of tasks, in milliseconds.
type tracker func(t *tracking, f *pathfrag.Fragment) float64

// trackAll reads every task of the fragment.
func trackAll(t *tracking, f *pathfrag.Fragment) float64 { return t.rounds(f, 0) }

// subset is the number of tasks of a round that trackSubset reads.
const subset = 4

// trackSubset reads a few tasks of each round: fewer requests, less exact (section 3.1.4).
func trackSubset(t *tracking, f *pathfrag.Fragment) float64 { return t.rounds(f, subset) }

// rounds sums, over the fragment's rounds, the mean remaining time of the unfinished tasks among the first most of
// each; 0 means all.
func (t *tracking) rounds(f *pathfrag.Fragment, most int) float64 {
	sum := 0.0
	for _, r := range f.Rounds {
		left, n, budget := 0.0, 0, most
		for _, i := range t.path.Rounds[r].Spans {
			s := &t.path.Schedule.Spans[i]
			count := int(s.Count)
			if most > 0 {
				count = min(count, budget)
				budget -= count
			}
			for g := range t.now.Stage(int(s.Job), s.Stage).Between(int(s.First), int(s.First)+count) {
				left += g.Rem * float64(g.Count)
				n += g.Count
				t.monitor(s, g)
			}
		}
		if n > 0 {
			sum += left / float64(n)
		}
	}
	return sum
}

// trackThread reads the tasks of one slot. It is the cheapest of all, one task at a time. It is exact if that slot
// is like the others (section 3.1.4).
func trackThread(t *tracking, f *pathfrag.Fragment) float64 {
	slot, sum := t.thread(f), 0.0
	for _, r := range f.Rounds {
		for _, i := range t.path.Rounds[r].Spans {
			s := &t.path.Schedule.Spans[i]
			n, found := slices.BinarySearch(s.Slots, slot)
			if !found {
				continue
			}
			task := int(s.First) + n
			if g, ok := t.now.Stage(int(s.Job), s.Stage).At(task); ok {
				sum += g.Rem
				t.monitor(s, &g)
			}
		}
	}
	return sum
}

// monitor records a task if its counters are needed. A running task is a group of its own.
func (t *tracking) monitor(s *schedule.Span, g *estimators.TaskGroup) {
	if g.Running {
		t.monitored = append(t.monitored, estimators.TaskID{Job: int(s.Job), Stage: s.Stage, Task: g.First})
	}
}

// thread returns the lowest slot of the fragment's last round: rounds never grow wider, so earlier rounds have the
// slots of the last one.
func (t *tracking) thread(f *pathfrag.Fragment) int32 {
	last := f.Rounds[len(f.Rounds)-1]
	slot := int32(-1)
	for _, i := range t.path.Rounds[last].Spans {
		if s := &t.path.Schedule.Spans[i]; len(s.Slots) > 0 && (slot < 0 || s.Slots[0] < slot) {
			slot = s.Slots[0]
		}
	}
	return slot
}
