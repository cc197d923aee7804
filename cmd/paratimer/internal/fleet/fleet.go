// Package fleet watches every workflow that matches a rule, as `watch` does for a single one, in one process. It
// lists the cluster's applications once for all, spreads observations over time, and has a few workers.
//
// Rules come from files: bounds for workflows, which are selected by name, user and queue, and the alerts that follow
// when a bound is at risk. Reading is strict: every error is reported with its position, before any workflow is
// watched.
//
// Failures are isolated: if a session panics, the panic is logged and the session starts again later.
package fleet

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// Hooks connect a session with the history of its workflow and with the sinks of its alerts. None may be nil.
type Hooks struct {
	Join func(*watch.Watch) // adds to a watch before its first observation
	// Rules receives the rules that match, before each observation. It returns the usual length of the workflow, 0 if
	// that is unknown.
	Rules func([]*Rule) (usual time.Duration)
	Close func() // the workflow has ended, or is no longer watched
}

// Options of a fleet.
type Options struct {
	Cluster engine.Cluster
	// Open creates the hooks of a new workflow, by one of its applications.
	Open func(app string) Hooks
	// Estimators creates the estimators of one worker.
	Estimators func() watch.EstimatorSet
	// Sinks receive each tick, one at a time. An error ends the fleet. If a workflow is no longer watched although it
	// has not ended, the sinks that have a method Forget(id string) get its id, so that it does not look watched.
	Sinks []watch.Sink
	// Listed receives the blockings that have lasted, after each round in which the applications were listed, but never
	// while a sink receives a tick.
	Listed func(at dag.Instant, blockings []Blocking)
	// Every is the least time between observations of a workflow, and the time between two rounds.
	Every time.Duration
	// Most is the longest time between observations.
	Most time.Duration
	// Workers is the number of simultaneous observations.
	Workers int
	// Drain is the longest wait for running observations when the fleet ends.
	Drain time.Duration
	Log   zerolog.Logger
}

// A Fleet watches workflows. Rules may be replaced meanwhile. Each workflow has its own goroutine, which waits for one
// of the workers' estimators before it observes.
type Fleet struct {
	opt        Options
	estimators chan watch.EstimatorSet // one for each worker that is idle
	group      sync.WaitGroup
	fail       context.CancelCauseFunc // ends the fleet
	showing    sync.Mutex              // held while frames, blockings and lost workflows are reported
	unlisted   bool                    // the applications could not be listed; used by Run alone

	mu      sync.Mutex // guards the fields below, and the fields of sessions with such a comment
	rules   []Rule
	watched map[string]*session // by workflow id, or by application until that is known
	ended   map[string]bool     // applications and DAGs of ended workflows, while they are listed
	asked   map[string]time.Time
	since   map[pair]time.Time       // when each blocking was first seen
	heldUp  map[string]*frame.HeldUp // who blocks a workflow, by its key
	holds   map[string]int           // how many workflows one blocks, by its key; nil before the first search
}

// New returns a fleet without sessions.
func New(o Options, r []Rule) *Fleet {
	return &Fleet{
		opt: o, rules: r, watched: map[string]*session{}, ended: map[string]bool{}, asked: map[string]time.Time{},
		estimators: make(chan watch.EstimatorSet, o.Workers),
	}
}

// SetRules replaces the rules. Rules with the same name continue.
func (f *Fleet) SetRules(r []Rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = r
}

// Run watches until the context ends or Shown fails. It returns the context's cause once running observations are
// done, or Shown's error.
func (f *Fleet) Run(ctx context.Context) error {
	ctx, f.fail = context.WithCancelCause(ctx)
	defer f.fail(nil)
	steps, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	for range f.opt.Workers {
		f.estimators <- f.opt.Estimators()
	}
	for ctx.Err() == nil {
		f.round(ctx, steps)
		_ = watch.Sleep(ctx, f.opt.Every) // the loop's condition has its error
	}
	limit := time.AfterFunc(f.opt.Drain, abort)
	defer limit.Stop()
	f.group.Wait()
	return context.Cause(ctx)
}

// round lists the applications and starts sessions for new workflows.
func (f *Fleet) round(ctx, steps context.Context) {
	limited, cancel := context.WithTimeout(ctx, max(f.opt.Every, 10*time.Second))
	defer cancel()
	err := f.opt.Cluster.Refresh(limited)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if !f.unlisted { // else it would be logged every round
			f.opt.Log.Warn().Err(err).Msg("the applications cannot be listed now; trying again")
		}
		f.unlisted = true
		return
	}
	if f.unlisted {
		f.opt.Log.Warn().Msg("the applications are listed again")
	}
	f.unlisted = false
	now := time.Now()
	f.discover(ctx, steps, now)
	lasting := f.findBlockings(now)
	f.showing.Lock()
	defer f.showing.Unlock()
	f.opt.Listed(dag.InstantOf(now), lasting)
}

// matching returns the rules that match a workflow. The caller must hold the lock.
func (f *Fleet) matching(w Workflow) []*Rule {
	var out []*Rule
	for i := range f.rules {
		if f.rules[i].Match.Matches(w) {
			out = append(out, &f.rules[i])
		}
	}
	return out
}
