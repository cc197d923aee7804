package training

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Run is a finished run.
//
// Machines are how many tasks of a stage could run at once: containers or slots, within a job's own limits, and not
// more than there were tasks. A job history does not describe the cluster: then it is what did run at once. On Spark
// it is the cores of the executors. Input is what the maps of the jobs that depend on no other job have read, or the
// stages that read no other stage. Seconds are from the first submission to the end.
type Run struct {
	Name           string
	Machines       float64
	Records, Bytes float64 // of its input; NaN if unknown
	Seconds        float64
}

// RunOf returns the run that a profile was learned from, or an error that says why it is no training data.
func RunOf(name string, profile *dag.Plan, seconds float64) (Run, error) {
	r := Run{Name: name, Seconds: seconds}
	r.Records, r.Bytes = input(profile)
	for _, job := range profile.Jobs {
		for i := range job.Stages {
			tasks := job.Stages[i].Count()
			if tasks == 0 {
				continue
			}
			n := atOnce(profile, &job, dag.StageIndex(i)) //nolint:gosec // G115: plans have few stages
			if n <= 0 {
				return r, errors.New("the number of tasks at once is unknown")
			}
			r.Machines = max(r.Machines, float64(min(n, tasks)))
		}
	}
	switch {
	case !(seconds > 0):
		return r, errors.New("its length is unknown")
	case r.Machines == 0:
		return r, errors.New("none of its tasks is known")
	case math.IsNaN(r.Records) && math.IsNaN(r.Bytes):
		return r, errors.New("the size of its input is unknown")
	}
	return r, nil
}

// atOnce returns how many tasks of a stage can run at once within the limits of the cluster and the job; 0 if
// unknown.
func atOnce(plan *dag.Plan, job *dag.Job, k dag.StageIndex) int {
	c, l := &plan.Cluster, &job.MapReduce
	slots, task, most := c.MapSlots, l.MapMB, l.MaxMaps
	if k == dag.Reduce {
		slots, task, most = c.ReduceSlots, l.ReduceMB, l.MaxReduces
	}
	switch {
	case c.Policy == dag.Executors:
		return c.Cores
	case c.Policy == dag.FIFO:
		return slots
	case c.MemoryMB <= 0 || task <= 0:
		return most
	}
	n := max(1, (c.UsableMB()-job.MasterMB)/task)
	return min(n, cmp.Or(most, n))
}

// input returns how many records and bytes the first jobs read; NaN unless it is known for every task and more than 0.
func input(plan *dag.Plan) (records, bytes float64) {
	for _, job := range plan.Jobs {
		for i := range job.Stages {
			// The maps of a job, or the stages that read no other stage.
			s := &job.Stages[i]
			first := i == 0 || len(s.After) == 0 && !job.IsMapReduce()
			if !first || len(job.After) > 0 || s.Count() == 0 {
				continue
			}
			var tuples dag.Series
			if len(s.Pipelines) > 0 {
				tuples = s.Pipelines[0].Tuples
			}
			records += tuples.Sum(s.Count())
			bytes += s.Bytes.Sum(s.Count())
		}
	}
	return units.Positive(records), units.Positive(bytes)
}

// OfRecorded returns recorded runs as training data, by their inputs in records, or in bytes if more runs have these.
// Scale 1 is the largest input. left are the runs whose input in this unit is unknown.
func OfRecorded(name string, all []Run) (r *Runs, left []Run, unit string) {
	byBytes := func(r Run) float64 { return r.Bytes }
	of, unit := func(r Run) float64 { return r.Records }, "records"
	known := func(of func(Run) float64) int { return len(slices.DeleteFunc(units.Each(all, of), math.IsNaN)) }
	if known(byBytes) > known(of) {
		of, unit = byBytes, "bytes"
	}
	most := 0.0
	r = &Runs{File: name}
	for _, one := range all {
		if size := of(one); math.IsNaN(size) {
			left = append(left, one)
		} else {
			most = max(most, size)
			r.Rows = append(r.Rows, ernest.Row{Machines: one.Machines, Scale: size, Seconds: one.Seconds})
		}
	}
	for i := range r.Rows {
		r.Rows[i].Scale /= most
	}
	return r, left, unit
}
