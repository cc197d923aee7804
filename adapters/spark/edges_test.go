package spark

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A chain is a driver that runs jobs of three stages, where each stage reads the previous one. The driver's pages have
// no graphs, those of the history server do. By the numbers of their RDDs alone the last stage would read
// both others.
type chain struct {
	jobs     int
	absent   int    // how often the history server has no page yet
	pages    int    // requests of one
	page     string // the response in place of a page with graphs
	status   int    // of that; 0 is 200
	prefix   string // of all paths
	drawn    bool   // pages of the driver are answered, without graphs; else they are refused
	done     bool   // the application has ended
	requests []string
}

// application is the driver's id of the application; on YARN it has an attempt.
func (c *chain) application() (id, path string) {
	if strings.Contains(c.prefix, "/proxy/") {
		return "application_1_0001", "application_1_0001/1"
	}
	return "app-1", "app-1"
}

func (c *chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests = append(c.requests, r.URL.Path)
	id, app := c.application()
	path, below := strings.CutPrefix(r.URL.Path, c.prefix)
	part := strings.TrimPrefix(path, root+"/"+app)
	w.Header().Set("Content-Type", "application/json")
	stage := func(id int, status string) string {
		return fmt.Sprintf(`{"stageId":%d,"attemptId":0,"status":%q,"name":"s%d","numTasks":2,"rddIds":[%d],"submissionTime":"2026-11-22T16:58:25.723GMT"}`,
			id, status, id, 10*id)
	}
	switch {
	case strings.HasPrefix(r.URL.Path, "/ws/v1/cluster/"):
		fmt.Fprint(w, `{"apps":{"app":[{"id":"application_1_0001","applicationType":"SPARK","state":"RUNNING"}]}}`)
	case !below:
		http.NotFound(w, r)
	case path == root, part == "":
		turn := ""
		if id != app {
			turn = `"attemptId":"1",`
		}
		fmt.Fprintf(w, `[{"id":%q,"name":"chain","attempts":[{%s"completed":%v}]}]`, id, turn, c.done)
	case part == "/jobs", strings.HasPrefix(part, "/jobs/") && part < fmt.Sprintf("/jobs/%d", c.jobs):
		all := make([]string, c.jobs)
		for i := range all {
			state := `"RUNNING"`
			if c.done {
				state = `"SUCCEEDED","completionTime":"2026-11-22T16:58:26.723GMT"`
			}
			all[i] = fmt.Sprintf(`{"jobId":%d,"stageIds":[%d,%d,%d],"status":%s,"submissionTime":"2026-11-22T16:58:25.723GMT"}`,
				i, 3*i, 3*i+1, 3*i+2, state)
		}
		fmt.Fprintf(w, "[%s]", strings.Join(all, ","))
	case part == "/stages":
		var all []string
		for i := range c.jobs {
			all = append(all, stage(3*i, "ACTIVE"), stage(3*i+1, "PENDING"), stage(3*i+2, "PENDING"))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(all, ","))
	case part == "/allexecutors":
		fmt.Fprint(w, `[{"id":"0","isActive":true,"maxTasks":4}]`)
	case part == "/environment":
		fmt.Fprintf(w, `{"sparkProperties":[["spark.yarn.historyServer.address",%q]]}`, r.Host+c.prefix)
	case strings.HasSuffix(part, "/taskList"):
		fmt.Fprint(w, "[]")
	case strings.HasPrefix(path, "/history/"):
		if c.pages++; c.absent > 0 {
			c.absent--
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(max(c.status, http.StatusOK))
		fmt.Fprint(w, cmp.Or(c.page, graphs(r.URL.Query().Get("id"))))
	case path == "/jobs/job/" && c.drawn:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><title>Details for Job 0</title></html>")
	case path == "/jobs/job/":
		w.WriteHeader(http.StatusForbidden)
	default:
		http.NotFound(w, r)
	}
}

// graphs returns the page of a job. Its last stage also seems to read an RDD that no stage has.
func graphs(job string) string {
	first := 3 * atoi(job)
	page := fmt.Sprintf(`<div class="stage-metadata" stage-id="%d"></div>`, first)
	for id := first + 1; id < first+3; id++ {
		page += fmt.Sprintf(`<div class="stage-metadata" stage-id="%d"><div class="incoming-edge">%d,%d</div>`, id, 10*(id-1), 10*id)
	}
	return page + `<div class="incoming-edge">999,5</div></div>`
}

// serve starts a chain, and returns its address and a client of it.
func (c *chain) serve(t *testing.T) (base string, client *yarn.Client) {
	t.Helper()
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return s.URL + c.prefix, clientOf(t, rest.Options{}, s.URL)
}

// edgesOf returns the edges of a snapshot's stages, and whether it warns that these are a guess.
func edgesOf(s *dag.Snapshot) (edges string, guess bool) {
	for k, st := range s.Plan.Jobs[0].Stages {
		for _, e := range st.After {
			edges += fmt.Sprintf(" %d<%d", k, e.From)
		}
	}
	return strings.TrimSpace(edges), slices.ContainsFunc(s.Warnings, func(w dag.Warning) bool {
		return w.Code == dag.WarnNoEdges
	})
}

func next(t *testing.T, s *Source) *dag.Snapshot {
	t.Helper()
	snap, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TestEdgesFromHistory checks that the history server's pages give the edges of jobs if the driver's pages do not, also
// of a later job, and that few pages are requested.
func TestEdgesFromHistory(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, drawn: true}
	base, client := c.serve(t)
	s := NewSource(AtAddress(client, base, base), "")
	for range checkRounds - 1 {
		if got, guess := edgesOf(next(t, s)); !guess || got != "2<0 2<1" || c.pages > 0 {
			t.Fatalf("in the first rounds: got %s, a guess %v, %d pages", got, guess, c.pages)
		}
	}
	if got, guess := edgesOf(next(t, s)); guess || got != "1<0 2<1" {
		t.Errorf("with the page: %s, a guess %v", got, guess)
	}
	if got := s.app.stages[2].parents; !slices.Equal(got, []int{1}) {
		t.Errorf("the last stage reads %d, want 1: only stages of its job", got)
	}
	c.jobs = 2
	for range checkRounds - 1 {
		next(t, s)
	}
	if c.pages != 1 {
		t.Errorf("got requests of %d pages within %d rounds, want 1", c.pages, checkRounds)
	}
	if got, guess := edgesOf(next(t, s)); guess || got != "1<0 2<1 4<3 5<4" || c.pages != 2 {
		t.Errorf("the second job: got %s, a guess %v, %d pages", got, guess, c.pages)
	}
	for range 3 * checkRounds {
		next(t, s)
	}
	if c.pages != 2 {
		t.Errorf("got requests of %d pages, want 2: they are known", c.pages)
	}
}

// TestEdgesAtTheEnd checks that the history server's page gives the edges of a job that ended before its page was read.
func TestEdgesAtTheEnd(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, drawn: true}
	history, client := c.serve(t)
	driver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.done {
			http.NotFound(w, r)
			return
		}
		c.ServeHTTP(w, r)
	}))
	defer driver.Close()
	s := NewSource(AtAddress(client, driver.URL, history), "")
	if _, guess := edgesOf(next(t, s)); !guess {
		t.Fatal("the edges are known before any response has them")
	}
	c.done = true
	end := next(t, s)
	if got, _ := edgesOf(end); got != "1<0 2<1" || end.State != dag.Succeeded {
		t.Errorf("got %s, %v, %d pages", got, end.State, c.pages)
	}
}

// TestEdgesFromBadHistory checks that few pages are requested from a history server that refuses them, lacks them or
// sends something else, and that the edges stay a guess. A page that exists later is read then.
func TestEdgesFromBadHistory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*chain{
		"refused":   {jobs: 1, status: http.StatusForbidden, page: "no"},
		"unknown":   {jobs: 1, status: http.StatusNotFound, page: "no"},
		"no graphs": {jobs: 1, page: strings.Repeat("<html>", 1000)},
		"late":      {jobs: 1, absent: pageTries - 1},
	} {
		base, client := c.serve(t)
		s := NewSource(AtAddress(client, base, base), "")
		for range 2 * pageTries * checkRounds {
			next(t, s)
		}
		got, guess := edgesOf(next(t, s))
		if want := name != "late"; guess != want || guess != (got == "2<0 2<1") {
			t.Errorf("%s: %s, a guess %v", name, got, guess)
		}
		if c.pages > pageTries || c.pages < pageTries && name != "refused" {
			t.Errorf("%s: got requests of %d pages", name, c.pages)
		}
	}
}

// TestEdgesOnYARN checks that pages are requested from the history server that an application on YARN names, if it is
// on a host of the cluster.
func TestEdgesOnYARN(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, prefix: "/proxy/application_1_0001"}
	_, client := c.serve(t)
	s := OnYARN(client, "application_1_0001", "")
	for range checkRounds - 1 {
		next(t, s)
	}
	if got, guess := edgesOf(next(t, s)); guess || got != "1<0 2<1" {
		t.Errorf("got %s, a guess %v, requests %q", got, guess, c.requests)
	}
	for address, want := range map[string]string{
		"localhost:18080":            "http://localhost:18080",
		"https://localhost/gw/spark": "https://localhost/gw/spark",
		"elsewhere:18080":            "",
		"${hadoopconf-x}:18080":      "",
		"":                           "",
	} {
		d := &webDriver{Web: Web{Client: client}, app: "application_1_0001"}
		if d.findHistory(address); d.Web.History != want {
			t.Errorf("%q: got the history server %q, want %q", address, d.Web.History, want)
		}
	}
}

// TestBehindGateway checks that all requests to a driver and a history server go below the path of its address, as
// behind a gateway: those of applications and those of pages of jobs. Their clock counts.
func TestBehindGateway(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, prefix: "/gateway/default/sparkhistory"}
	base, client := c.serve(t)
	s := NewSource(AtAddress(client, base+"/", base+"/"), "")
	for range checkRounds {
		next(t, s)
	}
	pages := 0
	for _, path := range c.requests {
		if !strings.HasPrefix(path, c.prefix+"/") || strings.Contains(path, "//") {
			t.Errorf("got a request of %s", path)
		}
		if path == c.prefix+"/jobs/job/" {
			pages++
		}
	}
	if pages != 1 || c.pages != 1 { // it was refused
		t.Errorf("got requests of %d pages from the driver, %d from the history server, want 1 and 1", pages, c.pages)
	}
	if _, _, ok := client.Skew(); !ok {
		t.Error("the clock of the driver is not known")
	}
}

// TestDoctorOfEdges checks that Doctor reports whether the history server's pages give edges that the driver's lack.
func TestDoctorOfEdges(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"":       "ok it has app-1, and its pages show the dependencies between stages",
		"<html>": "warn it has app-1, but its pages have no graph either: dependencies between stages are guessed",
	} {
		c := &chain{jobs: 1, page: page}
		base, client := c.serve(t)
		got := ""
		for _, check := range Doctor(t.Context(), AtAddress(client, base, base)) {
			if check.Name == "spark history server" {
				got = string(check.Status) + " " + check.Text
			}
		}
		if got != want {
			t.Errorf("with the page %q: %q, want %q", page, got, want)
		}
	}
}
