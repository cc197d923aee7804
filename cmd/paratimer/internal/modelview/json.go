package modelview

import (
	"encoding/json"
	"io"
	"math"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// SchemaVersion of the JSON; it grows when a field changes its meaning.
const SchemaVersion = 1

type (
	document struct {
		SchemaVersion int       `json:"schema_version"`
		Name          string    `json:"name"`
		Cluster       cluster   `json:"cluster"`
		Results       []result  `json:"results"`
		Bound         *string   `json:"bound"`
		Levers        []lever   `json:"levers"`
		Warnings      []warning `json:"warnings"`
	}
	cluster struct {
		Nodes          int `json:"nodes"`
		CPUs           int `json:"cpus"`
		Disks          int `json:"disks"`
		MapSlots       int `json:"map_slots"`
		ReduceSlots    int `json:"reduce_slots"`
		ShuffleThreads int `json:"shuffle_threads"`
	}
	result struct {
		Model string `json:"model"`
		// Of an iteration; null for a simulation, which has runs.
		Converged       bool      `json:"converged"`
		Iterations      *int      `json:"iterations"`
		ResidualSeconds *float64  `json:"residual_seconds"`
		Runs            *int      `json:"runs"`
		Cycles          *int      `json:"cycles"`
		MakespanSeconds *float64  `json:"makespan_seconds"`
		Jobs            []job     `json:"jobs"`
		Centres         []centre  `json:"centres"`
		Bottleneck      *string   `json:"bottleneck"`
		Warnings        []warning `json:"warnings"`
	}
	job struct {
		Name                 string     `json:"name"`
		Copies               int        `json:"copies"`
		ResponseSeconds      *float64   `json:"response_seconds"`
		StandardErrorSeconds *float64   `json:"standard_error_seconds"`
		ThroughputPerSecond  *float64   `json:"throughput_per_second"`
		SpanSeconds          *float64   `json:"span_seconds"`
		Classes              []classOut `json:"classes"`
		Phases               []phase    `json:"phases"`
		Timeline             []threads  `json:"timeline"`
		Tree                 *treeOut   `json:"tree"`
	}
	classOut struct {
		Class            string   `json:"class"`
		Tasks            int      `json:"tasks"`
		ResidenceSeconds *float64 `json:"residence_seconds"`
		Demand           byCentre `json:"demand"`
		Residence        byCentre `json:"residence"`
	}
	byCentre struct {
		CPU     *float64 `json:"cpu_seconds"`
		Disk    *float64 `json:"disk_seconds"`
		Fibre   *float64 `json:"fibre_seconds"`
		Network *float64 `json:"network_seconds"`
	}
	interval struct {
		Start *float64 `json:"start_seconds"`
		End   *float64 `json:"end_seconds"`
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
		Class string `json:"class"`
		Tasks int    `json:"tasks"`
		interval
		Waits bool `json:"waits"`
	}
	treeOut struct {
		Operator      string     `json:"operator"`
		Class         *string    `json:"class,omitempty"`
		Tasks         int        `json:"tasks,omitempty"`
		Count         int        `json:"count"`
		Mean          *float64   `json:"mean_seconds"`
		Deviation     *float64   `json:"standard_deviation_seconds"`
		Probabilities []float64  `json:"probabilities,omitempty"`
		Parts         []*treeOut `json:"parts,omitempty"`
		LeftOut       int        `json:"left_out,omitempty"`
	}
	centre struct {
		Kind        string   `json:"kind"`
		Count       int      `json:"count"`
		Servers     int      `json:"servers"`
		Utilisation *float64 `json:"utilisation_ratio"`
	}
	lever struct {
		Code     string   `json:"code"`
		Means    string   `json:"means"`
		Response *float64 `json:"response_seconds"`
		Saved    *float64 `json:"saved_ratio"`
	}
	warning struct {
		Code string `json:"code"`
		Text string `json:"text"`
	}
)

// JSON writes the view; docs/queueing.md has its fields. Times are in seconds; what is not known is null.
func (v *View) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(v.document())
}

func (v *View) document() document {
	s := v.Spec
	d := document{
		SchemaVersion: SchemaVersion, Name: v.Name, Results: []result{}, Levers: []lever{}, Warnings: warningsOf(v.Warnings),
		Cluster: cluster{Nodes: s.Nodes, CPUs: s.CPUs, Disks: max(1, s.Disks), MapSlots: s.MapSlots, ReduceSlots: max(1, s.ReduceSlots), ShuffleThreads: s.ShuffleThreads},
	}
	for i := range v.Answers {
		d.Results = append(d.Results, v.Answers[i].result())
	}
	if bound := v.Bound(); bound != "" {
		d.Bound = &bound
	}
	for _, l := range v.Levers {
		d.Levers = append(d.Levers, lever{l.Code, l.Means, known(l.Response), known(l.Saved)})
	}
	return d
}

func (a *Answer) result() result {
	r := result{Model: a.Model, Converged: a.Converged(), Jobs: []job{}, Centres: []centre{}}
	if a.Sim != nil {
		r.Runs, r.Cycles, r.MakespanSeconds = &a.Sim.Runs, &a.Cycles, known(a.Sim.Makespan.Value)
	} else {
		r.Iterations, r.ResidualSeconds = &a.Result.Iterations, known(a.Result.Residual)
	}
	r.Warnings = warningsOf(a.Warnings())
	for i := range a.Spec.Jobs {
		r.Jobs = append(r.Jobs, a.job(i))
	}
	for i, c := range a.Centres() {
		r.Centres = append(r.Centres, centre{c.Kind.String(), c.Count, c.Servers, known(c.Utilisation)})
		if i == 0 {
			r.Bottleneck = &r.Centres[0].Kind
		}
	}
	return r
}

func (a *Answer) job(i int) job {
	spec := &a.Spec.Jobs[i]
	response, se := a.Response(i)
	j := job{
		Name: spec.Name, Copies: spec.Copies, ResponseSeconds: known(response), StandardErrorSeconds: known(se), ThroughputPerSecond: known(a.Throughput(i)),
		Classes: []classOut{}, Phases: []phase{}, Timeline: []threads{},
	}
	for _, c := range a.classesOf(i) {
		j.Classes = append(j.Classes, classOut{c.Kind.String(), c.Tasks, known(c.takes), split4(c.Demand), split4(c.Residence)})
	}
	if a.Result == nil {
		return j
	}
	from := &a.Result.Jobs[i]
	j.SpanSeconds = known(from.Span)
	for _, p := range from.Phases {
		j.Phases = append(j.Phases, phase{interval{known(p.Start), known(p.End)}, max(1, p.Count)})
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
		out.Pieces = append(out.Pieces, piece{Class: p.Kind.String(), Tasks: p.Tasks, interval: interval{known(p.Start), known(p.End)}, Waits: p.Waits})
	}
	return out
}

// deepest bounds the nesting of a tree in JSON, which some readers limit.
const deepest = 200

func treeOf(t *queueing.Tree, depth int) *treeOut {
	out := &treeOut{Operator: t.Op.String(), Count: max(1, t.Count), Mean: known(t.Mean), Deviation: known(math.Sqrt(t.Variance)), Probabilities: t.Prob}
	if t.Op == queueing.Leaf {
		class := t.Kind.String()
		out.Class, out.Tasks = &class, t.Tasks
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
	return byCentre{CPU: known(d.CPU), Disk: known(d.Disk), Fibre: known(d.Fibre), Network: known(d.Network)}
}

func warningsOf(all []queueing.Warning) []warning {
	out := []warning{}
	for _, w := range all {
		out = append(out, warning{w.Code, w.Text})
	}
	return out
}

// known is a number, nil where it is none.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
