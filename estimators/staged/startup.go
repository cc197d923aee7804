package staged

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A startup is what a task takes beyond its work in a container that is launched for it.
type startup struct {
	launch float64     // milliseconds until its JVM runs
	extra  float64     // more work of the first task in a JVM: classes are loaded, code is not compiled yet
	whole  float64     // milliseconds of a launch from its beginning
	scale  float64     // how many times as long as in the profile's run launches take
	late   float64     // how much longer a launch is expected to take that is late, as a share of what it has taken
	over   dag.Instant // when the first task of a new container had ended; NoInstant before
	alone  float64     // what a launch after that takes as a share of one of those before
	firsts float64     // first tasks of containers that were compared with others of their stage
}

const (
	// coldTasks is how many first tasks the expectation of what they take beyond others weighs as much as.
	coldTasks = 1
	// coldShare is the same as a share of a launch, where nothing has shown it.
	coldShare = 0.35
	// heldMS is the time from a DAG's submission within which no container can have been launched for it: it was held
	// before.
	heldMS = 1000
	// alonePower is the power of the number of launches at the same time on a node that each takes longer by: a part of
	// it is waiting.
	alonePower = 0.4
	// bootPower is the power of the ratio of masters' start-ups by which launches differ: a launch waits for heartbeats
	// too, which take as long on a busy machine.
	bootPower = 0.7
	// scaleMax bounds how many times as long as in the profile's run launches take.
	scaleMax = 20.0
	// launchWait and launchNext are startup.late before this run has shown a launch and after.
	launchWait, launchNext = 0.5, 0.15
)

// learnLaunch finds what a launch takes: what this run has shown, otherwise what the profile says, the longer the
// longer none has come. overheads are those that the run itself shows.
func (m *Model) learnLaunch(overheads *dag.Overheads) {
	o := &m.snapshot.Plan.Overheads
	expected := taskcost.MS(defaultStart)
	if was := m.profile.Overheads(); was != nil && was.SetupMin > 0 {
		expected = taskcost.MS(was.SetupMin)
	}
	st := &m.start
	st.launch, st.late = taskcost.MS(o.SetupMin), launchWait
	whole := st.launch
	if overheads.SetupMin > 0 {
		st.late = launchNext
	} else {
		st.launch *= bootScale(overheads, m.profile.Overheads())
		whole = st.launch
		if waited := m.waited(); waited > 0 {
			whole = max(whole, (1+launchWait)*waited)
		}
	}
	st.whole = whole
	if st.scale = 1; whole > 0 {
		st.scale = min(max(whole/expected, 1/scaleMax), scaleMax)
	}
}

// bootScale is how many times as long as in the profile's run launches are expected to take, by what the masters of the
// two took to start: 1 where one of them is not told.
func bootScale(is, was *dag.Overheads) float64 {
	if was == nil || was.Boot <= 0 || is.Boot <= 0 {
		return 1
	}
	return math.Pow(float64(is.Boot)/float64(was.Boot), bootPower)
}

// learnWave finds how many containers of a node were launched together, as those of a job's first tasks are. They share
// its processors.
func (m *Model) learnWave() {
	s := m.snapshot
	m.start.over = dag.NoInstant
	nodes, first := map[int32]bool{}, 0.0
	for _, visit := range []func(a *dag.Attempt){
		func(a *dag.Attempt) {
			if m.first(a) && a.End.Known() && (!m.start.over.Known() || a.End < m.start.over) {
				m.start.over = a.End
			}
		},
		func(a *dag.Attempt) {
			if m.first(a) && !m.apart(a.Start) {
				nodes[a.Node] = true
				first++
			}
		},
	} {
		for j := range s.Jobs {
			for k := range s.Jobs[j].Stages {
				for i := range s.Jobs[j].Stages[k].Attempts {
					visit(&s.Jobs[j].Stages[k].Attempts[i])
				}
			}
		}
	}
	m.start.alone = math.Pow(max(1, first/max(1, float64(len(nodes)))), -alonePower)
}

// apart reports whether a container that was launched at an instant, or for a task that started then, was launched by
// itself: that of another one was over.
func (m *Model) apart(at dag.Instant) bool { return m.start.over.Known() && at >= m.start.over }

// launchAt is what a launch at an instant takes in milliseconds.
func (m *Model) launchAt(at dag.Instant) float64 {
	if at.Known() && m.apart(at) {
		return m.start.launch * m.start.alone
	}
	return m.start.launch
}

// extraAt is what the first task of a container takes beyond its work, in milliseconds, where it starts at an instant.
func (m *Model) extraAt(at dag.Instant) float64 {
	if m.apart(at) {
		return m.start.extra * m.start.alone
	}
	return m.start.extra
}

// launching is what is left of a launch that was asked for at an instant: what has not come for long will not come at
// once.
func (m *Model) launching(asked dag.Instant) float64 {
	whole := m.launchAt(asked)
	if !asked.Known() || asked >= m.snapshot.At {
		return whole
	}
	waited := float64(m.snapshot.At - asked)
	return max(whole-waited, m.start.late*waited)
}

// asked is since when containers may have been launched for the tasks of a stage that wait: since their stage let them
// begin, since one was lost.
func (m *Model) asked(j int, k dag.StageIndex) dag.Instant {
	job, js := &m.snapshot.Plan.Jobs[j], &m.snapshot.Jobs[j]
	since := js.Submitted
	if !since.Known() {
		return since
	}
	since = since.Add(m.snapshot.Plan.Overheads.Launch)
	for _, e := range job.Stages[k].After {
		if e.Kind == dag.SlowStart || e.Kind == dag.Barrier {
			since = max(since, allowed(&js.Stages[e.From], max(e.Ratio, e.Full), job.Stages[e.From].Count()))
		}
	}
	for k := range js.Stages {
		for i := range js.Stages[k].Attempts {
			if a := &js.Stages[k].Attempts[i]; (a.State == dag.AttemptFailed || a.State == dag.AttemptKilled) &&
				a.End.Known() && !js.Stages[k].Overtaken(i) {
				since = max(since, a.End)
			}
		}
	}
	return since
}

// allowed is when so large a part of a stage had succeeded; of a smaller part, when the last one had.
func allowed(s *dag.StageState, ratio float64, n int) dag.Instant {
	var ends []dag.Instant
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
			ends = append(ends, a.End)
		}
	}
	if len(ends) == 0 {
		return dag.NoInstant
	}
	slices.Sort(ends)
	need := n
	if ratio > 0 && ratio < 1 {
		need = int(math.Ceil(ratio * float64(n)))
	}
	return ends[min(max(need, 1), len(ends))-1]
}

// learnExtra compares the tasks that were the first in their container with the others of their stage. Launches load a
// machine as what these tasks do more does: where launches take longer than in the profile's run, so does that.
func (m *Model) learnExtra() {
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
			if e.cold && e.units > 0 && !m.apart(e.start) {
				sum, n = sum+e.work-e.units*warm/units, n+1
			}
		}
	})
	m.start.firsts = n
	expected := taskcost.MS(m.snapshot.Plan.Overheads.Cold) * m.start.scale
	if expected == 0 && m.profile != nil {
		expected = coldShare * m.start.whole
	}
	m.start.extra = max(0, (sum+coldTasks*expected)/(n+coldTasks))
	if m.start.extra == 0 {
		return
	}
	// What is learned of the stages' rates is that of usual tasks.
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		for i := range l.seen.ended {
			if e := &l.seen.ended[i]; e.cold {
				less := min(m.extraAt(e.start), e.work/2)
				e.work -= less
				l.seen.work -= less
			}
		}
	})
}

// extraOf is how many milliseconds of work an attempt at a stage has beyond its own, as the first in its container,
// since it could begin: what it did while it waited for its input is over.
func (m *Model) extraOf(l *law, a *dag.Attempt) float64 {
	if !m.first(a) {
		return 0
	}
	return max(0, m.extraAt(a.Start)-float64(l.begin(a)-a.Start))
}

// first reports whether an attempt is the first in its container.
func (m *Model) first(a *dag.Attempt) bool {
	t, seen := m.firsts[a.Slot]
	return seen && t == a.Start
}

// firstStarts is when the first task started in each container that was launched for a job, and on each core of
// executors.
func firstStarts(s *dag.Snapshot) map[int32]dag.Instant {
	first := map[int32]dag.Instant{}
	for j := range s.Jobs {
		if s.Plan.Jobs[j].Rules != dag.AncestorsFirst {
			continue
		}
		for k := range s.Jobs[j].Stages {
			for i := range s.Jobs[j].Stages[k].Attempts {
				a := &s.Jobs[j].Stages[k].Attempts[i]
				if t, seen := first[a.Slot]; a.Slot >= 0 && a.Start.Known() && (!seen || a.Start < t) {
					first[a.Slot] = a.Start
				}
			}
		}
		for slot, t := range first {
			if at := s.Jobs[j].Submitted; at.Known() && t < at.Add(heldMS*time.Millisecond) {
				first[slot] = dag.NoInstant
			}
		}
	}
	return first
}

// waited is for how many milliseconds a job has waited for the first container that is launched for it; 0 where it does
// not wait for one.
func (m *Model) waited() float64 {
	s, longest := m.snapshot, 0.0
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if js.State.Ended() || !js.Submitted.Known() {
			continue
		}
		running, used := 0, s.Plan.Jobs[j].MasterMB
		for k := range js.Stages {
			n := js.Stages[k].Running()
			running, used = running+n, used+n*s.Plan.Jobs[j].Stages[k].MemoryMB
		}
		// Tasks that run did not need a launch. The cluster counts a container from the moment at which it is given.
		if running == 0 && m.idle(j) || running > 0 && js.HeldMB > used {
			longest = max(longest, float64(s.At-js.Submitted)-taskcost.MS(s.Plan.Overheads.Launch))
		}
	}
	return longest
}

// idle reports whether nothing of a job has run yet.
func (m *Model) idle(j int) bool {
	for k := range m.snapshot.Jobs[j].Stages {
		if len(m.snapshot.Jobs[j].Stages[k].Attempts) > 0 {
			return false
		}
	}
	return true
}
