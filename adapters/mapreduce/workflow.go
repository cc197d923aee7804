package mapreduce

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A workflow is what is known of the jobs that a source may have to watch.
type workflow struct {
	target yarn.Target
	view   *yarn.Overview // of the cluster
	chosen string         // application that stands for the workflow; "" until one is chosen
	id     string         // the workflow's; "" until a configuration is known
	jobs   map[string]*job
	member []*job // jobs of the workflow, by application id
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
		j := w.jobs[a.ID]
		return j != nil && j.conf != nil && j.conf.Workflow == id
	}
}

// conf returns the settings of the chosen application. Until these are known, it returns those of a sibling that looks
// like it and was submitted at about the same time, since the jobs of a wave start together. nil if there is none.
func (w *workflow) conf() *mrjob.Settings {
	if j := w.jobs[w.chosen]; j != nil && j.conf != nil {
		return j.conf
	}
	first := w.view.Known(w.chosen)
	if first == nil || first.Name == "" {
		return nil
	}
	for _, id := range slices.SortedFunc(maps.Keys(w.jobs), yarn.ByID) {
		conf, a := w.jobs[id].conf, w.view.Known(id)
		if a != nil && conf != nil && conf.Workflow != "" && alike(a, first) &&
			yarn.SameWave(a.Submitted, first.Submitted) {
			return conf
		}
	}
	return nil
}

// alike reports whether two applications may be jobs of one script.
func alike(a, b *yarn.App) bool { return yarn.Alike(a, b) && b.MapReduce() }

// readable reports whether some service can return the application's configuration now.
func readable(a *yarn.App) bool { return a.Running || a.Ended }

// lookBack is how much older than the launch an application of the same name may be to belong to the workflow (as
// an earlier batch).
const lookBack = 10 * time.Minute

// launchOf returns when the batch of jobs was launched that an application belongs to, at the latest.
func launchOf(a *yarn.App, conf *mrjob.Settings) dag.Instant {
	if conf != nil {
		if at := loose.ParseOptional(conf.Launch).Instant(); at.Known() {
			return min(a.Submitted, at)
		}
	}
	return a.Submitted
}

// candidates returns applications with a configuration that is worth a request, the likeliest first.
func (w *workflow) candidates() []*yarn.App {
	all := slices.DeleteFunc(w.view.Listed(), func(a *yarn.App) bool { return !a.MapReduce() || !readable(a) })
	if w.byWorkflow() {
		slices.Reverse(all)
		return all
	}
	first, conf := w.view.Known(w.chosen), w.conf()
	if conf != nil && conf.Workflow == "" {
		return nil // a single job
	}
	var out []*yarn.App
	if readable(first) {
		out = append(out, first)
	}
	since := launchOf(first, conf)
	for _, a := range all {
		from, similar := since, alike(a, first)
		if similar {
			from = since.Add(-lookBack)
		}
		if a.ID != w.chosen && a.User == first.User && (similar || conf != nil) && (!a.Ended || a.Submitted >= from) {
			out = append(out, a)
		}
	}
	return out
}

// Bounds of the configurations, 350 KB for a Pig job: requests at once, and rounds of them in one tick to find a
// workflow's id.
const (
	confsAtOnce = 8
	searches    = 10
)

// pollConfs requests configurations until one shows which application stands for the workflow, and collects its jobs.
func (s *Source) pollConfs(ctx context.Context) error {
	s.choose()
	if s.chosen != "" || s.byWorkflow() {
		for range searches {
			asked := s.requestConfs(ctx)
			if s.choose(); s.chosen != "" || asked == 0 {
				break
			}
		}
	}
	if s.chosen == "" {
		return &yarn.NoWorkflowError{Target: s.target, Apps: len(s.view.Listed())}
	}
	if conf := s.conf(); s.id == "" && conf != nil && conf.Workflow != "" {
		s.requestConfs(ctx) // of its siblings, now that they can be recognized
	}
	s.enlist()
	return nil
}

// requestConfs requests the configuration of jobs that may be ours, once each, and returns the number of requests.
func (s *Source) requestConfs(ctx context.Context) int {
	var requests []*yarn.App
	for _, a := range s.candidates() {
		j := s.job(a)
		j.conf = cmp.Or(j.conf, s.hub.conf(a.ID))
		if j.conf == nil && j.confTick <= s.ticks && len(requests) < confsAtOnce {
			j.confTick = s.ticks + 1
			requests = append(requests, a)
		}
	}
	yarn.Each(ctx, requests, func(ctx context.Context, a *yarn.App) {
		conf, err := requestConf(ctx, s.cluster, a)
		switch j := s.jobs[a.ID]; {
		case conf != nil:
			j.conf = conf
			s.hub.keep(a.ID, conf)
		case yarn.Denied(err):
			j.confTick = never
		}
	})
	return len(requests)
}

// requestConf requests an application's configuration. It returns nil without an error if the response has none.
func requestConf(ctx context.Context, c Cluster, a *yarn.App) (*mrjob.Settings, error) {
	var body []byte
	var err error
	if path := "jobs/" + a.Job() + "/conf"; a.Ended {
		body, err = c.JHS(ctx, "mapreduce/"+path)
	} else {
		body, err = c.AM(ctx, a.ID, path)
	}
	properties, err := mrjob.Properties(a.Job()+"/conf", body, err)
	if err != nil || len(properties) == 0 {
		return nil, err
	}
	conf := mrjob.ReadSettings(properties)
	return &conf, nil
}

// never is a tick that does not come.
const never = math.MaxInt

// job returns the job of an application, and adds it if needed.
func (w *workflow) job(a *yarn.App) *job {
	if w.jobs[a.ID] == nil {
		w.jobs[a.ID] = newJob(a)
	}
	return w.jobs[a.ID]
}

// enlist collects the jobs of the workflow.
func (w *workflow) enlist() {
	first := w.view.Known(w.chosen)
	w.job(first)
	conf := w.conf()
	if conf != nil {
		w.id = conf.Workflow
	}
	w.member = w.member[:0]
	for id, j := range w.jobs {
		if id == w.chosen || conf != nil && conf.Workflow != "" && j.conf != nil && j.conf.Workflow == conf.Workflow {
			w.member = append(w.member, j)
		}
	}
	if conf == nil || conf.Workflow != "" {
		w.presume(first, conf)
	}
	slices.SortFunc(w.member, func(a, b *job) int { return yarn.ByID(a.app, b.app) })
	w.forget()
}

// presume adds applications that look like ours but have no settings yet: same user and name, submitted together with
// the first one or, once the graph is known, after it. Their settings will confirm it, some seconds later.
func (w *workflow) presume(first *yarn.App, conf *mrjob.Settings) {
	if first.Name == "" {
		return
	}
	for _, a := range w.view.Listed() {
		j := w.jobs[a.ID]
		if j != nil && (j.conf != nil || j.confTick == never) || a.ID == w.chosen || a.Ended || !alike(a, first) {
			continue
		}
		if yarn.SameWave(a.Submitted, first.Submitted) || conf != nil && yarn.Older(a, first) >= 0 {
			w.member = append(w.member, w.job(a))
		}
	}
}

// maxStrangers bounds the jobs of other workflows that are remembered.
const maxStrangers = 10_000

// forget drops what is not needed of other workflows' applications: on a busy cluster they would fill the memory.
// Until our own settings are known, applications that look like ours may be ours.
func (w *workflow) forget() {
	known := w.conf() != nil
	ours := map[string]bool{w.chosen: true}
	for _, j := range w.member {
		ours[j.app] = true
	}
	w.view.Forget(func(id string) bool {
		j := w.jobs[id]
		return ours[id] || !known && j != nil && j.conf != nil
	})
	for id, j := range w.jobs {
		switch {
		case ours[id]:
		case j.conf == nil && w.view.Known(id) == nil, len(w.jobs) > maxStrangers:
			delete(w.jobs, id)
		case known && j.conf != nil:
			j.conf = &mrjob.Settings{Workflow: j.conf.Workflow} // so that it is not requested again
		}
	}
}

// idle reports whether all jobs of the workflow have ended. Without jobs it is false.
func (w *workflow) idle() bool {
	return len(w.member) > 0 && !slices.ContainsFunc(w.member, func(j *job) bool { return !j.state.Ended() })
}
