package hadoop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A job is an application that belongs to the workflow, or may.
type job struct {
	app, id  string
	conf     *jobConf
	confTick int  // the last one in which the conf was asked for
	denied   bool // the conf may not be read: it is nobody of ours

	sized      bool    // the file system was asked for the size of its input
	inputBytes float64 // what it said; 0: nothing

	state     dag.State
	submitted dag.Instant
	started   dag.Instant
	finished  dag.Instant
	attempt   int // of the master
	diagnosis string
	avoids    avoidance
	known     bool   // total is
	counted   [2]int // tasks by the master's word
	inList    [2]int // tasks in its newest list
	total     [2]int // tasks as they are believed
	overlong  int    // lists in a row that were too long to be read
	dropped   bool   // its tasks are not kept
	pending   [2]int // tasks that wait, as the master counts them
	phases    [2]phase
	perRecord float64     // bytes of a record that is shuffled; NaN before a reduce needs it
	grouped   *dag.Groups // of the newest snapshot, to be shared while nothing changes

	heard     dag.Instant // the last answer of its master
	seenUp    dag.Instant // the last tick that found it RUNNING
	bornAt    dag.Instant // when its present master was found to be a new one: answers from before are the old one's
	overSince dag.Instant // the first tick that found it over
	unheard   bool        // that it has succeeded is the ResourceManager's word; the history server has not told yet
	listTick  int         // the last one in which the task list came
	listed    bool        // the history server's task list is here
	settled   bool        // and everything else that it is asked for
	summed    bool        // what its tasks told was held against the history server's sums
	trouble   bool        // in the last tick the history server did not tell everything that it was asked for
	left      int         // tasks that the history server has not told of
	movedAt   dag.Instant // when that number changed last
	vain      int         // ticks since then
	doubted   bool        // an answer of its master went back: is the master another one?
}

// A phase is the tasks of one kind. built is their part of the newest snapshot, to be shared while nothing changes.
type phase struct {
	tasks  map[int32]*task
	built  []dag.Attempt
	dirty  bool
	failed int // attempts in built that failed
}

func newJob(app *wireApp) *job {
	return &job{
		app: string(app.ID), id: app.job(), state: dag.Submitted, submitted: app.Started.instant(), perRecord: math.NaN(),
		started: dag.NoInstant, finished: dag.NoInstant, heard: dag.NoInstant, seenUp: dag.NoInstant, bornAt: dag.NoInstant, overSince: dag.NoInstant, movedAt: dag.NoInstant,
	}
}

// taskName is the id of a task, as Hadoop writes it.
func (j *job) taskName(kind dag.Kind, index int32) string {
	letter := "m"
	if kind == dag.Reduce {
		letter = "r"
	}
	return fmt.Sprintf("task_%s_%s_%06d", strings.TrimPrefix(j.id, "job_"), letter, index)
}

// A visit is what one tick asks about a job, and of whom.
type visit struct {
	job  *job
	app  *wireApp
	base string // path of the job's resource
	get  func(ctx context.Context, path string) ([]byte, error)

	over, restart      bool
	askJob, askTasks   bool
	askMaster          bool // whether it is still the same
	status             jobBody
	tasks              tasksBody
	counts             [2]int // tasks in the list
	bulky              bool   // the list was dropped: the lists of this tick have too many tasks together
	attempts           appAttemptsBody
	statusErr, listErr error
	masterErr          error
	trouble            bool // an answer is missing that may come another time
	crowded            bool // a task has more attempts than are taken, and it was said

	silent atomic.Bool // whom it asks has let a question about a task go by: those about the others would wait as long
}

// observeJobs asks masters and the history server how far the workflow's jobs are. It fails where masters that have answered
// before do not any more: then nothing can be said of the workflow.
func (s *Source) observeJobs(ctx context.Context) error {
	s.inLists.Store(0)
	var visits []*visit
	var questions []func(context.Context)
	for _, j := range s.member {
		v := s.visit(j)
		if v == nil {
			continue
		}
		visits = append(visits, v)
		questions = append(questions, v.questions(s)...)
	}
	ask(ctx, questions...)
	s.catchUp()
	for _, v := range visits {
		switch {
		case v.restart:
			s.takeRestart(v)
		case v.over:
			s.takeHistory(v)
		default:
			s.takeChange(v)
			s.takeMaster(v)
		}
	}
	s.weigh()
	s.observeTasks(ctx, visits)
	return s.unseen(visits)
}

// visit decides whom to ask about j and what; nil for nothing.
func (s *Source) visit(j *job) *visit {
	a := s.apps[j.app]
	if a == nil || j.settled {
		return nil
	}
	v := &visit{job: j, app: a}
	switch {
	case a.ended():
		v.over = true
		v.base = "/ws/v1/history/mapreduce/jobs/" + j.id
		v.get = func(ctx context.Context, path string) ([]byte, error) {
			return s.cluster.JHS(ctx, "mapreduce/jobs/"+j.id+path)
		}
		v.askJob, v.askTasks = !j.state.Ended() || j.unheard, !j.listed
		if !j.overSince.Known() {
			j.overSince = s.now
		}
	case a.State == "RUNNING":
		v.base = "/proxy/" + j.app + "/ws/v1/mapreduce/jobs/" + j.id
		v.get = func(ctx context.Context, path string) ([]byte, error) {
			return s.cluster.AM(ctx, j.app, "jobs/"+j.id+path)
		}
		v.askJob, v.askTasks, v.askMaster = true, s.listDue(j), j.doubted
	case j.state == dag.Running:
		v.restart = true
	default:
		return nil
	}
	return v
}

func (v *visit) questions(s *Source) []func(context.Context) {
	var out []func(context.Context)
	if v.restart || v.askMaster {
		out = append(out, func(ctx context.Context) {
			body, err := s.cluster.RM(ctx, "apps/"+v.job.app+"/appattempts")
			v.attempts, v.masterErr = get[appAttemptsBody](ctx, v.job.app+"/appattempts", body, err)
		})
	}
	if v.askJob {
		out = append(out, func(ctx context.Context) {
			body, err := v.get(ctx, "")
			v.status, v.statusErr = get[jobBody](ctx, v.job.id, body, err)
		})
	}
	if v.askTasks {
		out = append(out, func(ctx context.Context) {
			body, err := v.get(ctx, "/tasks")
			v.tasks, v.listErr = get[tasksBody](ctx, v.job.id+"/tasks", body, err)
			v.counts = v.tasks.counts()
			if n := v.counts[dag.Map] + v.counts[dag.Reduce]; s.inLists.Add(int64(n)) > mostTasks {
				v.tasks, v.bulky = tasksBody{}, true
			}
		})
	}
	return out
}

// hush is how long a service may be silent before people hear of it: at every hand-over one is, for a tick or two.
const hush = 5 * time.Second

// takeMaster takes a master's answers. Where it does not answer, what is known stays.
func (s *Source) takeMaster(v *visit) {
	j := v.job
	j.seenUp = s.now
	if v.statusErr == nil && s.made(v.base) < j.bornAt {
		v.get = nil // a recording repeats the old master's last words
		return
	}
	overlong := v.tooLong()
	if err := errors.Join(v.statusErr, v.listErr); err != nil && !overlong {
		v.get = nil
		if !j.heard.Known() {
			j.heard = s.now
		}
		if s.now.Sub(j.heard) > hush {
			s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %s", j.id, brief(err))
		}
		return
	}
	j.heard, j.state, j.attempt = s.now, dag.Running, max(j.attempt, 1)
	j.tell(&v.status.Job.v)
	switch {
	case overlong:
		v.get, j.listTick = nil, s.ticks+1
	case v.askTasks:
		s.list(v)
	}
}

func (j *job) tell(b *wireJob) {
	j.started = or(b.Started.instant(), j.started)
	if b.Maps.ok && b.Reduces.ok {
		j.known = true
		j.counted = [2]int{b.Maps.count(maxTasks), b.Reduces.count(maxTasks)}
		j.bound()
	}
	j.pending = [2]int{b.MapsPending.count(maxTasks), b.ReducesPending.count(maxTasks)}
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

// status returns the HTTP status of an answer that could not be used, 0 where there was none.
func status(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}
