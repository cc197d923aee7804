package hadoop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A job is an application that belongs to the workflow, or may.
type job struct {
	app, id string
	conf    *jobConf
	denied  bool // its conf may not be read: it is nobody of ours

	state     dag.State
	submitted dag.Instant
	started   dag.Instant
	finished  dag.Instant
	attempt   int
	diagnosis string
	known     bool // sizes are
	total     [2]int
	phases    [2]phase
	settled   bool // the history server has told everything
	tries     int

	lostApp   appBody
	lostErr   error
	lostAsked bool
}

// A phase is the tasks of one kind. built is their part of the newest snapshot, to be shared while nothing changes.
type phase struct {
	tasks map[int32]*task
	built []dag.Attempt
	dirty bool
}

func newJob(app *wireApp) *job {
	j := &job{app: string(app.ID), id: app.job(), state: dag.Submitted, submitted: app.Started.instant(),
		started: dag.NoInstant, finished: dag.NoInstant}
	for k := range j.phases {
		j.phases[k].tasks = map[int32]*task{}
	}
	return j
}

func (j *job) am() string      { return "jobs/" + j.id }
func (j *job) history() string { return "mapreduce/jobs/" + j.id }

// status returns the HTTP status of an answer that could not be used, 0 where there was none.
func status(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// confsATick bounds the confs of one tick: a Pig job's takes 350 KB.
const confsATick = 8

// observeConfs asks for the configuration of jobs that may be ours, once each, and returns how many it asked for.
func (s *Source) observeConfs(ctx context.Context) int {
	var jobs []*job
	for _, id := range s.candidates() {
		j := s.jobs[id]
		if j == nil {
			j = newJob(s.apps[id])
			s.jobs[id] = j
		}
		if j.conf == nil && !j.denied && j.tries < s.ticks+1 && len(jobs) < confsATick {
			j.tries = s.ticks + 1
			jobs = append(jobs, j)
		}
	}
	confs, errs := make([]confBody, len(jobs)), make([]error, len(jobs))
	var questions []func(context.Context)
	for i, j := range jobs {
		questions = append(questions, func(ctx context.Context) {
			var body []byte
			var err error
			if s.apps[j.app].ended() {
				body, err = s.cluster.JHS(ctx, j.history()+"/conf")
			} else {
				body, err = s.cluster.AM(ctx, j.app, j.am()+"/conf")
			}
			confs[i], errs[i] = get[confBody](j.id+"/conf", body, err)
		})
	}
	ask(ctx, questions...)
	for i, j := range jobs {
		switch st := status(errs[i]); {
		case errs[i] == nil && len(confs[i].Conf.v.Properties) > 0:
			j.conf = confs[i].conf()
		case st == http.StatusUnauthorized || st == http.StatusForbidden:
			j.denied = true
		}
	}
	return len(jobs)
}

// observeJobs asks masters and the history server how far the workflow's jobs are.
func (s *Source) observeJobs(ctx context.Context) {
	for _, j := range s.member {
		a := s.apps[j.app]
		switch {
		case a == nil || j.settled:
		case a.ended():
			s.observeHistory(ctx, j, a)
		case a.State == "RUNNING":
			s.observeMaster(ctx, j)
		case j.state == dag.Running:
			s.observeRestart(ctx, j)
		}
	}
}

// observeMaster asks a job's ApplicationMaster. Where it does not answer, what is known stays.
func (s *Source) observeMaster(ctx context.Context, j *job) {
	var b jobBody
	var t tasksBody
	var jobErr, tasksErr error
	ask(ctx, func(ctx context.Context) {
		body, err := s.cluster.AM(ctx, j.app, j.am())
		b, jobErr = get[jobBody](j.id, body, err)
	}, func(ctx context.Context) {
		body, err := s.cluster.AM(ctx, j.app, j.am()+"/tasks")
		t, tasksErr = get[tasksBody](j.id+"/tasks", body, err)
	})
	if err := errors.Join(jobErr, tasksErr); err != nil {
		if j.state == dag.Running {
			s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %v", j.id, firstLine(err.Error()))
		}
		return
	}
	j.state = dag.Running
	j.tell(&b.Job.v)
	s.observeTasks(ctx, j, &t, func(ctx context.Context, path string) ([]byte, error) {
		return s.cluster.AM(ctx, j.app, j.am()+path)
	}, "/proxy/"+j.app+"/ws/v1/mapreduce/"+j.am())
}

func (j *job) tell(b *wireJob) {
	j.started = b.Started.instant()
	if b.Maps.ok && b.Reduces.ok {
		j.known = true
		j.total = [2]int{b.Maps.count(maxTasks), b.Reduces.count(maxTasks)}
	}
}

// observeTasks takes the task list t and asks for attempts and counters of the tasks that need it.
func (s *Source) observeTasks(ctx context.Context, j *job, t *tasksBody, from func(context.Context, string) ([]byte, error), base string) {
	at := s.made(base + "/tasks")
	for i := range t.Tasks.v.Task {
		w := &t.Tasks.v.Task[i]
		kind, index, ok := taskID(string(w.ID))
		if !ok {
			continue
		}
		p := &j.phases[kind]
		one := p.tasks[index]
		if one == nil {
			one = &task{success: -1}
			p.tasks[index] = one
		}
		p.dirty = one.listed(w, at) || p.dirty
	}
	type answer struct {
		kind     dag.Kind
		index    int32
		task     *task
		attempts attemptsBody
		counters countersBody
		errs     [2]error
		path     string
	}
	var asked []*answer
	for _, kind := range []dag.Kind{dag.Map, dag.Reduce} {
		tasks := j.phases[kind].tasks
		for _, index := range slices.Sorted(maps.Keys(tasks)) {
			if tasks[index].want() {
				asked = append(asked, &answer{kind: kind, index: index, task: tasks[index], path: "/tasks/" + j.taskName(kind, index)})
			}
		}
	}
	var questions []func(context.Context)
	for _, a := range asked {
		questions = append(questions, func(ctx context.Context) {
			// In this order: counters asked after an attempt's end are its last ones.
			body, err := from(ctx, a.path+"/attempts")
			a.attempts, a.errs[0] = get[attemptsBody](a.path+"/attempts", body, err)
			if a.errs[0] == nil {
				body, err = from(ctx, a.path+"/counters")
				a.counters, a.errs[1] = get[countersBody](a.path+"/counters", body, err)
			}
		})
	}
	ask(ctx, questions...)
	for _, a := range asked {
		p := &j.phases[a.kind]
		if a.task.done() {
			a.task.tries++
		}
		if a.errs[0] != nil {
			continue
		}
		p.dirty = true
		a.task.recall = false
		said := a.task.tell(a.kind, a.index, &a.attempts, s.made(base+a.path+"/attempts"), s.world.node)
		best := a.task.best()
		if best == nil || a.errs[1] != nil {
			continue
		}
		// What an answer older than the attempt's end says of it is not the last word.
		final := best.State == dag.AttemptSucceeded && said == dag.AttemptSucceeded
		total := math.NaN()
		if j.known {
			total = float64(j.total[dag.Map])
		}
		c := a.counters.counters()
		c.count(a.kind, best, total, j.known && j.total[dag.Reduce] == 0, final, s.made(base+a.path+"/counters"))
		a.task.settled = a.task.done() && (final || a.task.state != "SUCCEEDED")
	}
}

// observeRestart looks at an application that was RUNNING and is not: its master died, or the ResourceManager changed.
// Only a new attempt number says that work is lost (facts E0: after a failover ACCEPTED is seen with nothing lost).
func (s *Source) observeRestart(ctx context.Context, j *job) {
	body, err := s.cluster.RM(ctx, "apps/"+j.app+"/appattempts")
	b, err := get[appAttemptsBody](j.id+"/appattempts", body, err)
	if err != nil {
		return
	}
	n, _ := b.newest()
	if n > max(j.attempt, 1) {
		j.restarted(n, s.now)
		s.warn(dag.WarnMasterRestarted, "%s: its application master came again (attempt %d)", j.id, n)
	}
	j.attempt = max(j.attempt, n)
}

// restarted takes back what a master that died had under way, and what it had done where nothing of it is recovered.
func (j *job) restarted(attempt int, at dag.Instant) {
	j.attempt = attempt
	for k := range j.phases {
		p := &j.phases[k]
		p.dirty = true
		for _, t := range p.tasks {
			lost := !t.done() || j.conf != nil && j.conf.noRecov
			if !lost {
				continue
			}
			t.state, t.success, t.settled = "SCHEDULED", -1, false
			for i := range t.attempts {
				stop(&t.attempts[i], at)
			}
		}
	}
}

// historyPatience is how long the history server may say nothing of a job that the ResourceManager calls over.
// A master that was killed leaves no history at all (facts A6).
const historyPatience = 60 * time.Second

// observeHistory asks the history server about a job that has ended. Until it answers the job counts as running.
func (s *Source) observeHistory(ctx context.Context, j *job, a *wireApp) {
	var b jobBody
	var t tasksBody
	var jobErr, tasksErr error
	ask(ctx, func(ctx context.Context) {
		body, err := s.cluster.JHS(ctx, j.history())
		b, jobErr = get[jobBody](j.id, body, err)
	}, func(ctx context.Context) {
		body, err := s.cluster.JHS(ctx, j.history()+"/tasks")
		t, tasksErr = get[tasksBody](j.id+"/tasks", body, err)
	})
	state, ended := jobStates[string(b.Job.v.State)]
	if jobErr != nil || !ended {
		s.withoutHistory(j, a, jobErr)
		return
	}
	j.tell(&b.Job.v)
	j.state = state
	j.submitted, j.finished = or(b.Job.v.Submitted.instant(), j.submitted), or(b.Job.v.Finished.instant(), a.Finished.instant(), s.now)
	if state != dag.Succeeded {
		j.diagnosis = firstLine(string(b.Job.v.Diagnostics))
	}
	if tasksErr != nil {
		return
	}
	s.observeTasks(ctx, j, &t, func(ctx context.Context, path string) ([]byte, error) {
		return s.cluster.JHS(ctx, j.history()+path)
	}, "/ws/v1/history/"+j.history())
	j.settled = true
}

var jobStates = map[string]dag.State{"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed, "ERROR": dag.Failed}

// withoutHistory takes the ResourceManager's word once the history server has been silent for long.
func (s *Source) withoutHistory(j *job, a *wireApp, err error) {
	if j.state.Ended() {
		return
	}
	end := or(a.Finished.instant(), s.now)
	if !j.finished.Known() {
		j.finished = end // when the waiting began; unknown to snapshots until the state is final
	}
	if err != nil {
		s.warn(dag.WarnObservation, "%s has ended, the history server does not tell how yet: %v", j.id, firstLine(err.Error()))
	}
	if s.now.Sub(j.finished) < historyPatience {
		return
	}
	j.state, j.settled = dag.Failed, true
	switch {
	case a.FinalStatus == "SUCCEEDED":
		j.state = dag.Succeeded
	case a.State == "KILLED" || a.FinalStatus == "KILLED":
		j.state = dag.Killed
	}
	if j.state != dag.Succeeded {
		j.diagnosis = firstLine(string(a.Diagnostics))
	}
}

// or returns the first instant that is known.
func or(at ...dag.Instant) dag.Instant {
	for _, t := range at {
		if t.Known() {
			return t
		}
	}
	return dag.NoInstant
}

// taskName is the id of a task, as Hadoop writes it.
func (j *job) taskName(kind dag.Kind, index int32) string {
	letter := "m"
	if kind == dag.Reduce {
		letter = "r"
	}
	return fmt.Sprintf("task_%s_%s_%06d", strings.TrimPrefix(j.id, "job_"), letter, index)
}
