package modelview

import (
	"errors"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// SpecOf converts a job file to the models' input.
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

// Only returns the jobs with these names; all jobs if no name is given.
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

// maxAdvised is the largest number of jobs for which improvements are computed: each of them solves the Spec again.
const maxAdvised = 10

// Advice computes improvements by the model of the first answer, or by the product model if that is the simulation.
// The options must be those of the answers.
func (v *View) Advice(o queueing.Options) []Improvement {
	if len(v.Answers) == 0 || len(v.Spec.Jobs) > maxAdvised {
		return nil
	}
	m, err := queueing.ParseModel(v.Answers[0].Model)
	before := v.Answers[0].Result
	if err != nil { // the simulation would take too long
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

// Unsettled returns an error if no answer converged: the output is then that of the last iteration.
func (v *View) Unsettled() error {
	for i := range v.Answers {
		if v.Answers[i].Converged() {
			return nil
		}
	}
	return fmt.Errorf("%s: %s; the figures are where it stood", v.Answers[0].Model, v.Answers[0].Doubt())
}

// Nothing returns the first error of a grid without any result.
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
