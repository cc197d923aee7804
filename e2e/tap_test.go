//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/sketch"
)

// zipf is the tapped jobs' input: 24,000 records of 400 bytes, an eighth of them of one key. A reduce of power.py with
// quadratic then takes 80 s, 55 s of them for that key, and the other three 2 to 4 s; with linear they take 24 to 66 s.
const (
	zipf      = "4x6000x1000z1.0w400"
	quadratic = "python3 power.py 2 5"
	linear    = "python3 power.py 1 6000"
)

// TestTapQuadratic watches a job of quadratic cost through the tap, and runs it again without.
func TestTapQuadratic(t *testing.T) {
	l := up(t)
	// Of the thousand keys the hundred largest of each map are looked at, so this is the streaming form.
	w, tapped := l.tapped("quadratic", zipf, 4, "cat", quadratic, "--set", "lambda=100")
	bare := l.bare("quadratic", zipf, 4, "cat", quadratic)
	tapped.counted(zipf)
	tapped.same(bare)
	w.promised(tapped, zipf, 0.99)
	w.blames(3, zipf, 4)

	scores, without := w.grade("tape", "--estimators", "all", w.tape), w.score("capture")
	mean := scores.mean(t, "nearestfit_stream")
	for _, other := range []string{"task_ratio", "hadoop"} {
		if theirs := scores.mean(t, other); mean > theirs/2 {
			t.Errorf("through the tap the mean error is %.1f points, that of %s %.1f: want at most half", mean, other,
				theirs)
		}
	}
	if mean > 6 {
		t.Errorf("through the tap the mean error is %.1f points, want at most 6", mean)
	}
	l.tapRow("quadratic cost, Zipf keys", scores, without, tapped, bare)
}

// TestTapLinear watches a job of linear cost through the tap: there the tap must do no harm.
func TestTapLinear(t *testing.T) {
	l := up(t)
	w, tapped := l.tapped("linear", zipf, 4, "cat", linear)
	bare := l.bare("linear", zipf, 4, "cat", linear)
	tapped.counted(zipf)
	tapped.same(bare)
	w.promised(tapped, zipf, 0.99)

	scores, without := w.grade("tape", "--estimators", "all", w.tape), w.score("capture")
	// Their values of the same ticks differ by rounding and by a tick or so that only one answers.
	const noise = 1.0
	if with, linear := scores.mean(t, "standard"), without.mean(t, "standard"); with > linear+noise {
		t.Errorf("with the tap standard's mean error is %.1f points, without %.1f", with, linear)
	}
	l.tapRow("linear cost, Zipf keys", scores, without, tapped, bare)
}

// blames checks that frames name the reduce of a job that copies its input holds it back, and by which key.
func (w *watcher) blames(reduce int, input string, reduces int) {
	l := w.lab
	l.t.Helper()
	largest, name := 0.0, ""
	for key, one := range l.shuffled(input, reduces)[reduce] {
		if one.bytes > largest {
			largest, name = one.bytes, sketch.HashedName([]byte(key))
		}
	}
	blamed := 0
	for _, f := range w.frames {
		if len(f.Skew) == 0 {
			continue
		}
		worst := f.Skew[0].Worst[0]
		if worst.Task == reduce && len(worst.Keys) > 0 && deref(worst.Keys[0].Key) == name {
			if blamed++; blamed == 1 {
				l.t.Logf("%s s: reduce %d and its key %s hold the end back by %.0f s, keys from %s", number(f.Elapsed),
					reduce, name, f.Skew[0].Delay, f.Skew[0].From)
			}
			continue
		}
		l.t.Errorf("%s s: reduce %d is listed as delaying the end", number(f.Elapsed), worst.Task)
	}
	if blamed < len(w.frames)/4 {
		l.t.Errorf("reduce %d and its key %s hold the end back; %d of %d frames say so", reduce, name, blamed,
			len(w.frames))
	}
}

// mean is an estimator's mean error, which it must have.
func (g graded) mean(t *testing.T, name string) float64 {
	t.Helper()
	s := g.of(name)
	if s.Mean == nil {
		t.Errorf("%s has no score", name)
		return math.NaN()
	}
	return *s.Mean
}

// cost is the time that the reduce functions of a job take through the tap over what they take without, and the same of
// the whole job. The goal is 1.05. A busy machine alone makes more of the whole, which starts and ends ten JVMs; so
// only the reduces, which sleep, are held to anything, and to what no noise explains.
func (l *lab) cost(tapped, bare *streaming) (reduces, wall float64) {
	l.t.Helper()
	with, without := l.reduceSeconds(tapped), l.reduceSeconds(bare)
	var sum, sumWithout float64
	for i := range with {
		l.t.Logf("reduce %d: %.2f s with the tap, %.2f s without", i, with[i], without[i])
		sum, sumWithout = sum+with[i], sumWithout+without[i]
	}
	reduces = sum / sumWithout
	wall = l.truth([]string{tapped.app.job()}) / l.truth([]string{bare.app.job()})
	l.t.Logf("with the tap reduces take %.3f of the time without, the job %.3f", reduces, wall)
	if reduces > 1.2 {
		l.t.Errorf("with the tap reduces take %.2f times as long", reduces)
	}
	return reduces, wall
}

// TestTapCost runs a short job in pairs, with and without the tap, in either order.
func TestTapCost(t *testing.T) {
	l := up(t)
	l.bare("warm", zipf, 4, "cat", quick)
	var reduces, walls []float64
	total := 0.0
	for i := range 3 {
		name := fmt.Sprintf("pair-%d", i)
		var bare, tapped *streaming
		if i%2 == 0 {
			bare = l.bare(name, zipf, 4, "cat", quick)
		}
		_, tapped = l.tapped(name, zipf, 4, "cat", quick)
		if bare == nil {
			bare = l.bare(name, zipf, 4, "cat", quick)
		}
		reduce, wall := l.cost(tapped, bare)
		total += l.truth([]string{tapped.app.job()})
		reduces, walls = append(reduces, reduce), append(walls, wall)
	}
	slices.Sort(reduces)
	slices.Sort(walls)
	l.note("Hadoop Streaming through the tap: what it costs, three pairs of runs", total/3, fmt.Sprintf(
		"time with the tap over time without, median: %.3f of the reduces' (%.3f to %.3f), %.3f of the jobs' (%.3f to %.3f)",
		reduces[1], reduces[0], reduces[2], walls[1], walls[0], walls[2]))
}

// tapRow adds a run through the tap to the summary, and to docs/evidence/nearestfit.md.
func (l *lab) tapRow(scenario string, scores, without graded, tapped, bare *streaming) {
	l.t.Helper()
	reduces, _ := l.cost(tapped, bare)
	text := func(name string) string {
		s := scores.of(name)
		return s.String()
	}
	l.addRow("Hadoop Streaming through the tap: "+scenario, without, nil, "", fmt.Sprintf(
		"with the tap `standard` %s, `nearestfit` %s, `nearestfit_stream` %s, `task_ratio` %s, `job_ratio` %s, `hadoop` %s; output and counters as without the tap, map output sizes as shuffled; reduces take %.3f of the time without",
		text("standard"), text("nearestfit"), text("nearestfit_stream"), text("task_ratio"), text("job_ratio"),
		text("hadoop"), reduces))
	live = append(live, liveRow{"Streaming, " + scenario, scores, without, reduces})
}
