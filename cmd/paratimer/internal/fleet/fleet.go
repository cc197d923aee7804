// Package fleet watches every workflow that matches a rule, as `watch` does for a single one, in one process. It
// lists the cluster's applications once for all, spreads observations over time, and has a few workers.
//
// Failures are isolated: if a session panics, the panic is logged and the session starts again later.
package fleet

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/contention"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster is where workflows run. Source takes the id of an application or of a Tez DAG.
type Cluster interface {
	Refresh(ctx context.Context) error
	Running() []yarn.Submitted
	Room() (totalMB, freeMB int)
	Identify(ctx context.Context, app string) error
	Source(id string) watch.Source
}

// Hooks connect a session to the rest of the program. Every field may be nil or empty.
type Hooks struct {
	Source func(watch.Source) watch.Source // wraps the cluster's source, e.g. to add profiles
	Usual  func() time.Duration            // its usual length, 0 if unknown
	// Hold receives the matching rules, before the first frame and whenever they change.
	Hold   func([]*rules.Rule)
	Recall func(frame.Frame) alert.State
	Keep   func(alert.State, frame.Frame) error
	Join   func(*watch.Watch) // adds to the watch before it begins
	Close  func(dag.State)    // it has ended, or is no longer watched
}

// Options of a fleet.
type Options struct {
	Cluster Cluster
	// Open creates the hooks of a new workflow. After an error it is called again later.
	Open func(Watched) (Hooks, error)
	// Estimators creates the estimators of one worker.
	Estimators func() watch.EstimatorSet
	// Shown receives each tick, one at a time. An error ends the fleet.
	Shown func(Watched, frame.Tick) error
	// Left receives workflows that are no longer watched although they have not ended, never at the same time as
	// Shown; may be nil.
	Left func(Watched)
	// Listed is called after each round in which the applications were listed; may be nil.
	Listed func()
	// Blockings receives the blockings that have lasted, after each such round, never at the same time as Shown;
	// may be nil.
	Blockings func(at dag.Instant, blockings []contention.Blocking)
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

// Watched is a watched workflow and its rules.
type Watched struct {
	App string // one of its applications
	rules.Workflow
	Rules []*rules.Rule
}

// A Fleet watches workflows. Rules may be replaced meanwhile.
type Fleet struct {
	opt Options

	mu       sync.Mutex
	newRules []rules.Rule // by SetRules, for the loop's next round; nil: no change

	rules   []rules.Rule
	edition int                 // of the rules
	watched map[string]*session // by workflow id, or by application until that is known
	ended   map[string]bool     // applications and DAGs of ended workflows, while they are listed
	asked   map[string]time.Time
	since   map[pair]time.Time // when each blocking was first seen
	asks    []string           // applications whose configuration is to be read, oldest first
	board   *board

	work chan func(watch.EstimatorSet)
	done chan finished
	shew sync.Mutex
}

// New returns a fleet without sessions.
func New(o Options, r []rules.Rule) *Fleet {
	return &Fleet{
		opt: o, rules: r, watched: map[string]*session{}, ended: map[string]bool{}, asked: map[string]time.Time{},
		board: newBoard(),
		work:  make(chan func(watch.EstimatorSet)), done: make(chan finished, o.Workers+1),
	}
}

// SetRules replaces the rules from the next round on. Rules with the same name continue.
func (f *Fleet) SetRules(r []rules.Rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newRules = r
}

// Run watches until the context ends or Shown fails. It returns the context's cause once running observations are
// done, or Shown's error.
func (f *Fleet) Run(ctx context.Context) error {
	steps, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var workers sync.WaitGroup
	for range f.opt.Workers {
		workers.Go(func() {
			panel := f.opt.Estimators()
			for job := range f.work {
				job(panel)
			}
		})
	}
	err := f.loop(ctx, steps)
	cancel() // abort observations that took longer than Drain
	close(f.work)
	workers.Wait()
	for len(f.done) > 0 {
		_ = f.finish(<-f.done) // the fleet ends anyway
	}
	for _, v := range f.watched { // no worker uses them any more
		v.close()
	}
	return err
}

// loop is the only function that accesses the fleet's maps.
func (f *Fleet) loop(ctx, steps context.Context) error {
	busy, round := 0, time.NewTimer(0)
	defer round.Stop()
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	var fatal error
	for {
		ready, wait := f.next(time.Now())
		if (ready != nil || len(f.asks) > 0) && busy < f.opt.Workers && fatal == nil && ctx.Err() == nil {
			busy++
			f.work <- f.job(steps, ready)
			continue
		}
		if busy == 0 && fatal != nil {
			return fatal
		}
		if busy == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wake.Reset(wait)
		if ctx.Err() != nil || fatal != nil {
			if !f.drain(steps, &busy) && fatal == nil {
				return context.Cause(ctx)
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-wake.C:
		case <-round.C:
			f.round(ctx)
			round.Reset(f.opt.Every)
		case d := <-f.done:
			busy--
			fatal = f.finish(d)
		}
	}
}

// next returns the workflow to observe now; nil if none is due, with the time until then.
func (f *Fleet) next(now time.Time) (ready *session, wait time.Duration) {
	for _, v := range f.watched {
		if !v.running && (ready == nil || cmp.Or(v.next.Compare(ready.next), cmp.Compare(v.key, ready.key)) < 0) {
			ready = v
		}
	}
	switch {
	case ready == nil:
		return nil, time.Hour
	case ready.next.After(now):
		return nil, ready.next.Sub(now)
	}
	return ready, 0
}

// job returns the job of a worker: to read an application's configuration, if one is to be read, else to observe a
// workflow.
func (f *Fleet) job(ctx context.Context, v *session) func(watch.EstimatorSet) {
	if len(f.asks) > 0 {
		app := f.asks[0]
		f.asks = f.asks[1:]
		return func(watch.EstimatorSet) {
			f.done <- finished{app: app, err: f.opt.Cluster.Identify(ctx, app)}
		}
	}
	v.running, v.seen = true, v.is.Workflow
	if v.edition != f.edition {
		v.is.Rules, v.edition, v.held = f.matching(v.is.Workflow), f.edition, false
	}
	return func(p watch.EstimatorSet) { f.done <- v.step(ctx, p) }
}

// drain waits for running observations, at most for Drain.
func (f *Fleet) drain(steps context.Context, busy *int) bool {
	limit := time.NewTimer(f.opt.Drain)
	defer limit.Stop()
	for *busy > 0 {
		select {
		case d := <-f.done:
			*busy--
			_ = f.finish(d) // the fleet ends anyway
		case <-limit.C:
			return false
		}
	}
	return true
}

// round lists the applications and starts sessions for new workflows.
func (f *Fleet) round(ctx context.Context) {
	f.takeRules()
	limited, cancel := context.WithTimeout(ctx, max(f.opt.Every, 10*time.Second))
	defer cancel()
	if err := f.opt.Cluster.Refresh(limited); ctx.Err() != nil {
		return
	} else if err != nil {
		f.opt.Log.Warn().Err(err).Int("watched",
			len(f.watched)).Msg("the applications cannot be listed now; trying again")
		return
	}
	f.discover(time.Now())
	f.findBlockings(time.Now())
	if f.opt.Listed != nil {
		f.opt.Listed()
	}
}

func (f *Fleet) takeRules() {
	f.mu.Lock()
	fresh := f.newRules
	f.newRules = nil
	f.mu.Unlock()
	if fresh == nil {
		return
	}
	f.rules = fresh
	f.edition++
	for key, v := range f.watched {
		if !v.running && len(f.matching(v.is.Workflow)) == 0 {
			f.release(key, v)
		}
	}
}

func (f *Fleet) matching(w rules.Workflow) []*rules.Rule {
	var out []*rules.Rule
	for i := range f.rules {
		if f.rules[i].Match.Matches(w) {
			out = append(out, &f.rules[i])
		}
	}
	return out
}
