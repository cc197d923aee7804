package planfile

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
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
		return errors.New("keys are drawn for tasks: say how many tasks there are, at least 1")
	}
	if n := p.Tasks + k.Distinct; n > *budget {
		return fmt.Errorf("keys and their tasks are %d more, and there may be %d in a plan: draw fewer", n, maxDrawn)
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
