package fleet

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A session is the watch of one workflow. While a worker steps it, only that worker may use it; otherwise only the
// loop.
type session struct {
	fleet   *Fleet
	key     string
	is      Watched
	seen    rules.Workflow // id and name from the newest frame, for the loop
	edition int            // version of is.Rules
	apps    []string
	source  string // its id for the cluster: an application's or, for Tez, a DAG's

	opened bool
	hooks  Hooks
	watch  *watch.Watch
	alerts alert.State // state of its alerts, for a new start of the watch
	held   bool        // the watch has the bounds of is.Rules
	bounds []alert.Bound
	usual  time.Duration
	state  dag.State

	wait     time.Duration
	failures int
	running  bool // a worker uses it
	gone     bool // no longer watched
	fatal    bool // its error is from Shown

	next time.Time // of its next observation
}

// step observes once. It never panics.
func (v *session) step(ctx context.Context, p watch.EstimatorSet) (out finished) {
	out.v = v
	defer func() {
		if r := recover(); r != nil {
			out.panic = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	if err := v.open(); err != nil {
		v.fleet.opt.Log.Warn().Err(err).Str("app", v.is.App).Msg("cannot watch this workflow now; trying again")
		v.wait = time.Minute
		return out
	}
	v.watch.Estimators = p
	out.over, out.err = v.watch.Step(ctx)
	if out.err == nil && !out.over && v.watch.State().Ended() {
		// run the actions at a source's end at once, in case the fleet ends now
		out.over, out.err = v.watch.Step(ctx)
	}
	if ctx.Err() != nil && out.err != nil {
		out.err = nil // the fleet ends, not the workflow
	}
	v.state = v.watch.State()
	if w := v.watch.Wait(); w > v.fleet.opt.Every { // observations are missed
		v.wait = w
	}
	return out
}

// open creates the hooks and the watch, if there are none yet.
func (v *session) open() error {
	if !v.opened {
		if v.fleet.opt.Open != nil {
			h, err := v.fleet.opt.Open(v.is)
			if err != nil {
				return err
			}
			v.hooks = h
		}
		v.opened = true
	}
	if v.watch == nil {
		src := v.fleet.opt.Cluster.Source(v.source)
		if v.hooks.Source != nil {
			src = v.hooks.Source(src)
		}
		w := watch.Watch{
			Source: src, Sinks: []watch.Sink{v}, Alerts: v.alerts, Every: v.fleet.opt.Every,
			Keep: v.keep, Log: v.fleet.opt.Log.With().Str("app", v.is.App).Logger(),
		}
		if v.hooks.Join != nil {
			v.hooks.Join(&w)
		}
		if v.failures == 0 || v.alerts.Bounds == nil { // else the previous watch has newer state
			w.Recall = v.hooks.Recall
		}
		v.watch, v.held = &w, false
	}
	usual := v.usual
	if v.hooks.Usual != nil {
		usual = v.hooks.Usual()
	}
	if v.held && usual == v.usual {
		return nil
	}
	v.held, v.usual, v.bounds = true, usual, nil
	for _, r := range v.is.Rules {
		if r.Unbound() {
			continue
		}
		v.bounds = append(v.bounds, r.Bound(usual))
	}
	v.watch.Bounds = v.bounds
	if v.hooks.Hold != nil {
		v.hooks.Hold(v.is.Rules)
	}
	return nil
}

// restart makes the next step create new hooks and a new watch.
func (v *session) restart() {
	v.close()
	v.watch, v.hooks = nil, Hooks{}
}

func (v *session) keep(s alert.State, f frame.Frame) error {
	v.alerts = s
	if v.hooks.Keep == nil {
		return nil
	}
	return v.hooks.Keep(s, f)
}

// Show is the watch's first sink: it updates the workflow's id and name and the next wait, and passes the frame on.
func (v *session) Show(tick frame.Tick) error {
	f := &tick.Frame
	if f.Workflow.ID != nil {
		v.seen.ID = *f.Workflow.ID
	}
	if f.Workflow.Name != nil {
		v.seen.Name = *f.Workflow.Name
	}
	v.fleet.board.learn(v.key, f)
	v.wait = interval(*f, v.bounds, v.fleet.opt.Every, v.fleet.opt.Most)
	if v.fleet.opt.Shown == nil {
		return nil
	}
	v.fleet.shew.Lock()
	defer v.fleet.shew.Unlock()
	is := v.is
	is.Workflow = v.seen
	err := v.fleet.opt.Shown(is, tick)
	v.fatal = v.fatal || err != nil
	return err
}

func (v *session) close() {
	if v.opened && v.hooks.Close != nil {
		v.hooks.Close(v.state)
	}
	v.opened = false
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
	for i := range f.Alerts {
		a := &f.Alerts[i]
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
