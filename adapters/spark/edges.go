package spark

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
)

// logPatience bounds one question for the event log. hadoop.Client bounds how many there are.
const logPatience = 10 * time.Second

// TakeLog takes the edges that the event log of an application has, as hadoop.Client makes them of it, and reports
// whether it is such a list. Edges that the page of a job had stay as they are.
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

// askLog asks the history server for the event log of an application that runs a job whose page does not show which
// stage reads which; of one that has ended, also if no page of a job was read.
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
	ctx, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	// The edges stay a guess if it is refused: they have a warning of their own.
	_ = s.get(ctx, s.driver.History, s.path("logs"))
}
