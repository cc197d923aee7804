package hadoop

import (
	"context"
	"net/http"
)

// Bounds of confs, which take 350 KB for a Pig job: at once, and in the search for a workflow's id in one tick.
const (
	confsAtOnce = 8
	searches    = 10
)

// observeConfs asks for the configuration of jobs that may be ours, once each, and returns how many it asked for.
func (s *Source) observeConfs(ctx context.Context) int {
	var jobs []*job
	for _, id := range s.candidates() {
		j := s.jobs[id]
		if j == nil {
			j = newJob(s.apps[id])
			s.jobs[id] = j
		}
		if j.conf == nil && s.hub != nil {
			j.conf = s.hub.conf(id)
		}
		if j.conf == nil && !j.denied && j.confTick <= s.ticks && len(jobs) < confsAtOnce {
			j.confTick = s.ticks + 1
			jobs = append(jobs, j)
		}
	}
	confs, errs := make([]confBody, len(jobs)), make([]error, len(jobs))
	var questions []func(context.Context)
	for i, j := range jobs {
		questions = append(questions, func(ctx context.Context) {
			var body []byte
			var err error
			if s.apps[j.app].ended() {
				body, err = s.cluster.JHS(ctx, "mapreduce/jobs/"+j.id+"/conf")
			} else {
				body, err = s.cluster.AM(ctx, j.app, "jobs/"+j.id+"/conf")
			}
			confs[i], errs[i] = getConf(ctx, j.id+"/conf", body, err)
		})
	}
	ask(ctx, questions...)
	for i, j := range jobs {
		switch st := status(errs[i]); {
		case errs[i] == nil && len(confs[i].Conf.v.Properties) > 0:
			j.conf = confs[i].conf()
			if s.hub != nil {
				s.hub.keep(j.app, j.conf)
			}
		case st == http.StatusUnauthorized || st == http.StatusForbidden:
			j.denied = true
		}
	}
	return len(jobs)
}
