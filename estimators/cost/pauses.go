package cost

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// growTasks scales the number of tasks of future scans on executors. The factor is the mean growth of the submitted
// scans that had as many tasks in the profile's run, else of all submitted scans.
func (m *Model) growTasks() {
	type ratios struct{ sum, n float64 }  // of logarithms of growth
	by, all := map[int]ratios{}, ratios{} // by the number of tasks in the profile's run
	scan := func(st *stage) bool { return st.prior.N > 0 && st.prior.root }
	if !m.executors() {
		return
	}
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		if scan(st) && st.open && st.n > 0 {
			r := math.Log(float64(st.n) / float64(st.prior.N))
			same := by[st.prior.N]
			by[st.prior.N] = ratios{same.sum + r, same.n + 1}
			all = ratios{all.sum + r, all.n + 1}
		}
	})
	m.each(func(j int, k dag.StageIndex, st *stage) {
		plan := &m.s.Plan.Jobs[j].Stages[k]
		if !scan(st) || st.open || plan.Foreseen || st.n != st.prior.N || st.n < 2 {
			return
		}
		g, ok := by[st.prior.N]
		if !ok {
			g = all
		}
		if g.n > 0 {
			st.n = max(1, int(math.Round(float64(st.prior.N)*math.Exp(g.sum/g.n))))
			plan.Tasks = st.n
		}
	})
}

// A pause is time in which the driver works alone and no task can run: before stage k of job j, or after its last
// task (dag.NoStage).
type pause struct {
	j        int
	k        dag.StageIndex
	expected time.Duration
	waited   time.Duration // how much of it has passed
}

// rest returns how long the driver is expected to work on. If it is late, it is expected to need half of its delay
// again.
func (p *pause) rest() time.Duration {
	if left := p.expected - p.waited; left >= 0 {
		return left
	}
	return ((p.waited - p.expected) / 2).Truncate(time.Millisecond)
}

// learnPauses sets the driver's pauses in the plan: those that this run has had, and for the rest of the run those of
// the profile.
func (m *Model) learnPauses() {
	for j := range m.s.Plan.Jobs {
		job, js, known := &m.s.Plan.Jobs[j], &m.s.Jobs[j], m.profile.Job(j)
		running := js.Submitted.Known() && !js.State.Ended()
		left := false
		for k := range job.NumStages() {
			stage, st := &job.Stages[k], &m.stages[j][k]
			left = left || js.Stages[k].Succeeded() < stage.Count()
			if own := stage.Pause; st.open {
				stage.Pause = taskcost.Duration(st.pause)
			} else if was := profiles.Stage(known, stage.Name); was != nil || own > 0 {
				p := pause{j: j, k: k, expected: own}
				if own == 0 {
					p.expected = was.Pause
				}
				if st.opens.Known() && running {
					p.waited = max(0, m.s.At.Sub(st.opens))
				}
				m.expectPause(&stage.Pause, p)
			}
		}
		if running {
			m.learnFinish(j, left)
		}
	}
}

// learnFinish expects the driver to work after its last task for as long as in the profile's run. A pause shorter
// than leastPause is scaled by the pace of overhead.
func (m *Model) learnFinish(j int, left bool) {
	o := &m.s.Plan.Overheads
	p := pause{j: j, k: dag.NoStage, expected: o.Finish}
	if was := m.profile.Overheads(); was != nil && p.expected == 0 {
		p.expected = was.Finish
	}
	if p.expected < leastPause {
		p.expected = min(taskcost.Duration(taskcost.MS(p.expected)*m.pace.loaded), leastPause)
	}
	if last := m.s.Jobs[j].LastSuccess(); !left && last.Known() {
		p.waited = max(0, m.s.At.Sub(last))
	}
	m.expectPause(&o.Finish, p)
}

// expectPause enters a current or future pause into the plan. A pause that no earlier run had counts only once it has
// become long.
func (m *Model) expectPause(in *time.Duration, p pause) {
	least := leastPause
	if p.k == dag.NoStage {
		least = time.Millisecond
	}
	if p.expected <= 0 && (p.waited < least || m.s.Plan.Open) {
		return
	}
	*in = p.waited + p.rest()
	m.pauses = append(m.pauses, p)
}

// aloneFor is how long the driver of an application with an unknown program must work alone before the rest counts as
// unknown.
const aloneFor = 3 * time.Second

// silent reports whether the rest of the run is unknown: the program is unknown and its driver works alone. The
// driver may end in a second or submit another hour of work.
func (m *Model) silent() bool {
	alone := m.s.DriverAlone()
	foreseen := func(stage dag.Stage) bool { return stage.Foreseen }
	return m.s.Plan.Open && alone.Known() && m.s.At.Sub(alone) >= aloneFor &&
		!slices.ContainsFunc(m.s.Plan.Jobs[0].Stages, foreseen)
}
