package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

const (
	// listPart is the number of listed tasks that a tick may cost: longer lists are requested only every few ticks.
	listPart = 1000
	// requestsAtOnce bounds the responses about attempts in memory at once: each may have a megabyte.
	requestsAtOnce = 16
)

// listDue reports whether the task list is worth its bytes now (240 a task). In between, running tasks are
// requested one by one, and the first waiting ones if the master's counts show that some were started.
func (s *Source) listDue(j *job) bool {
	age := s.ticks + 1 - j.listTick
	if j.overlong {
		return age >= overlongEach
	}
	n := j.inList[dag.Map] + j.inList[dag.Reduce]
	return !s.live() || j.listTick == 0 || age >= (n+listPart-1)/listPart
}

// takeList processes the task list of a visit.
func (s *Source) takeList(v *visit) {
	j, at, list := v.job, s.made(v.base()+"/tasks"), v.list.Tasks.V.Task
	j.listTick, j.overlong, j.inList = s.ticks+1, false, [2]int{}
	for i := range list {
		if _, kind, _, ok := mrjob.TaskOf(string(list[i].ID)); ok {
			j.inList[kind]++
		}
	}
	j.bound()
	if j.dropped || s.tasksHeld() > mostTasks {
		return // see weigh
	}
	for i := range list {
		_, kind, index, ok := mrjob.TaskOf(string(list[i].ID))
		if !ok {
			continue
		}
		tasks := &j.tasks[kind]
		t := tasks.Find(index)
		if t == nil {
			t = newTask()
			tasks.Add(index, t)
		}
		if t.listed(&list[i], at) {
			tasks.Change(index)
		}
	}
}

// A detail has the requests of one tick about one task, and their responses.
type detail struct {
	visit *visit
	kind  dag.StageIndex
	index int32
	*task

	list        attemptsBody
	listErr     error
	counts      mrjob.Counts
	countsErr   error
	isCountsDue bool // even if the task is still running
}

func (d *detail) path() string { return "/tasks/" + d.visit.job.taskName(d.kind, d.index) }

// details lists the tasks of the job that are worth a request.
func (v *visit) details() []*detail {
	var out []*detail
	for _, kind := range []dag.StageIndex{dag.Map, dag.Reduce} {
		tasks := &v.job.tasks[kind]
		started := 0 // waiting tasks of the newest list that have started since
		if !v.app.Ended && !v.isListDue {
			for _, t := range tasks.All() {
				if t.state == "SCHEDULED" {
					started++
				}
			}
			started -= v.job.pending[kind]
		}
		for index, t := range tasks.All() {
			due := t.isDue()
			if !due && t.state == "SCHEDULED" && started > 0 {
				started--
				due = true
			}
			if due {
				out = append(out, &detail{visit: v, kind: kind, index: index, task: t})
			}
		}
	}
	return out
}

// pollTasks requests attempts and counters of running tasks, and those of ended tasks once.
func (s *Source) pollTasks(ctx context.Context) {
	var all []*detail
	for _, v := range s.visits {
		if v.pollsTasks {
			all = append(all, v.details()...)
		}
	}
	// Tasks that have waited longest come first, since there may be too many, or the history server may not respond.
	slices.SortStableFunc(all, func(a, b *detail) int { return cmp.Compare(a.reportedTick, b.reportedTick) })
	all = all[:min(len(all), s.limits.attempts)]
	turns := slices.Clone(all)
	slices.SortStableFunc(turns, func(a, b *detail) int { return cmp.Compare(a.countTick, b.countTick) })
	for _, d := range turns[:min(len(turns), s.limits.counters)] {
		d.isCountsDue = true
	}
	held := s.tasksHeld()
	for part := range slices.Chunk(all, requestsAtOnce) {
		yarn.Each(ctx, part, s.request)
		s.catchUp()
		for _, d := range part {
			held -= len(d.attempts)
			if useful := s.takeDetail(d); !useful {
				d.visit.incomplete = true
			} else if d.done() {
				d.tries++
			}
			held += len(d.attempts)
			d.list = attemptsBody{} // frees its memory before the next part
		}
		if held > mostTasks {
			break // the next tick drops them: further responses would be kept in vain
		}
	}
}

// request sends the requests about a task. Counters that are requested after an attempt's end are final.
func (s *Source) request(ctx context.Context, d *detail) {
	if !d.reported {
		d.list, d.listErr = read[attemptsBody](ctx, s, d.visit, d.path()+"/attempts")
		d.list.cut()
		d.isCountsDue = d.listErr == nil && (d.isCountsDue || d.list.hasSucceeded())
	}
	if d.isCountsDue {
		path := d.path() + "/counters"
		body, err := s.get(ctx, d.visit, path)
		all, err := mrjob.Counters(path, body, err)
		d.counts, d.countsErr = mrjob.CountsOf(all), err
	}
}

// takeDetail processes the responses about one task. useful is false if later responses may bring more.
func (s *Source) takeDetail(d *detail) (useful bool) {
	j, t := d.visit.job, d.task
	if !errors.Is(errors.Join(d.listErr, d.countsErr), errTimedOut) {
		t.reportedTick = s.ticks + 1
	}
	if d.listErr != nil {
		return refused(d.listErr)
	}
	path := d.visit.base() + d.path()
	at := s.made(path + "/attempts")
	if at < j.newMasterAt {
		return true
	}
	reported := dag.AttemptSucceeded
	if !t.reported {
		if s.live() {
			j.masters(d.list.masters(), s.now)
		}
		reported = t.report(d.kind, d.index, &d.list, at, s.view.NodeIndex)
		t.reported = d.visit.app.Ended && s.live() && reported == dag.AttemptSucceeded
	}
	j.tasks[d.kind].Change(d.index)
	for i := range t.attempts {
		a := &t.attempts[i]
		j.attempt = max(j.attempt, int(a.Number)/1000+1)
		if id, ok := strings.CutPrefix(a.Diagnosis, "TaskAttempt killed because it ran on unusable node"); ok &&
			!d.visit.app.Ended {
			s.view.Unusable(strings.TrimSpace(id), a, at)
		}
	}
	best := t.best()
	if best == nil || !d.isCountsDue || d.countsErr != nil {
		return d.countsErr == nil || refused(d.countsErr)
	}
	t.countTick = s.ticks + 1
	// Counters from before the attempt's end are not final.
	isFinal := best.State == dag.AttemptSucceeded && reported == dag.AttemptSucceeded
	at = s.made(path + "/counters")
	maps := math.NaN()
	if j.known() {
		maps = float64(j.total[dag.Map])
	}
	countInto(best, &d.counts, d.kind, maps, j.known() && j.total[dag.Reduce] == 0, isFinal, at)
	if d.kind == dag.Map {
		t.out = outputOf(&d.counts)
	} else {
		t.groups.Count(best, &d.counts, j.recordBytes(best), isFinal, at, j.groupPoints())
	}
	t.settled = t.done() && (isFinal || t.state != "SUCCEEDED")
	return true
}
