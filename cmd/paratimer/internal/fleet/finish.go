package fleet

import (
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// finished is the result of a worker's job.
type finished struct {
	v     *session
	app   string // the application, if its configuration was read
	over  bool
	err   error
	panic string
}

// finish processes a worker's result.
func (f *Fleet) finish(d finished) error {
	if d.v == nil {
		if d.err != nil {
			f.opt.Log.Debug().Err(d.err).Str("app", d.app).Msg("its configuration cannot be read yet")
		}
		return nil
	}
	v := d.v
	v.running, v.is.Workflow = false, v.seen
	switch {
	case v.gone:
		f.leave(v)
	case d.panic != "":
		f.opt.Log.Error().Str("workflow", v.is.ID).Str("app",
			v.is.App).Msg("watching this workflow failed; it begins anew later: " + d.panic)
		f.anew(v)
	case d.err != nil && v.fatal:
		return d.err
	case d.err != nil && f.runs(v): // e.g. it started just before the cluster failed
		f.opt.Log.Warn().Err(d.err).Str("app",
			v.is.App).Msg("this workflow cannot be watched now; it begins anew later")
		f.anew(v)
	case d.err != nil:
		f.opt.Log.Debug().Err(d.err).Str("app", v.is.App).Msg("not watched any more")
		f.lose(v)
	case d.over:
		v.failures = 0
		f.lose(v)
	default:
		v.failures = 0
		if len(f.matching(v.is.Workflow)) == 0 {
			f.release(v.key, v) // the rules have changed meanwhile
			return nil
		}
		if f.rename(v) {
			v.next = time.Now().Add(v.wait)
		}
	}
	return nil
}

// anew schedules a new start of a workflow's watch, later each time.
func (f *Fleet) anew(v *session) {
	v.failures++
	v.watch = nil
	v.next = time.Now().Add(min(time.Minute<<min(v.failures-1, 6), time.Hour))
}

// runs reports whether an application of a workflow is listed.
func (f *Fleet) runs(v *session) bool {
	return slices.ContainsFunc(f.opt.Cluster.Running(), func(s yarn.Submitted) bool {
		return slices.Contains(v.apps, s.App)
	})
}

// lose forgets a workflow that has ended.
func (f *Fleet) lose(v *session) {
	for _, app := range v.apps {
		if v.source == v.is.App {
			f.ended[app] = true
			continue
		}
		f.ended[v.source] = true // another DAG may follow
		delete(f.asked, app)
	}
	f.drop(v.key, v)
}

func (f *Fleet) drop(key string, v *session) {
	delete(f.watched, key)
	if v.running { // it is closed when the worker is done
		v.gone = true
		return
	}
	f.leave(v)
}

// release stops the watch of a workflow that no longer matches a rule. Keep gets a frame without alerts, so that
// reported alerts are withdrawn.
func (f *Fleet) release(key string, v *session) {
	if v.hooks.Keep != nil && v.alerts.Bounds != nil {
		is := frame.Workflow{ID: &v.is.ID, Name: &v.is.Name, State: v.state}
		if err := v.hooks.Keep(v.alerts, frame.Frame{Workflow: is}); err != nil {
			f.opt.Log.Warn().Err(err).Str("app", v.is.App).Msg("what was told of this workflow cannot be taken back")
		}
	}
	f.drop(key, v)
}

// leave closes a session, and reports the workflow if it has not ended.
func (f *Fleet) leave(v *session) {
	v.close()
	f.board.forget(v.key)
	if f.opt.Left != nil && !v.state.Ended() {
		f.shew.Lock()
		defer f.shew.Unlock()
		f.opt.Left(v.is)
	}
}

// rename moves a workflow to its own id once that is known. It returns false if another session has the workflow
// already; this session was for one of its jobs.
func (f *Fleet) rename(v *session) bool {
	id := v.is.ID
	if id == "" || id == v.key {
		return true
	}
	if other := f.watched[id]; other != nil {
		other.apps = append(other.apps, v.apps...)
		v.is.ID = v.key // the id belongs to the other session
		f.drop(v.key, v)
		return false
	}
	if v.opened && strings.HasPrefix(v.key, "job_") {
		v.restart() // its hooks depend on its id
	}
	delete(f.watched, v.key)
	f.board.forget(v.key)
	v.key = id
	f.watched[id] = v
	return true
}
