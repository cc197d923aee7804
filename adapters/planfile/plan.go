package planfile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Hadoop's defaults of mapreduce.job.reduce.slowstart.completedmaps and yarn.app.mapreduce.am.job.reduce.rampup.limit.
const (
	defaultSlowStart = 0.05
	defaultRampUp    = 0.5
)

// defaults returns the ratio at which reduces start and their share of the cluster, if they are not given.
func defaults(policy dag.Policy) (slowStart, rampUp float64) {
	if policy == dag.YARN {
		return defaultSlowStart, defaultRampUp
	}
	return 0, 0
}

// plan converts names to indices and fills in defaults. Unknown names are reported to d and left out.
func (f *File) plan(d *Document) *dag.Plan {
	p := f.Plan
	p.Whole, p.Cluster, p.Jobs = naming.Whole(f.Engine), f.Cluster.dag(), make([]dag.Job, len(f.Jobs))
	p.Residuals, p.InputSizes = f.Residuals, f.InputSizes
	index := make(map[string]int, len(f.Jobs))
	for i, j := range slices.Backward(f.Jobs) { // of several jobs with a name, the first counts
		index[j.Node] = i
	}
	budget := maxDrawn
	slowStart, rampUp := defaults(p.Cluster.Policy)
	for i := range f.Jobs {
		j := &f.Jobs[i]
		at := func(steps ...string) []string { return append([]string{"jobs", strconv.Itoa(i)}, steps...) }
		to := j.Job
		to.MasterMB, to.MapReduce = j.Limits.AMMemory, j.Limits.MapReduceLimits
		if math.IsNaN(to.MapReduce.SlowStart) {
			to.MapReduce.SlowStart = slowStart
		}
		if math.IsNaN(to.MapReduce.RampUp) {
			to.MapReduce.RampUp = rampUp
		}
		to.After = resolve(d, j.After, index, at("after"), "job "+quote(j.Node), "in the plan")
		if len(j.Stages) > 0 {
			to.Stages = stages(j.Stages, d, at)
		} else {
			maps, reduces := j.Map.dag(false), dag.Stage{Known: true}
			if j.Reduce != nil {
				reduces = j.Reduce.dag(true)
				if err := j.Reduce.Keys.draw(&reduces, &budget); err != nil {
					d.report(at("reduce", "keys"), err)
				}
			}
			to.Stages = dag.MapReduce(maps, reduces)
		}
		for k := range to.Stages {
			compact(&to.Stages[k])
		}
		p.Jobs[i] = to
	}
	return &p
}

// resolve returns the indices of names. It reports unknown ones.
func resolve[T any](d *Document, names []string, index map[string]T, path []string, who, where string) (found []T) {
	for k, name := range names {
		if i, ok := index[name]; ok {
			found = append(found, i)
		} else if !d.full() { // the search for similar names takes long
			why := fmt.Sprintf("%s is after %s, which is not %s", who, quote(name), where)
			if near := Nearest(name, slices.Sorted(maps.Keys(index))); near != "" {
				why += "; did you mean " + quote(near) + "?"
			}
			d.Fail(append(path, strconv.Itoa(k)), why)
		}
	}
	return found
}

func (c *cluster) dag() dag.Cluster {
	out := c.Cluster
	_ = out.Policy.UnmarshalText([]byte(c.Policy.Name)) // FIFO without a name
	if out.Order = c.Policy.Order; c.Policy.Slots == "containers" {
		out.Policy = dag.YARN
	}
	memory, cores := 0, 0
	for _, n := range out.Nodes {
		memory, cores = memory+n.MemoryMB, cores+n.Cores
	}
	if out.MemoryMB < 0 {
		out.MemoryMB = memory
	}
	if out.Cores < 0 {
		out.Cores = cores
	}
	return out
}

// stages returns the stages of a job that is not of MapReduce. Faults are reported to d at their paths within the job.
func stages(of []stage, d *Document, job func(...string) []string) []dag.Stage {
	index, out := make(map[string]dag.StageIndex, len(of)), make([]dag.Stage, len(of))
	for k := range of {
		s := &of[k]
		path := func(step string) []string { return job("stages", strconv.Itoa(k), step) }
		if _, taken := index[s.Name]; taken {
			d.Fail(path("name"), fmt.Sprintf("two stages of the job are called %s: give each a name of its own",
				quote(s.Name)))
		}
		if len(s.Edge) > 1 && len(s.Edge) != len(s.After) {
			d.Fail(path("edge"), fmt.Sprintf("%d edges to %d stages: give one for each, or one for all",
				len(s.Edge), len(s.After)))
		}
		var after []dag.Edge
		for n, from := range resolve(d, s.After, index, path("after"), "stage "+quote(s.Name),
			"among the stages before it") {
			after = append(after, s.edge(from, n))
		}
		out[k] = s.dag((&dag.Stage{After: after}).Copies())
		out[k].Name, out[k].After = s.Name, after
		index[s.Name] = dag.StageIndex(k) //nolint:gosec // the field's maximum bounds it
	}
	return out
}

// edge returns the n-th input edge of the stage, from the stage from.
func (s *stage) edge(from dag.StageIndex, n int) dag.Edge {
	e := dag.Edge{From: from}
	if len(s.Edge) == 1 {
		n = 0
	}
	if n < len(s.Edge) {
		e.Kind = s.Edge[n]
	}
	if e.Kind == dag.SlowStart {
		e.Ratio, e.Full = defaultSlowStart, s.FullStart
		if !math.IsNaN(s.SlowStart) {
			e.Ratio = s.SlowStart
		}
	}
	return e
}

// dag returns the stage without its name and inputs. If its tasks copy, but copying and sorting are not described,
// they cost nothing and process the same records.
func (s *stage) dag(copies bool) dag.Stage {
	out := s.Stage
	out.Tasks, out.Known, out.Groups = max(0, s.Tasks), s.Tasks >= 0, complete(out.Groups)
	work := *cmp.Or(s.Reduce, &s.Pipeline)
	switch fetch, order := s.Copy, s.Sort; {
	case fetch == nil && order == nil && s.Reduce == nil && !work.Tuples.Known() && !work.Alpha.Known():
	case !copies:
		out.Pipelines = []dag.Pipeline{work}
	default:
		fetch = cmp.Or(fetch, free(&work))
		out.Pipelines = []dag.Pipeline{*fetch, *cmp.Or(order, free(fetch)), work}
	}
	return out
}

// free returns a pipeline without cost that processes the records of another one.
func free(p *dag.Pipeline) *dag.Pipeline {
	out := &dag.Pipeline{Tuples: p.Tuples, Alpha: dag.Uniform(0)}
	if !p.Tuples.Known() {
		out.Tuples = dag.Uniform(0)
	}
	return out
}

// complete sets what a file's groups leave out. Groups of no origin are unknown.
func complete(g *dag.Groups) *dag.Groups {
	if !g.Known() {
		return nil
	}
	for i := range g.Reduces {
		r, none := &g.Reduces[i], dag.NoReduceGroups()
		r.Attempt, r.OpenBytes, r.OpenSince = none.Attempt, none.OpenBytes, none.OpenSince
		if math.IsNaN(r.Implicit) {
			r.Implicit = r.Bytes
			for _, s := range r.Explicit {
				r.Implicit = max(0, r.Implicit-s.Bytes*s.Count)
			}
		}
	}
	return g
}

// compact converts lists of equal values, one per task, to one value. dag.Validate reports lists of another length.
func compact(p *dag.Stage) {
	all := []*dag.Series{&p.Setup, &p.Out, &p.Bytes, &p.Extent}
	for i := range p.Pipelines {
		all = append(all, &p.Pipelines[i].Tuples, &p.Pipelines[i].Alpha)
	}
	for _, s := range all {
		v := s.Values()
		differs := func(x float64) bool { return x != v[0] && !(math.IsNaN(x) && math.IsNaN(v[0])) }
		if p.Known && len(v) > 0 && len(v) == p.Tasks && !slices.ContainsFunc(v, differs) {
			*s = dag.Uniform(v[0])
		}
	}
}

// validated reports the faults of the plan at their fields.
func (d *Document) validated(err error) {
	var path []string
	switch e := err.(type) { //nolint:errorlint // dag does not wrap its errors
	case nil:
		return
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			d.validated(one)
		}
		return
	case interface{ Locate() dag.Place }:
		path = placePath(e.Locate())
	}
	if len(path) > 3 && path[2] == "reduce" {
		reduce, _ := d.find(path[:3])
		switch step := path[3]; {
		case reduce.part("keys") != nil && reduce.part(step) == nil:
			path[3] = "keys"
		case (step == "copy" || step == "sort") && reduce.part(step) == nil:
			return // they have the records of another pipeline, where the fault is reported
		}
	}
	d.report(path, err)
}

func placePath(at dag.Place) []string {
	var path []string
	if at.Job >= 0 {
		path = append(path, "jobs", strconv.Itoa(at.Job))
	}
	path = append(path, strings.FieldsFunc(at.Field, func(r rune) bool { return strings.ContainsRune(".[]", r) })...)
	if at.Item >= 0 {
		path = append(path, strconv.Itoa(at.Item))
	}
	return path
}

// fileOf is the reverse of file.plan.
func fileOf(p *dag.Plan) *File {
	c := &p.Cluster
	f := &File{
		Version: 1, Plan: *p, Cluster: cluster{Policy: policy{Name: c.Policy.String()}, Cluster: *c},
		Residuals: p.Residuals, InputSizes: p.InputSizes,
	}
	if len(c.Order) > 0 {
		f.Cluster.Policy = policy{Slots: "separate", Order: c.Order}
		if c.Policy == dag.YARN {
			f.Cluster.Policy.Slots = "containers"
		}
	}
	if c.MemoryMB == 0 && len(c.Nodes) == 0 {
		f.Cluster.MemoryMB = -1
	}
	if c.Cores == 0 {
		f.Cluster.Cores = -1
	}
	slowStart, rampUp := defaults(c.Policy)
	for i := range p.Jobs {
		j := job{Job: p.Jobs[i], Limits: limits{AMMemory: p.Jobs[i].MasterMB, MapReduceLimits: p.Jobs[i].MapReduce}}
		if j.Limits.SlowStart == slowStart {
			j.Limits.SlowStart = math.NaN()
		}
		if j.Limits.RampUp == rampUp {
			j.Limits.RampUp = math.NaN()
		}
		j.After = units.Each(p.Jobs[i].After, func(a int) string { return p.Jobs[a].Node })
		all := units.Each(j.Job.Stages, func(s dag.Stage) stage { return stageOf(&j.Job, &s) })
		if !j.IsMapReduce() {
			f.Version, j.Stages = 2, all
		} else if j.Map = &all[dag.Map]; !isEmpty(&all[dag.Reduce].Stage) {
			j.Reduce = &all[dag.Reduce]
		}
		f.Jobs = append(f.Jobs, j)
	}
	return f
}

// isEmpty reports whether a stage of MapReduce has no tasks, and nothing else is known of it.
func isEmpty(s *dag.Stage) bool {
	return reflect.DeepEqual(*s, dag.Stage{Name: s.Name, After: s.After, Known: true})
}

// stageOf returns a stage of a job. Costs of copying and sorting can only be written for MapReduce jobs.
func stageOf(j *dag.Job, p *dag.Stage) stage {
	s := stage{Name: p.Name, SlowStart: math.NaN(), Tasks: p.Tasks, Stage: *p}
	if !p.Known {
		s.Tasks = -1
	}
	for _, e := range p.After {
		s.After, s.Edge = append(s.After, j.Stages[e.From].Name), append(s.Edge, e.Kind)
		if e.Kind == dag.SlowStart {
			s.SlowStart, s.FullStart = e.Ratio, e.Full
		}
	}
	switch pipes := p.Pipelines; {
	case len(pipes) == 0:
	case len(pipes) < dag.Pipelines || !j.IsMapReduce() || reflect.DeepEqual(pipes[:dag.Work],
		[]dag.Pipeline{*free(&pipes[dag.Work]), *free(&pipes[dag.Work])}) && pipes[dag.Work].Tuples.Known():
		s.Pipeline = pipes[len(pipes)-1]
	default:
		s.Copy, s.Sort, s.Reduce = &pipes[dag.Copy], &pipes[dag.Sort], &pipes[dag.Work]
	}
	return s
}
