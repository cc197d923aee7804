package spark

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
)

// logTimeout bounds one request for the event log. The request itself has a pause.
const logTimeout = 10 * time.Second

// TakeLog applies the stage dependencies that a request has extracted from an event log. It reports whether the
// body is such a list. Dependencies from a job's page take precedence.
func (a *answers) TakeLog(body []byte) bool {
	var list []eventlog.Job
	if json.Unmarshal(body, &list) != nil {
		return false
	}
	for _, w := range list {
		j := a.jobs[w.ID.ID()]
		if j == nil {
			continue
		}
		for _, of := range w.Stages {
			id := of.ID.ID()
			s := a.stages[id]
			if s == nil || s.known || !slices.Contains(j.stages, id) {
				continue
			}
			s.known = true
			s.parents = slices.DeleteFunc(idsOf(of.Parents), func(p int) bool {
				return p >= id || !slices.Contains(j.stages, p)
			})
		}
	}
	return true
}

// askLog requests the event log from the history server if pages of jobs do not show the dependencies of a running
// job. If ended is true, it does so for ended jobs and unread pages too.
func (s *Source) askLog(ctx context.Context, ended bool) {
	untold := slices.ContainsFunc(s.app.unitJobs(), func(id int) bool {
		j := s.app.jobs[id]
		return !s.app.edgesKnown(j) && (ended || !j.over() && s.asked[id] >= pageTries)
	})
	if !untold {
		return
	}
	if d, ok := s.driver.(*yarnDriver); ok {
		d.findHistory(s.app.conf["spark.yarn.historyServer.address"])
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	// If the request fails, the dependencies stay a guess, for which there is a separate warning.
	_ = s.get(ctx, s.driver.History, s.path("logs"))
}
