//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An app is an application as the ResourceManager reports it; other fields are left out.
type app struct {
	ID, Name, User, State, FinalStatus string
	StartedTime                        int64
}

func (a app) job() string { return strings.Replace(a.ID, "application_", "job_", 1) }

// get reads a JSON answer into to; false where there is none.
func (l *lab) get(url string, to any) bool {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.ctx, http.MethodGet, url, nil)
	l.must(err)
	req.Header.Set("Accept", "application/json")
	resp, err := (&http.Client{Transport: l.transport}).Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(body, to) == nil
}

// apps lists the applications, oldest first.
func (l *lab) apps() []app {
	l.t.Helper()
	var list struct{ Apps struct{ App []app } }
	l.get(l.rm+"/ws/v1/cluster/apps", &list)
	slices.SortFunc(list.Apps.App, func(a, b app) int { return strings.Compare(a.ID, b.ID) })
	return list.Apps.App
}

// await polls until a condition is true.
func (l *lab) await(what string, so func() bool) {
	l.t.Helper()
	for !so() {
		select {
		case <-time.After(300 * time.Millisecond):
		case <-l.ctx.Done():
			l.t.Fatalf("in the test's time this did not come: %s", what)
		}
	}
}

// awaitApp waits for the first application with a name that ends so.
func (l *lab) awaitApp(name string) (found app) {
	l.t.Helper()
	l.await("application "+name, func() bool {
		for _, a := range l.apps() {
			if strings.HasSuffix(a.Name, name) {
				found = a
				return true
			}
		}
		return false
	})
	return found
}

// awaitTask waits until a task, m_000003, has reported this progress in percent.
func (l *lab) awaitTask(a app, task string, percent float64) {
	l.t.Helper()
	id := strings.Replace(a.ID, "application_", "task_", 1) + "_" + task
	url := fmt.Sprintf("%s/proxy/%s/ws/v1/mapreduce/jobs/%s/tasks/%s", l.rm, a.ID, a.job(), id)
	l.await(id+" under way", func() bool {
		var got struct{ Task struct{ Progress float64 } }
		return l.get(url, &got) && got.Task.Progress >= percent
	})
}

// truth is the length in seconds of a workflow of these jobs, as the history server reports it.
func (l *lab) truth(jobs []string) float64 {
	l.t.Helper()
	first, last := int64(0), int64(0)
	for _, id := range jobs {
		var got struct {
			Job struct{ SubmitTime, FinishTime int64 }
		}
		l.await("history of "+id, func() bool {
			return l.get(l.jhs+"/ws/v1/history/mapreduce/jobs/"+id, &got) && got.Job.FinishTime > 0
		})
		if first == 0 || got.Job.SubmitTime < first {
			first = got.Job.SubmitTime
		}
		last = max(last, got.Job.FinishTime)
	}
	return float64(last-first) / 1000
}
