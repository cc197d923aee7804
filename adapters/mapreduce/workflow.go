package mapreduce

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A workflow is the state of the jobs that a source watches.
type workflow struct {
	target yarn.Target
	view   *yarn.Overview // of the cluster
	hub    *Hub           // has the configurations
	chosen string         // application that stands for the workflow; "" until one is chosen
	id     string         // the workflow's; "" until a configuration is known
	jobs   map[string]*job
	member []*job          // the same, by application id
	tried  map[string]bool // applications with a request for their configuration in this tick
}

// byWorkflow reports whether the target is a workflow id that no application was found for yet. Only configurations
// contain it.
func (w *workflow) byWorkflow() bool { return w.chosen == "" && w.target.ID != "" && !w.targetsJob() }

func (w *workflow) targetsJob() bool {
	return strings.HasPrefix(w.target.ID, "application_") || strings.HasPrefix(w.target.ID, "job_")
}

// choose decides which application stands for the workflow, once. Of the applications of a user that is the newest.
func (w *workflow) choose() {
	if w.chosen != "" {
		return
	}
	var best *yarn.App
	for _, a := range w.view.Listed() {
		if a.MapReduce() && w.fits(a) && (best == nil || w.target.ID == "" && yarn.Older(a, best) > 0) {
			best = a
		}
	}
	if best != nil {
		w.chosen = best.ID
	}
}

// fits reports whether an application may stand for the workflow.
func (w *workflow) fits(a *yarn.App) bool {
	switch id := w.target.ID; {
	case id == "":
		return !a.Ended && (w.target.User == "" || a.User == w.target.User)
	case w.targetsJob():
		return id == a.ID || id == a.Job()
	default:
		c, _ := w.hub.conf(a.ID)
		return c != nil && c.Workflow == id
	}
}

// conf returns the settings of the chosen application. Until these are known, it returns those of a sibling that looks
// like it and was submitted at about the same time, since the jobs of a wave start together. nil if there is none.
func (w *workflow) conf() *Settings {
	first := w.view.Known(w.chosen)
	if c := w.settings(first); c != nil {
		return c
	}
	for _, id := range slices.SortedFunc(maps.Keys(w.jobs), yarn.ByID) {
		j := w.jobs[id]
		if c := j.conf; c != nil && c.Workflow != "" && alike(j.app, first) &&
			yarn.SameWave(j.app.Submitted, first.Submitted) {
			return c
		}
	}
	return nil
}

// settings returns an application's settings, nil if they are unknown.
func (w *workflow) settings(a *yarn.App) *Settings {
	if j := w.jobs[a.ID]; j != nil && j.conf != nil {
		return j.conf
	}
	c, _ := w.hub.conf(a.ID)
	return c
}

// alike reports whether an application may be a job of the same script as the first one.
func alike(a, first *yarn.App) bool {
	return first.Name != "" && yarn.Alike(a, first) && a.MapReduce()
}

// lookBack limits how long before the launch an application of the same name may start to belong to the workflow, as an
// earlier batch.
const lookBack = 10 * time.Minute

// launchOf returns the latest possible launch of the batch of jobs that an application belongs to.
func launchOf(a *yarn.App, conf *Settings) dag.Instant {
	if conf != nil {
		if at := input.ParseOptional(conf.Launch).Instant(); at.Known() {
			return min(a.Submitted, at)
		}
	}
	return a.Submitted
}

// candidates returns applications with a configuration that is worth a request and can be read now, the likeliest
// first.
func (w *workflow) candidates() []*yarn.App {
	all := w.view.Listed()
	if w.byWorkflow() {
		slices.Reverse(all)
	} else {
		first, conf := w.view.Known(w.chosen), w.conf()
		if conf != nil && conf.Workflow == "" {
			return nil // a single job
		}
		since := launchOf(first, conf)
		all = slices.DeleteFunc(all, func(a *yarn.App) bool {
			from, similar := since, alike(a, first)
			if similar {
				from = since.Add(-lookBack)
			}
			return a.ID == w.chosen || a.User != first.User || !similar && conf == nil || a.Ended && a.Submitted < from
		})
		all = slices.Insert(all, 0, first)
	}
	return slices.DeleteFunc(all, func(a *yarn.App) bool { return !a.MapReduce() || !a.Running && !a.Ended })
}

// Bounds of the configurations, 350 KB for a Pig job: requests at once, rounds of them in one tick to find a
// workflow's id, and ticks after which those of applications that are no longer listed are dropped.
const (
	confsAtOnce = 8
	searches    = 10
	forgetEach  = 100
)

// pollConfs requests configurations until one shows which application stands for the workflow, and collects its jobs.
func (s *Source) pollConfs(ctx context.Context) error {
	clear(s.tried)
	if s.isOnly && s.ticks%forgetEach == 0 {
		s.hub.forget()
	}
	s.choose()
	if s.chosen != "" || s.byWorkflow() {
		for range searches {
			sent := s.requestConfs(ctx)
			if s.choose(); s.chosen != "" || sent == 0 {
				break
			}
		}
	}
	if s.chosen == "" {
		return &yarn.NoWorkflowError{Target: s.target, Apps: len(s.view.Listed())}
	}
	isNew := s.id == ""
	if s.enlist(); isNew && s.id != "" {
		s.requestConfs(ctx) // of its siblings, now that they can be recognized
		s.enlist()
	}
	return nil
}

// requestConfs requests configurations of jobs that may be ours, once a tick each, and returns the number of requests.
func (s *Source) requestConfs(ctx context.Context) int {
	var due []*yarn.App
	for _, a := range s.candidates() {
		_, isKnown := s.hub.conf(a.ID)
		if isKnown = isKnown || s.settings(a) != nil; !isKnown && !s.tried[a.ID] && len(due) < confsAtOnce {
			s.tried[a.ID] = true
			due = append(due, a)
		}
	}
	yarn.Each(ctx, due, func(ctx context.Context, a *yarn.App) { _ = s.hub.requestConf(ctx, a) })
	return len(due)
}

// enlist collects the jobs of the workflow. Of other workflows' applications nothing is kept: on a busy cluster they
// would fill the memory. But until the settings of the chosen application are known, any with settings may be ours.
func (w *workflow) enlist() {
	first := w.view.Known(w.chosen)
	for _, a := range append(w.view.Listed(), first) {
		if w.jobs[a.ID] == nil && (a == first || alike(a, first) || w.settings(a) != nil) {
			w.jobs[a.ID] = newJob(a)
		}
	}
	for id, j := range w.jobs {
		j.app = cmp.Or(w.view.Known(id), j.app)
		j.conf = w.settings(j.app)
	}
	conf, isKnown := w.conf(), w.settings(first) != nil
	if conf != nil {
		w.id = conf.Workflow
	}
	w.member = w.member[:0]
	for id, j := range w.jobs {
		switch {
		case w.belongs(j, first, conf):
			w.member = append(w.member, j)
		case isKnown || j.conf == nil:
			delete(w.jobs, id)
		}
	}
	slices.SortFunc(w.member, func(a, b *job) int { return yarn.ByID(a.app.ID, b.app.ID) })
	w.view.Forget(func(id string) bool { return w.jobs[id] != nil })
}

// belongs reports whether a job is of the workflow. One without known settings is presumed to be if it looks like the
// first one and was submitted together with it or, once the graph is known, after it. Its settings will confirm it,
// some seconds later.
func (w *workflow) belongs(j *job, first *yarn.App, conf *Settings) bool {
	a := j.app
	_, isKnown := w.hub.conf(a.ID)
	switch {
	case a.ID == w.chosen:
		return true
	case j.conf != nil:
		return conf != nil && conf.Workflow != "" && j.conf.Workflow == conf.Workflow
	case isKnown, a.Ended, conf != nil && conf.Workflow == "", !alike(a, first), !w.view.IsListed(a.ID):
		return false
	}
	return yarn.SameWave(a.Submitted, first.Submitted) || conf != nil && yarn.Older(a, first) >= 0
}

// idle reports whether all jobs of the workflow have ended. Without jobs it is false.
func (w *workflow) idle() bool {
	return len(w.member) > 0 && !slices.ContainsFunc(w.member, func(j *job) bool { return !j.state.Ended() })
}

// patience is the least time that jobs of the graph may be missing before the workflow counts as ended without
// them.
const patience = 60 * time.Second

// end returns the state of the workflow.
//
// It has succeeded if all jobs of the graph have, and the history server has confirmed it. It has failed or was
// killed if a job was, nothing runs, and only jobs that depend on that job are missing. Otherwise, while nothing
// runs and jobs are missing, new ones may come for max(60 s, 3 x the longest launch gap).
func (s *Source) end(g placed) dag.State {
	failed := make([]bool, len(g.jobs)) // failed, or depends on a failed job
	worst := dag.Succeeded
	missing, last := 0, dag.NoInstant
	stops := false
	for i, j := range g.jobs {
		for _, p := range g.Vertices[i].After {
			failed[i] = failed[i] || failed[p]
		}
		switch {
		case j == nil && !failed[i]:
			missing++
		case j == nil:
		case !j.state.Ended(), j.at == jobUnconfirmed, j.unread(s.now, s.isLast()):
			return dag.Running
		case j.state != dag.Succeeded:
			failed[i] = true
			worst = severity[max(slices.Index(severity, worst), slices.Index(severity, j.state))]
			stops = stops || j.conf != nil && j.conf.Stops
		}
		if j != nil && (!last.Known() || j.finished > last) {
			last = j.finished
		}
	}
	if missing == 0 || worst != dag.Succeeded && stops {
		return worst
	}
	if !last.Known() || s.view.ListedAt().Sub(last) < max(patience, 3*longestGap(g)) {
		return dag.Running
	}
	if worst != dag.Succeeded {
		return worst
	}
	return dag.EndedUnconfirmed
}

// severity orders the ends of jobs: a known failure comes before an unknown end.
var severity = []dag.State{dag.Succeeded, dag.EndedUnconfirmed, dag.Killed, dag.Failed}

// longestGap returns the longest time from the end of earlier jobs to a submission.
func longestGap(g placed) time.Duration {
	var longest time.Duration
	for _, j := range g.jobs {
		before := dag.NoInstant
		for _, b := range g.jobs {
			if j != nil && b != nil && b.state.Ended() && b.finished <= j.submitted {
				before = max(before, b.finished)
			}
		}
		if before.Known() {
			longest = max(longest, j.submitted.Sub(before))
		}
	}
	return longest
}
