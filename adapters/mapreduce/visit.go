package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A request is what a tick may send to a service. Then it has a response, or an error.
type request[T any] struct {
	isDue    bool
	response T
	err      error
}

// read decodes the response that send returns, if the request is due. what names it in errors.
func (r *request[T]) read(ctx context.Context, what string, send func() ([]byte, error)) {
	if r.isDue {
		body, err := send()
		r.response, r.err = yarn.Read[T](ctx, what, body, err)
	}
}

// A visit has the requests of one tick about one job. They go to the job's master, or to the history server once the
// application has ended. If the application was running and waits for a new master, the only request goes to the
// ResourceManager.
type visit struct {
	job *job
	app *yarn.App

	status  request[jobBody]
	list    request[tasksBody]
	masters request[appAttemptsBody] // the attempts of the application, which show a new master
	sums    request[sumBody]

	counts     [2]int      // tasks in the list
	isListCut  bool        // the list was dropped: the lists of this tick have too many tasks together
	pollsTasks bool        // requests about tasks may follow
	incomplete bool        // a response is missing that may still come
	crowded    bool        // a task has more attempts than are kept, and the user was warned
	timedOut   atomic.Bool // a request about a task timed out: further requests would wait as long
}

// visit decides which requests about j are due. It returns nil if none is.
func (s *Source) visit(j *job) *visit {
	a := s.view.Known(j.app)
	if a == nil || j.at == jobSettled {
		return nil
	}
	v := &visit{job: j, app: a, pollsTasks: readable(a)}
	switch {
	case a.Ended:
		if j.step(appEnded); !j.endedSince.Known() {
			j.endedSince = s.now
		}
		v.status.isDue, v.list.isDue = j.at == jobOver || j.at == jobUnconfirmed, j.at < jobListed
	case a.Running:
		v.status.isDue, v.list.isDue, v.masters.isDue = true, s.listDue(j), j.at == jobDoubted
	case j.state == dag.Running:
		v.masters.isDue = true
	default:
		return nil
	}
	return v
}

// base returns the path of the job's resource, as recordings have it.
func (v *visit) base() string {
	if v.app.Ended {
		return "/ws/v1/history/mapreduce/jobs/" + v.job.id
	}
	return "/proxy/" + v.job.app + "/ws/v1/mapreduce/jobs/" + v.job.id
}

// get requests a path below the job's resource.
func (s *Source) get(ctx context.Context, v *visit, path string) ([]byte, error) {
	if v.app.Ended {
		return s.cluster.JHS(ctx, "mapreduce/jobs/"+v.job.id+path)
	}
	return s.cluster.AM(ctx, v.job.app, "jobs/"+v.job.id+path)
}

// requests returns functions that send the requests that are due.
func (v *visit) requests(s *Source) []func(context.Context) {
	return []func(context.Context){
		func(ctx context.Context) { s.requestMasters(ctx, v.job, &v.masters) },
		func(ctx context.Context) {
			v.status.read(ctx, v.job.id, func() ([]byte, error) { return s.get(ctx, v, "") })
		},
		func(ctx context.Context) {
			v.list.read(ctx, v.job.id+"/tasks", func() ([]byte, error) { return s.get(ctx, v, "/tasks") })
			v.counts = v.list.response.counts()
			if n := v.counts[dag.Map] + v.counts[dag.Reduce]; s.inLists.Add(int64(n)) > mostTasks {
				v.list.response, v.isListCut = tasksBody{}, true
			}
		},
	}
}

// requestMasters requests the attempts of a job's application from the ResourceManager.
func (s *Source) requestMasters(ctx context.Context, j *job, r *request[appAttemptsBody]) {
	path := j.app + "/appattempts"
	r.read(ctx, path, func() ([]byte, error) { return s.cluster.RM(ctx, "apps/"+path) })
}

// pollJobs polls masters and the history server for the state of the workflow's jobs.
func (s *Source) pollJobs(ctx context.Context) error {
	s.inLists.Store(0)
	s.visits = nil
	var requests []func(context.Context)
	for _, j := range s.member {
		if v := s.visit(j); v != nil {
			s.visits = append(s.visits, v)
			requests = append(requests, v.requests(s)...)
		}
	}
	yarn.Together(ctx, requests...)
	s.catchUp()
	for _, v := range s.visits {
		switch {
		case v.app.Ended:
			s.takeHistory(v)
		case v.app.Running:
			s.takeMaster(v)
		default:
			s.takeRestart(v)
		}
	}
	s.weigh()
	return nil
}

// A service may be silent this long before ParaTimer warns: at every failover one is silent for a tick or two.
const quietLimit = 5 * time.Second

// lostMasters returns an error if masters that responded before no longer do: then nothing can be reported about the
// workflow. A master is lost if it has been silent for longer than a failover takes. One that denies access is not.
func (s *Source) lostMasters() error {
	var lost error
	for _, v := range s.visits {
		j, err := v.job, v.status.err
		denied := rest.Status(err) == http.StatusUnauthorized || rest.Status(err) == http.StatusForbidden
		switch {
		case !v.app.Running:
		case err == nil:
			return nil
		case lost == nil && j.state == dag.Running && !denied && s.now.Sub(j.lastAnswer) > quietLimit:
			lost = fmt.Errorf("the master of %s does not answer any more: %w", j.id, err)
		}
	}
	return lost
}

var errTimedOut = errors.New("hadoop: not asked: it has just not answered")

// getTask requests a path about a task, unless the service has just timed out. A service that hangs in the middle of a
// tick costs one timeout, not one a task.
func (s *Source) getTask(ctx context.Context, v *visit, path string) ([]byte, error) {
	if v.timedOut.Load() {
		return nil, errTimedOut
	}
	body, err := s.get(ctx, v, path)
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

// refused reports whether an error is a response that will not change: not found, or access denied.
func refused(err error) bool {
	switch rest.Status(err) {
	case http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest:
		return true
	}
	return false
}
