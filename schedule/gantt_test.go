package schedule_test

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Pauses, more slots than rows, a job whose letter is not its name, what is shorter than a column, what has no slot.
func TestGantt(t *testing.T) {
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "scope-35"}, {Node: "b"}}}
	s := &schedule.Schedule{Now: 64_000, End: 100_000, Submitted: []dag.Instant{60_000, dag.NoInstant}, Spans: []schedule.Span{
		{Kind: dag.Launch, Outcome: schedule.Waits, Start: 60_000, End: 68_000},
		{Kind: dag.Map, First: 8, Count: 3, Start: 62_000, End: 75_000, Slots: []int32{0, 1, 2}},
		{Kind: dag.Map, First: 1, Count: 1, Start: 75_000, End: 75_100, Slots: []int32{0}},
		{Kind: dag.Map, First: 2, Count: 1, Start: 75_000, End: 76_000, Slots: []int32{-1}},
		{Job: 1, Kind: dag.Map, Attempt: 1, Count: 1, Start: 80_000, End: 100_000, Slots: []int32{1}},
		{Job: 1, Kind: dag.Map, First: 1, Count: 1, Start: 90_000, End: 90_000, Slots: []int32{0}},
	}}
	want := `one column is 5s, now is 4s
           0s
map      0 a9-a....
map      1 a10.b1'-
map        (1 more slots)
pauses     l.......
a = scope-35
`
	if got := (schedule.Gantt{Columns: 10, Rows: 2}).Draw(plan, s); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	empty := &schedule.Schedule{Now: 5, End: 5}
	if got, want := (schedule.Gantt{}).Draw(plan, empty), "one column is 1ms, now is 0s\n           0s\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	long := &schedule.Schedule{End: 1000 * 3600 * 1000}
	if got, want := (schedule.Gantt{Columns: 10}).Draw(plan, long), "one column is 100h, now is 0s\n           0s        1000h\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
