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
	// asksAtOnce bounds the responses about attempts in memory at once: each may have a megabyte.
	asksAtOnce = 16
)

// listDue reports whether the task list is worth its bytes now (240 a task). In between, running tasks are
// requested one by one, and the first waiting ones if the master's counts show that some were started.
func (s *Source) listDue(j *job) bool {
	if j.overlong >= overlongMost {
		return s.ticks+1-j.listTick >= overlongEach
	}
	n := j.inList[dag.Map] + j.inList[dag.Reduce]
	return s.target.Made != nil || j.listTick == 0 || s.ticks+1-j.listTick >= (n+listPart-1)/listPart
}

// list processes the task list of a visit.
func (s *Source) list(v *visit) {
	j := v.job
	at := s.made(v.base + "/tasks")
	j.listTick = s.ticks + 1
	j.overlong, j.inList = 0, v.counts
	j.bound()
	if j.dropped || j.inList[dag.Map]+j.inList[dag.Reduce] > mostTasks {
		j.drop()
		return
	}
	if v.bulky {
		j.listTick = 0 // it is requested again, unless weigh finds the workflow too large
		return
	}
	for i := range v.tasks.Tasks.V.Task {
		w := &v.tasks.Tasks.V.Task[i]
		_, kind, index, ok := mrjob.TaskOf(string(w.ID))
		if !ok {
			continue
		}
		p := &j.phases[kind]
		t := p.tasks.Find(index)
		if t == nil {
			t = newTask()
			p.tasks.Add(index, t)
		}
		was, doubts := t.state, t.doubts
		if t.listed(w, at, s.live() && t.master == j.attempt) {
			p.tasks.Change(index)
		}
		if t.doubts > doubts {
			j.step(answerWentBack)
		} else {
			t.master = j.attempt
		}
		if was == "SUCCEEDED" && !t.done() {
			s.view.Recalled(t.node, at)
		}
	}
}

// A detail is the requests about one task, with their responses.
type detail struct {
	visit    *visit
	kind     dag.StageIndex
	index    int32
	task     *task
	path     string
	attempts attemptsBody
	listed   int // attempts in the response
	counters mrjob.Counts
	count    bool // request counters even if the task is still running
	errs     [2]error
}

// hasSucceeded reports whether an attempt has succeeded, so that its counters are final.
func (d *detail) hasSucceeded() bool {
	return slices.ContainsFunc(d.attempts.Attempts.V.Attempt, func(a wireAttempt) bool {
		return a.State == "SUCCEEDED"
	})
}

// observeTasks requests attempts and counters of running tasks, and those of ended tasks once.
func (s *Source) observeTasks(ctx context.Context, visits []*visit) {
	var all []*detail
	for _, v := range visits {
		if v.get != nil {
			all = append(all, v.details()...)
		}
	}
	most, mostCounts := s.limits.attempts, s.limits.counters
	// Tasks that have waited longest come first if there are too many, or if the history server may not respond.
	turn := func(d *detail) int {
		if len(all) > most || d.visit.ended {
			return d.task.reportedTick
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b *detail) int { return cmp.Compare(turn(a), turn(b)) })
	all = all[:min(len(all), most)]
	turns := slices.Clone(all)
	slices.SortStableFunc(turns, func(a, b *detail) int { return cmp.Compare(a.task.countTick, b.task.countTick) })
	for _, d := range turns[:min(len(turns), mostCounts)] {
		d.count = true
	}
	held := 0
	for _, j := range s.member {
		held += j.tasksHeld()
	}
	for part := range slices.Chunk(all, asksAtOnce) {
		s.askDetails(ctx, part)
		for _, d := range part {
			held += s.takeAnswers(d)
			d.attempts = attemptsBody{} // frees its memory before the next part
		}
		if held > mostTasks {
			break // the next tick drops them: further responses would be kept in vain
		}
	}
	s.settle(ctx, visits)
}

// askDetails sends the requests about some tasks.
func (s *Source) askDetails(ctx context.Context, part []*detail) {
	questions := make([]func(context.Context), len(part))
	for i, d := range part {
		questions[i] = func(ctx context.Context) {
			// The order matters: counters requested after an attempt's end are final.
			if !d.task.reported {
				body, err := d.visit.asks(ctx, d.path+"/attempts")
				d.attempts, d.errs[0] = yarn.Read[attemptsBody](ctx, d.path+"/attempts", body, err)
				d.listed = d.attempts.newest()
				d.count = d.errs[0] == nil && (d.count || d.hasSucceeded())
			}
			if d.count {
				body, err := d.visit.asks(ctx, d.path+"/counters")
				all, err := mrjob.Counters(ctx, d.path+"/counters", body, err)
				d.counters, d.errs[1] = mrjob.CountsOf(all), err
			}
		}
	}
	yarn.Together(ctx, questions...)
	s.catchUp()
}

// takeAnswers processes the responses about one task, and returns how many more of its attempts are kept.
func (s *Source) takeAnswers(d *detail) (more int) {
	was, kept := d.task.state, len(d.task.attempts)
	if useful := s.takeDetail(d); !useful {
		d.visit.incomplete = true
	} else if d.task.done() {
		d.task.tries++
	}
	if was == "SUCCEEDED" && !d.task.done() {
		s.view.Recalled(d.task.node, s.now)
	}
	if d.listed > mostAttempts && !d.visit.crowded {
		d.visit.crowded = true
		s.warn(dag.WarnObservation, "task %d of %s has %d attempts, the last %d are taken", d.index, d.visit.job.id,
			d.listed, mostAttempts)
	}
	return len(d.task.attempts) - kept
}

// settle ends the requests about ended jobs once everything about them is reported.
func (s *Source) settle(ctx context.Context, visits []*visit) {
	var complete []*visit
	for _, v := range visits {
		if v.ended && v.job.at == jobListed && s.live() && len(v.details()) == 0 {
			complete = append(complete, v)
		}
	}
	s.observeSums(ctx, complete)
	for _, v := range visits {
		if !v.ended {
			continue
		}
		j, left := v.job, len(v.details())
		if left == 0 && (j.at == jobSummed || j.at == jobListed && !s.live()) {
			j.step(tasksComplete)
		}
		j.backlog.update(left, v.incomplete, s.now)
	}
}

// details lists the tasks of the job that are worth a request.
func (v *visit) details() []*detail {
	var out []*detail
	for _, kind := range []dag.StageIndex{dag.Map, dag.Reduce} {
		tasks := &v.job.phases[kind].tasks
		started := 0
		if !v.ended && !v.askTasks {
			for _, t := range tasks.All() {
				if t.state == "SCHEDULED" {
					started++
				}
			}
			started -= v.job.pending[kind]
		}
		for index, t := range tasks.All() {
			want := t.want()
			if !want && t.state == "SCHEDULED" && started > 0 {
				started--
				want = true
			}
			if want {
				out = append(out, &detail{visit: v, kind: kind, index: index, task: t, path: "/tasks/" +
					v.job.taskName(kind, index)})
			}
		}
	}
	return out
}

// takeDetail processes the responses about one task. useful is false if later responses may bring more.
func (s *Source) takeDetail(d *detail) (useful bool) {
	j, t := d.visit.job, d.task
	if !errors.Is(errors.Join(d.errs[:]...), errTimedOut) {
		t.reportedTick = s.ticks + 1
	}
	if d.errs[0] != nil {
		return refused(d.errs[0])
	}
	at := s.made(d.visit.base + d.path + "/attempts")
	if at < j.bornAt {
		return true
	}
	doubt := s.live() && t.master == j.attempt
	reported := dag.AttemptSucceeded
	if !t.reported {
		if s.live() {
			s.takeMasters(j, d.attempts.masters())
			doubt = t.master == j.attempt
		}
		if doubt && t.behind(d.kind, d.index, &d.attempts) && again(&t.doubts) {
			j.step(answerWentBack)
			return false
		}
		t.master, t.doubts = j.attempt, 0
		reported = t.report(d.kind, d.index, &d.attempts, at, s.view.NodeIndex)
		t.reported = d.visit.ended && s.live() && reported == dag.AttemptSucceeded
	}
	j.phases[d.kind].tasks.Change(d.index)
	for i := range t.attempts {
		a := &t.attempts[i]
		j.attempt = max(j.attempt, int(a.Number)/1000+1)
		if id, ok := strings.CutPrefix(a.Diagnosis, "TaskAttempt killed because it ran on unusable node"); ok &&
			!d.visit.ended {
			s.view.Unusable(strings.TrimSpace(id), a, at)
		}
	}
	best := t.best()
	if best == nil || !d.count || d.errs[1] != nil {
		return d.errs[1] == nil || refused(d.errs[1])
	}
	t.countTick = s.ticks + 1
	// Counters from before the attempt's end are not final.
	final := best.State == dag.AttemptSucceeded && reported == dag.AttemptSucceeded
	total := math.NaN()
	if j.known() {
		total = float64(j.total[dag.Map])
	}
	c := d.counters
	if doubt && lessThan(best, &c, d.kind, t) && again(&t.drops) {
		return false
	}
	t.drops = 0
	counted := s.made(d.visit.base + d.path + "/counters")
	countInto(best, &c, d.kind, total, j.known() && j.total[dag.Reduce] == 0, final, counted)
	if d.kind == dag.Map {
		t.out = outputOf(&c)
	} else {
		t.groups.count(best, &c, j.recordBytes(best), final, counted, j.groupPoints())
	}
	t.settled = t.done() && (final || t.state != "SUCCEEDED")
	t.node = best.Node
	return true
}
