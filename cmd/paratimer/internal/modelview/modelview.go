// Package modelview shows the results of queueing models and their simulation: response times, what limits jobs and
// what would help, and precedence trees. It writes text and JSON.
package modelview

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
	"github.com/paratimer/paratimer/units"
)

// SchemaVersion is the version of the JSON; it grows when a field changes its meaning or is no longer there.
const SchemaVersion = 2

// Simulate is the simulation's name among the models.
const Simulate = "simulate"

// A View has the results of one or more models, for one or more settings. docs/queueing.md has its fields. Times are
// in seconds; unknown is null.
type View struct {
	SchemaVersion int                `json:"schema_version"`
	Name          string             `json:"name"` // of what is modeled; "" if the file has none
	Cluster       queueing.Spec      `json:"cluster"`
	Results       []Result           `json:"results"` // at least one
	Bound         *string            `json:"bound"`   // null for several settings
	Improvements  []Improvement      `json:"levers"`  // empty if they were not computed
	Warnings      []queueing.Warning `json:"warnings"`
}

type (
	// A Result is what one model answers for one combination of settings, or the error.
	Result struct {
		Settings        []Value              `json:"settings"` // those with several values
		Error           *string              `json:"error"`
		Model           string               `json:"model"`
		Converged       bool                 `json:"converged"`
		Iterations      *int                 `json:"iterations"` // null for a simulation, which has runs
		ResidualSeconds units.Float          `json:"residual_seconds"`
		Runs            *int                 `json:"runs"`
		Cycles          *int                 `json:"cycles"` // how often each job is submitted again
		MakespanSeconds units.Float          `json:"makespan_seconds"`
		Jobs            []Job                `json:"jobs"`
		Centres         []Centre             `json:"centres"` // kinds that any job uses, the busiest first
		Bottleneck      *queueing.CentreKind `json:"bottleneck"`
		Warnings        []queueing.Warning   `json:"warnings"`
	}
	// A Value is that of a setting.
	Value struct {
		Setting string `json:"setting"`
		Value   int    `json:"value"`
	}
	// A Job is the prediction for a class of jobs.
	Job struct {
		Name                 string      `json:"name"`
		Copies               int         `json:"copies"`
		ResponseSeconds      units.Float `json:"response_seconds"`
		StandardErrorSeconds units.Float `json:"standard_error_seconds"`
		ThroughputPerSecond  units.Float `json:"throughput_per_second"`
		SpanSeconds          units.Float `json:"span_seconds"`
		Classes              []Class     `json:"classes"`
		Phases               []Phase     `json:"phases"`
		Tree                 *Tree       `json:"tree"`
	}
	// A Class is the tasks of a kind.
	Class struct {
		Class            queueing.Kind `json:"class"`
		Tasks            int           `json:"tasks"`
		ResidenceSeconds units.Float   `json:"residence_seconds"`
		Demand           ByCentre      `json:"demand"`
		Residence        ByCentre      `json:"residence"`
	}
	// ByCentre is the seconds of a task at each kind of centre.
	ByCentre struct {
		CPU     units.Float `json:"cpu_seconds"`
		Disk    units.Float `json:"disk_seconds"`
		Fibre   units.Float `json:"fibre_seconds"`
		Network units.Float `json:"network_seconds"`
	}
	// A Phase is one of the timeline, or several of equal length.
	Phase struct {
		Start units.Float `json:"start_seconds"`
		End   units.Float `json:"end_seconds"`
		Count int         `json:"count"`
	}
	// A Centre is the utilization of one kind of service center.
	Centre struct {
		Kind        queueing.CentreKind `json:"kind"`
		Count       int                 `json:"count"`             // number of centers
		Servers     int                 `json:"servers"`           // servers of each center
		Utilisation units.Float         `json:"utilisation_ratio"` // of the busiest of its kind, 0..1
	}
	// A Tree is a precedence tree.
	Tree struct {
		Operator  queueing.Operator `json:"operator"`
		Class     *queueing.Kind    `json:"class,omitempty"`
		Tasks     int               `json:"tasks,omitempty"`
		Count     int               `json:"count"`
		Mean      units.Float       `json:"mean_seconds"`
		Deviation units.Float       `json:"standard_deviation_seconds"`
		Parts     []*Tree           `json:"parts,omitempty"`
	}
)

var unknown = units.Float(math.NaN())

// New returns a view of a Spec without results.
func New(name string, s *queueing.Spec) *View {
	v := &View{SchemaVersion: SchemaVersion, Name: name, Cluster: *s}
	v.Cluster.Disks, v.Cluster.ReduceSlots = max(1, s.Disks), max(1, s.ReduceSlots)
	v.Improvements, v.Warnings = []Improvement{}, []queueing.Warning{}
	return v
}

// Several reports whether more than one job runs at the same time.
func Several(s *queueing.Spec) bool { return len(s.Jobs) > 1 || s.Jobs[0].Copies > 1 }

// Of returns the result of a model for a Spec.
func Of(s *queueing.Spec, r *queueing.Result) Result {
	out := Result{
		Model: r.Model.String(), Converged: r.Converged, Iterations: &r.Iterations,
		ResidualSeconds: units.Float(r.Residual), MakespanSeconds: unknown, Warnings: view.List(r.Warnings),
	}
	for i := range r.Jobs {
		from := &r.Jobs[i]
		j := jobOf(&s.Jobs[i], from.Response, math.NaN(), from.Throughput)
		j.SpanSeconds = units.Float(from.Span)
		for _, c := range from.Classes {
			j.Classes = append(j.Classes, Class{
				c.Kind, c.Tasks, units.Float(c.Residence.Total()), byCentre(c.Demand), byCentre(c.Residence),
			})
		}
		for _, p := range from.Phases {
			j.Phases = append(j.Phases, Phase{units.Float(p.Start), units.Float(p.End), max(1, p.Count)})
		}
		if from.Tree != nil {
			j.Tree = treeOf(from.Tree)
		}
		out.Jobs = append(out.Jobs, j)
	}
	var busy [4]float64
	for _, c := range r.Centres {
		busy[c.Kind] = max(busy[c.Kind], c.Utilisation)
	}
	return out.withCentres(s, busy)
}

// Failed returns the result of a model that cannot be solved.
func Failed(model string, err error) Result {
	text := err.Error()
	return Result{
		Error: &text, Model: model, ResidualSeconds: unknown, MakespanSeconds: unknown, Jobs: []Job{},
		Centres: []Centre{}, Warnings: []queueing.Warning{},
	}
}

// Simulated returns the result of a simulation of a Spec. With several jobs, it is comparable with the models only if
// each job is submitted again after it ends.
func Simulated(s *queueing.Spec, cycles int, sim *simulation.Result) Result {
	out := Result{
		Model: Simulate, Converged: true, Runs: &sim.Runs, Cycles: &cycles, ResidualSeconds: unknown,
		MakespanSeconds: units.Float(sim.Makespan.Value), Warnings: []queueing.Warning{},
	}
	if cycles == 0 && Several(s) {
		out.Warnings = append(out.Warnings, queueing.Warning{
			Code: "submitted_once",
			Text: "each job is submitted once, all at the same time, and the last ones run alone: " +
				"models answer for jobs that begin again as they end, which --cycles 4 simulates",
		})
	}
	for i := range s.Jobs {
		spec, from := &s.Jobs[i], &sim.Jobs[i]
		j := jobOf(spec, from.Response.Value, from.Response.StandardError,
			float64(spec.Copies)/from.Response.Value)
		for _, c := range []struct {
			kind   queueing.Kind
			tasks  int
			demand queueing.Demand
			takes  simulation.Mean
		}{
			{queueing.Map, spec.Maps, spec.Map, from.Map},
			{queueing.Shuffle, spec.Maps * spec.Reduces, spec.Shuffle, from.Shuffle},
			{queueing.Merge, spec.Reduces, spec.Merge, from.Merge},
		} {
			if c.tasks > 0 {
				j.Classes = append(j.Classes, Class{
					c.kind, c.tasks, units.Float(c.takes.Value), byCentre(c.demand),
					ByCentre{unknown, unknown, unknown, unknown},
				})
			}
		}
		out.Jobs = append(out.Jobs, j)
	}
	return out.withCentres(s, [4]float64{sim.CPU, sim.Fibre, sim.Disk, sim.Network})
}

func jobOf(j *queueing.Job, response, standardError, throughput float64) Job {
	return Job{
		Name: j.Name, Copies: j.Copies, ResponseSeconds: units.Float(response),
		StandardErrorSeconds: units.Float(standardError), ThroughputPerSecond: units.Float(throughput),
		SpanSeconds: unknown, Classes: []Class{}, Phases: []Phase{},
	}
}

// withCentres adds the kinds of centre for which any task has a demand.
func (r Result) withCentres(s *queueing.Spec, busy [4]float64) Result {
	r.Centres = []Centre{}
	for _, c := range []Centre{
		{Kind: queueing.CPU, Servers: s.CPUs, Count: s.Nodes},
		{Kind: queueing.Fibre, Servers: 1, Count: s.Nodes},
		{Kind: queueing.Disk, Servers: max(1, s.Disks), Count: s.Nodes},
		{Kind: queueing.Network, Servers: 1, Count: 1},
	} {
		used := func(j queueing.Job) bool {
			return *j.Map.At(c.Kind) > 0 || j.Reduces > 0 && *j.Shuffle.At(c.Kind)+*j.Merge.At(c.Kind) > 0
		}
		if c.Utilisation = units.Float(busy[c.Kind]); slices.ContainsFunc(s.Jobs, used) {
			r.Centres = append(r.Centres, c)
		}
	}
	slices.SortStableFunc(r.Centres, func(a, b Centre) int { return cmp.Compare(b.Utilisation, a.Utilisation) })
	if len(r.Centres) > 0 {
		r.Bottleneck = &r.Centres[0].Kind
	}
	return r
}

func byCentre(d queueing.Demand) ByCentre {
	return ByCentre{units.Float(d.CPU), units.Float(d.Disk), units.Float(d.Fibre), units.Float(d.Network)}
}

func treeOf(t *queueing.Tree) *Tree {
	out := &Tree{
		Operator: t.Op, Count: max(1, t.Count), Mean: units.Float(t.Mean),
		Deviation: units.Float(math.Sqrt(t.Variance)),
	}
	if t.Op == queueing.Leaf {
		out.Class, out.Tasks = &t.Kind, t.Tasks
	}
	for _, p := range t.Parts {
		out.Parts = append(out.Parts, treeOf(p))
	}
	return out
}
