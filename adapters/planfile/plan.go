package planfile

import (
	"fmt"
	"math"
	"reflect"
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

func (d *decoder) file(root *node, f *file) { d.value(root, reflect.ValueOf(f).Elem(), nil) }

// plan converts names to indices and texts to series. Unknown names are reported to d and left out.
func (f *file) plan(d *decoder, root *node) *dag.Plan {
	p := &dag.Plan{
		Name: f.Name, Engine: f.Engine, Whole: engine.Whole(f.Engine), Cluster: f.Cluster.dag(),
		Overheads: dag.Overheads(f.Overheads), Jobs: make([]dag.Job, len(f.Jobs)),
	}
	if f.Driver != "" {
		_ = p.Driver.UnmarshalText([]byte(f.Driver)) // the schema has checked it
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
	for i, j := range f.Jobs {
		to := &p.Jobs[i]
		*to = dag.Job{
			Node: j.Name, Name: j.Title, Feature: j.Feature, Alias: j.Alias, Input: j.Input,
			InputBytes: j.InputBytes, Priority: j.Priority, MasterMB: int(j.Limits.AMMemory),
			MapReduce: j.Limits.dag(p.Cluster.Policy), Stages: j.stages(d, root, i),
		}
		if j.Rules != "" {
			_ = to.Rules.UnmarshalText([]byte(j.Rules)) // the schema has checked it
		}
		for k, name := range j.After {
			a, ok := index[name]
			if !ok {
				err := &UnknownJobError{Job: j.Name, After: name, Near: Nearest(name, names)}
				d.report(root, []string{"jobs", strconv.Itoa(i), "after", strconv.Itoa(k)}, err)
				continue
			}
			to.After = append(to.After, a)
		}
		if j.Reduce != nil && j.Reduce.Keys != nil {
			if err := j.Reduce.Keys.draw(&to.Stages[dag.Reduce], &budget); err != nil {
				d.report(root, []string{"jobs", strconv.Itoa(i), "reduce", "keys"}, err)
			}
		}
	}
	p.InputSizes = f.InputSizes
	for _, r := range f.Residuals {
		p.Residuals = append(p.Residuals, dag.Residual{Run: r.Run, Progress: r.Progress, Score: r.Score})
	}
	return p
}

func (c *cluster) dag() dag.Cluster {
	out := dag.Cluster{
		MapSlots: c.MapSlots, ReduceSlots: c.ReduceSlots, SlotsPerNode: c.SlotsPerNode, Setup: c.Setup,
		QueueMB: int(c.QueueMemory), FailRate: c.FailRate,
	}
	out.Policy, out.Order = c.Policy.dag()
	for _, n := range c.Nodes {
		out.Nodes = append(out.Nodes, dag.Node{Name: n.Name, MemoryMB: int(n.Memory), Cores: n.Cores, Slow: n.Slow})
		if c.Cores == nil {
			out.Cores += n.Cores
		}
		if c.Memory == nil {
			out.MemoryMB += int(n.Memory)
		}
	}
	for _, p := range c.Pools {
		out.Pools = append(out.Pools, p.dag())
	}
	if c.Memory != nil {
		out.MemoryMB = int(*c.Memory)
	}
	if c.Cores != nil {
		out.Cores = *c.Cores
	}
	return out
}

// fairMode is the mode of a pool in which stages share cores.
const fairMode = "fair"

func (p *pool) dag() dag.Pool {
	out := dag.Pool{Name: p.Name, Weight: 1, MinShare: p.MinShare, Fair: p.Mode == fairMode}
	if p.Weight != nil {
		out.Weight = *p.Weight
	}
	return out
}

// poolsOf is the reverse of pool.dag.
func poolsOf(pools []dag.Pool) []pool {
	out := make([]pool, len(pools))
	for i := range pools {
		p := &pools[i]
		out[i] = pool{Name: p.Name, Weight: &p.Weight, MinShare: p.MinShare}
		if p.Fair {
			out[i].Mode = fairMode
		}
	}
	return out
}

func (l *limits) dag(policy dag.Policy) dag.MapReduceLimits {
	out := dag.MapReduceLimits{
		MapMB: int(l.MapMemory), ReduceMB: int(l.ReduceMemory), MaxMaps: l.MaxMaps, MaxReduces: l.MaxReduces,
	}
	if policy == dag.YARN {
		out.SlowStart, out.RampUp = defaultSlowStart, defaultRampUp
	}
	if l.SlowStart != nil {
		out.SlowStart = *l.SlowStart
	}
	if l.RampUp != nil {
		out.RampUp = *l.RampUp
	}
	return out
}

func (m *mapTasks) phase() dag.Stage {
	p := phaseOf(m.Tasks, m.Setup, m.Out, m.Bytes, m.Extent)
	if m.Records.Known() || m.Cost.Known() {
		p.Pipelines = []dag.Pipeline{{Tuples: compact(m.Records.Series, &p), Alpha: compact(m.Cost.Series, &p)}}
	}
	return p
}

// phase returns the stage of the reduces; a nil reduceTask is a job with maps only. If copying and sorting are not
// described, they cost nothing and process the same records as the reduce.
func (r *reduceTask) phase() dag.Stage {
	if r == nil {
		return dag.Stage{Known: true}
	}
	p := phaseOf(r.Tasks, r.Setup, r.Out, r.Bytes, r.Extent)
	p.Groups = r.Groups.dag()
	work, free := r.Reduce, func(records numbers) *pipeline {
		if !records.Known() {
			records.Series = dag.Uniform(0)
		}
		return &pipeline{Records: records, Cost: times{dag.Uniform(0)}}
	}
	if work == nil {
		if !r.Records.Known() && !r.Cost.Known() {
			return p
		}
		work = &pipeline{Records: r.Records, Cost: r.Cost}
		r.Copy = free(r.Records)
	}
	if r.Sort == nil {
		r.Sort = free(r.Copy.Records)
	}
	for _, pipe := range []*pipeline{r.Copy, r.Sort, work} {
		p.Pipelines = append(p.Pipelines, dag.Pipeline{
			Tuples: compact(pipe.Records.Series, &p),
			Alpha:  compact(pipe.Cost.Series, &p),
		})
	}
	return p
}

func phaseOf(n *tasks, setup times, out, bytes numbers, extent times) dag.Stage {
	p := dag.Stage{Tasks: n.n, Known: n.known}
	p.Setup, p.Out, p.Bytes, p.Extent = compact(setup.Series, &p), compact(out.Series, &p), compact(bytes.Series, &p),
		compact(extent.Series, &p)
	return p
}

// compact converts a list of equal values, one per task, to one value.
func compact(s dag.Series, p *dag.Stage) dag.Series {
	v := s.Values()
	if len(v) == 0 {
		if s.IsUniform() {
			return s
		}
		return dag.Series{}
	}
	for _, x := range v {
		if x != v[0] && !(math.IsNaN(x) && math.IsNaN(v[0])) {
			return s
		}
	}
	if p.Known && len(v) != p.Tasks {
		return s // Validate reports it
	}
	if !p.Known {
		return s
	}
	return dag.Uniform(v[0])
}

func (d *decoder) report(root *node, path []string, err error) {
	at, rest := root.find(path)
	d.faults = append(d.faults, fault{at: at, path: path[:len(path)-len(rest)], why: strings.TrimPrefix(err.Error(),
		"dag: "), err: err})
}

// locate finds the positions of the plan's faults in the file.
func (d *decoder) locate(root *node, err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			d.locate(root, e)
		}
		return
	}
	var path []string
	if at, ok := err.(interface{ Locate() dag.Place }); ok {
		path = placePath(at.Locate())
		if place, rest := root.find(path); len(rest) > 0 && len(path) > 3 && path[2] == "reduce" &&
			place.kind == mapping {
			switch {
			case place.get("keys") != nil:
				path = append(path[:3], "keys")
			case path[3] == "reduce":
				path = slices.Delete(path, 3, 4)
			case path[3] == "copy" || path[3] == "sort":
				return // the short form gives copy and sort the records of reduce, where the fault is reported
			}
		}
	}
	d.report(root, path, err)
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
