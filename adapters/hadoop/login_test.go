package hadoop

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
)

// TestCookies: what Hadoop and Knox set is kept, and nothing else; what is kept is bounded.
func TestCookies(t *testing.T) {
	t.Parallel()
	u := &url.URL{Scheme: "http", Host: "rm:8088", Path: "/proxy/application_1_0001/ws"}
	c := newCookies()
	for _, name := range []string{
		"hadoop.auth", "hadoop-jwt", "KNOXSESSIONID", "JSESSIONID",
		"checked_application_1_0001", "track", "checked_", "auth",
	} {
		c.set(u, []*http.Cookie{{Name: name, Value: "x", Path: "/"}})
	}
	c.set(u, []*http.Cookie{{Name: "hadoop.auth", Value: strings.Repeat("x", maxCookie), Path: "/long"}})
	var names []string
	for _, k := range c.of(u) {
		names = append(names, k.Name)
	}
	if got := strings.Join(names,
		" "); got != "hadoop.auth hadoop-jwt KNOXSESSIONID JSESSIONID checked_application_1_0001" {
		t.Errorf("kept %s", got)
	}
	for i := range 3 * allCookies / 4000 {
		c.set(u, []*http.Cookie{{
			Name: fmt.Sprintf("checked_application_1_%d", i), Value: strings.Repeat("x", 4000),
			Path: "/",
		}})
	}
	sent := 0
	for _, k := range c.of(u) {
		sent += len(k.Value)
	}
	if sent == 0 || sent > allCookies || c.bytes > allCookies {
		t.Errorf("%d bytes are kept, %d counted", sent, c.bytes)
	}
}

// TestLimitsByPath: a job's own answer and an error page are short, lists may be long.
func TestLimitsByPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int64{
		"/ws/v1/cluster/apps":                                                rest.Long,
		"/ws/v1/cluster/apps/application_1_0001":                             rest.Short,
		"/ws/v1/cluster/nodes":                                               rest.Long,
		"/ws/v1/cluster/metrics":                                             rest.Short,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001":          rest.Short,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/tasks":    rest.Long,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/conf":     rest.Middle,
		"/ws/v1/cluster/scheduler":                                           rest.Middle,
		"/ws/v1/history/mapreduce/jobs/job_1_0001/tasks/task_1_m_0/counters": rest.Short,
	} {
		if got := limit(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	long := `{"tasks":{"task":[` + strings.Repeat(" ", 3<<20) + `]}}`
	status, kind := http.StatusOK, "application/json"
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, long)
	})
	c := clientOf(t, rest.Options{}, s.URL)
	host := strings.TrimPrefix(s.URL, "http://")
	if _, err := c.NM(t.Context(), host, "containers/container_1/logs"); !errors.Is(err, rest.ErrTooBig) {
		t.Errorf("a list of logs: %v", err)
	}
	if body, err := c.NM(t.Context(), host, "containers/container_1/logs/syslog"); err != nil || string(body) != long {
		t.Errorf("a log: %d bytes, %v", len(body), err)
	}
	if body, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); err != nil ||
		string(body) != long {
		t.Errorf("a long list: %d bytes, %v", len(body), err)
	}
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001"); !errors.Is(err, rest.ErrTooBig) ||
		!strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Errorf("a job: %v", err)
	}
	status = http.StatusInternalServerError
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); !errors.Is(err, rest.ErrTooBig) {
		t.Errorf("an error: %v", err)
	}
	status, kind = http.StatusOK, "text/html"
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); !errors.Is(err, rest.ErrTooBig) {
		t.Errorf("a page: %v", err)
	}
}
