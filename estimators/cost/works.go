package cost

import "github.com/paratimer/paratimer/dag"

// Works returns the milliseconds of the work of each task that has ended, without start-up and without the wait for
// its input, by job, stage and task. The start-up is from the task's own reports, else from the run's cost law
// (docs/facts/measured.md 4). So the work of a task that was seen only at its end is an estimate.
func Works(run dag.Run) [][]map[int]float64 {
	s := *run.Now()
	s.Profiles = nil
	m := newModel(newest(run, &s), Options{})
	if s.Plan.OnlyMapReduce() {
		m.learnStarts()
	}
	cold, _ := m.coldExtra()
	out := make([][]map[int]float64, len(m.stages))
	for j := range out {
		out[j] = make([]map[int]float64, len(m.stages[j]))
		for k := range out[j] {
			st, work := &m.stages[j][k], map[int]float64{}
			rate := st.warmRate()
			for i := range st.seen.ended {
				e := &st.seen.ended[i]
				if work[e.task] = m.workOf(e); !st.single {
					work[e.task] = e.workOf(rate, cold)
				}
			}
			out[j][k] = work
		}
	}
	return out
}
