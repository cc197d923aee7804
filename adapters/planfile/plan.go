package planfile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/dag"
)

// Hadoop's defaults of mapreduce.job.reduce.slowstart.completedmaps and yarn.app.mapreduce.am.job.reduce.rampup.limit.
const (
	defaultSlowStart = 0.05
	defaultRampUp    = 0.5
)

// An UnknownJobError means that a job follows one that the file does not have.
type UnknownJobError struct {
	Job, After string
	Near       string // the job that was probably meant; "" if there is none
}

func (e *UnknownJobError) Error() string {
	s := fmt.Sprintf("job %s is after %s, which is not in the plan", quote(e.Job), quote(e.After))
	if e.Near != "" {
		s += fmt.Sprintf("; did you mean %s?", quote(e.Near))
	}
	return s
}

// plan converts names to indices and fills in defaults. Unknown names are reported to d and left out.
func (f *file) plan(d *Document) *dag.Plan {
	p := &dag.Plan{
		Name: f.Name, Engine: f.Engine, Whole: engine.Whole(f.Engine), Cluster: f.Cluster.dag(), Driver: f.Driver,
		Overheads: f.Overheads, Jobs: make([]dag.Job, len(f.Jobs)), InputSizes: f.InputSizes, Residuals: f.Residuals,
	}
	index := make(map[string]int, len(f.Jobs))
	names := make([]string, len(f.Jobs))
	for i, j := range f.Jobs {
		if _, ok := index[j.Name]; !ok {
			index[j.Name] = i
		}
		names[i] = j.Name
	}
	budget := maxDrawn
	for i := range f.Jobs {
		j := &f.Jobs[i]
		at := func(steps ...string) []string { return append([]string{"jobs", strconv.Itoa(i)}, steps...) }
		to := &p.Jobs[i]
		*to = dag.Job{
			Node: j.Name, Name: j.Title, Feature: j.Feature, Alias: j.Alias, Input: j.Input, InputBytes: j.InputBytes,
			Priority: j.Priority, MasterMB: j.Limits.AMMemory, Rules: j.Rules,
			MapReduce: j.Limits.dag(p.Cluster.Policy),
		}
		if len(j.Stages) > 0 {
			to.Stages = stages(j.Stages, d, at)
		} else {
			to.Stages = dag.MapReduce(j.Map.stage(), j.Reduce.stage())
		}
		for k, name := range j.After {
			a, ok := index[name]
			if !ok {
				d.report(at("after", strconv.Itoa(k)),
					&UnknownJobError{Job: j.Name, After: name, Near: Nearest(name, names)})
				continue
			}
			to.After = append(to.After, a)
		}
		if j.Reduce != nil && j.Reduce.Keys != nil {
			if err := j.Reduce.Keys.draw(&to.Stages[dag.Reduce], &budget); err != nil {
				d.report(at("reduce", "keys"), err)
			}
		}
	}
	return p
}

func (c *cluster) dag() dag.Cluster {
	out := c.Cluster
	out.Policy, out.Order = c.Policy.dag(), c.Policy.Order
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

// defaults returns the ratio at which reduces start and their share of the cluster, if they are not given.
func defaults(policy dag.Policy) (slowStart, rampUp float64) {
	if policy == dag.YARN {
		return defaultSlowStart, defaultRampUp
	}
	return 0, 0
}

func (l *limits) dag(policy dag.Policy) dag.MapReduceLimits {
	out := l.MapReduceLimits
	slowStart, rampUp := defaults(policy)
	if math.IsNaN(out.SlowStart) {
		out.SlowStart = slowStart
	}
	if math.IsNaN(out.RampUp) {
		out.RampUp = rampUp
	}
	return out
}

func (m *mapTasks) stage() dag.Stage {
	s := m.measured.stage(m.Tasks)
	if m.Tuples.Known() || m.Alpha.Known() {
		s.Pipelines = pipelines(&s, m.Pipeline)
	}
	return s
}

// stage returns the stage of the reduces; a nil *reduceTasks is a job with maps only. If copying and sorting are not
// described, they cost nothing and process the same records as the reduce.
func (r *reduceTasks) stage() dag.Stage {
	if r == nil {
		return dag.Stage{Known: true}
	}
	s := r.measured.stage(r.Tasks)
	s.Groups = complete(r.Groups)
	work, pipe := r.Pipeline, free(r.Pipeline)
	switch {
	case r.Reduce != nil:
		work, pipe = *r.Reduce, *r.Copy
	case !work.Tuples.Known() && !work.Alpha.Known():
		return s
	}
	order := free(pipe)
	if r.Sort != nil {
		order = *r.Sort
	}
	s.Pipelines = pipelines(&s, pipe, order, work)
	return s
}

// free returns a pipeline without cost that processes the records of another one.
func free(p dag.Pipeline) dag.Pipeline {
	if !p.Tuples.Known() {
		p.Tuples = dag.Uniform(0)
	}
	return dag.Pipeline{Tuples: p.Tuples, Alpha: dag.Uniform(0)}
}

// stage returns a stage of a number of tasks, -1 if it is unknown.
func (m *measured) stage(tasks int) dag.Stage {
	s := dag.Stage{Tasks: max(0, tasks), Known: tasks >= 0}
	s.Setup, s.Out, s.Bytes, s.Extent = compact(m.Setup, &s), compact(m.Out, &s), compact(m.Bytes, &s),
		compact(m.Extent, &s)
	return s
}

func pipelines(s *dag.Stage, all ...dag.Pipeline) []dag.Pipeline {
	for i, p := range all {
		all[i] = dag.Pipeline{Tuples: compact(p.Tuples, s), Alpha: compact(p.Alpha, s)}
	}
	return all
}

// compact converts a list of equal values, one per task, to one value. dag.Validate reports a list of another length.
func compact(s dag.Series, of *dag.Stage) dag.Series {
	v := s.Values()
	if len(v) == 0 {
		if s.IsUniform() {
			return s
		}
		return dag.Series{}
	}
	differs := func(x float64) bool { return x != v[0] && !(math.IsNaN(x) && math.IsNaN(v[0])) }
	if !of.Known || len(v) != of.Tasks || slices.ContainsFunc(v, differs) {
		return s
	}
	return dag.Uniform(v[0])
}

// report adds an error at a path.
func (d *Document) report(path []string, err error) {
	d.add(&fault{path: path, why: strings.TrimPrefix(err.Error(), "dag: "), err: err})
}

// report adds the faults of the plan at their fields.
func (f *file) report(d *Document, err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			f.report(d, e)
		}
		return
	}
	var path []string
	if at, ok := err.(interface{ Locate() dag.Place }); ok {
		path = placePath(at.Locate())
		if len(path) > 3 && path[2] == "reduce" {
			reduce := f.Jobs[at.Locate().Job].Reduce
			switch step := path[3]; {
			case reduce == nil:
			case reduce.Keys != nil && slices.Contains([]string{"copy", "sort", "reduce", "groups", "bytes"}, step):
				path = append(path[:3], "keys")
			case step == "reduce" && reduce.Reduce == nil:
				path = slices.Delete(path, 3, 4)
			case step == "copy" && reduce.Copy == nil, step == "sort" && reduce.Sort == nil:
				return // they have the records of another pipeline, where the fault is reported
			}
		}
	}
	d.report(path, err)
}

func placePath(at dag.Place) []string {
	var path []string
	if at.Job >= 0 {
		path = append(path, "jobs", strconv.Itoa(at.Job))
	}
	for _, step := range strings.Split(at.Field, ".") {
		name, index, indexed := strings.Cut(strings.TrimSuffix(step, "]"), "[")
		path = append(path, name)
		if indexed {
			path = append(path, index)
		}
	}
	if at.Item >= 0 {
		path = append(path, strconv.Itoa(at.Item))
	}
	return path
}
