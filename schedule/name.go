package schedule

import (
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// TaskName names an attempt of a task in a plan: the job, m or r, the index from 1, and one prime for each earlier attempt.
// Map 3 of job j1 is j1.m3, its second attempt j1.m3'.
func TaskName(plan *dag.Plan, job int, k dag.Kind, index, attempt int) string {
	letter := ".m"
	if k == dag.Reduce {
		letter = ".r"
	}
	name := "?"
	if job >= 0 && job < len(plan.Jobs) {
		name = plan.Jobs[job].Node
	}
	return name + letter + strconv.Itoa(index+1) + strings.Repeat("'", max(0, attempt))
}
