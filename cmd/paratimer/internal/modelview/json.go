package modelview

import (
	"io"
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// SchemaVersion is the version of the JSON; it grows when a field changes its meaning.
const SchemaVersion = 1

type (
	document struct {
		SchemaVersion int                `json:"schema_version"`
		Name          string             `json:"name"`
		Cluster       queueing.Spec      `json:"cluster"`
		Results       []result           `json:"results"`
		Bound         *string            `json:"bound"`
		Improvements  []Improvement      `json:"levers"`
		Warnings      []queueing.Warning `json:"warnings"`
	}
	result struct {
		Model string `json:"model"`
		// of an iteration; null for a simulation, which has runs
		Converged       bool                 `json:"converged"`
		Iterations      *int                 `json:"iterations"`
		ResidualSeconds units.Float          `json:"residual_seconds"`
		Runs            *int                 `json:"runs"`
		Cycles          *int                 `json:"cycles"`
		MakespanSeconds units.Float          `json:"makespan_seconds"`
		Jobs            []job                `json:"jobs"`
		Centres         []Centre             `json:"centres"`
		Bottleneck      *queueing.CentreKind `json:"bottleneck"`
		Warnings        []queueing.Warning   `json:"warnings"`
	}
	job struct {
		Name                 string      `json:"name"`
		Copies               int         `json:"copies"`
		ResponseSeconds      units.Float `json:"response_seconds"`
		StandardErrorSeconds units.Float `json:"standard_error_seconds"`
		ThroughputPerSecond  units.Float `json:"throughput_per_second"`
		SpanSeconds          units.Float `json:"span_seconds"`
		Classes              []classOut  `json:"classes"`
		Phases               []phase     `json:"phases"`
		Timeline             []threads   `json:"timeline"`
		Tree                 *treeOut    `json:"tree"`
	}
	classOut struct {
		Class            queueing.Kind `json:"class"`
		Tasks            int           `json:"tasks"`
		ResidenceSeconds units.Float   `json:"residence_seconds"`
		Demand           byCentre      `json:"demand"`
		Residence        byCentre      `json:"residence"`
	}
	byCentre struct {
		CPU     units.Float `json:"cpu_seconds"`
		Disk    units.Float `json:"disk_seconds"`
		Fibre   units.Float `json:"fibre_seconds"`
		Network units.Float `json:"network_seconds"`
	}
	interval struct {
		Start units.Float `json:"start_seconds"`
		End   units.Float `json:"end_seconds"`
	}
	phase struct {
		interval
		Count int `json:"count"`
	}
	threads struct {
		Kind   string  `json:"kind"`
		Node   int     `json:"node"`
		Slot   int     `json:"slot"`
		Count  int     `json:"count"`
		Pieces []piece `json:"pieces"`
	}
	piece struct {
		Class queueing.Kind `json:"class"`
		Tasks int           `json:"tasks"`
		interval
		Waits bool `json:"waits"`
	}
	treeOut struct {
		Operator  string         `json:"operator"`
		Class     *queueing.Kind `json:"class,omitempty"`
		Tasks     int            `json:"tasks,omitempty"`
		Count     int            `json:"count"`
		Mean      units.Float    `json:"mean_seconds"`
		Deviation units.Float    `json:"standard_deviation_seconds"`
		Parts     []*treeOut     `json:"parts,omitempty"`
		LeftOut   int            `json:"left_out,omitempty"`
	}
)

var nan = units.Float(math.NaN())

// JSON writes the view; docs/queueing.md has its fields. Times are in seconds; unknown is null.
func (v *View) JSON(w io.Writer) error {
	return view.JSON(w, v.document(), " ")
}

func (v *View) document() document {
	d := document{
		SchemaVersion: SchemaVersion, Name: v.Name, Cluster: *v.Spec, Results: []result{}, Bound: frame.Text(v.Bound()),
		Improvements: view.List(v.Improvements), Warnings: view.List(v.Warnings),
	}
	d.Cluster.Disks, d.Cluster.ReduceSlots = max(1, d.Cluster.Disks), max(1, d.Cluster.ReduceSlots)
	for i := range v.Answers {
		d.Results = append(d.Results, v.Answers[i].result())
	}
	return d
}

func (a *Answer) result() result {
	r := result{
		Model: a.Model, Converged: a.Converged(), Jobs: []job{}, Centres: a.Centres(),
		Warnings:        view.List(a.Warnings()),
		ResidualSeconds: nan, MakespanSeconds: nan,
	}
	if a.Sim != nil {
		r.Runs, r.Cycles, r.MakespanSeconds = &a.Sim.Runs, &a.Cycles, units.Float(a.Sim.Makespan.Value)
	} else {
		r.Iterations, r.ResidualSeconds = &a.Result.Iterations, units.Float(a.Result.Residual)
	}
	for i := range a.Spec.Jobs {
		r.Jobs = append(r.Jobs, a.job(i))
	}
	if len(r.Centres) > 0 {
		r.Bottleneck = &r.Centres[0].Kind
	}
	return r
}

func (a *Answer) job(i int) job {
	spec := &a.Spec.Jobs[i]
	response, se := a.Response(i)
	j := job{
		Name: spec.Name, Copies: spec.Copies, ResponseSeconds: units.Float(response),
		StandardErrorSeconds: units.Float(se), ThroughputPerSecond: units.Float(a.Throughput(i)),
		Classes: []classOut{}, SpanSeconds: nan, Phases: []phase{}, Timeline: []threads{},
	}
	for _, c := range a.classesOf(i) {
		j.Classes = append(j.Classes, classOut{
			c.Kind, c.Tasks, units.Float(c.takes), split4(c.Demand),
			split4(c.Residence),
		})
	}
	if a.Result == nil {
		return j
	}
	from := &a.Result.Jobs[i]
	j.SpanSeconds = units.Float(from.Span)
	for _, p := range from.Phases {
		j.Phases = append(j.Phases, phase{interval{units.Float(p.Start), units.Float(p.End)}, max(1, p.Count)})
	}
	for t := range from.Threads {
		j.Timeline = append(j.Timeline, threadOf(&from.Threads[t]))
	}
	if from.Tree != nil {
		j.Tree = treeOf(from.Tree, 1)
	}
	return j
}

func threadOf(t *queueing.Thread) threads {
	kind := "map"
	if t.Kind != queueing.Map {
		kind = "reduce"
	}
	out := threads{Kind: kind, Node: t.Node, Slot: t.Slot, Count: max(1, t.Count), Pieces: []piece{}}
	for _, p := range t.Pieces {
		out.Pieces = append(out.Pieces, piece{Class: p.Kind, Tasks: p.Tasks, interval: interval{
			units.Float(p.Start),
			units.Float(p.End),
		}, Waits: p.Waits})
	}
	return out
}

// deepest bounds the nesting of a tree in JSON, since some parsers have a limit.
const deepest = 200

func treeOf(t *queueing.Tree, depth int) *treeOut {
	out := &treeOut{
		Operator: t.Op.String(), Count: max(1, t.Count), Mean: units.Float(t.Mean),
		Deviation: units.Float(math.Sqrt(t.Variance)),
	}
	if t.Op == queueing.Leaf {
		out.Class, out.Tasks = &t.Kind, t.Tasks
	}
	if depth == deepest {
		out.LeftOut = len(t.Parts)
		return out
	}
	for _, p := range t.Parts {
		out.Parts = append(out.Parts, treeOf(p, depth+1))
	}
	return out
}

func split4(d queueing.Demand) byCentre {
	return byCentre{
		CPU: units.Float(d.CPU), Disk: units.Float(d.Disk), Fibre: units.Float(d.Fibre),
		Network: units.Float(d.Network),
	}
}
