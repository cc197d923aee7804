package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Limits of the replays that search for the worst failure, and of the tasks in all of them together. The longest and
// the last task represent a stage, because its tasks are similar.
const (
	mostTries = 48
	leastTry  = 4
	tasksTry  = 2_000_000
)

// tries returns how many replays may search for the worst failure.
func (w *clusterState) tries() int {
	return min(max(tasksTry/max(w.tasks(), 1), leastTry), mostTries)
}

// fail returns the state in which a failure happens, and a description of it. Of the possible failures it takes the
// one that delays the end most. The state is nil if the query would never end.
func (w *clusterState) fail(f Failure) (failed *clusterState, note string, err error) {
	c, err := w.course()
	if err != nil {
		return nil, "", err
	}
	var tries []trial
	switch {
	case f.What == FailNode:
		tries, err = c.nodeTrials()
	case f.What == FailJob:
		tries, err = c.jobTrial(f)
	case f.Job != "":
		tries, err = c.taskTrial(f)
	default:
		tries = c.taskTrials()
	}
	if err != nil {
		return nil, "", err
	}
	var worst dag.Instant
	for _, t := range tries {
		one := t.make()
		s, err := one.end(nil)
		var stuck *schedule.StuckError
		if errors.As(err, &stuck) {
			return nil, fmt.Sprintf("%s: it never ends, job %s has nowhere to run its %s tasks", t.note, stuck.Job,
				stuck.Stage), nil
		}
		if err != nil {
			return nil, "", err
		}
		if failed == nil || s.End > worst {
			failed, note, worst = one, t.note, s.End
		}
	}
	if failed == nil {
		return w, "nothing is left that can fail", nil
	}
	return failed, note, nil
}

// A trial is one possible failure.
type trial struct {
	note   string
	weight time.Duration // the lost work
	make   func() *clusterState
}

// heaviest keeps the n trials with the most lost work; the first ones of equal trials.
func heaviest(all []trial, n int) []trial {
	slices.SortStableFunc(all, func(a, b trial) int { return cmp.Compare(b.weight, a.weight) })
	return all[:min(len(all), n)]
}

// taskTrials returns the failures of the longest and the last task of each stage, just before their end.
func (c *course) taskTrials() []trial {
	type pick struct{ longest, last *schedule.Span }
	picks := make([][]pick, len(c.w.s.Plan.Jobs))
	for j := range picks {
		picks[j] = make([]pick, len(c.w.s.Plan.Jobs[j].Stages))
	}
	for i := range c.s.Spans {
		sp := &c.s.Spans[i]
		if sp.Pause != dag.NoPause || sp.Past || sp.Outcome != schedule.OK {
			continue
		}
		p := &picks[sp.Job][sp.Stage]
		if p.longest == nil || sp.End-sp.Start > p.longest.End-p.longest.Start {
			p.longest = sp
		}
		if p.last == nil || sp.End >= p.last.End {
			p.last = sp
		}
	}
	var all []trial
	for j := range picks {
		for k := range picks[j] {
			for i, sp := range []*schedule.Span{picks[j][k].longest, picks[j][k].last} {
				if sp != nil && (i == 0 || sp != picks[j][k].longest) {
					all = append(all, c.failing(j, dag.StageIndex(k), int(sp.First+sp.Count-1), int(sp.Attempt),
						sp.End.Sub(sp.Start)))
				}
			}
		}
	}
	return heaviest(all, c.w.tries())
}

// failing returns the trial in which one attempt fails just before its end.
func (c *course) failing(j int, k dag.StageIndex, task, number int, weight time.Duration) trial {
	return trial{note: c.w.taskName(j, k, task), weight: weight, make: func() *clusterState {
		one := *c.w
		before := c.w.fault
		one.fault = func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
			if t.Job == j && t.Stage == k && t.Index == task && t.Attempt == number {
				return end, true
			}
			if before != nil {
				return before(t, start, end)
			}
			return dag.NoInstant, false
		}
		return &one
	}}
}

// taskTrial returns the failure of the named task.
func (c *course) taskTrial(f Failure) ([]trial, error) {
	j, err := c.w.job(f.Job)
	if err != nil {
		return nil, err
	}
	k, err := c.w.stage(j, f.Stage)
	if err != nil {
		return nil, err
	}
	if n := c.w.s.Plan.Jobs[j].Stages[k].Count(); f.Task >= n {
		return nil, fmt.Errorf("job %s has %d %s tasks, counted from 0: there is no %d", f.Job, n, f.Stage, f.Task)
	}
	for i := range c.s.Spans {
		sp := &c.s.Spans[i]
		if int(sp.Job) == j && sp.Stage == k && !sp.Past && sp.Outcome == schedule.OK && int(sp.First) <= f.Task &&
			f.Task < int(sp.First+sp.Count) {
			return []trial{c.failing(j, k, f.Task, int(sp.Attempt), 0)}, nil
		}
	}
	return nil, nil
}

// jobTrial returns the loss of all of a job's work, just before its last task ends.
func (c *course) jobTrial(f Failure) ([]trial, error) {
	j, err := c.w.job(f.Job)
	if err != nil {
		return nil, err
	}
	end, left := dag.NoInstant, false
	for k := range c.w.s.Plan.Jobs[j].NumStages() {
		if e, ok := c.ends(j, k); ok {
			end, left = max(end, e), true
		}
	}
	if !left {
		return nil, nil
	}
	at := max(end-1, c.w.s.At)
	return []trial{{note: fmt.Sprintf("%s starts again after %s", f.Job, c.since(at)), make: func() *clusterState {
		m := c.at(at)
		js := &m.s.Jobs[j]
		js.State, js.HeldMB = dag.Submitted, 0
		for k := range js.Stages {
			js.Stages[k].Attempts = nil
		}
		return m.clusterState(c.w)
	}}}, nil
}

// ends returns the end of the last remaining task of a stage; left is false if none remains.
func (c *course) ends(j int, k dag.StageIndex) (end dag.Instant, left bool) {
	for i := range c.s.Spans {
		if sp := &c.s.Spans[i]; int(sp.Job) == j && sp.Stage == k && !sp.Past {
			end, left = max(end, sp.End), true
		}
	}
	return end, left
}

// since converts an instant to the time since the start of the run.
func (c *course) since(t dag.Instant) time.Duration {
	origin := c.w.s.Origin()
	if !origin.Known() {
		origin = c.w.s.At
	}
	return t.Sub(origin).Round(100 * time.Millisecond)
}

// taskName returns the name of a task on the command line.
func (w *clusterState) taskName(j int, k dag.StageIndex, task int) string {
	return Failure{Job: w.s.Plan.Jobs[j].Node, Stage: w.s.Plan.StageName(j, k), Task: task}.String()
}
