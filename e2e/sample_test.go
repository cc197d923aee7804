//go:build e2e

package e2e

import (
	"fmt"
	"testing"
)

// joinOf is the join of so many records a file; a sample of its data has fewer of them in as many files.
func joinOf(a, b int) []string {
	return []string{
		"pig", "join", "-p", fmt.Sprintf("a=20x%dx300", a), "-p", fmt.Sprintf("b=6x%dx200", b), "-p", "pace=25", "-p",
		"pace_out=150",
		"-p", "parallel_a=6", "-p", "parallel_b=4", "-p", "parallel=6",
	}
}

// mostSampleError is what no load between the three runs excuses. On an idle machine 4 points are the goal: in a sample
// start-ups are most of a task, and other load makes them several times as long.
const mostSampleError = 8

// TestSampleProfiles: debug runs on 1% and 10% of the data give the profiles of the full run (the ParaTimer paper,
// section 4.1).
func TestSampleProfiles(t *testing.T) {
	l := up(t)
	watched := func(name string, script []string) *watcher {
		pig := l.client("pig-"+name, script...)
		id := ""
		l.await("a running job of "+name, func() bool {
			for _, a := range l.apps() {
				if a.State == "RUNNING" {
					id = a.ID
				}
			}
			return id != ""
		})
		w := l.attach(name, id)
		w.ends(0, "succeeded")
		pig.succeed()
		return w
	}
	percents := []int{1, 10}
	var files []string
	for _, percent := range percents {
		files = append(files, watched(fmt.Sprintf("of-%d", percent), joinOf(6*percent, 4*percent)).learn())
	}
	full := watched("full", joinOf(600, 400))
	full.recordings(0)
	for i, file := range files {
		known := full.score(fmt.Sprintf("profile-%d", percents[i]), "--profile", file)
		if s := known.of("standard"); s.Mean == nil || *s.Mean > mostSampleError {
			t.Errorf("with the profile of %d%% of the data: %s points in the mean, want %d at most", percents[i],
				number(s.Mean), mostSampleError)
		}
		l.addRow(fmt.Sprintf("the join of 20x600x300 and 6x400x200, with the profile of a run on %d%% of its data",
			percents[i]), full.score("bare"), &known, "", "as many files, with fewer records each")
	}
}
