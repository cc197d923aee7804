package planfile

import (
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// fileOf is the reverse of file.plan.
func fileOf(p *dag.Plan) *file {
	c := &p.Cluster
	f := &file{Version: 1, Name: p.Name, Engine: p.Engine, Overheads: overheads(p.Overheads), Cluster: cluster{
		Policy: policyOf(c), MapSlots: c.MapSlots, ReduceSlots: c.ReduceSlots, SlotsPerNode: c.SlotsPerNode,
		Setup: c.Setup, QueueMemory: memory(c.QueueMB), FailRate: c.FailRate,
	}}
	if p.Driver != dag.Waves {
		f.Driver = p.Driver.String()
	}
	if c.MemoryMB > 0 || len(c.Nodes) > 0 {
		mb := memory(c.MemoryMB)
		f.Cluster.Memory = &mb
	}
	if c.Cores > 0 {
		f.Cluster.Cores = &c.Cores
	}
	for _, n := range c.Nodes {
		f.Cluster.Nodes = append(f.Cluster.Nodes, machine{
			Name: n.Name, Memory: memory(n.MemoryMB), Cores: n.Cores,
			Slow: n.Slow,
		})
	}
	f.Cluster.Pools = poolsOf(c.Pools)
	for i := range p.Jobs {
		from := &p.Jobs[i]
		j := job{
			Name: from.Node, Title: from.Name, Feature: from.Feature, Alias: from.Alias, Input: from.Input,
			InputBytes: from.InputBytes, Priority: from.Priority, Limits: limitsOf(from, c.Policy),
		}
		if from.Rules != dag.ReducesFirst {
			j.Rules = from.Rules.String()
		}
		for _, a := range from.After {
			j.After = append(j.After, p.Jobs[a].Node)
		}
		if from.IsMapReduce() {
			j.Map, j.Reduce = mapOf(&from.Stages[dag.Map]), reduceOf(&from.Stages[dag.Reduce])
		} else {
			f.Version, j.Stages = 2, stagesOf(from)
		}
		f.Jobs = append(f.Jobs, j)
	}
	f.InputSizes = p.InputSizes
	for _, r := range p.Residuals {
		f.Residuals = append(f.Residuals, residual{Run: r.Run, Progress: r.Progress, Score: r.Score})
	}
	return f
}

func limitsOf(j *dag.Job, policy dag.Policy) limits {
	l := &j.MapReduce
	out := limits{
		AMMemory: memory(j.MasterMB), MapMemory: memory(l.MapMB), ReduceMemory: memory(l.ReduceMB),
		MaxMaps: l.MaxMaps, MaxReduces: l.MaxReduces,
	}
	var zero limits
	defaults := zero.dag(policy)
	if l.SlowStart != defaults.SlowStart {
		out.SlowStart = &l.SlowStart
	}
	if l.RampUp != defaults.RampUp {
		out.RampUp = &l.RampUp
	}
	return out
}

func mapOf(p *dag.Stage) *mapTasks {
	m := &mapTasks{
		Tasks: &tasks{p.Tasks, p.Known}, Setup: times{p.Setup}, Out: numbers{p.Out}, Bytes: numbers{p.Bytes},
		Extent: times{p.Extent},
	}
	if len(p.Pipelines) > 0 {
		m.Records, m.Cost = numbers{p.Pipelines[0].Tuples}, times{p.Pipelines[0].Alpha}
	}
	return m
}

// reduceOf returns nil for a phase without tasks and without other known values.
func reduceOf(p *dag.Stage) *reduceTask {
	if p.Known && p.Tasks == 0 && len(p.Pipelines) == 0 && !p.Setup.Known() && !p.Out.Known() && !p.Bytes.Known() &&
		!p.Extent.Known() &&
		p.Groups == nil {
		return nil
	}
	r := &reduceTask{
		Tasks: &tasks{p.Tasks, p.Known}, Setup: times{p.Setup}, Out: numbers{p.Out},
		Bytes: numbers{p.Bytes}, Extent: times{p.Extent},
	}
	r.Groups = groupsOf(p.Groups)
	if short(p) {
		r.Records, r.Cost = numbers{p.Pipelines[dag.Work].Tuples}, times{p.Pipelines[dag.Work].Alpha}
		return r
	}
	for i, to := range []**pipeline{&r.Copy, &r.Sort, &r.Reduce} {
		if i < len(p.Pipelines) {
			*to = &pipeline{Records: numbers{p.Pipelines[i].Tuples}, Cost: times{p.Pipelines[i].Alpha}}
		}
	}
	return r
}

// short reports whether a phase equals what Read makes of records and cost alone.
func short(p *dag.Stage) bool {
	if len(p.Pipelines) != dag.Pipelines || !p.Pipelines[dag.Work].Tuples.Known() {
		return false
	}
	records := p.Pipelines[dag.Work].Tuples
	for _, pipe := range p.Pipelines[:dag.Work] {
		if !pipe.Alpha.IsUniform() || pipe.Alpha.At(0) != 0 || pipe.Tuples.IsUniform() != records.IsUniform() ||
			len(pipe.Tuples.Values()) != len(records.Values()) {
			return false
		}
		for i := range max(1, len(records.Values())) {
			if a, b := pipe.Tuples.At(i), records.At(i); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
				return false
			}
		}
	}
	return true
}

func word(k kind, s string) *node { return &node{kind: k, text: s} }

func seriesNode(s dag.Series, one func(float64) *node) *node {
	if s.IsUniform() {
		if !s.Known() {
			return nil
		}
		return one(s.At(0))
	}
	n := &node{kind: list, children: &children{}}
	for _, v := range s.Values() {
		if math.IsNaN(v) {
			n.items = append(n.items, word(null, "null"))
			continue
		}
		n.items = append(n.items, one(v))
	}
	return n
}

func numberNode(v float64) *node { return word(number, formatNumber(v)) }

// formatNumber prefers digits to powers of ten if both are exact: 2500000, not 2.5e+06.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// encode converts a value of the file's structs to a tree. It returns nil for a value that is left out.
func encode(v reflect.Value) *node {
	switch x := v.Interface().(type) {
	case time.Duration:
		if x == 0 {
			return nil
		}
		return word(text, x.String())
	case memory:
		if x == 0 {
			return nil
		}
		return word(text, strconv.Itoa(int(x))+"MB")
	case *memory:
		if x == nil {
			return nil
		}
		return word(text, strconv.Itoa(int(*x))+"MB")
	case tasks:
		if !x.known {
			return word(null, "null")
		}
		return word(number, strconv.Itoa(x.n))
	case numbers:
		return seriesNode(x.Series, numberNode)
	case times:
		return seriesNode(x.Series, func(ms float64) *node { return word(text, formatTime(ms)) })
	case *float64:
		if x == nil {
			return nil
		}
		return numberNode(*x)
	case *int:
		if x == nil {
			return nil
		}
		return word(number, strconv.Itoa(*x))
	case policy:
		if x.name != "" {
			return word(text, x.name)
		}
		return encode(reflect.ValueOf(struct {
			Slots string   `plan:"slots"`
			Order []string `plan:"order"`
		}{x.Slots, x.Order}))
	case sizes:
		return sizesNode(x)
	case points:
		return pointsNode(x)
	}
	if v.IsZero() {
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		return word(text, v.String())
	case reflect.Int:
		return word(number, strconv.FormatInt(v.Int(), 10))
	case reflect.Float64:
		return numberNode(v.Float())
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct && v.Type() != reflect.TypeFor[*tasks]() {
			return encodeStruct(v.Elem()) // {} is a pipeline with unknown values
		}
		return encode(v.Elem())
	case reflect.Slice:
		n := &node{kind: list, children: &children{}}
		for i := range v.Len() {
			item := encode(v.Index(i))
			switch {
			case v.Index(i).Kind() == reflect.Struct && item == nil:
				item = &node{kind: mapping, children: &children{}}
			case item == nil: // the empty string
				item = word(text, "")
			}
			n.items = append(n.items, item)
		}
		return n
	case reflect.Struct:
		return encodeStruct(v)
	}
	panic("planfile: a field of type " + v.Type().String())
}

func encodeStruct(v reflect.Value) *node {
	n := &node{kind: mapping, children: &children{}}
	for i := range v.NumField() {
		if item := encode(v.Field(i)); item != nil {
			n.keys = append(n.keys, word(text, v.Type().Field(i).Tag.Get("plan")))
			n.items = append(n.items, item)
		}
	}
	return n
}
