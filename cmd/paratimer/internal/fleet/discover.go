package fleet

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// askAgain is the wait between two attempts to read an application's configuration.
const askAgain = 15 * time.Second

// discover starts sessions for running workflows that match a rule. It first reads a running application's
// configuration to find its workflow. An application that waits for its master is watched by its name and user,
// unless a workflow with both is watched already.
func (f *Fleet) discover(ctx, steps context.Context, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	running := f.opt.Cluster.Running()
	listed := make(map[string]bool, len(running))
	mine := make(map[string]bool)    // applications of watched workflows
	like := make(map[[2]string]bool) // names and users of watched workflows
	for _, v := range f.watched {
		for _, app := range v.apps {
			mine[app] = true
		}
		like[[2]string{v.is.App, v.is.User}] = true
	}
	unread := f.unread(running)
	for i := range running {
		s := &running[i]
		listed[s.App], listed[s.Workflow] = true, true
		w := Workflow{
			ID: s.Workflow, Name: cmp.Or(s.Title, naming.PigScript(s.Name)), App: s.Name, User: s.User,
			Queue: s.Queue, Engine: s.Engine,
		}
		if s.Engine != "" {
			if !mine[s.App] {
				f.takeDAG(ctx, steps, s, w, now)
			}
			continue
		}
		if mine[s.App] || f.ended[s.App] {
			continue
		}
		matched := f.matching(w)
		if len(matched) == 0 {
			continue
		}
		if v := f.watched[s.Workflow]; v != nil && s.Workflow != "" {
			v.apps = append(v.apps, s.App)
			continue
		}
		switch {
		case s.Readable && !s.Read && now.Sub(f.asked[s.App]) >= askAgain:
			f.ask(ctx, steps, s.App, now)
		case s.Read && s.Workflow != "" &&
			slices.ContainsFunc(unread, func(u *yarn.Submitted) bool { return yarn.SameScript(s, u) }):
			// It belongs to the workflow that is watched already, unless that workflow's own configuration shows
			// otherwise.
		case s.Read, !s.Readable && !like[[2]string{s.Name, s.User}]:
			f.watch(ctx, steps, s, w, matched)
			like[[2]string{s.Name, s.User}] = true
		}
	}
	maps.DeleteFunc(f.ended, func(app string, _ bool) bool { return !listed[app] })
	maps.DeleteFunc(f.asked, func(app string, _ time.Time) bool { return !listed[app] })
}

// ask makes a worker read an application's configuration.
func (f *Fleet) ask(ctx, steps context.Context, app string, now time.Time) {
	f.asked[app] = now
	f.group.Go(func() {
		select {
		case <-ctx.Done():
		case p := <-f.estimators:
			if err := f.opt.Cluster.Identify(steps, app); err != nil {
				f.opt.Log.Debug().Err(err).Str("app", app).Msg("its configuration cannot be read yet")
			}
			f.estimators <- p
		}
	})
}

// takeDAG starts a session for the DAG that a Tez application runs, if it matches a rule. Its DAGs run one after
// another, and each is a workflow. While it runs none, the application is polled at intervals of askAgain.
func (f *Fleet) takeDAG(ctx, steps context.Context, s *yarn.Submitted, w Workflow, now time.Time) {
	if s.Workflow == "" || f.ended[s.Workflow] {
		if s.Readable && now.Sub(f.asked[s.App]) >= askAgain {
			f.ask(ctx, steps, s.App, now)
		}
		return
	}
	if matched := f.matching(w); len(matched) > 0 {
		f.watch(ctx, steps, s, w, matched)
	}
}

// unread returns the watched applications with unknown configurations.
func (f *Fleet) unread(running []yarn.Submitted) (out []*yarn.Submitted) {
	watched := map[string]bool{}
	for _, v := range f.watched {
		watched[v.app] = strings.HasPrefix(v.key, "job_")
	}
	for i := range running {
		if s := &running[i]; !s.Read && watched[s.App] {
			out = append(out, s)
		}
	}
	return out
}

// watch starts a session for a workflow. First observations are spread over time, to limit the load on a full
// cluster.
func (f *Fleet) watch(ctx, steps context.Context, s *yarn.Submitted, w Workflow, matched []*Rule) {
	key := keyOf(s)
	if s.Workflow == "" && s.Read {
		w.ID = key
	}
	if f.watched[key] != nil {
		return
	}
	v := &session{
		fleet: f, key: key, app: s.App, is: w, rules: matched, apps: []string{s.App}, source: s.App,
		end: dag.NoInstant, wait: stagger(key, f.opt.Every), log: f.opt.Log.With().Str("app", s.App).Logger(),
	}
	if s.Engine != "" {
		v.source = s.Workflow
	}
	f.watched[key] = v
	f.group.Go(func() { v.run(ctx, steps) })
}

// stagger returns a part of d that is always the same for a key.
func stagger(key string, d time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // Write never fails
	return time.Duration(h.Sum64() % uint64(max(d, 1)))
}
