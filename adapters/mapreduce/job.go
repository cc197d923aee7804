package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A job is an application that belongs to the workflow, or may belong to it.
type job struct {
	app, id  string
	conf     *mrjob.Settings
	confTick int // the first tick in which the conf may be requested; never if it may not be read

	inputBytes float64 // the size of its input; -1 before it was requested, 0 if the file system did not report it

	lifecycle
	submitted dag.Instant
	started   dag.Instant
	finished  dag.Instant
	attempt   int // number of the newest master
	diagnosis string
	avoids    avoidance
	counted   [2]int // tasks as the master counts them; -1 before its first response
	inList    [2]int // tasks in the newest list
	total     [2]int // tasks that are assumed; see bound
	overlong  int    // lists in a row that were too long to be read
	dropped   bool   // its tasks are not kept
	pending   [2]int // waiting tasks, as the master counts them
	phases    [2]phase
	perRecord float64     // bytes per shuffled record; NaN before a reduce needs it
	grouped   *dag.Groups // of the newest snapshot; shared while nothing changes

	lastAnswer  dag.Instant // the last response of its master
	lastRunning dag.Instant // the last tick that found it RUNNING
	bornAt      dag.Instant // when its current master was found to be new; earlier responses are the old master's
	endedSince  dag.Instant // the first tick in which it had ended
	listTick    int         // 1 + the tick of the newest task list; 0 if it is to be requested
	backlog     backlog
}

// never is a tick that does not come.
const never = math.MaxInt

// A backlog is what the history server has not reported yet about an ended job.
type backlog struct {
	tasks   int         // tasks with missing data
	movedAt dag.Instant // when that number last changed
	vain    int         // ticks since then
	failed  bool        // in the last tick a response was missing that may still come
}

// update records the state of the backlog after a tick.
func (b *backlog) update(tasks int, failed bool, now dag.Instant) {
	b.failed = failed
	if b.vain++; tasks != b.tasks {
		b.tasks, b.movedAt, b.vain = tasks, now, 0
	}
}

// A phase is the tasks of one kind.
type phase struct {
	tasks  tasktable.Table[task]
	failed int // failed attempts in the newest snapshot
}

func newJob(app *yarn.App) *job {
	return &job{
		app: app.ID, id: app.Job(), lifecycle: lifecycle{state: dag.Submitted},
		submitted:  app.Submitted,
		inputBytes: -1, counted: [2]int{-1, -1}, perRecord: math.NaN(), backlog: backlog{movedAt: dag.NoInstant},
		started: dag.NoInstant, finished: dag.NoInstant, lastAnswer: dag.NoInstant, lastRunning: dag.NoInstant,
		bornAt: dag.NoInstant, endedSince: dag.NoInstant,
	}
}

// taskName returns the id of a task in Hadoop's format.
func (j *job) taskName(kind dag.StageIndex, index int32) string {
	letter := "m"
	if kind == dag.Reduce {
		letter = "r"
	}
	return fmt.Sprintf("task_%s_%s_%06d", strings.TrimPrefix(j.id, "job_"), letter, index)
}

// A visit is the requests about one job in one tick, with their responses.
type visit struct {
	job  *job
	app  *yarn.App
	base string // path of the job's resource
	get  func(ctx context.Context, path string) ([]byte, error)

	ended, restart     bool
	askJob, askTasks   bool
	askMaster          bool // request the application attempts, to detect a new master
	status             jobBody
	tasks              tasksBody
	counts             [2]int // tasks in the list
	bulky              bool   // the list was dropped: the lists of this tick have too many tasks together
	attempts           appAttemptsBody
	statusErr, listErr error
	masterErr          error
	incomplete         bool // a response is missing that may still come
	crowded            bool // a task has more attempts than are kept, and the user was warned

	timedOut atomic.Bool // a request about a task timed out: further requests would wait as long
}

// observeJobs polls masters and the history server for the state of the workflow's jobs. It fails if masters that
// responded before no longer do: then nothing can be reported about the workflow.
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
	yarn.Together(ctx, questions...)
	s.catchUp()
	for _, v := range visits {
		switch {
		case v.restart:
			s.takeRestart(v)
		case v.ended:
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

// visit decides which service to query about j, and for what. It returns nil if nothing is needed.
func (s *Source) visit(j *job) *visit {
	a := s.view.Known(j.app)
	if a == nil || j.at == jobSettled {
		return nil
	}
	v := &visit{job: j, app: a}
	switch {
	case a.Ended:
		v.ended = true
		v.base = "/ws/v1/history/mapreduce/jobs/" + j.id
		v.get = func(ctx context.Context, path string) ([]byte, error) {
			return s.cluster.JHS(ctx, "mapreduce/jobs/"+j.id+path)
		}
		j.step(appEnded)
		v.askJob, v.askTasks = j.at == jobOver || j.at == jobUnconfirmed, j.at < jobListed
		if !j.endedSince.Known() {
			j.endedSince = s.now
		}
	case a.Running:
		v.base = "/proxy/" + j.app + "/ws/v1/mapreduce/jobs/" + j.id
		v.get = func(ctx context.Context, path string) ([]byte, error) {
			return s.cluster.AM(ctx, j.app, "jobs/"+j.id+path)
		}
		v.askJob, v.askTasks, v.askMaster = true, s.listDue(j), j.at == jobDoubted
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
			v.attempts, v.masterErr = yarn.Read[appAttemptsBody](ctx, v.job.app+"/appattempts", body, err)
		})
	}
	if v.askJob {
		out = append(out, func(ctx context.Context) {
			body, err := v.get(ctx, "")
			v.status, v.statusErr = yarn.Read[jobBody](ctx, v.job.id, body, err)
		})
	}
	if v.askTasks {
		out = append(out, func(ctx context.Context) {
			body, err := v.get(ctx, "/tasks")
			v.tasks, v.listErr = yarn.Read[tasksBody](ctx, v.job.id+"/tasks", body, err)
			v.counts = v.tasks.counts()
			if n := v.counts[dag.Map] + v.counts[dag.Reduce]; s.inLists.Add(int64(n)) > mostTasks {
				v.tasks, v.bulky = tasksBody{}, true
			}
		})
	}
	return out
}

// A service may be silent this long before ParaTimer warns: at every failover one is silent for a tick or two.
const quietLimit = 5 * time.Second

// takeMaster processes a master's responses. If it does not respond, the last known state stays.
func (s *Source) takeMaster(v *visit) {
	j := v.job
	j.lastRunning = s.now
	if v.statusErr == nil && s.made(v.base) < j.bornAt {
		v.get = nil // a recording repeats the old master's last response
		return
	}
	overlong := v.tooLong()
	if err := errors.Join(v.statusErr, v.listErr); err != nil && !overlong {
		v.get = nil
		if !j.lastAnswer.Known() {
			j.lastAnswer = s.now
		}
		if s.now.Sub(j.lastAnswer) > quietLimit {
			s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %s", j.id,
				yarn.Brief(err))
		}
		return
	}
	j.step(masterAnswered)
	j.lastAnswer, j.attempt = s.now, max(j.attempt, 1)
	j.report(&v.status.Job.V)
	switch {
	case overlong:
		v.get, j.listTick = nil, s.ticks+1
	case v.askTasks:
		s.list(v)
	}
}

// known reports whether the numbers of the job's tasks are known.
func (j *job) known() bool { return j.counted[dag.Map] >= 0 }

func (j *job) report(b *wireJob) {
	j.started = or(b.Started.Instant(), j.started)
	if b.Maps.Known && b.Reduces.Known {
		j.counted = [2]int{tasksOf(b.Maps), tasksOf(b.Reduces)}
		j.bound()
	}
	j.pending = [2]int{tasksOf(b.MapsPending), tasksOf(b.ReducesPending)}
}

// or returns the first known instant, NoInstant if there is none.
func or(at ...dag.Instant) dag.Instant {
	for _, t := range at {
		if t.Known() {
			return t
		}
	}
	return dag.NoInstant
}

var errTimedOut = errors.New("hadoop: not asked: it has just not answered")

// asks sends a request about a task, unless the service has just timed out. A service that hangs in the middle of a
// tick costs one timeout, not one a task.
func (v *visit) asks(ctx context.Context, path string) ([]byte, error) {
	if v.timedOut.Load() {
		return nil, errTimedOut
	}
	body, err := v.get(ctx, path)
	if hangs(err) {
		v.timedOut.Store(true)
	}
	return body, err
}

// hangs reports whether the service is unreachable or timed out. A cut connection does not count: it costs no time,
// and the next one may work.
func hangs(err error) bool {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// unanswered reports whether an error is an *rest.Error without any response.
func unanswered(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Status == 0
}

// unseen returns an error if masters that responded before no longer do: then nothing can be reported about the
// workflow.
func (s *Source) unseen(visits []*visit) error {
	var lost error
	for _, v := range visits {
		switch {
		case v.ended || v.restart:
		case v.statusErr == nil:
			return nil
		case lost == nil && s.lost(v):
			lost = fmt.Errorf("the master of %s does not answer any more: %w", v.job.id, v.statusErr)
		}
	}
	return lost
}

// lost reports whether a master that responded before has been silent for longer than a failover takes. A master
// that denies access is not lost.
func (s *Source) lost(v *visit) bool {
	denied := rest.Status(v.statusErr) == http.StatusUnauthorized || rest.Status(v.statusErr) == http.StatusForbidden
	return v.job.state == dag.Running && !denied && s.now.Sub(v.job.lastAnswer) > quietLimit
}

// slow is how long responses may take before they describe a later instant than the beginning of the tick.
const slow = time.Second

// catchUp moves the tick's time to now if responses were slow: a service that hung reports its present state.
func (s *Source) catchUp() {
	if at := s.cluster.Now(); s.target.Made == nil && at.Sub(s.now) > slow {
		s.now = at
	}
}
