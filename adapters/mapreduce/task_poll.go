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
	if j.overlong >= overlongMost {
		return age >= overlongEach
	}
	n := j.inList[dag.Map] + j.inList[dag.Reduce]
	return !s.live() || j.listTick == 0 || age >= (n+listPart-1)/listPart
}

// takeList processes the task list of a visit.
func (s *Source) takeList(v *visit) {
	j, at := v.job, s.made(v.base()+"/tasks")
	j.listTick, j.overlong, j.inList = s.ticks+1, 0, v.counts
	j.bound()
	switch {
	case j.dropped || j.inList[dag.Map]+j.inList[dag.Reduce] > mostTasks:
		j.drop()
		return
	case v.isListCut:
		j.listTick = 0 // it is requested again, unless weigh finds the workflow too large
		return
	}
	for i := range v.list.response.Tasks.V.Task {
		w := &v.list.response.Tasks.V.Task[i]
		_, kind, index, ok := mrjob.TaskOf(string(w.ID))
		if !ok {
			continue
		}
		tasks := &j.phases[kind].tasks
		t := tasks.Find(index)
		if t == nil {
			t = newTask()
			tasks.Add(index, t)
		}
		hadResult, doubts := t.state == "SUCCEEDED", t.doubts
		if t.listed(w, at, s.live() && t.master == j.attempt) {
			tasks.Change(index)
		}
		if t.doubts > doubts {
			j.step(answerWentBack)
		} else {
			t.master = j.attempt
		}
		if hadResult && !t.done() {
			s.view.Recalled(t.node, at)
		}
	}
}

// A detail has the requests of one tick about one task.
type detail struct {
	visit *visit
	kind  dag.StageIndex
	index int32
	*task

	attemptList request[attemptsBody]
	counters    request[mrjob.Counts] // may be due even if the task is still running
	reportedN   int                   // attempts in the response
}

func (d *detail) path() string { return "/tasks/" + d.visit.job.taskName(d.kind, d.index) }

// details lists the tasks of the job that are worth a request.
func (v *visit) details() []*detail {
	var out []*detail
	for _, kind := range []dag.StageIndex{dag.Map, dag.Reduce} {
		tasks := &v.job.phases[kind].tasks
		started := 0 // waiting tasks of the newest list that have started since
		if !v.app.Ended && !v.list.isDue {
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
func (s *Source) pollTasks(ctx context.Context) error {
	var all []*detail
	for _, v := range s.visits {
		if v.pollsTasks {
			all = append(all, v.details()...)
		}
	}
	// Tasks that have waited longest come first if there are too many, or if the history server may not respond.
	isMany := len(all) > s.limits.attempts
	slices.SortStableFunc(all, func(a, b *detail) int {
		turn := func(d *detail) int {
			if isMany || d.visit.app.Ended {
				return d.reportedTick
			}
			return 0
		}
		return cmp.Compare(turn(a), turn(b))
	})
	all = all[:min(len(all), s.limits.attempts)]
	turns := slices.Clone(all)
	slices.SortStableFunc(turns, func(a, b *detail) int { return cmp.Compare(a.countTick, b.countTick) })
	for _, d := range turns[:min(len(turns), s.limits.counters)] {
		d.counters.isDue = true
	}
	held := 0
	for _, j := range s.member {
		held += j.tasksHeld()
	}
	for part := range slices.Chunk(all, requestsAtOnce) {
		yarn.Each(ctx, part, s.pollDetail)
		s.catchUp()
		for _, d := range part {
			held += s.takeResponses(d)
			d.attemptList.response = attemptsBody{} // frees its memory before the next part
		}
		if held > mostTasks {
			break // the next tick drops them: further responses would be kept in vain
		}
	}
	return nil
}

// pollDetail sends the requests about a task. Counters that are requested after an attempt's end are final.
func (s *Source) pollDetail(ctx context.Context, d *detail) {
	if d.attemptList.isDue = !d.reported; d.attemptList.isDue {
		path := d.path() + "/attempts"
		d.attemptList.read(ctx, path, func() ([]byte, error) { return s.getTask(ctx, d.visit, path) })
		d.reportedN = d.attemptList.response.cut()
		d.counters.isDue = d.attemptList.err == nil && (d.counters.isDue || d.attemptList.response.hasSucceeded())
	}
	if d.counters.isDue {
		path := d.path() + "/counters"
		body, err := s.getTask(ctx, d.visit, path)
		all, err := mrjob.Counters(ctx, path, body, err)
		d.counters.response, d.counters.err = mrjob.CountsOf(all), err
	}
}

// takeResponses processes the responses about one task, and returns how many more of its attempts are kept.
func (s *Source) takeResponses(d *detail) (more int) {
	hadResult, kept := d.state == "SUCCEEDED", len(d.attempts)
	if useful := s.takeDetail(d); !useful {
		d.visit.incomplete = true
	} else if d.done() {
		d.tries++
	}
	if hadResult && !d.done() {
		s.view.Recalled(d.node, s.now)
	}
	if d.reportedN > mostAttempts && !d.visit.crowded {
		d.visit.crowded = true
		s.warn(dag.WarnObservation, "task %d of %s has %d attempts, the last %d are taken", d.index, d.visit.job.id,
			d.reportedN, mostAttempts)
	}
	return len(d.attempts) - kept
}

// takeDetail processes the responses about one task. useful is false if later responses may bring more.
func (s *Source) takeDetail(d *detail) (useful bool) {
	j, t := d.visit.job, d.task
	if !errors.Is(errors.Join(d.attemptList.err, d.counters.err), errTimedOut) {
		t.reportedTick = s.ticks + 1
	}
	if d.attemptList.err != nil {
		return refused(d.attemptList.err)
	}
	path := d.visit.base() + d.path()
	at := s.made(path + "/attempts")
	if at < j.newMasterAt {
		return true
	}
	isSame := s.live() && t.master == j.attempt // the master that has responded before
	reported := dag.AttemptSucceeded
	if !t.reported {
		if s.live() {
			j.masters(d.attemptList.response.masters(), s.now)
			isSame = t.master == j.attempt
		}
		if isSame && t.behind(d.kind, d.index, &d.attemptList.response) && again(&t.doubts) {
			j.step(answerWentBack)
			return false
		}
		t.master, t.doubts = j.attempt, 0
		reported = t.report(d.kind, d.index, &d.attemptList.response, at, s.view.NodeIndex)
		t.reported = d.visit.app.Ended && s.live() && reported == dag.AttemptSucceeded
	}
	j.phases[d.kind].tasks.Change(d.index)
	for i := range t.attempts {
		a := &t.attempts[i]
		j.attempt = max(j.attempt, int(a.Number)/1000+1)
		if id, ok := strings.CutPrefix(a.Diagnosis, "TaskAttempt killed because it ran on unusable node"); ok &&
			!d.visit.app.Ended {
			s.view.Unusable(strings.TrimSpace(id), a, at)
		}
	}
	best := t.best()
	if best == nil || !d.counters.isDue || d.counters.err != nil {
		return d.counters.err == nil || refused(d.counters.err)
	}
	t.countTick = s.ticks + 1
	c := &d.counters.response
	if isSame && lessThan(best, c, d.kind, t) && again(&t.drops) {
		return false
	}
	t.drops = 0
	// Counters from before the attempt's end are not final.
	isFinal := best.State == dag.AttemptSucceeded && reported == dag.AttemptSucceeded
	j.count(d.kind, t, best, c, isFinal, s.made(path+"/counters"))
	t.settled = t.done() && (isFinal || t.state != "SUCCEEDED")
	t.node = best.Node
	return true
}

// count adds a task's counters, which were made at an instant, to its best attempt. isFinal means that they are its
// last ones.
func (j *job) count(kind dag.StageIndex, t *task, best *dag.Attempt, c *mrjob.Counts, isFinal bool, at dag.Instant) {
	maps := math.NaN()
	if j.known() {
		maps = float64(j.total[dag.Map])
	}
	countInto(best, c, kind, maps, j.known() && j.total[dag.Reduce] == 0, isFinal, at)
	if kind == dag.Map {
		t.out = outputOf(c)
	} else {
		t.groups.Count(best, c, j.recordBytes(best), isFinal, at, j.groupPoints())
	}
}
