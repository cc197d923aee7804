package mapreduce

import (
	"context"
	"net/http"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// Bounds of the confs, 350 KB for a Pig job: requests at once, and rounds of them in one tick to find a workflow's
// id.
const (
	confsAtOnce = 8
	searches    = 10
)

// observeConfs requests the configuration of jobs that may be ours, once each, and returns the number of requests.
func (s *Source) observeConfs(ctx context.Context) int {
	var jobs []*job
	for _, id := range s.candidates() {
		j := s.jobs[id]
		if j == nil {
			j = newJob(s.view.Known(id))
			s.jobs[id] = j
		}
		if j.conf == nil {
			j.conf = s.hub.conf(id)
		}
		if j.conf == nil && j.confTick <= s.ticks && len(jobs) < confsAtOnce {
			j.confTick = s.ticks + 1
			jobs = append(jobs, j)
		}
	}
	confs, errs := make([][]mrjob.Property, len(jobs)), make([]error, len(jobs))
	var questions []func(context.Context)
	for i, j := range jobs {
		questions = append(questions, func(ctx context.Context) {
			var body []byte
			var err error
			if s.view.Known(j.app).Ended {
				body, err = s.cluster.JHS(ctx, "mapreduce/jobs/"+j.id+"/conf")
			} else {
				body, err = s.cluster.AM(ctx, j.app, "jobs/"+j.id+"/conf")
			}
			confs[i], errs[i] = mrjob.Properties(ctx, j.id+"/conf", body, err)
		})
	}
	yarn.Together(ctx, questions...)
	for i, j := range jobs {
		switch st := rest.Status(errs[i]); {
		case errs[i] == nil && len(confs[i]) > 0:
			conf := mrjob.ReadSettings(confs[i])
			j.conf = &conf
			s.hub.keep(j.app, j.conf)
		case st == http.StatusUnauthorized || st == http.StatusForbidden:
			j.confTick = never
		}
	}
	return len(jobs)
}
