package staged

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Between two jobs of Spark, and after the last one, the driver may work alone: it fetches results, commits files or
// writes to a database. Neither tasks nor the load of the executors tell how long that takes, but an earlier run does.

const (
	// leastPause is the shortest pause before a stage that counts as one. Planning and sending a stage takes seconds on
	// a loaded machine: that is a part of what the first task on each core takes (law.head).
	leastPause = 5 * time.Second
	// aloneFor is how long a driver works alone before nothing is said about the rest of an application whose program
	// is not known.
	aloneFor = 3 * time.Second
)

// A pause is time in which no task can run: before stage k of job j, or after its last task (dag.NoStage).
type pause struct {
	j        int
	k        dag.StageIndex
	expected time.Duration
	waited   time.Duration // how much of it has passed
}

// rest is how long the driver is expected to work on. One that is late is expected to need half of its delay again.
func (p *pause) rest() time.Duration {
	if left := p.expected - p.waited; left >= 0 {
		return left
	}
	return time.Duration(float64(p.waited-p.expected) * launchWait).Truncate(time.Millisecond)
}

// learnPauses gives the plan the pauses of the driver: those that this run has had, and those to come as the profile
// has them.
func (m *Model) learnPauses() {
	for j := range m.snapshot.Plan.Jobs {
		job, js, known := &m.snapshot.Plan.Jobs[j], &m.snapshot.Jobs[j], m.profile.Job(j)
		running := js.Submitted.Known() && !js.State.Ended()
		left := false
		for k := range job.NumStages() {
			stage, l := &job.Stages[k], &m.stages[j][k]
			left = left || js.Stages[k].Succeeded() < stage.Count()
			if own := stage.Pause; l.submitted {
				stage.Pause = l.pause
			} else if was := profiles.Stage(known, stage.Name); was != nil || own > 0 {
				p := pause{j: j, k: k, expected: own}
				if own == 0 {
					p.expected = was.Pause
				}
				if l.opens.Known() && running {
					p.waited = max(0, m.snapshot.At.Sub(l.opens))
				}
				m.expect(&stage.Pause, p)
			}
		}
		if running {
			m.learnFinish(j, left)
		}
	}
}

// learnFinish expects the driver to work after its last task for as long as in the profile's run. A moment is longer
// under load, as overhead is.
func (m *Model) learnFinish(j int, left bool) {
	o := &m.snapshot.Plan.Overheads
	p := pause{j: j, k: dag.NoStage, expected: o.Finish}
	if was := m.profile.Overheads(); was != nil {
		p.expected = orElse(p.expected, was.Finish)
	}
	if p.expected < leastPause {
		p.expected = min(taskcost.Duration(taskcost.MS(p.expected)*m.start.scale), leastPause)
	}
	if last := m.snapshot.Jobs[j].LastSuccess(); !left && last.Known() {
		p.waited = max(0, m.snapshot.At.Sub(last))
	}
	m.expect(&o.Finish, p)
}

// expect enters a pause that goes on or is to come. One before a stage that no run has had is one only once it has
// become long.
func (m *Model) expect(in *time.Duration, p pause) {
	least := leastPause
	if p.k == dag.NoStage {
		least = time.Millisecond
	}
	if p.expected <= 0 && (p.waited < least || m.snapshot.Plan.Open) {
		return
	}
	*in = p.waited + p.rest()
	m.pauses = append(m.pauses, p)
}

// untold reports whether nothing is known of the rest: the driver of an application whose program is not known works
// alone. It may end in a second or submit another hour of work.
func (m *Model) untold() bool {
	s := m.snapshot
	alone := s.DriverAlone()
	return s.Plan.Open && alone.Known() && s.At.Sub(alone) >= aloneFor && !slices.ContainsFunc(s.Plan.Jobs[0].Stages,
		func(stage dag.Stage) bool { return stage.Foreseen })
}

// drawPauses returns the snapshot of a draw: it has other pauses.
func (s *sampling) drawPauses(d estimators.Draws) *dag.Snapshot {
	if len(s.m.pauses) == 0 {
		return s.m.snapshot
	}
	out, plan := *s.m.snapshot, *s.m.snapshot.Plan
	out.Plan, plan.Jobs = &plan, dag.CloneJobs(plan.Jobs)
	for i := range s.m.pauses {
		p := &s.m.pauses[i]
		u := d.Common(estimators.ForPause, p.j, p.k)
		drawn := p.waited + taskcost.Duration(s.pauses[i].At(u, 1))
		if p.k == dag.NoStage {
			plan.Overheads.Finish = drawn
		} else {
			plan.Jobs[p.j].Stages[p.k].Pause = drawn
		}
	}
	return &out
}
