package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// defaultMaster is Hadoop's default memory of an application master, in MB.
const defaultMaster = 1536

// noEnd is the diagnosis of an attempt that has no known end.
const noEnd = "the history has no end of it"

// settle puts a job's parts into order, and completes them by what its configuration does not contain. Settling twice
// changes nothing.
func (j *Job) settle() {
	j.submitEarlier()
	slices.SortStableFunc(j.Masters, func(a, b Master) int { return cmp.Compare(a.At, b.At) })
	l := &j.Settings.Limits
	l.MapMB, l.ReduceMB = cmp.Or(j.MapMB, l.MapMB), cmp.Or(j.ReduceMB, l.ReduceMB)
	if !j.Configured && j.MapMB > 0 {
		// Containers are multiples of the smallest allocation, and a map's container is one such multiple.
		step := min(j.MapMB, 1024)
		j.Settings.MasterMB = (defaultMaster + step - 1) / step * step
	}
	if j.Uber { // tasks run one after another in the master's container
		l.MaxMaps, l.MaxReduces, l.SlowStart = 1, 1, 1
	}
	j.Maps, j.Attempts[dag.Map] = fitting(j.Maps, j.Attempts[dag.Map])
	j.Reduces, j.Attempts[dag.Reduce] = fitting(j.Reduces, j.Attempts[dag.Reduce])
	for _, list := range j.Attempts {
		slices.SortStableFunc(list, func(a, b *Attempt) int {
			return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
		})
	}
	for _, a := range j.all() {
		if !a.End.Known() && j.Finished.Known() && a.Start.Known() {
			a.State, a.End, a.Diagnosis = dag.AttemptKilled, j.Finished, noEnd
		}
		if a.End.Known() {
			a.End = max(a.End, a.Start)
		}
		a.course = courseOf(a, j.mapOnly())
		j.saw(a.End, a.Lost)
	}
}

// submitEarlier moves a job's submission to its earliest start if it seems to have been submitted later. The
// submitting client has its own clock.
func (j *Job) submitEarlier() {
	starts := []dag.Instant{j.Launched}
	for _, m := range j.Masters {
		starts = append(starts, m.At)
	}
	for _, a := range j.all() {
		starts = append(starts, a.Start)
	}
	first := j.Submitted
	for _, at := range starts {
		if at.Known() {
			first = min(first, at)
		}
	}
	if late := j.Submitted.Sub(first); late > time.Second {
		j.Clocks = append(j.Clocks, fmt.Sprintf("its submission is %s later than its start, by another clock: "+
			"ParaTimer takes the start for it", units.Exact(late)))
	}
	j.Submitted = first
}

// mostUnlisted bounds the tasks that a history announces without listing an attempt. A job that was killed early has
// some such tasks. A larger number is an error in the history, and the replay of all of them would be slow.
const mostUnlisted = 20_000

// fitting raises the size of a phase to what its attempts show. Some histories announce fewer tasks than ran, as one
// of Hadoop's own tests does. An attempt of a task far beyond the size is an error in the history.
func fitting(tasks int, attempts []*Attempt) (int, []*Attempt) {
	if tasks > mostUnlisted+len(attempts) {
		tasks = 0
	}
	most := tasks + len(attempts)
	attempts = slices.DeleteFunc(attempts, func(a *Attempt) bool { return a.Task < 0 || int(a.Task) >= most })
	for _, a := range attempts {
		tasks = max(tasks, int(a.Task)+1)
	}
	return tasks, attempts
}
