package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
	"github.com/paratimer/paratimer/units"
)

// worthSaying is the least share of the whole that a sentence mentions.
const worthSaying = 0.03

// verbs say what the time of a cause was spent on.
var verbs = map[attribution.Cause]string{
	attribution.Queueing: "were queueing", attribution.Launch: "were launch",
	attribution.Containers: "waited for containers", attribution.SetUp: "were set-up",
	attribution.Work: "were work", attribution.Shuffle: "were shuffle", attribution.Sort: "were sort and merge",
	attribution.Skew:     "were lost to skew",
	attribution.Failures: "were lost to failures", attribution.Finish: "went by until jobs were finished",
	attribution.Unknown: "had no visible cause",
}

// attributionSummary returns the attribution as sentences: work first, then the largest causes, the costliest skewed
// task, and the longest wait between jobs.
func attributionSummary(s *dag.Snapshot, a *attribution.Attribution) string {
	total, sums := a.Total(), a.ByCause()
	if total <= 0 {
		return ""
	}
	causes := slices.DeleteFunc(attribution.Causes(), func(c attribution.Cause) bool {
		return sums[c] <= 0 || c != attribution.Work && float64(sums[c]) < worthSaying*float64(total)
	})
	slices.SortStableFunc(causes, func(x, y attribution.Cause) int {
		if (x == attribution.Work) != (y == attribution.Work) {
			return order(y == attribution.Work) - order(x == attribution.Work)
		}
		return cmp.Compare(sums[y], sums[x])
	})
	whole := units.Exact(total)
	if !s.State.Ended() {
		whole = "the " + whole + " so far"
	}
	summary := ""
	for i, c := range causes[:min(len(causes), 5)] {
		verb := verbs[c]
		if c == attribution.Containers && s.Plan.Cluster.Policy == dag.Executors {
			verb = "waited for cores"
		}
		switch {
		case i == 0:
			summary = fmt.Sprintf("%s of %s %s", units.Exact(sums[c]), whole, verb)
		default:
			summary += fmt.Sprintf(", %s %s", units.Exact(sums[c]), verb)
		}
	}
	return summary + skewSummary(s, a) + waitSummary(s, a, total) + "."
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}

// skewSummary names the task that took longest beyond the others of its stage.
func skewSummary(s *dag.Snapshot, a *attribution.Attribution) string {
	worst := -1
	for i := range a.Parts {
		if a.Parts[i].Cause == attribution.Skew && (worst < 0 || a.Parts[i].Length() > a.Parts[worst].Length()) {
			worst = i
		}
	}
	if worst < 0 {
		return ""
	}
	p := &a.Parts[worst]
	who := fmt.Sprintf("%s's reduce %d", name(s.Plan.Jobs[p.Job].Node), p.Task)
	if !s.Plan.Jobs[p.Job].IsMapReduce() {
		who = name(s.Plan.TaskWords(p.Job, p.Stage, p.Task))
	}
	return fmt.Sprintf("; %s was skewed, and %s of it were beyond what the median one took", who,
		units.Exact(p.Length()))
}

// waitSummary names the job with the task that waited longest for a container that another job of the query used.
// Other tasks of the job may have run meanwhile.
func waitSummary(s *dag.Snapshot, a *attribution.Attribution, total time.Duration) string {
	worst := -1
	length := func(i int) time.Duration { return a.Waits[i].End.Sub(a.Waits[i].Start) }
	for i := range a.Waits {
		if worst < 0 || length(i) > length(worst) {
			worst = i
		}
	}
	if worst < 0 || float64(length(worst)) < worthSaying*float64(total) {
		return ""
	}
	w := a.Waits[worst]
	return fmt.Sprintf("; meanwhile a task of %s was ready for %s, until it got a %s that %s had held",
		name(s.Plan.Jobs[w.Job].Node), units.Exact(length(worst)), s.Plan.Cluster.Policy.Slot(),
		name(s.Plan.Jobs[w.Holder].Node))
}
