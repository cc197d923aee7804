package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// DefaultEvery is the time between two snapshots of a short run. A longer run has about MaxTicks snapshots.
const (
	DefaultEvery = time.Second
	MaxTicks     = 3600
)

// A Source replays one workflow. It yields a snapshot each Every from the submission of the first job on, and one at
// the end.
type Source struct {
	workflow *Workflow
	cluster  cluster
	every    time.Duration
	at, last dag.Instant // of the next snapshot, and of the last one
	over     bool
	states   []*state // parallel to the workflow's jobs
	plan     *dag.Plan
	remarks  []dag.Warning // in each snapshot
	left     []string      // omitted nodes: their history is missing
}

// A state is what the previous snapshot showed of a job.
type state struct {
	job    *Job
	shown  [2][]dag.Attempt // parallel to the job's attempts; Number -1: not started
	phases [2][]dag.Attempt // attempts in the previous snapshot
	ended  [2]int           // leading attempts that will not change
}

// NewSource returns a source that replays w. every is the time between snapshots; 0 chooses it automatically.
func NewSource(w *Workflow, every time.Duration) (*Source, error) {
	s := &Source{workflow: w, at: dag.NoInstant, last: dag.NoInstant}
	for _, j := range w.Jobs {
		if !j.Submitted.Known() {
			return nil, errors.New(j.ID + ": its history does not tell when it was submitted")
		}
		j.settle()
		s.states = append(s.states, newState(j))
		if !s.at.Known() || j.Submitted < s.at {
			s.at = j.Submitted
		}
		for _, t := range []dag.Instant{j.Submitted, j.Launched, j.Finished, j.Last} {
			if t.Known() && (!s.last.Known() || t > s.last) {
				s.last = t
			}
		}
	}
	if len(w.Jobs) == 0 {
		return nil, errors.New("there is no job in it")
	}
	s.cluster = clusterOf(w.Jobs)
	s.every = every
	if every <= 0 {
		s.every = max(DefaultEvery, (s.last.Sub(s.at)/MaxTicks + time.Second - 1).Truncate(time.Second))
	}
	if s.every < time.Millisecond {
		s.every = time.Millisecond
	}
	s.leaveOut()
	s.remark()
	return s, nil
}

// AtMost limits the number of snapshots.
func (s *Source) AtMost(n int) { s.every = max(s.every, s.last.Sub(s.at)/time.Duration(n)) }

// defaultMaster is Hadoop's default memory of an application master, in MB.
const defaultMaster = 1536

// submitEarlier moves a job's submission to its earliest start if it seems to have been submitted later. The
// submitting client has its own clock.
func (j *Job) submitEarlier() {
	first := j.Submitted
	earlier := func(at dag.Instant) {
		if at.Known() {
			first = min(first, at)
		}
	}
	earlier(j.Launched)
	for _, m := range j.Masters {
		earlier(m.At)
	}
	for k := range j.Attempts {
		for i := range j.Attempts[k] {
			earlier(j.Attempts[k][i].Start)
		}
	}
	if late := j.Submitted.Sub(first); late > time.Second {
		j.Clocks = append(j.Clocks, fmt.Sprintf("its submission is %s later than its start, by another clock: "+
			"ParaTimer takes the start for it", units.Exact(late)))
	}
	j.Submitted = first
}

// settle puts a job's parts into order. It is called once.
func (j *Job) settle() {
	j.submitEarlier()
	slices.SortStableFunc(j.Masters, func(a, b Master) int { return cmp.Compare(a.At, b.At) })
	l := &j.Settings.Limits
	if j.MapMB > 0 {
		l.MapMB = j.MapMB
	}
	if j.ReduceMB > 0 {
		l.ReduceMB = j.ReduceMB
	}
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
	for k := range j.Attempts {
		list := j.Attempts[k]
		slices.SortStableFunc(list, func(a, b Attempt) int {
			return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
		})
		for i := range list {
			a := &list[i]
			if !a.End.Known() && j.Finished.Known() && a.Start.Known() {
				a.State, a.End, a.Diagnosis = dag.AttemptKilled, max(a.Start, j.Finished),
					"the history has no end of it"
			}
			if a.End.Known() && a.Start.Known() && a.End < a.Start {
				a.End = a.Start
			}
			a.course = courseOf(a, dag.StageIndex(k), j.Sized && j.Reduces == 0)
			j.Saw(a.End)
			j.Saw(a.Lost)
		}
	}
}

// mostUnlisted bounds the tasks that a history announces without listing an attempt. A job that was killed early has
// some such tasks. A larger number is an error in the history, and the replay of all of them would be slow.
const mostUnlisted = 20_000

// fitting raises the size of a phase to what its attempts show. Some histories announce fewer tasks than ran, as one
// of Hadoop's own tests does. An attempt of a task far beyond the size is an error in the history.
func fitting(tasks int, attempts []Attempt) (int, []Attempt) {
	if tasks > mostUnlisted+len(attempts) {
		tasks = 0
	}
	most := tasks + len(attempts)
	attempts = slices.DeleteFunc(attempts, func(a Attempt) bool { return a.Task < 0 || int(a.Task) >= most })
	for i := range attempts {
		tasks = max(tasks, int(attempts[i].Task)+1)
	}
	return tasks, attempts
}

// Next returns the next snapshot, io.EOF after the last.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.over {
		return nil, io.EOF
	}
	t := min(s.at, s.last)
	s.over = t == s.last
	s.at = t.Add(s.every)
	return s.snapshot(t), nil
}

// leaveOut finds nodes of the workflow graph that should have run but have no history.
func (s *Source) leaveOut() {
	members := make([]mrjob.Member, len(s.workflow.Jobs))
	for i, j := range s.workflow.Jobs {
		members[i] = mrjob.Member{Job: j.ID, Settings: &j.Settings, State: j.State}
	}
	vertices := mrjob.GraphOf(members).Vertices
	stopped := make([]bool, len(vertices))
	for i, v := range vertices {
		for _, a := range v.After {
			stopped[i] = stopped[i] || stopped[a]
		}
		switch {
		case v.Member >= 0:
			stopped[i] = stopped[i] || s.workflow.Jobs[v.Member].State != dag.Succeeded
		case !stopped[i]:
			s.left = append(s.left, v.Node)
		}
	}
}
