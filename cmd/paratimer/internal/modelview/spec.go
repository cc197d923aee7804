package modelview

import (
	"errors"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/adapters/jobfile"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// SpecOf is what a job file asks the models.
func SpecOf(f *jobfile.File) *queueing.Spec {
	s := &queueing.Spec{
		Nodes: f.Cluster.Nodes, CPUs: f.Cluster.CPUs, Disks: f.Cluster.Disks, MapSlots: f.Cluster.MapSlots,
		ReduceSlots: f.Cluster.ReduceSlots, ShuffleThreads: f.Cluster.ShuffleThreads,
	}
	for _, j := range f.Jobs {
		s.Jobs = append(s.Jobs, queueing.Job{
			Name: j.Name, Copies: j.Copies, Maps: j.Maps, Reduces: j.Reduces,
			Map: demandOf(j.Map), Shuffle: demandOf(j.Shuffle), Merge: demandOf(j.Merge),
		})
	}
	return s
}

// Only keeps the jobs of these names; all of them where none is given.
func Only(jobs []queueing.Job, names []string) ([]queueing.Job, error) {
	if len(names) == 0 {
		return jobs, nil
	}
	var out []queueing.Job
	for _, name := range names {
		if !slices.ContainsFunc(jobs, func(j queueing.Job) bool { return j.Name == name }) {
			return nil, fmt.Errorf("there is no job %q in the file", name)
		}
	}
	for _, j := range jobs {
		if slices.Contains(names, j.Name) {
			out = append(out, j)
		}
	}
	return out, nil
}

func demandOf(d jobfile.Demand) queueing.Demand {
	return queueing.Demand{CPU: d.CPU, Fibre: d.Fibre, Disk: d.Disk, Network: d.Network}
}

// maxAdvised is how many jobs a Spec may have for improvements to be tried, each of which solves it again.
const maxAdvised = 10

// Advice looks for improvements by the model of the first answer, or by the product model where that is the simulation,
// with the options that the answers were found with.
func (v *View) Advice(o queueing.Options) []Improvement {
	if len(v.Answers) == 0 || len(v.Spec.Jobs) > maxAdvised {
		return nil
	}
	m, err := queueing.ParseModel(v.Answers[0].Model)
	before := v.Answers[0].Result
	if err != nil { // the simulation, which would take long
		m = queueing.Product
		if before, err = queueing.Solve(v.Spec, m, o); err != nil {
			return nil
		}
	}
	if !before.Converged {
		return nil
	}
	return Improvements(v.Spec, before, func(s *queueing.Spec) (*queueing.Result, error) {
		return queueing.Solve(s, m, o)
	})
}

// Unsettled is an error where no answer converged: what was shown is where the iteration stood.
func (v *View) Unsettled() error {
	for i := range v.Answers {
		if v.Answers[i].Converged() {
			return nil
		}
	}
	return fmt.Errorf("%s: %s; the figures are where it stood", v.Answers[0].Model, v.Answers[0].Doubt())
}

// Nothing is the first error of a grid in which no cell has an answer.
func (g *Grid) Nothing() error {
	for i := range g.Cells {
		if g.Cells[i].Err == nil {
			return nil
		}
	}
	if len(g.Cells) == 0 {
		return errors.New("it has no point")
	}
	return g.Cells[0].Err
}
