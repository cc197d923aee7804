package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A prior describes the tasks of a stage in the profile, or in the run's own plan.
type prior struct {
	profiles.Tasks
	cores int     // number of tasks that were the first on a core; 0: unknown
	in    float64 // records that the stages before it wrote for it; 0: unknown
	root  bool    // it reads no other stage
}

// priorOf returns the prior of a stage: from the run's own plan, else from the profile. It is empty if neither has
// costs.
func (o *observations) priorOf(st *stage) prior {
	cores := 0
	if o.executors {
		cores = o.s.Plan.Cluster.Cores
	}
	if p := (prior{Tasks: profiles.TasksIn(st.plan, st.single, st.bytes)}); p.N > 0 {
		p.cores = cores
		return p
	}
	known := o.profile.Job(st.j)
	was := profiles.Stage(known, st.plan.Name)
	if was == nil {
		return prior{}
	}
	p := prior{Tasks: profiles.TasksIn(was, st.single, st.bytes)}
	if p.cores = o.profile.Plan.Cluster.Cores; p.cores <= 0 {
		p.cores = cores
	}
	p.root = p.N > 0 && (!st.single || len(st.job.After) == 0)
	for _, e := range was.After {
		if from := &known.Stages[e.From]; e.Kind != dag.Broadcast {
			p.root = false
			p.in += profiles.Total(from.Out, from.Count())
		}
	}
	return p
}

// asTasks makes each task one unit, because this run does not report records.
func (p *prior) asTasks() {
	p.Records, p.in, p.Total = false, 0, float64(p.N)
	p.Units = slices.Repeat([]float64{1}, len(p.Units))
}

// at returns the value of the profile's task at the relative place of task i of n: among the first tasks on each
// core, or among the others.
func (p *prior) at(values []float64, i, n int) float64 {
	heads := min(p.cores, p.N)
	switch {
	case n == p.N || i < heads:
		return values[min(i, p.N-1)]
	case p.N == heads:
		return values[i%heads]
	}
	return values[min(heads+(i-heads)*(p.N-heads)/max(n-heads, 1), p.N-1)]
}

// A growth is the logarithm of a stage's total units divided by those in the profile's run, as a normal distribution.
type growth struct {
	normal
	left  float64 // mean for the tasks that have not ended
	known bool    // its own tasks or those of the stages before it have shown the growth
}

// sources returns the stages that write the input of a stage. Maps of MapReduce read what the jobs before have
// written.
func (o *observations) sources(st *stage) []*stage {
	var out []*stage
	for _, e := range st.plan.After {
		if e.Kind != dag.Broadcast {
			out = append(out, &o.stages[st.j][e.From])
		}
	}
	if !st.maps {
		return out
	}
	for _, a := range st.job.After {
		if before := &o.s.Plan.Jobs[a]; before.IsMapReduce() {
			last := dag.Reduce
			if before.Stages[last].Count() == 0 {
				last = dag.Map
			}
			out = append(out, &o.stages[a][last])
		}
	}
	return out
}

// input returns how many records the sources of a stage write for it in this run; 0 if unknown.
func (o *observations) input(st *stage) float64 {
	total := 0.0
	for _, from := range o.sources(st) {
		done := len(from.ended)
		left := from.prior.Out * math.Exp(from.growth.left) // output of all tasks at the growth of unfinished ones
		switch {
		case done > 0 && from.wrote > 0 && left == 0 || done >= from.n:
			left = from.wrote * float64(from.n) / float64(max(done, 1))
		case left == 0 || !from.growth.known:
			return 0
		}
		total += from.wrote + left*float64(max(from.n-done, 0))/float64(max(from.n, 1))
	}
	return total
}

// inputGrowth returns the input of a stage divided by that in the profile's run; 0 if unknown.
func (o *observations) inputGrowth(st *stage) float64 {
	was := st.prior.in
	if st.single {
		was = 0
		for _, from := range o.sources(st) {
			if !(from.prior.Out > 0) {
				return 0
			}
			was += from.prior.Out
		}
	}
	if !(was > 0) {
		return 0
	}
	return o.input(st) / was
}

// inputRatio returns the bytes of the files that a MapReduce job reads, divided by those in the profile's run; 0 if
// unknown. The file system reports the sizes. If the profile has no sizes, the bytes that its maps read count.
func (o *observations) inputRatio(st *stage) float64 {
	known := o.profile.Job(st.j)
	if !st.maps || known == nil || st.prior.N == 0 {
		return 0
	}
	was := known.InputBytes
	if maps := &known.Stages[dag.Map]; !(was > 0) {
		was = profiles.Total(maps.Bytes, maps.Count())
	}
	if now := st.job.InputBytes; now > 0 && was > 0 {
		return now / was
	}
	return 0
}

// growthOf returns the growth of a stage. The evidence is the units of its own tasks, the output of the stages before
// it, the sizes of its files, and the number of tasks of a scan.
func (o *observations) growthOf(st *stage) growth {
	p := &st.prior
	exactly := func(ratio float64) growth { return growth{normal{math.Log(ratio), 0}, math.Log(ratio), true} }
	scan := growth{}
	if ratio := o.inputRatio(st); ratio > 0 {
		scan = growth{normal{math.Log(ratio), o.numbers.Files}, math.Log(ratio), true}
	} else if p.root && st.open && st.n != p.N && st.n > 0 {
		// A scan has one task for each part of its input, and the parts have one size.
		scan = exactly(float64(st.n) / float64(p.N))
	}
	// Running tasks of a MapReduce job may have shown their units.
	sized := st.single && slices.ContainsFunc(st.running, func(r *observation) bool { return r.units > 0 })
	if scan.known && (len(st.ended) == 0 && !sized || !p.Records) {
		return scan
	}
	in := o.inputGrowth(st)
	switch {
	case !p.Records && st.single && in > 0:
		return exactly(in) // the input of all tasks has grown
	case !p.Records || !(p.Total > 0):
		return growth{}
	case st.planned.Known():
		return exactly(profiles.Total(st.planned, st.n) / p.Total)
	}
	read, of := 0.0, 0.0
	st.eachUnits(func(e *observation) { read, of = read+e.units, of+p.at(p.Units, e.task, st.n) })
	of *= float64(p.N) / float64(max(st.n, 1)) // comparable with the profile's total
	switch {
	case in > 0 && of < p.Total*(1-1e-9): // some tasks have not shown their units
		// The tasks divide the output of the stages before them. Its size is an estimate, so what is left of it for few
		// tasks may be wrong by more than these tasks are.
		expected := in * (p.Total - of)
		left := min(max(in*p.Total-read, expected*taskcost.NotableRatio), expected/taskcost.NotableRatio)
		return growth{normal{math.Log((read + left) / p.Total), 0}, math.Log(left / (p.Total - of)), true}
	case of > 0 && read > 0:
		left, grown := 1-of/p.Total, math.Log(read/of)
		return growth{normal{grown, o.numbers.Growth * left * left}, grown, true}
	}
	return growth{}
}

// eachUnits calls visit for the tasks that have ended, and for running and lost ones with known units.
func (st *stage) eachUnits(visit func(*observation)) {
	for _, e := range st.ended {
		visit(e)
	}
	known := func(r *observation) bool { return r.units > 0 }
	for _, r := range st.running {
		if known(r) {
			visit(r)
		}
	}
	for _, r := range st.lost {
		if known(r) && !slices.ContainsFunc(st.runningOf(r.task), known) {
			visit(r)
		}
	}
}

// commonGrowth returns the growth of stages without evidence of their own. It is the mean growth of the other stages,
// drawn towards 0. The standard deviation of this prior is Numbers.Growth, or the mean growth if that is larger: such
// a run reads other data, to which the prior does not apply.
func (o *observations) commonGrowth() normal {
	sum, n := 0.0, 0.0
	for _, st := range o.ordered {
		if st.growth.known {
			sum, n = sum+st.growth.mean, n+1
		}
	}
	if n == 0 {
		return normal{0, o.numbers.Growth}
	}
	w, mean := 1/(o.numbers.Change*o.numbers.Change), sum/n
	prior := 1 / max(o.numbers.Growth*o.numbers.Growth, mean*mean)
	return normal{w * sum / (prior + w*n), o.numbers.Growth}
}

// growTasks scales the number of tasks of future scans on executors. The factor is the mean growth of the submitted
// scans that had as many tasks in the profile's run, else of all submitted scans.
func (o *observations) growTasks() {
	type ratios struct{ sum, n float64 } // of logarithms of growth
	by := map[int]ratios{}               // by the number of tasks in the profile's run; 0: all
	scan := func(st *stage) bool { return st.prior.N > 0 && st.prior.root }
	if !o.executors {
		return
	}
	for _, st := range o.ordered {
		if scan(st) && st.open && st.n > 0 {
			r := math.Log(float64(st.n) / float64(st.prior.N))
			for _, n := range []int{st.prior.N, 0} {
				by[n] = ratios{by[n].sum + r, by[n].n + 1}
			}
		}
	}
	for _, st := range o.ordered {
		if !scan(st) || st.open || st.n != st.prior.N || st.n < 2 {
			continue
		}
		g := by[st.prior.N]
		if g.n == 0 {
			g = by[0]
		}
		if g.n > 0 {
			st.n = max(1, int(math.Round(float64(st.prior.N)*math.Exp(g.sum/g.n))))
			st.plan.Tasks = st.n
		}
	}
}
