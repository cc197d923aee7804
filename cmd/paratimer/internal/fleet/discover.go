package fleet

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// askAgain is how long an application whose configuration could not be read is left alone.
const askAgain = 15 * time.Second

// discover takes up what runs and matches a rule. An application that runs is asked first which workflow it is of; one
// that waits for its master is watched as what it seems to be, unless a workflow like it is watched already.
func (f *Fleet) discover(now time.Time) {
	running := f.opt.Cluster.Running()
	listed := make(map[string]bool, len(running))
	mine := make(map[string]bool)    // applications of what is watched
	like := make(map[[2]string]bool) // names and users of what is watched
	for _, v := range f.watched {
		for _, app := range v.apps {
			mine[app] = true
		}
		like[[2]string{v.is.Workflow.App, v.is.User}] = true
	}
	unread := f.unread(running)
	for i := range running {
		s := &running[i]
		listed[s.App], listed[s.Workflow] = true, true
		if s.Engine != "" {
			if !mine[s.App] {
				f.takeDAG(s, now)
			}
			continue
		}
		if mine[s.App] || f.ended[s.App] {
			continue
		}
		w := rules.Workflow{
			ID: s.Workflow, Name: pig.Script(s.Name), App: s.Name, User: s.User,
			Queue: s.Queue,
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
			f.asked[s.App] = now
			f.queue.ask(s.App, now)
		case s.Read && s.Workflow != "" &&
			slices.ContainsFunc(unread, func(u *hadoop.Submitted) bool { return hadoop.Together(s, u) }):
			// It is of the workflow that is watched already, or that one's own conf will say that it is not.
		case s.Read, !s.Readable && !like[[2]string{s.Name, s.User}]:
			f.watch(s, w, matched, now)
			like[[2]string{s.Name, s.User}] = true
		}
	}
	for app := range f.ended {
		if !listed[app] {
			delete(f.ended, app)
		}
	}
	for app := range f.asked {
		if !listed[app] {
			delete(f.asked, app)
		}
	}
}

// takeDAG takes up the DAG that an application of Tez runs, if it matches a rule. Its DAGs run one after the other, and
// each is a workflow: while none is known that goes on, the application is asked now and then.
func (f *Fleet) takeDAG(s *hadoop.Submitted, now time.Time) {
	if s.Workflow == "" || f.ended[s.Workflow] {
		if s.Readable && now.Sub(f.asked[s.App]) >= askAgain {
			f.asked[s.App] = now
			f.queue.ask(s.App, now)
		}
		return
	}
	name := cmp.Or(s.Title, pig.Script(s.Name))
	w := rules.Workflow{ID: s.Workflow, Name: name, App: s.Name, User: s.User, Queue: s.Queue, Engine: s.Engine}
	if matched := f.matching(w); len(matched) > 0 {
		f.watch(s, w, matched, now)
	}
}

// unread are the applications by which something is watched and whose confs are not known yet.
func (f *Fleet) unread(running []hadoop.Submitted) (out []*hadoop.Submitted) {
	watched := map[string]bool{}
	for _, v := range f.watched {
		watched[v.is.App] = strings.HasPrefix(v.key, "job_")
	}
	for i := range running {
		if s := &running[i]; !s.Read && watched[s.App] {
			out = append(out, s)
		}
	}
	return out
}

// watch takes a workflow up. Its first observation comes at a time of its own, so that a full cluster is not asked for
// everything at once.
func (f *Fleet) watch(s *hadoop.Submitted, w rules.Workflow, matched []*rules.Rule, now time.Time) {
	key := keyOf(s)
	if s.Workflow == "" && s.Read {
		w.ID = key
	}
	if f.watched[key] != nil {
		return
	}
	v := &session{
		fleet: f, key: key, is: Watched{App: s.App, Workflow: w, Rules: matched}, edition: f.edition,
		apps: []string{s.App}, source: s.App, cluster: f.opt.Cluster,
	}
	if s.Engine != "" {
		v.source = s.Workflow
	}
	f.watched[key] = v
	f.queue.push(v, now.Add(stagger(key, f.opt.Every)))
}

// stagger is a part of d that is the same for a key in every run.
func stagger(key string, d time.Duration) time.Duration {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return time.Duration(h % uint64(max(d, 1)))
}

// job is what a worker does with an entry of the queue.
func (f *Fleet) job(ctx context.Context, e *entry) func(watch.EstimatorSet) {
	if e.v == nil {
		app := e.app
		return func(watch.EstimatorSet) {
			f.done <- finished{app: app, err: f.opt.Cluster.Identify(ctx, app)}
		}
	}
	v := e.v
	v.running, v.seen = true, v.is.Workflow
	if v.edition != f.edition {
		v.is.Rules, v.edition, v.held = f.matching(v.is.Workflow), f.edition, false
	}
	return func(p watch.EstimatorSet) { f.done <- v.step(ctx, p) }
}
