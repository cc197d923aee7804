// Package planfile reads and writes plans: YAML or JSON, as docs/plan.schema.json describes them.
//
// The types of package dag and of this one describe the file by their tags: names, bounds, defaults. A profile of
// earlier runs is a plan file with costs. Reading is strict: unknown fields, values of the wrong type and times
// without a unit are errors. Each error has its position and an excerpt, and suggests a similar name. Invalid input
// never panics and takes bounded memory, whatever its size, nesting or aliases.
//
// # Stability
//
// Names and meanings stay within a major version. Later versions read the plan files of today (CONTRIBUTING.md).
package planfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/dag"
)

// maxBytes bounds a file.
const maxBytes = 16 << 20

// Options of Read. The zero value reads a plan.
type Options struct {
	Name    string // name of the file in errors; "plan" if empty
	Profile bool   // the plan only has costs: its cluster may lack slots and memory
}

// Read reads a plan. The plan is valid by dag.Validate, a profile by dag.ValidateProfile. Errors of the file are one
// *Error or several, joined in the order of the file. errors.As finds the faults of the plan in them, such as a
// *dag.CycleError.
//
// A list with the same value for each task becomes a uniform series.
func Read(r io.Reader, opt Options) (*dag.Plan, error) {
	opt.Name = cmp.Or(opt.Name, "plan")
	src, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading: %w", opt.Name, err)
	}
	f := File{}
	doc, err := Decode(src, opt.Name, "plan", &f)
	if err != nil {
		return nil, err
	}
	p := f.plan(doc)
	validate := dag.Validate
	if opt.Profile {
		validate = dag.ValidateProfile
	}
	doc.validated(validate(p))
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// ReadFile is Read for a file. A plan without a name gets the file's name without its extension.
func ReadFile(path string, opt Options) (*dag.Plan, error) {
	opt.Name = cmp.Or(opt.Name, path)
	f, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &Error{File: opt.Name, Message: "this is a directory: a plan is one file, YAML or JSON"}
	}
	p, err := Read(f, opt)
	if err == nil && p.Name == "" {
		p.Name = dag.Clean(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	}
	return p, err
}

// The structs of a file where its form differs from that of package dag: jobs and stages refer to others by name, and
// a reduce has its pipelines by name. Zero fields are left out.
type (
	// File is a plan as docs/plan.schema.json describes it.
	File struct {
		Version int `plan:"version" min:"1" max:"2" title:"1, or 2 of a file whose jobs have stages"`
		dag.Plan
		Cluster    cluster        `plan:"cluster" title:"a mapping that describes the cluster"`
		Jobs       []job          `plan:"jobs,required" min:"1" max:"5000" title:"a list of at least one job"`
		Residuals  []dag.Residual `plan:"residuals,null" max:"100000"`
		InputSizes []float64      `plan:"input_sizes" max:"10000" itemmax:"1e15"`
	}
	cluster struct {
		Policy policy `plan:"policy" words:"fifo,yarn,executors"`
		dag.Cluster
	}
	// policy is a name, or a mapping of order and slots (the ParaTimer paper, section 3.1.1).
	policy struct {
		Name  string
		Slots string         `plan:"slots" words:"separate,containers"`
		Order []dag.OrderKey `plan:"order" min:"1" max:"5"`
	}
	job struct {
		dag.Job
		After  []string `plan:"after,single,null"`
		Limits limits   `plan:"limits" title:"a mapping of the job's own settings"`
		Map    *stage   `plan:"map,required" unless:"stages" fields:"map" title:"a mapping that describes the map tasks"`
		Reduce *stage   `plan:"reduce,null" fields:"reduce" title:"a mapping that describes the reduce tasks"`
		Stages []stage  `plan:"stages" min:"1" max:"10000" without:"map,reduce" fields:"stages"`
	}
	limits struct {
		AMMemory int `plan:"am_memory,MB"`
		dag.MapReduceLimits
	}
	// stage is a stage of any job. A reduce has three pipelines, or records and cost of the last one. Edge is one word
	// for all inputs, or one for each.
	stage struct {
		Name      string         `plan:"name,required"`
		After     []string       `plan:"after,single,null"`
		Edge      []dag.EdgeKind `plan:"edge,single"`
		SlowStart float64        `plan:"slow_start,optional" max:"1"`
		FullStart float64        `plan:"full_start" max:"1"`
		Tasks     int            `plan:"tasks,required,null"`
		dag.Pipeline
		Copy   *dag.Pipeline `plan:"copy"`
		Sort   *dag.Pipeline `plan:"sort"`
		Reduce *dag.Pipeline `plan:"reduce" without:"records,cost"`
		Keys   *keys         `plan:"keys" without:"records,cost,copy,sort,reduce,bytes,groups"`
		dag.Stage
	}
)

const maxDrawn = 1_000_000 // keys and tasks with keys, of all jobs of a file

// keys describes the drawing of groups. Write writes the drawn groups instead.
type keys struct {
	Values     float64 `plan:"values,required" min:"1" max:"1000000000000"`
	Distinct   int     `plan:"distinct,required" min:"1" max:"1000000"`
	Zipf       float64 `plan:"zipf" max:"10"`
	ValueBytes float64 `plan:"value_bytes" default:"10" min:"1" max:"1000000"`
	Cost       keyCost `plan:"cost,required"`
	Seed       int     `plan:"seed"`
}

// keyCost is the time of a group.
type keyCost struct {
	Fixed float64 `plan:"fixed,ms"`
	Per   float64 `plan:"per,required,ms"`
	Power float64 `plan:"power" default:"1" max:"10"`
}

// draw sets the key groups of p's tasks, and the records, costs and bytes that follow from them. Each key has a whole
// number of values, at least one. The number of drawn keys and tasks is subtracted from budget. k may be nil.
func (k *keys) draw(p *dag.Stage, budget *int) error {
	if k == nil {
		return nil
	}
	if p.Count() == 0 {
		return errors.New("keys are drawn for tasks: give the number of tasks, at least 1")
	}
	if n := p.Tasks + k.Distinct; n > *budget {
		return fmt.Errorf("this stage has %d keys and tasks, more than what is left of %d for a plan: draw fewer", n, maxDrawn)
	} else {
		*budget -= n
	}
	cost := k.Cost.at
	if whole := cost(k.Values); math.IsInf(whole, 0) || whole > float64(dag.MaxLength.Milliseconds()) {
		return fmt.Errorf("one group with all values would take %.3g years: give keys a smaller cost",
			whole/365/24/3600/1000)
	}
	width := k.ValueBytes
	counts := make([]map[float64]float64, p.Tasks) // number of groups, by values
	tops := make([][]dag.KeyGroup, p.Tasks)
	chance := rand.New(rand.NewPCG(uint64(k.Seed), 0))
	for rank, values := range k.zipf() {
		task := chance.IntN(p.Tasks)
		if counts[task] == nil {
			counts[task] = map[float64]float64{}
		}
		counts[task][values]++
		if len(tops[task]) < dag.MaxTopGroups { // largest keys come first
			tops[task] = append(tops[task], dag.KeyGroup{Key: fmt.Sprintf("key-%d", rank+1), Bytes: values * width})
		}
	}
	g := &dag.Groups{Origin: dag.GroupsComplete}
	records, alpha, bytes := make([]float64, p.Tasks), make([]float64, p.Tasks), make([]float64, p.Tasks)
	for i := range p.Tasks {
		r := dag.NoReduceGroups()
		r.Implicit, r.Top = 0, tops[i]
		work := 0.0
		for _, values := range slices.Sorted(maps.Keys(counts[i])) {
			n, ms := counts[i][values], cost(values)
			r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: values * width, Count: n})
			r.Done = append(r.Done, dag.GroupPoint{
				At: dag.NoInstant, Bytes: values * width,
				Took: time.Duration(math.Round(ms * 1e6)), Count: n,
			})
			records[i] += n * values
			work += n * ms
		}
		bytes[i] = records[i] * width
		if r.Bytes = bytes[i]; records[i] > 0 {
			alpha[i] = work / records[i]
		}
		g.Reduces = append(g.Reduces, r)
	}
	work := dag.Pipeline{Tuples: dag.Each(records), Alpha: dag.Each(alpha)}
	p.Pipelines = []dag.Pipeline{*free(&work), *free(&work), work}
	p.Bytes, p.Groups = dag.Each(bytes), g
	return nil
}

// zipf returns how many values each key has, largest first.
func (k *keys) zipf() []float64 {
	v := make([]float64, k.Distinct)
	sum := 0.0
	for r := range v {
		v[r] = math.Pow(float64(r+1), -k.Zipf)
		sum += v[r]
	}
	for r := range v {
		v[r] = max(1, math.Round(k.Values*v[r]/sum))
	}
	return v
}

// at returns the time of a group with the given number of values, in milliseconds.
func (c *keyCost) at(values float64) float64 { return c.Fixed + c.Per*math.Pow(values, c.Power) }
