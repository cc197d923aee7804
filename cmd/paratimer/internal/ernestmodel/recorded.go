package ernestmodel

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
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
	for j := range profile.Jobs {
		job := &profile.Jobs[j]
		for i := range job.Stages {
			tasks := job.Stages[i].Count()
			if tasks == 0 {
				continue
			}
			n := atOnce(profile, job, dag.StageIndex(i)) //nolint:gosec // G115: plans have few stages
			if n <= 0 {
				return r, errors.New("how many tasks could run at once is not known")
			}
			r.Machines = max(r.Machines, float64(min(n, tasks)))
		}
	}
	switch {
	case !(seconds > 0):
		return r, errors.New("how long it took is not known")
	case r.Machines == 0:
		return r, errors.New("no task of it is known")
	case math.IsNaN(r.Records) && math.IsNaN(r.Bytes):
		return r, errors.New("how much it read is not known")
	}
	return r, nil
}

// atOnce returns how many tasks of a stage can run at once within the limits of the cluster and the job; 0 if
// unknown.
func atOnce(plan *dag.Plan, job *dag.Job, k dag.StageIndex) int {
	c, l := &plan.Cluster, &job.MapReduce
	if c.Policy == dag.Executors {
		return c.Cores
	}
	if c.Policy == dag.FIFO {
		if k == dag.Map {
			return c.MapSlots
		}
		return c.ReduceSlots
	}
	pool, task, most := c.MemoryMB, l.MapMB, l.MaxMaps
	if k == dag.Reduce {
		task, most = l.ReduceMB, l.MaxReduces
	}
	if c.QueueMB > 0 && c.QueueMB < pool {
		pool = c.QueueMB
	}
	n := most
	if pool > 0 && task > 0 {
		n = max(1, (pool-job.MasterMB)/task)
		if most > 0 {
			n = min(n, most)
		}
	}
	return n
}

// input returns how many records and bytes the first jobs read; NaN unless it is known for every task and more than 0.
func input(plan *dag.Plan) (records, bytes float64) {
	for j := range plan.Jobs {
		job := &plan.Jobs[j]
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
	return known(records), known(bytes)
}

// known returns a size, or NaN if it is not a finite number above 0.
func known(size float64) float64 {
	if !(size > 0) || math.IsInf(size, 0) {
		return math.NaN()
	}
	return size
}

// A Table is training data.
type Table struct {
	Runs []Run
	Unit string // of the inputs: records or bytes
	Left []Run  // runs with input known in the other unit only
}

// NewTable takes the runs by their inputs in records, or in bytes if more runs have these.
func NewTable(runs []Run) (t Table) {
	for _, unit := range []string{"records", "bytes"} {
		u := Table{Unit: unit}
		for _, r := range runs {
			if math.IsNaN(u.input(r)) {
				u.Left = append(u.Left, r)
			} else {
				u.Runs = append(u.Runs, r)
			}
		}
		if t.Unit == "" || len(u.Runs) > len(t.Runs) {
			t = u
		}
	}
	return t
}

func (t *Table) input(r Run) float64 {
	if t.Unit == "bytes" {
		return r.Bytes
	}
	return r.Records
}

// Write writes a CSV that ReadRuns reads: machines, scale, seconds and the run's name. Scale 1 is the largest input.
func (t *Table) Write(w io.Writer) error {
	most := 0.0
	for _, r := range t.Runs {
		most = max(most, t.input(r))
	}
	if _, err := fmt.Fprintf(w, "# scale 1 is %s %s\n", units.Digits(most), t.Unit); err != nil {
		return err
	}
	rows := [][]string{{"machines", "scale", "seconds", "run"}}
	for _, r := range t.Runs {
		// some readers cannot parse a quote in a field
		name := strings.ReplaceAll(view.Escape(r.Name), `"`, "'")
		rows = append(rows, []string{
			units.Digits(r.Machines), units.Digits(t.input(r) / most), units.Digits(r.Seconds), name,
		})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
