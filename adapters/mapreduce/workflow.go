package mapreduce

import (
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// choose decides which application stands for the workflow, once.
func (s *Source) choose() error {
	if s.chosen != "" {
		return nil
	}
	var best *yarn.App
	for _, a := range s.view.Listed() {
		id := a.ID
		if !a.MapReduce() {
			continue
		}
		switch {
		case strings.HasPrefix(s.target.ID, "application_"), strings.HasPrefix(s.target.ID, "job_"):
			if s.target.ID == id || s.target.ID == a.Job() {
				best = a
			}
		case s.target.ID != "":
			if j := s.jobs[id]; j != nil && j.conf != nil && j.conf.Workflow == s.target.ID && best == nil {
				best = a
			}
		case !a.Ended && (s.target.User == "" || a.User == s.target.User):
			if best == nil || yarn.Older(a, best) > 0 {
				best = a
			}
		}
	}
	if best != nil {
		s.chosen = best.ID
		return nil
	}
	if s.byWorkflow() {
		return nil // confs will show which
	}
	return &yarn.NoWorkflowError{Target: s.target, Apps: len(s.view.Listed())}
}

// byWorkflow reports whether the target is a workflow id that no application was found for yet. Only confs contain
// it.
func (s *Source) byWorkflow() bool {
	id := s.target.ID
	return s.chosen == "" && id != "" && !strings.HasPrefix(id, "application_") && !strings.HasPrefix(id, "job_")
}

// conf returns the conf of the chosen application. Until that is known, it returns the conf of a sibling that looks
// like it and was submitted at about the same time, since the jobs of a wave start together. nil if there is none.
func (s *Source) conf() *mrjob.Settings {
	if j := s.jobs[s.chosen]; j != nil && j.conf != nil {
		return j.conf
	}
	first := s.view.Known(s.chosen)
	if first == nil || first.Name == "" {
		return nil
	}
	reported := func(id string) bool {
		a, j := s.view.Known(id), s.jobs[id]
		return a != nil && j != nil && j.conf != nil && j.conf.Workflow != "" && alike(a, first) && together(a, first)
	}
	for _, a := range s.view.Listed() {
		if reported(a.ID) {
			return s.jobs[a.ID].conf
		}
	}
	// An application that has ended is on no list of running ones.
	for _, j := range s.member {
		if reported(j.app) {
			return j.conf
		}
	}
	return nil
}

// alike reports whether two applications may be jobs of one script.
func alike(a, b *yarn.App) bool { return yarn.Alike(a, b) && b.MapReduce() }

// together reports whether two applications were submitted at about the same time.
func together(a, b *yarn.App) bool { return yarn.SameWave(a.Submitted, b.Submitted) }

// lookBack is how much older than the launch an application of the same name may be to belong to the workflow (as
// an earlier batch).
const lookBack = 10 * time.Minute

// candidates returns applications with a conf that is worth a request, the likeliest first.
func (s *Source) candidates() []string {
	if s.byWorkflow() {
		var ids []string
		for _, a := range slices.Backward(s.view.Listed()) {
			if a.MapReduce() && readable(a) {
				ids = append(ids, a.ID)
			}
		}
		return ids
	}
	first := s.view.Known(s.chosen)
	conf := s.conf()
	if conf != nil && conf.Workflow == "" {
		return nil // a single job
	}
	out := []string{s.chosen}
	since := first.Submitted
	if conf != nil {
		if at := loose.ParseOptional(conf.Launch).Instant(); at.Known() {
			since = min(since, at)
		}
	}
	for _, a := range s.view.Listed() {
		id := a.ID
		if id == s.chosen || !a.MapReduce() || a.User != first.User || conf == nil && !alike(a, first) {
			continue
		}
		from := since
		if alike(a, first) {
			from = since.Add(-lookBack)
		}
		if a.Ended && !(a.Submitted >= from) {
			continue
		}
		out = append(out, id)
	}
	return slices.DeleteFunc(out, func(id string) bool { return !readable(s.view.Known(id)) })
}

// readable reports whether some service can return the application's conf now.
func readable(a *yarn.App) bool { return a.Running || a.Ended }

// enlist collects the jobs of the workflow.
func (s *Source) enlist() error {
	if s.byWorkflow() {
		if err := s.choose(); err != nil || s.chosen == "" {
			return &yarn.NoWorkflowError{Target: s.target, Apps: len(s.view.Listed())}
		}
	}
	first := s.view.Known(s.chosen)
	if s.jobs[s.chosen] == nil {
		s.jobs[s.chosen] = newJob(first)
	}
	conf := s.conf()
	if conf != nil {
		s.workflow = conf.Workflow
	}
	s.member = s.member[:0]
	for id, j := range s.jobs {
		if id == s.chosen || conf != nil && conf.Workflow != "" && j.conf != nil && j.conf.Workflow == conf.Workflow {
			s.member = append(s.member, j)
		}
	}
	if conf == nil || conf.Workflow != "" {
		s.presume(first)
	}
	slices.SortFunc(s.member, func(a, b *job) int { return yarn.ByID(a.app, b.app) })
	s.forget()
	return nil
}

// maxStrangers bounds the jobs of other workflows that are remembered.
const maxStrangers = 10_000

// forget drops what is not needed of other workflows' applications: on a busy cluster they would fill the memory.
// Until our own conf is read, applications that look like ours may be ours.
func (s *Source) forget() {
	known := s.conf() != nil
	ours := map[string]bool{s.chosen: true}
	for _, j := range s.member {
		ours[j.app] = true
	}
	s.view.Forget(func(id string) bool {
		j := s.jobs[id]
		return ours[id] || !known && j != nil && j.conf != nil
	})
	for id, j := range s.jobs {
		switch {
		case ours[id]:
		case j.conf == nil && s.view.Known(id) == nil, len(s.jobs) > maxStrangers:
			delete(s.jobs, id)
		case known && j.conf != nil:
			j.conf = &mrjob.Settings{Workflow: j.conf.Workflow} // so that it is not requested again
		}
	}
}

// presume adds applications that look like ours but have no conf yet: same user and name, submitted together with
// the first one or, once the graph is known, after it. Their confs will confirm it, some seconds later.
func (s *Source) presume(first *yarn.App) {
	if first.Name == "" {
		return
	}
	for _, a := range s.view.Listed() {
		id := a.ID
		if j := s.jobs[id]; j != nil && (j.conf != nil || j.confTick == never) || id == s.chosen || a.Ended ||
			!alike(a, first) {
			continue
		}
		if !together(a, first) && (s.conf() == nil || yarn.Older(a, first) < 0) {
			continue
		}
		if s.jobs[id] == nil {
			s.jobs[id] = newJob(a)
		}
		s.member = append(s.member, s.jobs[id])
	}
}
