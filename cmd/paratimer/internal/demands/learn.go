package demands

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// explained is the least fraction of a task's time that its demands should explain. Below it the task waited for
// something without a counter: pacing, start-up, a queue.
const explained = 0.5

// learnJob creates a job from its tasks that succeeded.
func learnJob(name string, t [2][]task, o Options) (jobfile.Job, jobfile.JobComments, []string) {
	maps, reduces := t[dag.Map], t[dag.Reduce]
	j := jobfile.Job{Name: name, Copies: 1, Maps: len(maps), Reduces: len(reduces)}
	var why jobfile.JobComments
	var warnings []string
	j.Map, why.Map = demandOf(maps, o, func(t *task) float64 {
		return sum(t.used.Read, t.used.Written, t.used.FileRead,
			t.used.FileWritten)
	})
	doubt(&warnings, name, "maps", &why.Map, maps, j.Map)
	if len(reduces) == 0 {
		return j, why, warnings
	}
	j.Merge, why.Merge = demandOf(reduces, o,
		func(t *task) float64 { return sum(t.used.Read, t.used.Written, t.used.FileRead, t.used.FileWritten) })
	doubt(&warnings, name, "reduces", &why.Merge, reduces, j.Merge)
	why.Merge = append(why.Merge,
		"All of a reduce's CPU is counted here: its counters do not tell shuffle and merge apart.")
	if shuffled := mean(reduces,
		func(t *task) float64 { return sum(t.used.Shuffled, unused(t.used.Shuffled, t.moved)) }); shuffled > 0 {
		one := shuffled / float64(len(maps)) // per map
		j.Shuffle = jobfile.Demand{Disk: one / o.Disk.Bytes(), Network: one / o.Network.Bytes()}
		why.Shuffle = []string{fmt.Sprintf("%s of each map for each reduce, read once and sent once", units.Bytes(one))}
	}
	return j, why, warnings
}

// unused returns other if v is unknown, else NaN.
func unused(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return math.NaN()
}

// demandOf returns the mean usage of tasks of one kind.
func demandOf(tasks []task, o Options, disk func(*task) float64) (jobfile.Demand, []string) {
	var d jobfile.Demand
	var why []string
	moved := mean(tasks, disk)
	if math.IsNaN(moved) {
		moved = mean(tasks, func(t *task) float64 { return t.moved })
	}
	if moved > 0 {
		d.Disk = moved / o.Disk.Bytes()
		why = append(why, "disk: "+units.Bytes(moved)+" read and written")
	}
	if remote := mean(tasks, func(t *task) float64 { return t.used.Remote }); remote > 0 {
		d.Network = remote / o.Network.Bytes()
		why = append(why, "network: "+units.Bytes(remote)+" of another file system")
	}
	took := mean(tasks, func(t *task) float64 { return t.seconds })
	if cpu := mean(tasks, func(t *task) float64 { return t.used.CPU }); !math.IsNaN(cpu) {
		d.CPU = round(cpu + o.Start)
		why = append(why, fmt.Sprintf("cpu: measured (CPU_MILLISECONDS), mean of %d", len(tasks)))
	} else if took > 0 {
		d.CPU = round(max(0, took-d.Disk-d.Network))
		why = append(why, fmt.Sprintf(
			"cpu: assumed: no counter of it is here, so the rest of the %s that a task took, waiting included",
			units.Seconds(took)))
	}
	if o.Waiting && took > d.Total() {
		why = append(why, fmt.Sprintf(
			"cpu: %s of it are waiting: what the counters do not explain of the %s that a task took", units.Seconds(
				took-d.Total()), units.Seconds(took)))
		d.CPU = round(d.CPU + took - d.Total())
	}
	d.Disk, d.Network = round(d.Disk), round(d.Network)
	return d, why
}

// doubt adds a warning if the demands explain little of the tasks' time.
func doubt(warnings *[]string, name, what string, why *[]string, tasks []task, d jobfile.Demand) {
	took := mean(tasks, func(t *task) float64 { return t.seconds })
	if !(took > 0) {
		return
	}
	text := fmt.Sprintf("They took %s in the mean.", units.Seconds(took))
	if share := d.Total() / took; share < 0.995 {
		text = fmt.Sprintf("They took %s in the mean, of which this is %s; the rest is waiting that no counter tells.",
			units.Seconds(took), units.Percent(share))
	}
	*why = append(*why, text)
	if d.Total() < explained*took {
		*warnings = append(*warnings,
			fmt.Sprintf("%s: its %s took %s in the mean, their counters account for %s: what they waited for is not in the file, and a model will be short by it",
				name, what, units.Seconds(took), units.Seconds(d.Total())))
	}
}

// round rounds to microseconds: no counter is finer.
func round(seconds float64) float64 { return math.Round(seconds*1e6) / 1e6 }
