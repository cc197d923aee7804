package dag

import (
	"fmt"
	"math"
)

// pipelineFields are where plan files keep the pipelines of a phase.
var pipelineFields = [...][]string{Map: {"map"}, Reduce: {"reduce.copy", "reduce.sort", "reduce.reduce"}}

func (f *faults) phase(j int, k Kind) {
	f.groups(j, k)
	p, name := f.p.Jobs[j].Phase(k), k.String()
	if p.Known {
		f.number(ofJob(f.p, j, name+".tasks", -1), float64(p.Tasks), 0, MaxTasks, "")
	}
	if k == Map && len(p.Pipelines) > 1 {
		f.add(&ShapeError{Place: ofJob(f.p, j, name, -1), Why: fmt.Sprintf("a map task has one pipeline, this one has %d", len(p.Pipelines))})
		return
	}
	if n := len(p.Pipelines); k == Reduce && n != 0 && n != Pipelines {
		f.add(&ShapeError{Place: ofJob(f.p, j, name, -1), Why: fmt.Sprintf("a reduce task has three pipelines, copy, sort and reduce; this one has %d", n)})
		return
	}
	most := float64(MaxLength.Milliseconds())
	for i := range p.Pipelines {
		at := pipelineFields[k][i]
		f.series(j, p, at+".records", &p.Pipelines[i].Tuples, MaxTuples, "")
		f.series(j, p, at+".cost", &p.Pipelines[i].Alpha, most, "ms")
	}
	f.series(j, p, name+".setup", &p.Setup, most, "ms")
	f.series(j, p, name+".out", &p.Out, MaxTuples, "")
	f.series(j, p, name+".bytes", &p.Bytes, 1e18, "")
	f.series(j, p, name+".extent", &p.Extent, most, "ms")
}

// series reports the first fault of a series: a million bad values are one mistake.
func (f *faults) series(j int, p *Phase, field string, s *Series, high float64, unit string) {
	if s.IsUniform() {
		if s.Known() {
			f.number(ofJob(f.p, j, field, -1), s.At(0), 0, high, unit)
		}
		return
	}
	v := s.Values()
	if p.Known && len(v) != p.Tasks {
		f.add(&ShapeError{Place: ofJob(f.p, j, field, -1), Why: fmt.Sprintf("%d values for %d tasks: give one for each task, or one for all", len(v), p.Tasks)})
		return
	}
	for i, x := range v {
		if !math.IsNaN(x) && !(x >= 0 && x <= high) {
			f.add(&NumberError{Place: ofJob(f.p, j, field, i), Value: x, Unit: unit, Min: 0, Max: high})
			return
		}
	}
}
