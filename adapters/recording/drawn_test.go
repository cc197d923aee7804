package recording

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// drawSnapshot returns a snapshot with any values, as a recording may have it.
func drawSnapshot(t *rapid.T, name string) *dag.Snapshot {
	return draw(t, reflect.TypeFor[dag.Snapshot](), name).Addr().Interface().(*dag.Snapshot)
}

// drawAttempt returns an attempt with any values.
func drawAttempt(t *rapid.T, name string) dag.Attempt {
	return draw(t, reflect.TypeFor[dag.Attempt](), name).Interface().(dag.Attempt)
}

// difference shows the fields of two values that are not the same, bit by bit; "" if there is none.
func difference(a, b any) string {
	return cmp.Diff(a, b, cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Comparer(func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }))
}

// draw returns any value of a type, field by field, so that a new field of package dag is drawn too.
func draw(t *rapid.T, typ reflect.Type, path string) reflect.Value {
	v := reflect.New(typ).Elem()
	switch x := v.Addr().Interface().(type) {
	case *dag.Series:
		*x = drawSeries(t, path)
		return v
	case *dag.Instant:
		*x = dag.Instant(rapid.OneOf(rapid.Just(int64(dag.NoInstant)), rapid.Int64(), rapid.Int64Range(0, 1e5)).Draw(t,
			path))
		return v
	case *dag.State:
		*x = dag.State(rapid.IntRange(0, int(dag.EndedUnconfirmed)).Draw(t, path))
		return v
	case *dag.AttemptState:
		*x = dag.AttemptState(rapid.IntRange(0, int(dag.AttemptKilled)).Draw(t, path))
		return v
	case *dag.NodeCause:
		*x = dag.NodeCause(rapid.IntRange(0, int(dag.NodeUnhealthy)).Draw(t, path))
		return v
	case *dag.Policy:
		*x = dag.Policy(rapid.IntRange(0, int(dag.YARN)).Draw(t, path))
		return v
	case *dag.Driver:
		*x = dag.Driver(rapid.IntRange(0, int(dag.Serial)).Draw(t, path))
		return v
	case *dag.StageRules:
		*x = dag.StageRules(rapid.IntRange(0, int(dag.AncestorsFirst)).Draw(t, path))
		return v
	case *dag.OrderKey:
		*x = dag.OrderKey(rapid.IntRange(0, dag.MaxOrderKeys-1).Draw(t, path))
		return v
	case *dag.Order:
		*x = dag.Order(rapid.IntRange(0, int(dag.OrderFair)).Draw(t, path))
		return v
	case **dag.Need:
		if rapid.Bool().Draw(t, path) {
			n := draw(t, reflect.TypeFor[dag.Need](), path)
			*x = n.Addr().Interface().(*dag.Need)
		}
		return v
	case *dag.GroupOrigin:
		*x = dag.GroupOrigin(rapid.IntRange(0, int(dag.GroupsComplete)).Draw(t, path))
		return v
	case **dag.Groups:
		if rapid.Bool().Draw(t, path) {
			g := draw(t, reflect.TypeFor[dag.Groups](), path)
			*x = g.Addr().Interface().(*dag.Groups)
		}
		return v
	case *time.Duration:
		*x = time.Duration(rapid.Int64().Draw(t, path))
		return v
	case **dag.Plan:
		p := draw(t, reflect.TypeFor[dag.Plan](), path)
		p.FieldByName("Residuals").SetZero()
		p.FieldByName("InputSizes").SetZero()
		*x = p.Addr().Interface().(*dag.Plan)
		return v
	case *dag.StageIndex:
		return v // edges get one that comes before their stage
	case *dag.EdgeKind:
		*x = rapid.SampledFrom([]dag.EdgeKind{
			dag.Barrier, dag.SlowStart, dag.Pipelined, dag.OneToOne,
			dag.Broadcast,
		}).Draw(t, path)
		return v
	case *[]dag.Stage:
		one := func(name string) dag.Stage {
			return draw(t, reflect.TypeFor[dag.Stage](), path+"."+name).Interface().(dag.Stage)
		}
		if rapid.Bool().Draw(t, path+" of MapReduce") {
			*x = dag.MapReduce(one("map"), one("reduce"))
			return v
		}
		stages := make([]dag.Stage, rapid.IntRange(1, 4).Draw(t, path+" length"))
		for k := range stages {
			stages[k] = one("stage")
			stages[k].After = nil
			for from := range k {
				if rapid.Bool().Draw(t, path+" reads") {
					e := draw(t, reflect.TypeFor[dag.Edge](), path+".edge").Interface().(dag.Edge)
					e.From = dag.StageIndex(from) //nolint:gosec // an index
					stages[k].After = append(stages[k].After, e)
				}
			}
		}
		*x = stages
		return v
	case *[]dag.StageState:
		one := func(name string) dag.StageState {
			return draw(t, reflect.TypeFor[dag.StageState](), path+"."+name).Interface().(dag.StageState)
		}
		*x = []dag.StageState{one("map"), one("reduce")}
		return v
	case *dag.Snapshot:
		drawFields(t, v, path)
		x.Profiles = nil // arguments, not observations
		fit(x)
		return v
	}
	switch typ.Kind() {
	case reflect.Struct:
		drawFields(t, v, path)
	case reflect.Array:
		for i := range typ.Len() {
			v.Index(i).Set(draw(t, typ.Elem(), fmt.Sprintf("%s[%d]", path, i)))
		}
	case reflect.Slice:
		n := rapid.IntRange(-1, 3).Draw(t, path+" length")
		if n < 0 {
			return v
		}
		v.Set(reflect.MakeSlice(typ, n, n))
		for i := range n {
			v.Index(i).Set(draw(t, typ.Elem(), fmt.Sprintf("%s[%d]", path, i)))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, path+" is known") {
			v.Set(reflect.New(typ.Elem()))
			v.Elem().Set(draw(t, typ.Elem(), path))
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, path))
	case reflect.Int32:
		v.SetInt(int64(rapid.OneOf(rapid.Int32Range(-1, 5), rapid.Int32()).Draw(t, path)))
	case reflect.Float32:
		v.SetFloat(float64(rapid.Float32Range(-1e9, 1e9).Draw(t, path)))
	case reflect.Float64:
		v.SetFloat(drawFloat(t, path))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, path))
	case reflect.String:
		v.SetString(dag.Clean(rapid.OneOf(rapid.SampledFrom([]string{"", "a", "\xff\x00", "é\u2028\"<"}),
			rapid.String()).Draw(t, path)))
	default:
		panic("draw: no idea how to draw a " + typ.String() + " at " + path)
	}
	return v
}

func drawFields(t *rapid.T, v reflect.Value, path string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		v.Field(i).Set(draw(t, f.Type, path+"."+f.Name))
	}
}

// fit changes a snapshot to a valid one: a job depends on earlier ones, the number of tasks is possible, and each job
// has a state.
func fit(s *dag.Snapshot) {
	jobs := s.Plan.Jobs
	for i := range jobs {
		jobs[i].After = slices.DeleteFunc(jobs[i].After, func(a int) bool { return a < 0 || a >= i })
		if jobs[i].Stages == nil {
			jobs[i].Stages = dag.MapReduce(dag.Stage{}, dag.Stage{})
		}
		for k := range jobs[i].Stages {
			p := &jobs[i].Stages[k]
			p.Tasks &= 1<<20 - 1
		}
	}
	s.Jobs = append(slices.Clip(s.Jobs[:min(len(s.Jobs), len(jobs))]),
		make([]dag.JobState, max(0, len(jobs)-len(s.Jobs)))...)
	for i := range s.Jobs {
		stages := make([]dag.StageState, len(jobs[i].Stages))
		copy(stages, s.Jobs[i].Stages)
		s.Jobs[i].Stages = stages
		for k := range stages {
			for a := range s.Jobs[i].Stages[k].Attempts {
				s.Jobs[i].Stages[k].Attempts[a].Task &= math.MaxInt32
			}
		}
	}
}

func drawFloat(t *rapid.T, path string) float64 {
	odd := []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1, 0.1, math.MaxFloat64,
		math.SmallestNonzeroFloat64,
	}
	return rapid.OneOf(rapid.SampledFrom(odd), rapid.Float64()).Draw(t, path)
}

func drawSeries(t *rapid.T, path string) dag.Series {
	if rapid.Bool().Draw(t, path+" uniform") {
		return dag.Uniform(drawFloat(t, path))
	}
	return dag.Each(draw(t, reflect.TypeFor[[]float64](), path).Interface().([]float64))
}
