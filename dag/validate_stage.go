package dag

import (
	"fmt"
	"math"
)

// fieldOf returns the field of plan files that contains a stage.
func fieldOf(job *Job, k StageIndex) string {
	if job.IsMapReduce() {
		return job.Stages[k].Name
	}
	return fmt.Sprintf("stages[%d]", k)
}

// pipelineNames are the names in plan files of the pipelines of a stage that has several.
var pipelineNames = [...]string{Copy: ".copy", Sort: ".sort", Work: ".reduce"}

func (f *faults) stage(j int, k StageIndex) {
	f.edges(j, k)
	f.groups(j, k)
	p := &f.p.Jobs[j].Stages[k]
	name := fieldOf(&f.p.Jobs[j], k)
	if p.Known {
		f.number(ofJob(f.p, j, name+".tasks", -1), float64(p.Tasks), 0, MaxTasks, "")
	}
	switch n := len(p.Pipelines); {
	case n > 1 && !p.Copies():
		f.add(&ShapeError{
			Place: ofJob(f.p, j, name, -1),
			Why:   fmt.Sprintf("a %s task has one pipeline, this one has %d", p.Name, n),
		})
		return
	case n != 0 && n != Pipelines && p.Copies():
		f.add(&ShapeError{
			Place: ofJob(f.p, j, name, -1),
			Why:   fmt.Sprintf("a %s task has three pipelines, copy, sort and reduce; this one has %d", p.Name, n),
		})
		return
	}
	f.number(ofJob(f.p, j, name+".memory", -1), float64(p.MemoryMB), 0, MaxMemory, "MB")
	f.number(ofJob(f.p, j, name+".cores", -1), float64(p.Cores), 0, MaxSlots, "")
	f.number(ofJob(f.p, j, name+".max_running", -1), float64(p.MaxRunning), 0, math.MaxInt32, "")
	most := float64(MaxLength.Milliseconds())
	for i := range p.Pipelines {
		at := name
		if p.Copies() {
			at += pipelineNames[i]
		}
		f.series(j, p, at+".records", &p.Pipelines[i].Tuples, MaxTuples, "")
		f.series(j, p, at+".cost", &p.Pipelines[i].Alpha, most, "ms")
	}
	f.series(j, p, name+".setup", &p.Setup, most, "ms")
	f.series(j, p, name+".out", &p.Out, MaxTuples, "")
	f.series(j, p, name+".bytes", &p.Bytes, 1e18, "")
	f.series(j, p, name+".extent", &p.Extent, most, "ms")
}

// series reports only the first fault of a series: a million bad values are one mistake.
func (f *faults) series(j int, p *Stage, field string, s *Series, high float64, unit string) {
	if s.IsUniform() {
		if s.Known() {
			f.number(ofJob(f.p, j, field, -1), s.At(0), 0, high, unit)
		}
		return
	}
	v := s.Values()
	if p.Known && len(v) != p.Tasks {
		f.add(&ShapeError{
			Place: ofJob(f.p, j, field, -1),
			Why:   fmt.Sprintf("%d values for %d tasks: give one for each task, or one for all", len(v), p.Tasks),
		})
		return
	}
	for i, x := range v {
		if !math.IsNaN(x) && !(x >= 0 && x <= high) {
			f.add(&NumberError{Place: ofJob(f.p, j, field, i), Value: x, Unit: unit, Min: 0, Max: high})
			return
		}
	}
}

// edges checks that the stage reads stages before it, by existing kinds of edges.
func (f *faults) edges(j int, k StageIndex) {
	job := &f.p.Jobs[j]
	for i, e := range job.Stages[k].After {
		at := ofJob(f.p, j, fieldOf(job, k)+".after", i)
		switch from := e.From; {
		case from < 0 || from >= k:
			f.add(&ShapeError{
				Place: at,
				Why: fmt.Sprintf(
					"is stage number %d, which does not come before the stage itself: list a stage after those that it reads", from),
			})
		case e.Kind > Broadcast:
			f.add(&ShapeError{Place: at, Why: fmt.Sprintf("there is no kind of edge %v", e.Kind)})
		case e.Kind == OneToOne && job.Stages[from].Known && job.Stages[k].Known &&
			job.Stages[from].Tasks != job.Stages[k].Tasks:
			f.add(&ShapeError{Place: at, Why: fmt.Sprintf("%d tasks read %d tasks one to one: give both stages as many",
				job.Stages[k].Tasks, job.Stages[from].Tasks)})
		}
		f.number(at, e.Ratio, 0, 1, "")
	}
}
