package planfile

import (
	"math"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

var nan = math.NaN()

// sameSeries compares series by value, unknown values included.
var sameSeries = cmp.Comparer(func(a, b dag.Series) bool {
	if a.IsUniform() != b.IsUniform() || a.Known() != b.Known() || len(a.Values()) != len(b.Values()) {
		return false
	}
	for i := range max(1, len(a.Values())) {
		if x, y := a.At(i), b.At(i); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
			return false
		}
	}
	return true
})

// anyPlan draws a valid plan in the form that Read gives: no list of equal values.
func anyPlan(t *rapid.T) *dag.Plan {
	d := drawer{t}
	p := &dag.Plan{Name: d.text("name"), Cluster: dag.Cluster{
		Policy: rapid.SampledFrom([]dag.Policy{dag.FIFO, dag.YARN}).Draw(t, "policy"),
		// Enough for any task, since Read refuses a cluster on which one can never run.
		MapSlots: rapid.IntRange(1, 100).Draw(t, "slots"), ReduceSlots: rapid.IntRange(1, 100).Draw(t, "slots"),
		SlotsPerNode: rapid.IntRange(0, 4).Draw(t, "per node"), Setup: d.duration("setup"),
		MemoryMB: rapid.IntRange(8192, 100000).Draw(t, "memory"), QueueMB: rapid.SampledFrom([]int{0, 8192}).Draw(t,
			"queue"),
		FailRate: rapid.SampledFrom([]float64{0, 0.25}).Draw(t, "fail rate"),
		Order: rapid.SampledFrom([][]dag.OrderKey{
			nil,
			{dag.BySubmit},
			{dag.ByPriority, dag.BySize, dag.ByRemaining},
		}).Draw(t, "order"),
	}}
	for i := range rapid.IntRange(0, 2).Draw(t, "nodes") {
		p.Cluster.Nodes = append(p.Cluster.Nodes, dag.Node{
			Name: "n" + string(rune('a'+i)), MemoryMB: 4096,
			Slow: rapid.Float64Range(0, 9).Draw(t, "slow"),
		})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "pools") {
		p.Cluster.Pools = append(p.Cluster.Pools, dag.Pool{
			Name: "p" + string(rune('a'+i)), Weight: rapid.IntRange(0, 3).Draw(t, "weight"),
			MinShare: rapid.IntRange(0, 3).Draw(t, "min share"), Fair: rapid.Bool().Draw(t, "fair"),
		})
	}
	o := &p.Overheads
	for _, to := range []*time.Duration{
		&o.Launch, &o.AMStart, &o.Beat, &o.Finish, &o.Wave, &o.Stagger, &o.Handoff, &o.AMHold, &o.Abandon, &o.Report,
		&o.Copy, &o.SetupMin, &o.SetupPer, &o.Cold,
	} {
		*to = d.duration("overhead")
	}
	names := rapid.SliceOfNDistinct(rapid.Map(rapid.StringOfN(anyRune, 1, 8, -1), dag.Clean), 1, 4,
		rapid.ID[string]).Draw(t, "jobs")
	for i, name := range names {
		j := dag.Job{
			Node: name, Name: d.text("title"), Feature: d.text("feature"), Alias: d.text("alias"),
			Stages: dag.MapReduce(d.phase(dag.Map), d.phase(dag.Reduce)),
		}
		if i > 0 && rapid.Bool().Draw(t, "after") {
			j.After = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 1, i, rapid.ID[int]).Draw(t, "after")
		}
		if rapid.Bool().Draw(t, "input") {
			j.Input = rapid.SliceOfN(rapid.Map(rapid.StringOf(anyRune), dag.Clean), 1, 3).Draw(t, "inputs")
		}
		j.InputBytes = rapid.SampledFrom([]float64{0, 1234.5, 4e12}).Draw(t, "input bytes")
		j.Priority = rapid.SampledFrom([]int{0, -3, 1000}).Draw(t, "priority")
		j.MasterMB = rapid.IntRange(0, 2048).Draw(t, "am")
		j.MapReduce = dag.MapReduceLimits{
			MapMB:     rapid.IntRange(0, 2048).Draw(t, "mb"),
			ReduceMB:  rapid.IntRange(0, 2048).Draw(t, "mb"),
			SlowStart: rapid.SampledFrom([]float64{0, 0.05, 0.3, 1}).Draw(t, "slow start"),
			RampUp:    rapid.SampledFrom([]float64{0, 0.5, 0.7}).Draw(t, "ramp up"),
			MaxMaps:   rapid.IntRange(0, 5).Draw(t, "max"), MaxReduces: rapid.IntRange(0, 5).Draw(t, "max"),
		}
		p.Jobs = append(p.Jobs, j)
	}
	p.InputSizes = rapid.SampledFrom([][]float64{nil, {5}, {600, 1.5, 7}}).Draw(t, "input sizes")
	for range rapid.IntRange(0, 3).Draw(t, "residuals") {
		p.Residuals = append(p.Residuals, dag.Residual{
			Run: d.text("run"), Progress: rapid.Float64Range(0, 1).Draw(t, "progress"),
			Score: rapid.Float64Range(-9, 9).Draw(t, "score"),
		})
	}
	return p
}

var anyRune = rapid.OneOf(rapid.RuneFrom([]rune("ab1-.:#'\"\\{}[]&*!|>%@`, \t\n\r?~/_")), rapid.Rune())

type drawer struct{ *rapid.T }

func (d drawer) text(label string) string {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.SampledFrom([]string{
			"true", "null", "~", "1", "1e3", "0x1F", ".nan", "- a", "a: b", "a #b", " a", "<<",
			"2s", "no", "é", "1_000", "=", "2001-01-01",
		}),
		rapid.Map(rapid.StringOf(anyRune), dag.Clean),
	).Draw(d.T, label)
}

func (d drawer) duration(label string) time.Duration {
	return time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(d.T, label))
}

func (d drawer) phase(k dag.StageIndex) dag.Stage {
	p := dag.Stage{Known: rapid.IntRange(0, 5).Draw(d.T, "known") > 0}
	if p.Known {
		p.Tasks = rapid.IntRange(0, 5).Draw(d.T, "tasks")
	}
	n := 1
	if k == dag.Reduce {
		n = dag.Pipelines
	}
	if rapid.Bool().Draw(d.T, "pipelines") {
		for range n {
			p.Pipelines = append(p.Pipelines, dag.Pipeline{Tuples: d.series(&p), Alpha: d.series(&p)})
		}
	}
	if k == dag.Map && n > 0 && len(p.Pipelines) > 0 && !p.Pipelines[0].Tuples.Known() &&
		!p.Pipelines[0].Alpha.Known() {
		p.Pipelines = nil
	}
	p.Setup, p.Out, p.Bytes, p.Extent = d.series(&p), d.series(&p), d.series(&p), d.series(&p)
	if k == dag.Reduce && rapid.IntRange(0, 2).Draw(d.T, "groups") > 0 {
		p.Groups = d.groups(p.Count())
	}
	return p
}

// groups are of n tasks.
func (d drawer) groups(n int) *dag.Groups {
	g := &dag.Groups{
		Origin: rapid.SampledFrom([]dag.GroupOrigin{
			dag.GroupsTapped,
			dag.GroupsComplete,
		}).Draw(d.T, "origin"),
		Maps: rapid.IntRange(0, 3).Draw(d.T, "maps"), Note: d.text("note"),
	}
	size := rapid.OneOf(rapid.Float64Range(0, 1e9), rapid.SampledFrom([]float64{0, 1, 0.1, 1e18, 5e-324}))
	for range n {
		r := dag.NoReduceGroups()
		if rapid.Bool().Draw(d.T, "bytes") {
			r.Bytes, r.Implicit = size.Draw(d.T, "bytes"), size.Draw(d.T, "rest")
		}
		sizes := rapid.SliceOfNDistinct(size, 0, 3, rapid.ID[float64]).Draw(d.T, "sizes")
		slices.Sort(sizes)
		for i, s := range sizes {
			r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: s, Count: size.Draw(d.T, "count") / 1e4})
			r.Top = append(r.Top, dag.KeyGroup{Key: d.text("key"), Bytes: sizes[len(sizes)-1-i]})
			r.Done = append(r.Done, dag.GroupPoint{
				At: dag.NoInstant, Bytes: s, Count: rapid.SampledFrom([]float64{1, 2, 0.5}).Draw(d.T, "count"),
				Took: nanoseconds(rapid.Float64Range(0, 4e6).Draw(d.T, "took")),
			})
		}
		g.Reduces = append(g.Reduces, r)
	}
	return g
}

func (d drawer) series(p *dag.Stage) dag.Series {
	value := rapid.OneOf(
		rapid.Float64Range(0, 1e6), rapid.Map(rapid.IntRange(0, 1e6), func(i int) float64 { return float64(i) }),
		rapid.SampledFrom([]float64{0, 0.37, 0.1, 1e-9, 1e-300, 5e-324, 0.0128, 123456.789}),
	)
	switch rapid.IntRange(0, 2).Draw(d.T, "form") {
	case 0:
		return dag.Series{}
	case 1:
		return dag.Uniform(value.Draw(d.T, "value"))
	}
	if p.Known && p.Tasks < 2 || !p.Known {
		return dag.Series{}
	}
	v := rapid.SliceOfNDistinct(value, p.Tasks, p.Tasks, rapid.ID[float64]).Draw(d.T, "values")
	if rapid.Bool().Draw(d.T, "hole") {
		v[0] = math.NaN()
	}
	return dag.Each(v)
}
