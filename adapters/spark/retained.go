package spark

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A driver keeps the newest jobs, stages and tasks, and drops those that ended first.

// forgotten describes the jobs, stages or tasks that the driver dropped before they were read; "" if there are none.
func (f *facts) forgotten() string {
	jobs, stages := 0, 0
	if last := f.lastJob(); last >= f.conf.retained("retainedJobs", 1000) {
		jobs = last + 1 - len(f.jobs)
		if x := f.execution(); x != nil {
			jobs = 0
			for id := range x.jobs {
				if f.jobs[id] == nil {
					jobs++
				}
			}
		}
	}
	if len(f.stages) > f.conf.retained("retainedStages", 1000) {
		for id := range f.unitStages() {
			if !f.stages[id].listed() {
				stages++
			}
		}
	}
	switch {
	case jobs > 0:
		return units.Count(jobs, "job") + " (spark.ui.retainedJobs)"
	case stages > 0:
		return units.Count(stages, "stage") + " (spark.ui.retainedStages)"
	}
	for _, id := range sortedKeys(f.unitStages()) {
		t := f.stages[id].newest()
		if most := f.conf.retained("retainedTasks", 100_000); t != nil && t.status == "ACTIVE" && t.complete > most {
			return fmt.Sprintf("tasks of stage %d (spark.ui.retainedTasks)", id)
		}
	}
	return ""
}

// remarkForgotten warns if the driver has dropped information.
func (f *facts) remarkForgotten() []dag.Warning {
	if f.inLog {
		return nil
	}
	what := f.forgotten()
	if what == "" {
		return nil
	}
	return []dag.Warning{{
		Code: dag.WarnObservation,
		Text: "the driver has dropped " + what + " that ended early: the estimate rests on what it still has",
	}}
}
