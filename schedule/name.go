package schedule

import (
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// TaskName names an attempt of a task in a plan: the job, the stage, the index from 1, and one prime for each earlier
// attempt. Map 3 of job j1 is j1.m3, its second attempt j1.m3'. Of a stage that is neither map nor reduce the name is
// whole: q.scan.3.
func TaskName(plan *dag.Plan, job int, k dag.StageIndex, index, attempt int) string {
	name, stage := "?", "?."
	if job >= 0 && job < len(plan.Jobs) {
		j := &plan.Jobs[job]
		name = j.Node
		switch {
		case int(k) >= len(j.Stages):
		case j.IsMapReduce():
			stage = j.Stages[k].Name[:1]
		default:
			stage = j.Stages[k].Name + "."
		}
	}
	return name + "." + stage + strconv.Itoa(index+1) + strings.Repeat("'", max(0, attempt))
}
