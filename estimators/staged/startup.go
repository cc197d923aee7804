package staged

import "github.com/paratimer/paratimer/dag"

// A startup is what a task takes beyond its work in a container that is launched for it.
type startup struct {
	launch float64 // milliseconds until its JVM runs
	extra  float64 // more work of the first task in a JVM: classes are loaded, code is not compiled yet
}

// coldTasks is how many first tasks the profile's figure weighs as much as.
const coldTasks = 4

// learnStartup compares the tasks that were the first in their container with the others of their stage.
func (m *Model) learnStartup() {
	o := &m.snapshot.Plan.Overheads
	m.start.launch = ms(o.SetupMin)
	if waited := m.waited(); waited > 0 {
		// What has not come for long will not come at once.
		m.start.launch = max(m.start.launch-waited, waited/2)
	}
	sum, n := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		warm, units := 0.0, 0.0
		for _, e := range l.seen.ended {
			if !e.cold {
				warm, units = warm+e.work, units+e.units
			}
		}
		if !(units > 0) {
			return
		}
		for _, e := range l.seen.ended {
			if e.cold && e.units > 0 {
				sum, n = sum+e.work-e.units*warm/units, n+1
			}
		}
	})
	m.start.extra = max(0, (sum+coldTasks*ms(o.Cold))/(n+coldTasks))
	if m.start.extra == 0 {
		return
	}
	// What is learned of the stages' rates is that of usual tasks.
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		for i := range l.seen.ended {
			if e := &l.seen.ended[i]; e.cold {
				less := min(m.start.extra, e.work/2)
				e.work -= less
				l.seen.work -= less
			}
		}
	})
}

// waited is for how many milliseconds a job has waited for its first container; 0 once one runs.
func (m *Model) waited() float64 {
	s, longest := m.snapshot, 0.0
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if js.State.Ended() || !js.Submitted.Known() {
			continue
		}
		for k := range js.Stages {
			if len(js.Stages[k].Attempts) > 0 {
				return 0
			}
		}
		longest = max(longest, float64(s.At-js.Submitted)-ms(s.Plan.Overheads.Launch))
	}
	return longest
}
