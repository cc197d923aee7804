// Package fleet watches every workflow that matches a rule, each as one alone would be watched, in one process: the
// cluster's applications are listed once for all, observations are spread over time, and a few workers take them in
// turn.
//
// One workflow's trouble stays its own: what panics is told, and begins anew later.
package fleet

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/contention"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster is where workflows run. Source takes an application's id or, of Tez, a DAG's.
type Cluster interface {
	Refresh(ctx context.Context) error
	Running() []hadoop.Submitted
	Room() (totalMB, freeMB int)
	Identify(ctx context.Context, app string) error
	Source(id string) watch.Source
}

// Hooks are what a workflow's watch is tied to. Every field may be nil or empty.
type Hooks struct {
	Source func(watch.Source) watch.Source // puts something between the cluster and the watch, e.g. profiles
	Usual  func() time.Duration            // its usual length, 0 while nobody knows it
	// told which rules it is held to, before the first frame and when they change
	Hold   func([]*rules.Rule)
	Recall func(frame.Frame) alert.State
	Keep   func(alert.State, frame.Frame) error
	Join   func(*watch.Watch) // adds to the watch before it begins
	Close  func(dag.State)    // it has ended, or is not watched any more
}

// Options of a fleet.
type Options struct {
	Cluster Cluster
	// Open ties a workflow that is to be watched. An error leaves it alone until the next round.
	Open func(Watched) (Hooks, error)
	// Estimators makes the estimators of one worker.
	Estimators func() watch.EstimatorSet
	// Shown is told of each tick, one at a time. An error ends the fleet.
	Shown func(Watched, frame.Tick) error
	// Left is told of a workflow that is not watched any more though it has not ended, in turn with Shown; nil: nobody
	// is.
	Left func(Watched)
	// Listed is told after each round in which the applications were listed; nil: nobody is.
	Listed func()
	// Blockings is told after each such round who holds others up, and has for a while, in turn with Shown; nil: nobody
	// is.
	Blockings func(at dag.Instant, blockings []contention.Blocking)
	// Every is the least time between observations of a workflow, and the time between two lists of the applications.
	Every time.Duration
	// Most is the most time between observations of one that needs long.
	Most time.Duration
	// Workers are how many observations are made at once.
	Workers int
	// Drain is how long observations that are under way may take once the fleet is to end.
	Drain time.Duration
	Log   zerolog.Logger
}

// Watched is a workflow that is watched, and what it is held to.
type Watched struct {
	App string // an application of it
	rules.Workflow
	Rules []*rules.Rule
}

// A Fleet watches. Rules may be replaced while it does.
type Fleet struct {
	opt Options

	mu       sync.Mutex
	newRules []rules.Rule // by SetRules, to be taken over by the loop; nil: nothing new

	rules   []rules.Rule
	edition int                 // of the rules
	watched map[string]*session // by workflow id, or application where that is not known yet
	ended   map[string]bool     // applications and DAGs whose workflow is over, while they are listed
	asked   map[string]time.Time
	since   map[pair]time.Time // since when one waits for what another holds
	queue   queue
	board   *board

	work chan func(watch.EstimatorSet)
	done chan finished
	shew sync.Mutex
}

// New returns a fleet that watches nothing yet.
func New(o Options, r []rules.Rule) *Fleet {
	return &Fleet{
		opt: o, rules: r, watched: map[string]*session{}, ended: map[string]bool{}, asked: map[string]time.Time{},
		board: newBoard(),
		work:  make(chan func(watch.EstimatorSet)), done: make(chan finished, o.Workers+1),
	}
}

// SetRules replaces the rules from the next round on. What stands under a name goes on.
func (f *Fleet) SetRules(r []rules.Rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newRules = r
}

// Run watches until the context is over, and returns its cause once what was under way is done; or until Shown fails.
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
	cancel() // what has not come back within Drain is given up
	close(f.work)
	workers.Wait()
	for len(f.done) > 0 {
		_ = f.finish(<-f.done) // it ends anyway
	}
	for _, v := range f.watched { // nobody else has them any more
		v.close()
	}
	return err
}

// loop is the only one that touches the fleet's maps.
func (f *Fleet) loop(ctx, steps context.Context) error {
	busy, round := 0, time.NewTimer(0)
	defer round.Stop()
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	var fatal error
	for {
		ready, wait := f.queue.next(time.Now())
		if ready != nil && busy < f.opt.Workers && fatal == nil && ctx.Err() == nil {
			f.queue.pop()
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

// drain waits for what is under way, and for no longer than it may take.
func (f *Fleet) drain(steps context.Context, busy *int) bool {
	limit := time.NewTimer(f.opt.Drain)
	defer limit.Stop()
	for *busy > 0 {
		select {
		case d := <-f.done:
			*busy--
			_ = f.finish(d) // it ends anyway
		case <-limit.C:
			return false
		}
	}
	return true
}

// round lists the applications and takes up the workflows that came.
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
