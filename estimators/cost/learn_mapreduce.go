package cost

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/keygroups"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// learnMapReduce is Learn of a plan of MapReduce jobs: records, bytes and rates of tasks, and what starts and pauses
// took.
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

// learnedTasks is a stage with what its tasks have shown that have ended. The time for a record of a reduce is that of
// its work alone: copy and sort have none of their own.
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

// leastReported is the work, in milliseconds, that reports must have shown of a stage for their rate to be that of its
// other tasks.
const leastReported = 4000

// reportedRate is what a record takes in the tasks whose reports show their start, in milliseconds; 0 if there are few.
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

// coldStarts is how much longer starts of the first batch took than others, if any was seen.
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

// learnStarts fits the line of starts to what this run has shown, drawn to what was expected of so many starts:
// start-ups that reports have shown, and in jobs without such reports the lengths of tasks of unlike size.
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

// One start-up that was seen weighs 1, which is what one with a standard deviation of startNoise shows.
const (
	startNoise  = 400
	lengthNoise = 0.05 // of a task's length for its size, relative
)

// lengths are the tasks of a stage of which only the whole length is known.
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
