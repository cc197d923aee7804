package planfile

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strconv"

	"github.com/goccy/go-yaml"

	"github.com/paratimer/paratimer/dag"
)

// fileOf is the reverse of file.plan.
func fileOf(p *dag.Plan) *file {
	c := &p.Cluster
	f := &file{
		Version: 1, Name: p.Name, Engine: p.Engine, Overheads: p.Overheads, Driver: p.Driver,
		Cluster:    cluster{Policy: policyOf(c), Cluster: *c},
		InputSizes: p.InputSizes, Residuals: p.Residuals,
	}
	if c.MemoryMB == 0 && len(c.Nodes) == 0 {
		f.Cluster.MemoryMB = -1
	}
	if c.Cores == 0 {
		f.Cluster.Cores = -1
	}
	for i := range p.Jobs {
		from := &p.Jobs[i]
		j := job{
			Name: from.Node, Title: from.Name, Feature: from.Feature, Alias: from.Alias, Input: from.Input,
			InputBytes: from.InputBytes, Priority: from.Priority, Limits: limitsOf(from, c.Policy), Rules: from.Rules,
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
	return f
}

func limitsOf(j *dag.Job, policy dag.Policy) limits {
	out := limits{AMMemory: j.MasterMB, MapReduceLimits: j.MapReduce}
	slowStart, rampUp := defaults(policy)
	if out.SlowStart == slowStart {
		out.SlowStart = math.NaN()
	}
	if out.RampUp == rampUp {
		out.RampUp = math.NaN()
	}
	return out
}

// tasksOf returns the number of tasks, -1 if it is unknown.
func tasksOf(s *dag.Stage) int {
	if !s.Known {
		return -1
	}
	return s.Tasks
}

func measuredOf(s *dag.Stage) measured {
	return measured{Setup: s.Setup, Out: s.Out, Bytes: s.Bytes, Extent: s.Extent}
}

func mapOf(s *dag.Stage) *mapTasks {
	m := &mapTasks{Tasks: tasksOf(s), measured: measuredOf(s)}
	if len(s.Pipelines) > 0 {
		m.Pipeline = s.Pipelines[0]
	}
	return m
}

// reduceOf returns nil for a stage without tasks and without other known values.
func reduceOf(s *dag.Stage) *reduceTasks {
	if s.Known && s.Tasks == 0 && len(s.Pipelines) == 0 && !s.Setup.Known() && !s.Out.Known() && !s.Bytes.Known() &&
		!s.Extent.Known() && s.Groups == nil {
		return nil
	}
	r := &reduceTasks{Tasks: tasksOf(s), measured: measuredOf(s), Groups: s.Groups}
	if short(s) {
		r.Pipeline = s.Pipelines[dag.Work]
		return r
	}
	for i, to := range []**dag.Pipeline{&r.Copy, &r.Sort, &r.Reduce} {
		if i < len(s.Pipelines) {
			*to = &s.Pipelines[i]
		}
	}
	return r
}

// short reports whether a stage equals what Read makes of records and cost alone.
func short(s *dag.Stage) bool {
	if len(s.Pipelines) != dag.Pipelines || !s.Pipelines[dag.Work].Tuples.Known() {
		return false
	}
	records := s.Pipelines[dag.Work].Tuples
	for _, pipe := range s.Pipelines[:dag.Work] {
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

// numberText prefers digits to powers of ten if both are exact: 2500000, not 2.5e+06.
func numberText(v float64) json.Number {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return json.Number(strconv.FormatInt(int64(v), 10))
	}
	return json.Number(strconv.FormatFloat(v, 'g', -1, 64))
}

// encode converts a field to a value that can be printed: nil, a string, a json.Number, a list or a mapping. It
// returns false for a value that is left out.
func encode(v reflect.Value, f *field) (any, bool) {
	if f.form.write != nil && v.Kind() != reflect.Pointer {
		return f.form.write(v)
	}
	if words, ok := v.Interface().(encoding.TextMarshaler); ok {
		if word, err := words.MarshalText(); err == nil && len(word) > 0 {
			return string(word), true
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, false
		}
		value, _ := encode(v.Elem(), f)
		return value, true // {} is a pipeline with unknown values
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i], _ = encode(v.Index(i), f.item)
		}
		// Files have always had a list of pools.
		return list, len(list) > 0 || v.Type() == reflect.TypeFor[[]dag.Pool]()
	case reflect.Struct:
		fields := yaml.MapSlice{}
		for _, f := range fieldsOf(v.Type()) {
			if value, ok := encode(v.FieldByIndex(f.index), f); ok {
				fields = append(fields, yaml.MapItem{Key: f.name, Value: value})
			}
		}
		return fields, len(fields) > 0
	}
	panic("planfile: a field of type " + v.Type().String())
}

func encodeSeries(s dag.Series, isTime bool) (any, bool) {
	one := func(v float64) any { return numberText(v) }
	if isTime {
		one = func(v float64) any { return formatTime(v) }
	}
	if s.IsUniform() {
		return one(s.At(0)), s.Known()
	}
	list := make([]any, len(s.Values()))
	for i, v := range s.Values() {
		if !math.IsNaN(v) {
			list[i] = one(v)
		}
	}
	return list, true
}
