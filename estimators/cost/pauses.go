package cost

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

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

// A driver is the program that submits stages, with its current and future pauses.
type driver struct {
	*overheads
	pauses []pause
}

// driverPauses sets the pauses of a driver in the plan: those that this run has had, and for the rest of the run those
// of the profile. It returns the current and future ones.
func driverPauses(o *overheads) []pause {
	d := driver{overheads: o}
	for j := range d.s.Plan.Jobs {
		js, known := &d.s.Jobs[j], d.profile.Job(j)
		running := js.Submitted.Known() && !js.State.Ended()
		left := false
		for k := range d.stages[j] {
			st := &d.stages[j][k]
			left = left || st.state.Succeeded() < st.plan.Count()
			if own := st.plan.Pause; st.open {
				st.plan.Pause = taskcost.Duration(st.pause)
			} else if was := profiles.Stage(known, st.plan.Name); was != nil || own > 0 {
				p := pause{j: j, k: st.k, expected: own}
				if own == 0 {
					p.expected = was.Pause
				}
				if st.opens.Known() && running {
					p.waited = max(0, d.s.At.Sub(st.opens))
				}
				d.expect(&st.plan.Pause, p)
			}
		}
		if running {
			d.learnFinish(j, left)
		}
	}
	return d.pauses
}

// learnFinish expects the driver to work after its last task for as long as in the profile's run. A pause shorter
// than leastPause is scaled by the pace of overhead.
func (d *driver) learnFinish(j int, left bool) {
	o := &d.s.Plan.Overheads
	p := pause{j: j, k: dag.NoStage, expected: o.Finish}
	if was := d.profile.Overheads(); was != nil && p.expected == 0 {
		p.expected = was.Finish
	}
	if p.expected < leastPause {
		p.expected = min(taskcost.Duration(taskcost.MS(p.expected)*d.pace.loaded), leastPause)
	}
	if last := d.s.Jobs[j].LastSuccess(); !left && last.Known() {
		p.waited = max(0, d.s.At.Sub(last))
	}
	d.expect(&o.Finish, p)
}

// expect enters a current or future pause into the plan. A pause that no earlier run had counts only once it has
// become long.
func (d *driver) expect(in *time.Duration, p pause) {
	least := leastPause
	if p.k == dag.NoStage {
		least = time.Millisecond
	}
	if p.expected <= 0 && (p.waited < least || d.s.Plan.Open) {
		return
	}
	*in = p.waited + p.rest()
	d.pauses = append(d.pauses, p)
}
