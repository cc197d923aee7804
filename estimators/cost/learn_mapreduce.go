package cost

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/keygroups"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// learnMapReduce is Learn for a plan of MapReduce jobs. The profile has the records, bytes and rates of tasks, and
// the lengths of starts and pauses.
func (m *Model) learnMapReduce() *dag.Plan {
	m.learnStarts()
	plan := m.s.Plan
	out := &dag.Plan{Name: plan.Name, Cluster: plan.Cluster, Overheads: plan.Overheads}
	if o := &out.Overheads; plan.Cluster.Policy == dag.FIFO {
		out.Cluster.Setup = taskcost.Duration(m.starts.alone)
		o.SetupMin, o.SetupPer, o.Cold = 0, 0, 0
	} else {
		o.SetupMin, o.SetupPer = taskcost.Duration(m.starts.alone), taskcost.Duration(m.starts.each)
		if cold, ok := m.coldStarts(); ok {
			o.Cold = taskcost.Duration(cold)
		}
		for _, f := range m.between.of(o) {
			if mean := f.by.plainMean(); mean > 0 {
				*f.to = mean
			} else {
				*f.to = f.by.expected
			}
		}
	}
	out.Jobs = make([]dag.Job, len(plan.Jobs))
	for j := range out.Jobs {
		job := plan.Jobs[j]
		job.Stages = dag.MapReduce(m.learnedTasks(j, dag.Map), m.learnedTasks(j, dag.Reduce))
		out.Jobs[j] = job
	}
	return out
}

// learnedTasks returns a stage with the costs of its finished tasks. The time per record of a reduce is that of its
// work: copy and sort have no rate of their own.
func (m *Model) learnedTasks(j int, k dag.StageIndex) dag.Stage {
	plan, st := &m.s.Plan.Jobs[j].Stages[k], &m.stages[j][k]
	n := plan.Tasks
	out := dag.Stage{Tasks: n, Known: plan.Known}
	in, wrote, bytes := profiles.Blank(n), profiles.Blank(n), profiles.Blank(n)
	extent, setup := profiles.Blank(n), profiles.Blank(n)
	took, records, rate := 0.0, 0.0, m.reportedRate(st)
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		work := m.workOf(e)
		if u := st.recordsOf(e.attempt); rate > 0 && !(e.up >= 0) && e.over > 0 && u > 0 {
			work = min(rate*u, e.took)
		}
		in[e.task], wrote[e.task], bytes[e.task] = st.recordsOf(e.attempt), e.out, counted(e.attempt.Bytes)
		extent[e.task] = math.Round(e.took)
		setup[e.task] = math.Round(extent[e.task] - work)
		if u := st.recordsOf(e.attempt); u > 0 {
			took, records = took+work, records+u
		}
	}
	if records > 0 {
		rate = took / records
		work := dag.Pipeline{Tuples: profiles.Series(in), Alpha: dag.Uniform(profiles.Round(rate))}
		free := dag.Pipeline{Tuples: work.Tuples, Alpha: dag.Uniform(0)}
		if out.Pipelines = []dag.Pipeline{work}; k == dag.Reduce {
			out.Pipelines = []dag.Pipeline{free, free, work}
		}
	}
	out.Out, out.Bytes, out.Extent = profiles.Series(wrote), profiles.Series(bytes), profiles.Series(extent)
	out.Setup = profiles.Series(setup)
	if k == dag.Reduce {
		out.Groups = keygroups.Learn(m.s.Jobs[j].Groups, m.s.Jobs[j].Stages[k].Attempts, n, m.stages[j][dag.Map].n)
	}
	return out
}

// leastReported is the least work of a stage in reports, in milliseconds, for their rate to apply to its other tasks.
const leastReported = 4000

// reportedRate returns the milliseconds per record in tasks with reports of their start; 0 if they show too little
// work.
func (m *Model) reportedRate(st *stage) float64 {
	took, records := 0.0, 0.0
	for i := range st.seen.ended {
		if e := &st.seen.ended[i]; e.up >= 0 {
			if u := st.recordsOf(e.attempt); u > 0 {
				took, records = took+e.worked(), records+u
			}
		}
	}
	if took < leastReported {
		return 0
	}
	return took / records
}

// coldStarts returns how much longer starts of the first batch took than others, in milliseconds; ok is false if none
// was seen.
func (m *Model) coldStarts() (ms float64, ok bool) {
	sum, n := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		for i := range st.seen.ended {
			if e := &st.seen.ended[i]; e.up >= 0 && m.starts.isCold(e.attempt) {
				sum, n = sum+e.up-m.starts.at(m.starts.together[e.attempt], false), n+1
			}
		}
	})
	return max(sum/n, 1), n > 0
}

// learnStarts fits the line of starts (alone + each·n) to what this run has shown. In containers the expected line is
// the prior. The observations are the start-ups in reports. In jobs without such reports they are the lengths of
// tasks of different sizes.
func (m *Model) learnStarts() {
	if m.s.Plan.Cluster.Setup > 0 || m.given {
		return
	}
	l, fit := &m.starts, taskcost.Line{}
	shortest := math.Inf(1)
	fifo := m.s.Plan.Cluster.Policy == dag.FIFO
	if !fifo {
		for _, n := range []float64{1, 5, 9} {
			fit.Add(1, n, l.alone+l.each*n)
		}
	}
	for j := range m.stages {
		reported := false
		for k := range m.stages[j] {
			st := &m.stages[j][k]
			for i := range st.seen.ended {
				shortest = min(shortest, st.seen.ended[i].took)
			}
			attempts := m.s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				if up, ok := m.startOf(st, &attempts[i]); ok && attempts[i].State != dag.AttemptWaiting {
					fit.Add(1, float64(l.together[&attempts[i]]), max(0, up-l.coldOf(&attempts[i])))
					reported = reported || st.maps
				}
			}
		}
		if !reported && len(m.stages[j]) > 0 {
			fit.AddRated(l.lengths(&m.stages[j][dag.Map]))
		}
		if fifo {
			fit.AddRated(l.lengths(&m.stages[j][dag.Reduce]))
		}
	}
	if l.alone, l.each = fit.Fit(); fifo {
		l.alone = min(l.alone, shortest)
	}
	m.pace.over, m.pace.loaded = 0, 1
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		for i := range st.seen.ended {
			if e := &st.seen.ended[i]; e.over > 0 || fifo {
				e.over = l.of(e.attempt)
			}
		}
	})
}

// A start-up that was seen has the weight 1 and the standard deviation startNoise, in milliseconds.
const (
	startNoise  = 400
	lengthNoise = 0.05 // relative standard deviation of a task's length given its size
)

// lengths returns the whole lengths of the finished tasks of a stage, with their units and the starts at the same
// time.
func (l *starts) lengths(st *stage) []taskcost.Rated {
	var out []taskcost.Rated
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		length := float64(e.end-e.start) - l.coldOf(e.attempt)
		if st.seen.records && e.units > 0 && length > 0 {
			w := 1 / (1 + math.Pow(lengthNoise*length/startNoise, 2))
			out = append(out, taskcost.Rated{Weight: w, Units: e.units, X: float64(l.together[e.attempt]), Y: length})
		}
	}
	return out
}
