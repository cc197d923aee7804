package training

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// A JobRun is a recorded run of MapReduce jobs.
type JobRun struct {
	File string // for display
	End  *dag.Snapshot
	// Used has the tasks' counters; nil if the recording has none.
	Used mapreduce.Used
}

// JobOptions are values that a recording does not have.
type JobOptions struct {
	Disk, Network Rate // of a node's disk, and of the network
	// Waiting counts unexplained time as CPU. With enough CPUs, a model then gives a task this time whatever else
	// runs.
	Waiting bool
}

// shuffleThreads is the default of Hadoop's mapreduce.reduce.shuffle.parallelcopies.
const shuffleThreads = 5

// ErrNothing means that no job of the runs has a map that succeeded.
var ErrNothing = errors.New("no job in it has a map that succeeded: there is nothing to learn")

// ErrEngine means that a run is not MapReduce. The model covers only MapReduce tasks.
var ErrEngine = errors.New("it is no run of MapReduce jobs: demands come from their maps and reduces")

// LearnJobs returns a job file of runs, with comments, and warnings. The errors include ErrNothing and ErrEngine.
func LearnJobs(runs []JobRun, o JobOptions) (f *JobFile, warnings []string, err error) {
	f = &JobFile{Spec: queueing.Spec{ShuffleThreads: shuffleThreads, Disks: 1}}
	var spans []dag.JobState
	from := map[string]string{}
	for _, run := range runs {
		s := run.End
		if !s.Plan.OnlyMapReduce() {
			return nil, nil, ErrEngine
		}
		if f.Name == "" {
			f.Name = printable(s.Plan.Name)
		}
		nodes, peak := clusterOf(s)
		f.Nodes = max(f.Nodes, nodes)
		f.MapSlots, f.ReduceSlots = max(f.MapSlots, peak[dag.Map]), max(f.ReduceSlots, peak[dag.Reduce])
		for i := range s.Jobs {
			t, number := tasksOf(&run, i), fmt.Sprintf("job %d", i+1)
			name := cmp.Or(printable(s.Plan.Jobs[i].Node), printable(s.Jobs[i].ID), number)
			before, twice := from[name]
			switch {
			case len(t[dag.Map]) == 0 && s.Jobs[i].ID != "":
				warnings = append(warnings, fmt.Sprintf("%s: %s is left out: no map of it succeeded", run.File, name))
				continue
			case len(t[dag.Map]) == 0:
				continue
			case twice:
				return nil, nil, fmt.Errorf("%s and %s both have a job %q: give one run of it", before, run.File, name)
			}
			from[name] = run.File
			j, doubts := learnJob(name, t, o)
			f.Jobs, warnings = append(f.Jobs, j), append(warnings, doubts...)
			spans = append(spans, s.Jobs[i])
		}
	}
	if len(f.Jobs) == 0 {
		return nil, nil, ErrNothing
	}
	f.Nodes, f.MapSlots, f.ReduceSlots = max(1, f.Nodes), max(1, f.MapSlots), max(1, f.ReduceSlots)
	f.CPUs = f.MapSlots
	if o.Waiting {
		f.CPUs += f.ReduceSlots
	}
	f.Comments = heading(runs, f, o)
	for i := range spans { // a job file implies that its jobs run at once
		for k := range spans[:i] {
			a, b := &spans[k], &spans[i]
			known := a.Submitted.Known() && a.Finished.Known() && b.Submitted.Known() && b.Finished.Known()
			if known && (a.Submitted >= b.Finished || b.Submitted >= a.Finished) {
				return f, append(warnings, fmt.Sprintf(
					"%s and %s did not run at once, as the jobs of a job file do: model them apart, with --only",
					f.Jobs[k].Name, f.Jobs[i].Name)), nil
			}
		}
	}
	return f, warnings, nil
}

func heading(runs []JobRun, f *JobFile, o JobOptions) []string {
	lines := []string{"Learned from the counters of"}
	for _, r := range runs {
		lines = append(lines, "  "+r.File)
	}
	cpus := "CPUs are assumed: no recording has them. As many as a node ran maps at once."
	if o.Waiting {
		cpus = "CPUs are as many as tasks that a node runs at once: waiting, which is counted as CPU, takes none from another."
	}
	return append(
		lines,
		fmt.Sprintf("Disk is assumed to move %s, the network %s; bytes over these rates are the demands.", o.Disk.Text,
			o.Network.Text),
		cpus,
		fmt.Sprintf("Map and reduce slots are the most that a node ran at once; that a reduce takes %d map outputs at once is assumed.", f.ShuffleThreads),
		"A reduce's CPU is counted in merge: its counters do not separate shuffle and merge.",
	)
}

// printable makes a foreign name valid in a job file.
func printable(s string) string {
	s = strings.TrimSpace(strings.Map(shown, s))
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// shown returns a rune, or a space if it cannot be printed.
func shown(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// explained is the least fraction of a task's time that its demands should explain. Below it the task waited for
// something without a counter: pacing, start-up, a queue.
const explained = 0.5

// learnJob creates a job from its tasks that succeeded.
func learnJob(name string, t [2][]task, o JobOptions) (j queueing.Job, doubts []string) {
	maps, reduces := t[dag.Map], t[dag.Reduce]
	j = queueing.Job{
		Name: name, Copies: 1, Maps: len(maps), Reduces: len(reduces),
		Map: demandOf(maps, o), Merge: demandOf(reduces, o),
	}
	if shuffled := mean(reduces, func(t *task) float64 { return other(t.used.Shuffled, t.moved) }); shuffled > 0 {
		one := shuffled / float64(len(maps)) // of each map for each reduce, read once and sent once
		j.Shuffle = queueing.Demand{Disk: one / o.Disk.Bytes, Network: one / o.Network.Bytes}
	}
	for _, k := range []struct {
		what  string
		tasks []task
		of    queueing.Demand
	}{{"maps", maps, j.Map}, {"reduces", reduces, j.Merge}} {
		if took := mean(k.tasks, func(t *task) float64 { return t.seconds }); k.of.Total() < explained*took {
			doubts = append(doubts, fmt.Sprintf("%s: its %s took %s in the mean, their counters account for %s: "+
				"the file lacks their waits, so a model predicts too little", name, k.what,
				units.Seconds(took), units.Seconds(k.of.Total())))
		}
	}
	return j, doubts
}

// demandOf returns the mean usage of tasks of one kind. Without a counter of CPU, it is the rest of their time.
func demandOf(tasks []task, o JobOptions) (d queueing.Demand) {
	moved := mean(tasks, func(t *task) float64 {
		return sum(t.used.Read, t.used.Written, t.used.FileRead, t.used.FileWritten)
	})
	if moved = other(moved, mean(tasks, func(t *task) float64 { return t.moved })); moved > 0 {
		d.Disk = moved / o.Disk.Bytes
	}
	if remote := mean(tasks, func(t *task) float64 { return t.used.Remote }); remote > 0 {
		d.Network = remote / o.Network.Bytes
	}
	took := mean(tasks, func(t *task) float64 { return t.seconds })
	if cpu := mean(tasks, func(t *task) float64 { return t.used.CPU }); !math.IsNaN(cpu) {
		d.CPU = cpu
	} else if took > 0 {
		d.CPU = max(0, took-d.Disk-d.Network)
	}
	if o.Waiting && took > d.Total() {
		d.CPU += took - d.Total()
	}
	return queueing.Demand{CPU: round(d.CPU), Disk: round(d.Disk), Network: round(d.Network)}
}

// round rounds to microseconds: no counter is finer.
func round(seconds float64) float64 { return math.Round(seconds*1e6) / 1e6 }

// other returns v, or instead if v is unknown (NaN).
func other(v, instead float64) float64 {
	if math.IsNaN(v) {
		return instead
	}
	return v
}

// mean returns the mean of the known values; NaN if there are none.
func mean(tasks []task, of func(*task) float64) float64 {
	known := slices.DeleteFunc(units.Each(tasks, func(t task) float64 { return of(&t) }), math.IsNaN)
	return sum(known...) / float64(len(known))
}

// sum returns the sum of the known values; NaN if there are none.
func sum(values ...float64) float64 {
	s := math.NaN()
	for _, v := range values {
		if !math.IsNaN(v) {
			s = other(s, 0) + v
		}
	}
	return s
}
