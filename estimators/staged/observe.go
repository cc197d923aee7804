package staged

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// sightings are what tasks of a stage have shown in this run.
type sightings struct {
	ended   []ended
	running []*dag.Attempt
	records bool    // units are records, not tasks
	units   float64 // of the tasks that have ended, and of running ones as far as they are
	work    float64 // milliseconds that they took
	out     float64 // records that the ended ones wrote
	bytes   float64 // that the ended ones read, 0 where one of them does not tell
}

// An ended task is one that has succeeded.
type ended struct {
	task  int
	units float64
	work  float64 // milliseconds, from the instant at which its input was there
	out   float64
	start dag.Instant
	end   dag.Instant
	slot  int32
	cold  bool // the first in its container
}

// observe reads what the tasks of all stages have shown.
func (m *Model) observe() {
	s := m.snapshot
	m.firsts = firstStarts(s)
	m.learnWave()
	m.stages = make([][]law, len(s.Plan.Jobs))
	for j := range s.Plan.Jobs {
		job := &s.Plan.Jobs[j]
		m.stages[j] = make([]law, len(job.Stages))
		for k := range job.NumStages() {
			l := &m.stages[j][k]
			l.waits, l.input = m.inputEnd(j, k)
			l.asked = m.asked(j, k)
			l.prior = m.priorOf(j, k)
			if j < len(s.Jobs) && int(k) < len(s.Jobs[j].Stages) {
				m.watch(l, s.Jobs[j].Stages[k].Attempts, job.Stages[k].Count(), taskcost.MS(s.Plan.Cluster.Setup))
			}
		}
	}
}

// Worked returns how many milliseconds each task that has succeeded worked, by job, stage and task: from the instant at
// which its input was there, without start-up.
func Worked(run dag.Run) [][]map[int]float64 {
	m := New(run)
	out := make([][]map[int]float64, len(m.stages))
	for j := range m.stages {
		out[j] = make([]map[int]float64, len(m.stages[j]))
		for k := range m.stages[j] {
			out[j][k] = map[int]float64{}
			for _, e := range m.stages[j][k].seen.ended {
				out[j][k][e.task] = e.work
			}
		}
	}
	return out
}

// inputEnd says whether the tasks of a stage wait in their containers for other stages, and when the last of these has
// ended.
func (m *Model) inputEnd(j int, k dag.StageIndex) (waits bool, last dag.Instant) {
	job, s := &m.snapshot.Plan.Jobs[j], m.snapshot
	over := true
	last = dag.NoInstant
	for _, e := range job.Stages[k].After {
		if e.Kind != dag.SlowStart && !(e.Kind == dag.Broadcast && job.Rules == dag.AncestorsFirst) {
			continue
		}
		waits = true
		from := &s.Jobs[j].Stages[e.From]
		over = over && from.Succeeded() >= job.Stages[e.From].Count()
		for i := range from.Attempts {
			if a := &from.Attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
				last = max(last, a.End)
			}
		}
	}
	if !over {
		return waits, dag.NoInstant
	}
	return waits, last
}

// done is how many records an attempt has read: of a task that copies, sorts and works those that it has worked on.
func done(a *dag.Attempt) float64 {
	if v := a.Done[dag.Work]; !math.IsNaN(v) {
		return v
	}
	return a.Done[dag.Copy]
}

// begin is when an attempt could begin to work, by what it reads.
func (l *law) begin(a *dag.Attempt) dag.Instant {
	if l.waits && l.input.Known() {
		return max(a.Start, l.input)
	}
	return a.Start
}

// unread says that nothing has told the container or core of an attempt yet. Then its times are those of the
// observations before and after it, which may be many times as long as a short task.
func (m *Model) unread(a *dag.Attempt) bool { return a.Slot < 0 && len(m.firsts) > 0 }

// watch reads what the attempts at a stage of n tasks have shown.
func (m *Model) watch(l *law, attempts []dag.Attempt, n int, setup float64) {
	st := &l.seen
	tells, told := 0, 0
	st.bytes = 0
	bytesKnown := true
	last := int32(-1)
	for i := range attempts {
		a := &attempts[i]
		if int(a.Task) >= n || a.Task < 0 || !a.Start.Known() {
			continue
		}
		switch {
		case a.State == dag.AttemptRunning:
			st.running = append(st.running, a)
		case a.State == dag.AttemptSucceeded && m.unread(a): // it tells nothing yet
		case a.State == dag.AttemptSucceeded && a.End.Known() && a.Task != last:
			last = a.Task
			e := ended{
				task: int(a.Task), units: done(a), work: max(0, float64(a.End-l.begin(a))-setup), out: a.Out,
				start: a.Start, end: a.End, slot: a.Slot, cold: m.first(a),
			}
			if tells++; e.units > 0 {
				told++
			}
			if bytesKnown = bytesKnown && a.Bytes > 0; bytesKnown {
				st.bytes += a.Bytes
			}
			if e.out > 0 {
				st.out += e.out
			}
			st.ended = append(st.ended, e)
		}
	}
	if !bytesKnown {
		st.bytes = 0
	}
	// Counters that some tasks do not give are no measure of work: then each task counts as one.
	st.records = tells > 0 && 10*told >= 9*tells
	switch {
	case l.prior.n > 0:
		st.records = l.prior.records && (st.records || tells == 0)
	case tells == 0:
		st.records = slices.ContainsFunc(st.running, func(a *dag.Attempt) bool { return done(a) > 0 })
	}
	for i := range st.ended {
		e := &st.ended[i]
		if !st.records {
			e.units = l.prior.unit(e.task, n)
		}
		if !(e.units > 0) {
			e.units = 0
		}
		st.units, st.work = st.units+e.units, st.work+e.work
	}
}
