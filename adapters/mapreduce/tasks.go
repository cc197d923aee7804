package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/dag"
)

const (
	// listPart is the number of listed tasks that a tick may cost: longer lists are requested only every few ticks.
	// While more tasks run than a tick polls, the list is the only sign of most ends, and is worth sampledListPart.
	listPart, sampledListPart = 1000, 2500
	// overlongEach is the number of ticks between two requests for a list that was too long to be read.
	overlongEach = 20
	// requestsAtOnce bounds the responses about attempts in memory at once: each may have a megabyte.
	requestsAtOnce = 16
)

// listDue reports whether the task list is worth its bytes now (240 a task). In between, running tasks are
// requested one by one, and the first waiting ones if the master's counts show that some were started.
func (s *Source) listDue(j *job) bool {
	age := s.ticks + 1 - j.listTick
	if j.app.Ended {
		return j.at < jobListed
	}
	n, part := j.inList[dag.Map]+j.inList[dag.Reduce], listPart
	if s.isSample {
		part = sampledListPart
	}
	each := (n + part - 1) / part
	if n > mostTasks {
		each = overlongEach
	}
	return !s.live() || j.listTick == 0 || age >= each
}

// takeList processes the task list of a job.
func (s *Source) takeList(j *job, b *tasksBody) {
	at, list := s.made(j.base()+"/tasks"), b.Tasks.V.Task
	j.listTick, j.inList = s.ticks+1, [2]int{}
	for i := range list {
		if _, kind, _, ok := TaskOf(string(list[i].ID)); ok {
			j.inList[kind]++
		}
	}
	if j.dropped || s.tasksHeld() > mostTasks {
		return // see weigh
	}
	for i := range list {
		_, kind, index, ok := TaskOf(string(list[i].ID))
		if !ok {
			continue
		}
		tasks := &j.tasks[kind]
		t := tasks.Find(index)
		if t == nil {
			t = newTask(j, kind, index)
			tasks.Add(index, t)
		}
		if t.listed(&list[i], at) {
			tasks.Change(index)
		}
	}
}

// dueTasks lists the tasks of the job that are worth a request.
func (s *Source) dueTasks(j *job) []*task {
	var out []*task
	for _, kind := range []dag.StageIndex{dag.Map, dag.Reduce} {
		tasks := &j.tasks[kind]
		started := 0 // waiting tasks of the newest list that have started since
		if !j.app.Ended && j.listTick <= s.ticks {
			for _, t := range tasks.All() {
				if t.state == dag.AttemptWaiting {
					started++
				}
			}
			started -= j.pending[kind]
		}
		for _, t := range tasks.All() {
			if t.isDue() {
				out = append(out, t)
			} else if t.state == dag.AttemptWaiting && started > 0 {
				started--
				out = append(out, t)
			}
		}
	}
	return out
}

// pollTasks requests attempts and counters of running tasks, and those of ended tasks once.
func (s *Source) pollTasks(ctx context.Context) {
	var all []*task
	for _, j := range s.due {
		if j.pollsTasks {
			all = append(all, s.dueTasks(j)...)
		}
	}
	// Tasks that have waited longest come first, since there may be too many, or the history server may not respond.
	slices.SortStableFunc(all, func(a, b *task) int { return cmp.Compare(a.reportedTick, b.reportedTick) })
	most := tasksATick
	if !s.isOnly {
		most = tasksOfMany
	}
	s.isSample = len(all) > most
	all = all[:min(len(all), most)]
	held := s.tasksHeld()
	batch(ctx, s, all, requestsAtOnce, func(ctx context.Context, t *task) func() {
		if held > mostTasks {
			return func() {} // the next tick drops them: further responses would be kept in vain
		}
		b := s.requestTask(ctx, t)
		return func() {
			held -= len(t.attempts)
			if isUseful := s.takeTask(t, &b); !isUseful {
				t.job.incomplete = true
			} else if t.done() && t.left > 0 {
				t.left--
			}
			held += len(t.attempts)
		}
	})
}

// A report has the responses about a task.
type report struct {
	attempts []wireAttempt
	err      error // of the request for attempts
	counts   Counts
	countErr error
}

// requestTask sends the requests about a task. Counters that are requested after an attempt's end are final.
func (s *Source) requestTask(ctx context.Context, t *task) (r report) {
	if !t.reported {
		var b attemptsBody
		if b, r.err = read[attemptsBody](ctx, s, t.job, t.path()+"/attempts"); r.err != nil {
			return r
		}
		r.attempts = b.of(t.kind, t.index)
	}
	path := t.path() + "/counters"
	body, err := s.get(ctx, t.job, path)
	all, err := Counters(path, body, err)
	r.counts, r.countErr = CountsOf(all), err
	return r
}

// takeTask processes the responses about one task. useful is false if later responses may bring more.
func (s *Source) takeTask(t *task, r *report) (useful bool) {
	j := t.job
	if !errors.Is(errors.Join(r.err, r.countErr), errTimedOut) {
		t.reportedTick = s.ticks + 1
	}
	if r.err != nil {
		return refused(r.err)
	}
	path := j.base() + t.path()
	at := s.made(path + "/attempts")
	if at < j.newMasterAt {
		return true
	}
	reported := dag.AttemptSucceeded
	if !t.reported {
		if s.live() {
			for i := range r.attempts {
				j.masters(mastersOf(r.attempts[i].number), s.now)
			}
		}
		reported = t.report(r.attempts, at, s.view.NodeIndex)
		t.reported = j.app.Ended && s.live() && reported == dag.AttemptSucceeded
	}
	j.tasks[t.kind].Change(t.index)
	for i := range t.attempts {
		a := &t.attempts[i]
		j.attempt = max(j.attempt, mastersOf(a.Number))
		if id, ok := strings.CutPrefix(a.Diagnosis, "TaskAttempt killed because it ran on unusable node"); ok &&
			!j.app.Ended {
			s.view.Unusable(strings.TrimSpace(id), a, at)
		}
	}
	best := t.best()
	if best == nil || r.countErr != nil {
		return r.countErr == nil || refused(r.countErr)
	}
	// Counters from before the attempt's end are not final.
	isFinal := best.State == dag.AttemptSucceeded && reported == dag.AttemptSucceeded
	j.count(best, &r.counts, t.kind, isFinal, s.made(path+"/counters"))
	if t.done() && (isFinal || t.state != dag.AttemptSucceeded) {
		t.left = 0
	}
	return true
}

// mastersOf returns how many masters a job has had at least, by the number of an attempt. Each master starts at
// another thousand.
func mastersOf(attempt int32) int { return int(attempt)/1000 + 1 }

// The user who wrote a job also controls its master's responses, so the tasks that ParaTimer keeps are bounded. A
// listed task takes about half a kilobyte in a source, and about as much again in each replay.
const (
	// fewTasks is the size up to which a master's count is accepted without a list. Workflows of more tasks leave a
	// part of the room to others.
	fewTasks = 10_000
	// mostTasks bounds the tasks and attempts of one workflow.
	mostTasks = 200_000
	// roomTasks bounds those of all workflows of a process together. Large workflows may have largeTasks of them.
	roomTasks, largeTasks = 500_000, 400_000
)

// A size is how many tasks a job has.
type size struct {
	counted  [2]int // tasks as the master counts them; -1 before its first response
	inList   [2]int // tasks in the newest list; more than mostTasks if it was too long to be read
	dropped  bool   // its tasks are not kept
	listTick int    // 1 + the tick of the newest task list; 0 if it is to be requested
}

// known reports whether the numbers of the job's tasks are known.
func (z *size) known() bool { return z.counted[dag.Map] >= 0 }

// total returns the master's count of tasks, as far as its list shows so many.
func (z *size) total(k dag.StageIndex) int {
	return max(0, min(z.counted[k], max(fewTasks, z.inList[k])))
}

// tasksHeld returns how many tasks and attempts of the workflow a source has to keep. A master may name other tasks
// in each list, and those of earlier lists are kept.
func (w *workflow) tasksHeld() int {
	n := 0
	for _, j := range w.member {
		for k := range j.tasks {
			n += max(j.inList[k], j.tasks[k].Len(), j.tasks[k].Shown())
		}
	}
	return n
}

// weigh decides whether the workflow is too large to estimate, and drops its tasks if so. Once it is small enough
// again, its lists are requested anew, so that the next tick has them.
func (s *Source) weigh() {
	was, large := s.large, s.hub.reserve(s.chosen, s.tasksHeld())
	s.large = large
	for _, j := range s.member {
		if large != "" {
			j.tasks, j.dropped = [2]events.Table[task]{}, true
		} else if j.dropped {
			j.dropped, j.listTick, j.at, s.large = false, 0, min(j.at, jobEnded), was
			j.incomplete, j.movedAt = true, s.now // the workflow does not end without its tasks
		}
	}
}

// reserve sets the number of tasks that a workflow needs, and returns why it is too large, "" if there is room for it
// besides the others. A workflow that does not fit leaves its room to others.
func (h *Hub) reserve(workflow string, tasks int) (large string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tasks, workflow)
	sum, limit := tasks, roomTasks
	for _, n := range h.tasks {
		sum += n
	}
	if tasks > fewTasks {
		limit = largeTasks
	}
	switch {
	case tasks > mostTasks:
		return fmt.Sprintf("it has more tasks and attempts than the limit of a workflow, %d", mostTasks)
	case tasks > 0 && sum > limit:
		return fmt.Sprintf("it has %d tasks, the workflows of this process may have %d together, and others come first",
			tasks, roomTasks)
	case tasks > 0:
		h.tasks[workflow] = tasks
	}
	return ""
}
