// Package demands learns the resource demands of finished jobs' tasks: CPU time from their counters; disk and
// network time as bytes divided by given rates. Comments in the file list the assumptions.
package demands

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/dag"
)

// A Run is a recorded run.
type Run struct {
	File string // for display
	End  *dag.Snapshot
	// Used has the tasks' counters; nil if the recording has none.
	Used mrjob.Used
}

// Options are values that a recording does not have.
type Options struct {
	Disk, Network  Rate // of a node's disk, and of the network
	CPUs           int  // of a node; 0: the most maps that it ran at the same time
	ShuffleThreads int  // of a reduce
	// Start is the CPU time of a task's start, in seconds. Hadoop's counter does not include it, because it begins
	// with the task and not with its JVM.
	Start float64
	// Waiting counts unexplained time as CPU. With enough CPUs, a model then gives a task this time whatever else
	// runs.
	Waiting bool
}

// ErrNothing means that no job of the runs has a map that succeeded.
var ErrNothing = errors.New("no job in it has a map that succeeded: there is nothing to learn")

// ErrEngine means that a run is not MapReduce. The model covers only MapReduce tasks.
var ErrEngine = errors.New("it is no run of MapReduce jobs: demands are learned from their maps and reduces")

// Learn returns a job file of runs, its comments, and warnings. The errors include ErrNothing and ErrEngine.
func Learn(runs []Run, o Options) (*jobfile.File, jobfile.Comments, []string, error) {
	f := &jobfile.File{Cluster: jobfile.Cluster{ShuffleThreads: o.ShuffleThreads}}
	var (
		why      jobfile.Comments
		warnings []string
		spans    []window
		from     = map[string]string{}
	)
	for _, run := range runs {
		s := run.End
		if !s.Plan.OnlyMapReduce() {
			return nil, why, nil, ErrEngine
		}
		if f.Name == "" {
			f.Name = printable(s.Plan.Name)
		}
		seen := clusterOf(s)
		f.Cluster.Nodes = max(f.Cluster.Nodes, seen.nodes)
		f.Cluster.MapSlots = max(f.Cluster.MapSlots, seen.peak[dag.Map])
		f.Cluster.ReduceSlots = max(f.Cluster.ReduceSlots, seen.peak[dag.Reduce])
		for i := range s.Jobs {
			t := tasksOf(&run, i)
			if len(t[dag.Map]) == 0 {
				if s.Jobs[i].ID != "" {
					warnings = append(warnings, fmt.Sprintf("%s: %s is left out: no map of it succeeded", run.File,
						nameOf(s, i)))
				}
				continue
			}
			name := nameOf(s, i)
			if before, twice := from[name]; twice {
				return nil, why, nil, fmt.Errorf("%s and %s both hold a job %q: give one run of it", before, run.File,
					name)
			}
			from[name] = run.File
			j, c, warns := learnJob(name, t, o)
			window := windowOf(s, i)
			c.Job = append([]string{window.text(s, i)}, c.Job...)
			f.Jobs, why.Jobs, spans = append(f.Jobs, j), append(why.Jobs, c), append(spans, window)
			warnings = append(warnings, warns...)
		}
	}
	if len(f.Jobs) == 0 {
		return nil, why, nil, ErrNothing
	}
	why.File = heading(runs, f, o)
	f.Cluster.CPUs, f.Cluster.Disks = o.CPUs, 1
	if o.CPUs == 0 {
		f.Cluster.CPUs = max(1, f.Cluster.MapSlots)
		if o.Waiting {
			f.Cluster.CPUs += f.Cluster.ReduceSlots
		}
	}
	f.Cluster.Nodes, f.Cluster.MapSlots, f.Cluster.ReduceSlots = max(1, f.Cluster.Nodes), max(1, f.Cluster.MapSlots),
		max(1, f.Cluster.ReduceSlots)
	return f, why, append(warnings, apart(f, spans)...), nil
}

func heading(runs []Run, f *jobfile.File, o Options) []string {
	lines := []string{"Learned from the counters of"}
	for i, r := range runs {
		sep := ","
		if i == len(runs)-1 {
			sep = "."
		}
		lines = append(lines, "  "+r.File+sep)
	}
	cpus := fmt.Sprintf("CPUs are given: %d a node.", o.CPUs)
	if o.CPUs == 0 {
		cpus = "CPUs are assumed: no recording tells them. As many as a node ran maps at once."
		if o.Waiting {
			cpus = "CPUs are as many as tasks that a node runs at once, so that waiting, which is counted as CPU, takes none of them from another."
		}
	}
	if o.Start > 0 {
		cpus += fmt.Sprintf(" A task's start is given %g s of CPU beside what is measured.", o.Start)
	}
	return append(
		lines,
		fmt.Sprintf("Disk is assumed to move %s, the network %s; bytes over these rates are the demands.", o.Disk,
			o.Network),
		cpus,
		fmt.Sprintf("Map and reduce slots are the most that a node ran at once; that a reduce takes %d map outputs at once is assumed.", f.Cluster.ShuffleThreads),
	)
}

// nameOf returns a job's name, which is unique in its workflow.
func nameOf(s *dag.Snapshot, i int) string {
	name := s.Plan.Jobs[i].Node
	if name == "" {
		name = s.Jobs[i].ID
	}
	if name = printable(name); name == "" {
		name = fmt.Sprintf("job %d", i+1)
	}
	return name
}

// apart warns about jobs that did not run at the same time, since a job file implies that they do.
func apart(f *jobfile.File, spans []window) []string {
	for i := range spans {
		for k := range spans[:i] {
			if !spans[k].overlaps(spans[i]) {
				return []string{fmt.Sprintf(
					"%s and %s did not run at once, as the jobs of a job file do: model them apart, with --only",
					f.Jobs[k].Name, f.Jobs[i].Name)}
			}
		}
	}
	return nil
}

// A task is a task that succeeded.
type task struct {
	seconds float64 // time in its slot, for a reduce since it had all map outputs; NaN unknown
	moved   float64 // bytes in the recording: read (map) or shuffled (reduce); NaN unknown
	used    mrjob.Usage
}

func tasksOf(run *Run, job int) (out [2][]task) {
	state := &run.End.Jobs[job]
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		for i := range state.Stages[k].Attempts {
			a := &state.Stages[k].Attempts[i]
			if a.State != dag.AttemptSucceeded {
				continue
			}
			t := task{seconds: math.NaN(), moved: a.Bytes, used: mrjob.UsageOf(nil)}
			begin := a.Start
			if k == dag.Reduce && a.CopyEnd.Known() {
				begin = a.CopyEnd
			}
			if begin.Known() && a.End.Known() && a.End >= begin {
				t.seconds = a.End.Sub(begin).Seconds()
			}
			if run.Used != nil {
				if u, ok := run.Used(state.ID, k, a.Task); ok {
					t.used = u
				}
			}
			out[k] = append(out[k], t)
		}
	}
	return out
}

// mean returns the mean of the known values; NaN if there are none.
func mean(tasks []task, of func(*task) float64) float64 {
	sum, n := 0.0, 0
	for i := range tasks {
		if v := of(&tasks[i]); !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// sum returns the sum of the known values; NaN if there are none.
func sum(values ...float64) float64 {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(known) == 0 {
		return math.NaN()
	}
	s := 0.0
	for _, v := range known {
		s += v
	}
	return s
}
