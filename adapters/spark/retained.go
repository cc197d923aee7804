package spark

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A driver keeps the newest jobs, stages and tasks, and drops what ended first.

// retained is how many of something a driver keeps, by a setting that an application may have.
func (a *App) retained(setting string, usual int) int {
	if n := a.number("spark.ui." + setting); n > 0 {
		return n
	}
	return usual
}

// told reports whether an answer has told of a stage more than its id.
func (s *stage) told() bool { return s != nil && (s.status != "" || s.tasks > 0) }

// firstUntold is the lowest id of a stage that no answer has told of. Spark numbers stages without gaps.
func (a *App) firstUntold() int {
	for a.stages[a.untold].told() {
		a.untold++
	}
	return a.untold
}

// passedOver reports whether a stage that waits will be skipped, although no stage is known that has written its
// output: such a stage may have been dropped. Spark submits all stages whose input is there when it submits the job. So
// one that waits while another one of its job has been submitted, and whose own parents have nothing to run, has its
// output already. lacks are the stages that have to run, its parents among them.
func (a *App) passedOver(j *job, s *stage, lacks map[int]bool) bool {
	if !s.known || s.id == j.last() || s.id <= a.firstUntold() {
		return false
	}
	for _, id := range s.parents {
		if p := a.stages[id]; lacks[id] || p != nil && p.ran() {
			return false
		}
	}
	for _, id := range j.stages {
		if of := a.stages[id]; of != nil && of.ran() {
			return true
		}
	}
	return false
}

// forgotten says which jobs, stages and tasks the driver had dropped before they were read; "" if none.
func (a *App) forgotten() string {
	jobs, stages := 0, 0
	if last := a.lastJob(); last >= a.retained("retainedJobs", 1000) {
		jobs = last + 1 - len(a.jobs)
		if x := a.execution(); x != nil {
			jobs = 0
			for id := range x.jobs {
				if a.jobs[id] == nil {
					jobs++
				}
			}
		}
	}
	if len(a.stages) > a.retained("retainedStages", 1000) {
		for id := range a.unitStages() {
			if !a.stages[id].told() {
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
	for _, id := range sortedKeys(a.unitStages()) {
		t := a.stages[id].newest()
		if most := a.retained("retainedTasks", 100_000); t != nil && t.status == "ACTIVE" && t.complete > most {
			return fmt.Sprintf("tasks of stage %d (spark.ui.retainedTasks)", id)
		}
	}
	return ""
}

// remarkForgotten warns of what the driver had dropped.
func (a *App) remarkForgotten() []dag.Warning {
	what := a.forgotten()
	if what == "" || a.inLog {
		return nil
	}
	return []dag.Warning{{
		Code: dag.WarnObservation,
		Text: "the driver has dropped " + what + " that ended early: the estimate rests on what it still has",
	}}
}
