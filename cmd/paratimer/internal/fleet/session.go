package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A session is the watch of one workflow. Its goroutine alone uses it, but for the fields that the fleet's lock guards:
// other goroutines read them.
type session struct {
	fleet  *Fleet
	source string // its id for the cluster: an application's or, for Tez, a DAG's
	log    zerolog.Logger

	// guarded by the fleet's lock
	key   string
	app   string // the first of apps
	is    Workflow
	rules []*Rule
	apps  []string
	end   dag.Instant // its predicted end; NoInstant if unknown
	want  bool        // tasks that could run have no container

	seen   Workflow // id and name from the newest frame
	hooks  Hooks    // zero: they are not open
	watch  *watch.Watch
	alerts alert.State                    // state of its alerts, for a new start of the watch
	keep   func(alert.State, frame.Frame) // that of the newest watch
	state  dag.State

	wait     time.Duration // until the next observation
	failures int
}

// run observes until the workflow has ended, no rule matches it any more, or the fleet ends.
func (v *session) run(ctx, steps context.Context) {
	defer v.close()
	for watch.Sleep(ctx, v.wait) == nil {
		if !v.matched() {
			v.release()
			return
		}
		select {
		case <-ctx.Done():
			return
		case p := <-v.fleet.estimators:
			over, err := v.step(steps, p)
			v.fleet.estimators <- p
			if ctx.Err() != nil || !v.settle(over, err) {
				return
			}
		}
	}
}

// matched updates the workflow's rules, and reports whether it has any.
func (v *session) matched() bool {
	v.fleet.mu.Lock()
	defer v.fleet.mu.Unlock()
	v.rules = v.fleet.matching(v.is)
	return len(v.rules) > 0
}

var errPanic = errors.New("a fault of ParaTimer")

// step observes once. It never panics.
func (v *session) step(ctx context.Context, p watch.EstimatorSet) (over bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	v.seen = v.is
	v.open()
	v.watch.Estimators = p
	over, err = v.watch.Step(ctx)
	if err == nil && !over && v.watch.State().Ended() {
		// run the actions at a source's end at once, in case the fleet ends now
		over, err = v.watch.Step(ctx)
	}
	v.state = v.watch.State()
	if w := v.watch.Wait(); w > v.fleet.opt.Every { // observations are missed
		v.wait = w
	}
	return over, err
}

// open creates the hooks and the watch, if there are none yet, and gives the watch its bounds.
func (v *session) open() {
	if v.hooks.Close == nil {
		v.hooks = v.fleet.opt.Open(v.app)
	}
	if v.watch == nil {
		v.watch = &watch.Watch{
			Source: v.fleet.opt.Cluster.Source(v.source), Sinks: []watch.Sink{v}, Alerts: v.alerts,
			Every: v.fleet.opt.Every, Log: v.log,
		}
		v.hooks.Join(v.watch)
		if v.failures > 0 && v.alerts.Bounds != nil { // the previous watch has newer state than what is stored
			v.watch.Recall = nil
		}
		v.keep = v.watch.Keep
	}
	usual := v.hooks.Rules(v.rules)
	v.watch.Bounds = nil
	for _, r := range v.rules {
		if !r.Unbound() {
			v.watch.Bounds = append(v.watch.Bounds, r.Bound(usual))
		}
	}
}

// Show is the watch's first sink: it updates the workflow's id and name and the next wait, and passes the frame on.
func (v *session) Show(tick frame.Tick) (err error) {
	f := &tick.Frame
	v.seen.ID = cmp.Or(frame.ValueOf(f.Workflow.ID), v.seen.ID)
	v.seen.Name = cmp.Or(frame.ValueOf(f.Workflow.Name), v.seen.Name)
	v.learn(f)
	v.wait = interval(*f, v.watch.Bounds, v.fleet.opt.Every, v.fleet.opt.Most)
	v.fleet.showing.Lock()
	defer v.fleet.showing.Unlock()
	for _, s := range v.fleet.opt.Sinks {
		err = errors.Join(err, s.Show(tick))
	}
	if err != nil {
		v.fleet.fail(fmt.Errorf("cannot show a frame: %w", err))
	}
	return err
}

// settle follows up on an observation. It returns false if the workflow is no longer watched.
func (v *session) settle(over bool, err error) bool {
	v.fleet.mu.Lock()
	v.is = v.seen
	v.fleet.mu.Unlock()
	switch {
	case err != nil && v.listed(): // e.g. it started just before the cluster failed
		v.log.Warn().Err(err).Msg("this workflow cannot be watched now; its watch starts again later")
		v.again()
		v.failures++
		v.wait = min(time.Minute<<min(v.failures-1, 6), time.Hour)
		return true
	case err != nil || over:
		v.log.Debug().Err(err).Msg("no longer watched")
		v.leave(true)
		return false
	}
	v.failures = 0
	return v.rename()
}

// listed reports whether an application of the workflow is listed.
func (v *session) listed() bool {
	v.fleet.mu.Lock()
	defer v.fleet.mu.Unlock()
	return slices.ContainsFunc(v.fleet.opt.Cluster.Running(), func(s yarn.Submitted) bool {
		return slices.Contains(v.apps, s.App)
	})
}

// again makes the next step create a new watch, which goes on with the state of the alerts.
func (v *session) again() {
	if v.watch != nil {
		v.alerts, v.watch = v.watch.Alerts, nil
	}
}

// release stops the watch of a workflow that no rule matches any more. Keep gets a frame without alerts, so that
// reported alerts are withdrawn.
func (v *session) release() {
	v.again()
	if v.keep != nil && v.alerts.Bounds != nil {
		is := frame.Workflow{ID: &v.is.ID, Name: &v.is.Name, State: v.state}
		v.keep(v.alerts, frame.Frame{Workflow: is})
	}
	v.leave(false)
}

// leave takes the session off the list, for good if the workflow is over, and reports a workflow that has not ended.
func (v *session) leave(over bool) {
	f := v.fleet
	f.mu.Lock()
	delete(f.watched, v.key)
	switch {
	case over && v.source != v.app: // another DAG may follow
		f.ended[v.source] = true
		delete(f.asked, v.app)
	case over:
		for _, app := range v.apps {
			f.ended[app] = true
		}
	}
	f.mu.Unlock()
	v.close()
	if v.state.Ended() {
		return
	}
	f.showing.Lock()
	defer f.showing.Unlock()
	for _, s := range f.opt.Sinks {
		if s, ok := s.(interface{ Forget(id string) }); ok {
			s.Forget(v.is.ID)
		}
	}
}

// close runs the hook of the end, once.
func (v *session) close() {
	if v.hooks.Close != nil {
		v.hooks.Close()
	}
	v.hooks = Hooks{}
}

// rename moves a workflow to its own id once that is known. It returns false if another session has the workflow
// already; this session was for one of its jobs.
func (v *session) rename() bool {
	v.fleet.mu.Lock()
	id, before := v.is.ID, v.key
	other := v.fleet.watched[id]
	switch {
	case id == "" || id == before:
		v.fleet.mu.Unlock()
		return true
	case other != nil:
		other.apps = append(other.apps, v.apps...)
		v.is.ID = before // the id belongs to the other session
		v.fleet.mu.Unlock()
		v.leave(false)
		return false
	}
	delete(v.fleet.watched, before)
	v.fleet.watched[id], v.key = v, id
	v.fleet.mu.Unlock()
	if v.hooks.Close != nil && strings.HasPrefix(before, "job_") { // its hooks depend on its id
		v.close()
		v.again()
	}
	return true
}

// The wait between observations depends on how soon something of interest can happen. It is a fraction of the
// remaining time, of the time to a deadline, and of a NoProgress bound.
const (
	ofRemaining  = 40
	ofDeadline   = 20
	ofNoProgress = 5
	ofElapsed    = 10 // if the remaining time is unknown
)

// brewing is the probability of being late from which an alert may fire soon.
const brewing = 0.5

// interval returns the time until the next observation.
func interval(f frame.Frame, bounds []alert.Bound, every, most time.Duration) time.Duration {
	d := most
	low := f.Headline.LowSeconds
	if low == nil {
		low = f.Headline.RemainingSeconds
	}
	switch {
	case low != nil:
		d = min(d, low.Duration()/ofRemaining)
	case f.ElapsedSeconds != nil:
		d = min(d, f.ElapsedSeconds.Duration()/ofElapsed)
	}
	for _, a := range f.Alerts {
		if a.DeadlineAt != nil && f.At != nil && a.State != frame.Late {
			d = min(d, a.DeadlineAt.Sub(f.At.Instant).Abs()/ofDeadline)
		}
		if a.State == frame.OnTrack && a.Probability != nil && *a.Probability >= brewing {
			d = min(d, 2*every) // a state must last some observations before it counts
		}
	}
	for i := range bounds {
		if bounds[i].Kind == alert.NoProgress {
			d = min(d, bounds[i].For/ofNoProgress)
		}
	}
	return max(d, every)
}
