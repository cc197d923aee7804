package chart

import (
	"reflect"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

func TestPanels(t *testing.T) {
	spans := []schedule.Span{
		{Stage: dag.Map, First: 5, Count: 4, Start: 0, End: 10, Slots: []int32{0, 1, 4, -1}},
		{Stage: dag.Reduce, Count: 1, Slots: []int32{0}},
		{Stage: dag.Map, Count: 2, Start: 3, End: 4},
		{Stage: dag.NoStage, Pause: dag.Wave},
	}
	hue := func(i int, _ *schedule.Span) int { return 10 * i }
	maps := []Bar[int]{{First: 5, Tasks: 2, Row: 0, To: 2, End: 10}, {First: 7, Tasks: 1, Row: 4, To: 5, End: 10}}
	reduces := []Bar[int]{{Hue: 10, Span: 1, Tasks: 1, To: 1}}
	for policy, want := range map[dag.Policy][]Panel[int]{
		dag.FIFO:      {{"map slots", 5, maps}, {"reduce slots", 1, reduces}},
		dag.YARN:      {{"containers", 5, slices.Concat(maps, reduces)}},
		dag.Executors: {{"cores", 5, slices.Concat(maps, reduces)}},
	} {
		if got := Panels(policy, spans, hue); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got\n%+v\nwant\n%+v", policy, got, want)
		}
	}
	if got := Panels(dag.FIFO, spans[1:2], hue); len(got) != 1 || got[0].Title != "reduce slots" {
		t.Errorf("reduces alone: %+v", got)
	}
}

func TestMerge(t *testing.T) {
	bars := []Bar[int]{
		{Hue: 1, Tasks: 1, Row: 0, To: 1, Start: 0, End: 10},
		{Hue: 1, Tasks: 1, Row: 1, To: 2, Start: 2, End: 5},
		{Hue: 2, Tasks: 1, Row: 1, To: 2, Start: 5, End: 30},
		{Hue: 1, Tasks: 1, Row: 0, To: 1, Start: 12, End: 20},
		{Hue: 1, Tasks: 1, Row: 0, To: 1, Start: 90, End: 99},
		{Hue: 1, Tasks: 2, Row: 2, To: 4, Start: 0, End: 10},
	}
	want := []Bar[int]{
		{Hue: 1, Tasks: 3, Row: 0, To: 1, Start: 0, End: 20, Merged: 2},
		{Hue: 2, Tasks: 1, Row: 0, To: 1, Start: 5, End: 30},
		{Hue: 1, Tasks: 1, Row: 0, To: 1, Start: 90, End: 99},
		{Hue: 1, Tasks: 2, Row: 1, To: 2, Start: 0, End: 10},
	}
	if got := Merge(bars, 4, 2, 3); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if got, rows := Fit(bars, 4, 6, 99, 100, 100); rows != 4 || !slices.Equal(got, bars) {
		t.Errorf("what fits is changed to %+v on %d rows", got, rows)
	}
	got, rows := Fit(bars, 4, 4, 99, 100, 1)
	tasks := 0
	for _, b := range got {
		tasks += b.Tasks
	}
	if len(got) > 4 || rows > 4 || tasks != 7 {
		t.Errorf("%d tasks on %d rows: %+v", tasks, rows, got)
	}
}
