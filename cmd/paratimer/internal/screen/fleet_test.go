package screen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// fleetOf is a number of queries: the first is late, and the second blocks it.
func fleetOf(n int) []view.Query {
	at := dag.InstantOf(time.Date(2026, 3, 14, 1, 59, 26, 0, time.UTC))
	in := func(m int) *frame.Time { return frame.TimeOf(at.Add(time.Duration(m) * time.Minute)) }
	id, late, early := "wf-1", frame.Seconds(180), frame.Seconds(-1200)
	all := make([]view.Query, n)
	for i := range all {
		progress, elapsed := frame.Ratio(0.4), frame.Seconds(60*i)
		all[i] = view.Query{
			Progress: &progress, Elapsed: &elapsed, WaitsFor: "map 7",
			ID: fmt.Sprintf("wf-%d", i), Name: fmt.Sprintf("nightly-\x1b%d.pig", i), User: "etl",
			Queue: "root.production", State: dag.Running, Standing: view.IsOnTrack,
			At: frame.TimeOf(at), EndAt: in(40 + i), DeadlineAt: in(60 + i), LaterSeconds: &early,
			Left: fmt.Sprintf("~%dm (%dm – %dm)", 40+i, 35+i, 50+i),
		}
	}
	all[0].Standing, all[0].LaterSeconds, all[0].HeldUpBy = view.IsLate, &late,
		&frame.HeldUp{ID: &id, Name: &all[1].Name, Scope: "queue", Containers: 40, OfContainers: 60}
	all[1].HoldsUp = 1
	return all
}

// TestDrawFleet checks the drawing of many queries on small and large terminals: no line is too long, and wide ones
// show which query blocks which.
func TestDrawFleet(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {200, 50}, {40, 8}, {10, 3}, {1, 1}, {0, 0}} {
		lines := DrawFleet(Fleet{Queries: fleetOf(60), Selected: 7, Width: size[0], Height: size[1], Log: "a line"})
		if len(lines) > size[1] || size[0] >= 40 && len(lines) != size[1] {
			t.Errorf("%d lines on a terminal of %d", len(lines), size[1])
		}
		for _, l := range lines {
			if cells(l) > size[0] || strings.Contains(l, "\x1b") {
				t.Errorf("%d by %d: %q", size[0], size[1], l)
			}
		}
	}
	wide := strings.Join(DrawFleet(Fleet{Queries: fleetOf(3), Width: 200, Height: 50}), "\n")
	for _, want := range []string{
		"3 running, 1 late;", "is blocking 1.", "3m late", "20m early",
		`nightly-\x1b1.pig: 40 of its queue's 60 containers`, "root.production", " 40%", "━─", "2m  etl",
	} {
		if !strings.Contains(wide, want) {
			t.Errorf("the screen lacks %q:\n%s", want, wide)
		}
	}
	small := strings.Join(DrawFleet(Fleet{Queries: fleetOf(3), Width: 80, Height: 24}), "\n")
	for _, want := range []string{"› wf-0; blocked by nightly-\\x1b1.pig: 40 of", "~40m (35m – 50m)", "40%"} {
		if !strings.Contains(small, want) {
			t.Errorf("a small screen lacks %q:\n%s", want, small)
		}
	}
	many := fleetOf(3)
	many[1].State, many[1].Standing, many[1].Name = dag.EndedUnconfirmed, view.HasEnded, strings.Repeat("long", 20)
	tiny := strings.Join(DrawFleet(Fleet{Queries: many, Width: 40, Height: 12}), "\n")
	if !strings.Contains(tiny, "  longlonglo…  unconfirmed  ") || !strings.Contains(tiny, "late         ~40m (35m –…") {
		t.Errorf("a tiny screen lacks the time left:\n%s", tiny)
	}
	other := strings.Join(DrawFleet(Fleet{Queries: fleetOf(3), Selected: 2, Width: 80, Height: 24}), "\n")
	if !strings.Contains(other, "› wf-2; deadline 03:01, 20m early; owner etl; queue root.production; waits for …") {
		t.Errorf("the selected query is not described:\n%s", other)
	}
	there := time.FixedZone("CET", 3600)
	if zoned := strings.Join(DrawFleet(Fleet{Queries: fleetOf(3), Width: 80, Height: 24, Style: Style{Zone: there}}),
		"\n"); !strings.Contains(zoned, "ends CET") || !strings.Contains(zoned, "03:39") {
		t.Errorf("clocks are not in the reader's zone:\n%s", zoned)
	}
	for _, i := range []int{0, 30, 59} { // with the row above
		scrolled := strings.Join(DrawFleet(Fleet{Queries: fleetOf(60), Selected: i, Width: 80, Height: 24}), "\n")
		if !strings.Contains(scrolled, fmt.Sprintf(`› nightly-\x1b%d.pig`, i)) || strings.Count(scrolled, ".pig  ") != 19 ||
			i > 0 && !strings.Contains(scrolled, fmt.Sprintf(`  nightly-\x1b%d.pig`, i-1)) {
			t.Errorf("query %d is selected:\n%s", i, scrolled)
		}
	}
	if n := len(DrawFleet(Fleet{Width: 80, Height: 24})); n != 24 {
		t.Errorf("without queries %d lines", n)
	}
}
