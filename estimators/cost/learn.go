package cost

import (
	"cmp"
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/keygroups"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A learner reads the costs of tasks out of a run, without a profile.
type learner struct {
	*Model
	cold  float64 // extra milliseconds of the first task on a core or container against others of its stage
	colds int     // number of tasks that show it
}

func newLearner(run dag.Run) *learner {
	s, n := *run.Now(), len(run.Window)-1
	s.Profiles = nil
	alone := dag.Run{Window: append(run.Window[:n:n], &s), Anchors: run.Anchors, Seen: run.Seen}
	l := &learner{Model: newModel(alone, Options{})}
	if l.mapReduce {
		l.learnStarts()
	}
	l.learnCold()
	return l
}

// Learn returns a profile of a run: a plan with the records, bytes and times of each stage's tasks, and with starts
// and pauses. It leaves out failed and killed attempts. Stages without finished tasks have no costs.
func Learn(run dag.Run) *dag.Plan {
	l := newLearner(run)
	plan := l.s.Plan
	out := &dag.Plan{Name: plan.Name, Cluster: plan.Cluster, Overheads: plan.Overheads}
	out.Jobs = dag.CloneJobs(plan.Jobs)
	for _, st := range l.ordered {
		out.Jobs[st.j].Stages[st.k] = l.learned(st)
	}
	if l.mapReduce {
		for j := range out.Jobs { // with the usual edge
			stages := out.Jobs[j].Stages
			out.Jobs[j].Stages = dag.MapReduce(stages[dag.Map], stages[dag.Reduce])
		}
		l.learnOverheads(out)
		return out
	}
	for j := range out.Jobs {
		distinguish(out.Jobs[j].Stages)
	}
	out.Engine, out.Whole, out.Driver, out.Cluster.Nodes = plan.Engine, plan.Whole, plan.Driver, nil
	bare, o := run.Now().Plan.Overheads, &out.Overheads
	o.SetupMin, o.Finish, o.Cold = bare.SetupMin, bare.Finish, 0
	if l.colds > 0 {
		o.Cold = taskcost.Duration(l.cold)
	}
	for j := range l.s.Jobs {
		js := &l.s.Jobs[j]
		if last := js.LastSuccess(); js.Finished.Known() && last.Known() && js.Finished > last {
			o.Finish = js.Finished.Sub(last)
		}
	}
	return out
}

// distinguish numbers the titles that several stages have: "count at app.py:10 #2".
func distinguish(stages []dag.Stage) {
	seen := map[string]int{}
	for k := range stages {
		if title := stages[k].Title; title != "" {
			if seen[title]++; seen[title] > 1 {
				stages[k].Title = fmt.Sprintf("%s #%d", title, seen[title])
			}
		}
	}
}

// learnOverheads sets the starts and the pauses of MapReduce jobs.
func (l *learner) learnOverheads(out *dag.Plan) {
	o := &out.Overheads
	if out.Cluster.Policy == dag.FIFO {
		out.Cluster.Setup = taskcost.Duration(l.starts.alone)
		o.SetupMin, o.SetupPer, o.Cold = 0, 0, 0
		return
	}
	o.SetupMin, o.SetupPer = taskcost.Duration(l.starts.alone), taskcost.Duration(l.starts.each)
	sum, n := 0.0, 0.0 // extra time of starts of the first batch
	for _, st := range l.ordered {
		for _, e := range st.ended {
			if e.up >= 0 && l.starts.isCold(e.attempt) {
				sum, n = sum+e.up-l.starts.at(l.starts.together[e.attempt], false), n+1
			}
		}
	}
	if n > 0 {
		o.Cold = taskcost.Duration(max(sum/n, 1))
	}
	for i, f := range l.between.fields(o) {
		mean, _ := l.between.pauses[i].mean()
		*f = cmp.Or(taskcost.Duration(mean), l.between.pauses[i].expected)
	}
}

// learnCold computes the mean extra time of the first task on a core or container. The comparison is at the same
// number of records, by the rate of the others. If a stage has no others on executors, half of the first task counts
// as extra.
func (l *learner) learnCold() {
	sum := 0.0
	for _, st := range l.ordered {
		rate := st.warmRate()
		for _, e := range st.ended {
			if e.cold && e.took > 0 && !l.launch.apart(e.attempt.Start) && (l.executors || rate > 0) {
				less := e.took / 2
				if !math.IsNaN(rate) {
					less = max(0, e.took-rate*e.units)
				}
				sum, l.colds = sum+less, l.colds+1
			}
		}
	}
	l.cold = sum / float64(max(l.colds, 1))
}

// warmRate returns the milliseconds per unit of tasks that are not the first on their core; NaN if there are none.
func (st *stage) warmRate() float64 {
	took, units := 0.0, 0.0
	for _, e := range st.ended {
		if !e.cold {
			took, units = took+e.took, units+e.units
		}
	}
	if !(units > 0) {
		return math.NaN()
	}
	return took / units
}

// learned returns a stage with the costs of its finished tasks. The extra time of the first task on a core is
// removed. The start of a task of a MapReduce job is apart from its work.
func (l *learner) learned(st *stage) dag.Stage {
	plan, n := st.plan, st.plan.Tasks
	out := dag.Stage{
		Name: plan.Name, Title: dag.WithoutNumber(plan.Title), After: plan.After, Tasks: n, Known: plan.Known,
	}
	in, wrote, bytes := profiles.Blank(n), profiles.Blank(n), profiles.Blank(n)
	extent, setup := profiles.Blank(n), profiles.Blank(n)
	took, units, works := 0.0, 0.0, l.worksOf(st)
	for i, e := range st.ended {
		work, read := works[i], e.units
		if wrote[e.task], extent[e.task] = counted(e.attempt.Out), math.Round(work); st.single {
			read, bytes[e.task], extent[e.task] = st.recordsOf(e.attempt), counted(e.attempt.Bytes), math.Round(e.took)
			setup[e.task] = math.Round(extent[e.task] - work)
		}
		if st.single || st.records {
			in[e.task] = read
		}
		if !st.single || read > 0 {
			took, units = took+work, units+read
		}
	}
	out.Out, out.Bytes, out.Extent = profiles.Series(wrote), profiles.Series(bytes), profiles.Series(extent)
	out.Setup = profiles.Series(setup)
	if (st.single || st.records) && units > 0 {
		work := dag.Pipeline{Tuples: profiles.Series(in), Alpha: dag.Uniform(profiles.Round(took / units))}
		if out.Pipelines = []dag.Pipeline{work}; out.Copies() {
			free := dag.Pipeline{Tuples: work.Tuples, Alpha: dag.Uniform(0)} // copying and sorting is part of the work
			out.Pipelines = []dag.Pipeline{free, free, work}
		}
	}
	if !st.single {
		out.MemoryMB, out.Cores, out.MaxRunning, out.Pool = plan.MemoryMB, plan.Cores, plan.MaxRunning, plan.Pool
		out.Pause = taskcost.Duration(st.pause)
	} else if !st.maps {
		out.Groups = keygroups.Learn(l.s.Jobs[st.j].Groups, st.state.Attempts, n, l.stages[st.j][dag.Map].n)
	}
	return out
}

// worksOf returns the milliseconds of the work of each ended task of a stage. If reports have shown the rate of a
// MapReduce stage, it applies to the tasks without such reports.
func (l *learner) worksOf(st *stage) []float64 {
	out := make([]float64, len(st.ended))
	warm, reported := st.warmRate(), st.reportedRate()
	for i, e := range st.ended {
		if !st.single {
			out[i] = e.warm(warm, l.cold)
			continue
		}
		out[i] = l.pace.workOf(e)
		if u := st.recordsOf(e.attempt); reported > 0 && !(e.up >= 0) && e.over > 0 && u > 0 {
			out[i] = min(reported*u, e.took)
		}
	}
	return out
}

// warm returns the milliseconds of a task without the extra time of the first task on a core.
func (e *observation) warm(rate, cold float64) float64 {
	switch {
	case !e.cold:
		return e.took
	case math.IsNaN(rate):
		return e.took / 2
	}
	return min(e.took, max(rate*e.units, e.took-cold))
}

// reportedRate returns the milliseconds per record in tasks with reports of their start; 0 if they show too little
// work.
func (st *stage) reportedRate() float64 {
	took, records := 0.0, 0.0
	for _, e := range st.ended {
		if u := st.recordsOf(e.attempt); e.up >= 0 && u > 0 {
			took, records = took+e.worked(), records+u
		}
	}
	if took < taskcost.PriorMS {
		return 0
	}
	return took / records
}

// Works returns the milliseconds of the work of each task that has ended, without start-up and without the wait for
// its input, by job, stage and task. The start-up is from the task's own reports, else from the run's cost law
// (facts/measured.md 4). So the work of a task that was seen only at its end is an estimate.
func Works(run dag.Run) [][]map[int]float64 {
	l := newLearner(run)
	out := dag.ByStage[map[int]float64](l.s.Plan)
	for j := range out {
		for k := range out[j] {
			st, work := &l.stages[j][k], map[int]float64{}
			rate := st.warmRate()
			for _, e := range st.ended {
				if work[e.task] = l.pace.workOf(e); !st.single {
					work[e.task] = e.warm(rate, l.cold)
				}
			}
			out[j][k] = work
		}
	}
	return out
}
