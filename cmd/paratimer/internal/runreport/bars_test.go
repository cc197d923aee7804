package runreport

import (
	"slices"
	"testing"
)

func TestMerge(t *testing.T) {
	pieces := []piece{
		{look: look{job: 1}, tasks: 1, row: 0, to: 1, start: 0, end: 10},
		{look: look{job: 1}, tasks: 1, row: 1, to: 2, start: 2, end: 5},
		{look: look{job: 2}, tasks: 1, row: 1, to: 2, start: 5, end: 30},
		{look: look{job: 1}, tasks: 1, row: 0, to: 1, start: 12, end: 20},
		{look: look{job: 1}, tasks: 1, row: 0, to: 1, start: 90, end: 99},
		{look: look{job: 1}, tasks: 2, row: 2, to: 4, start: 0, end: 10},
	}
	want := []piece{
		{look: look{job: 1}, tasks: 3, row: 0, to: 1, start: 0, end: 20},
		{look: look{job: 2}, tasks: 1, row: 0, to: 1, start: 5, end: 30},
		{look: look{job: 1}, tasks: 1, row: 0, to: 1, start: 90, end: 99},
		{look: look{job: 1}, tasks: 2, row: 1, to: 2, start: 0, end: 10},
	}
	if got := merge(pieces, 4, 2, 3); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if got, rows := fit(pieces, 4, 6, 99); rows != 4 || !slices.Equal(got, pieces) {
		t.Errorf("what fits is changed to %+v on %d rows", got, rows)
	}
	got, rows := fit(pieces, 4, 4, 9900)
	tasks := 0
	for _, b := range got {
		tasks += b.tasks
	}
	if len(got) > 4 || rows > 4 || tasks != 7 {
		t.Errorf("%d tasks on %d rows: %+v", tasks, rows, got)
	}
}
