package spark

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A chain is a driver that runs jobs of three stages, each of which reads the one before, and tells nothing by their
// pages; and a history server that has their event log. By the numbers of their RDDs alone the last stage would read
// both others.
type chain struct {
	jobs   int
	absent int // how often the log is not there yet
	logs   int // how often the log was asked for
	status int // of the answer to that; 0 is 200
	log    func(w io.Writer)
	prefix string // of all paths
	drawn  bool   // pages are answered, without graphs; else they are refused
	done   bool   // the application has ended
	asked  []string
	now    time.Time // of the client's clock; zero is the real one's
}

// application is what a driver calls the application; on YARN it has an attempt.
func (c *chain) application() (id, path string) {
	if strings.Contains(c.prefix, "/proxy/") {
		return "application_1_0001", "application_1_0001/1"
	}
	return "app-1", "app-1"
}

func (c *chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked = append(c.asked, r.URL.Path)
	id, app := c.application()
	path, below := strings.CutPrefix(r.URL.Path, c.prefix)
	part := strings.TrimPrefix(path, root+"/"+app)
	w.Header().Set("Content-Type", "application/json")
	if !c.now.IsZero() {
		w.Header()["Date"] = nil // the client's clock is the test's
	}
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
	case part == "/logs" && c.absent > 0:
		c.absent--
		http.NotFound(w, r)
	case part == "/logs" && c.log != nil:
		if c.logs++; c.status != 0 {
			w.WriteHeader(c.status)
			return
		}
		if r.Header.Get("Accept") == "application/json" {
			w.WriteHeader(http.StatusNotAcceptable)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		c.log(w)
	case path == "/jobs/job/" && c.drawn:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><title>Details for Job 0</title></html>")
	case path == "/jobs/job/":
		w.WriteHeader(http.StatusForbidden)
	default:
		http.NotFound(w, r)
	}
}

// zipOf writes the zip of a log in progress.
func (c *chain) zipOf(w io.Writer) {
	z := zip.NewWriter(w)
	f, err := z.Create("app-1.inprogress")
	for i := range c.jobs {
		if err == nil {
			_, err = fmt.Fprintf(f, `{"Event":"SparkListenerJobStart","Job ID":%d,"Stage Infos":[{"Stage ID":%d,"Parent IDs":[]},{"Stage ID":%d,"Parent IDs":[%d]},{"Stage ID":%d,"Parent IDs":[%d,999]}]}`+"\n",
				i, 3*i, 3*i+1, 3*i, 3*i+2, 3*i+1)
		}
	}
	if err == nil {
		_, err = io.WriteString(f, `{"Event":"SparkListenerJobStart","Job ID":0,"Stage In`)
	}
	_ = err // the client has what it wants, and has left
	_ = z.Close()
}

// serve starts a chain, and returns its address and a client whose site it is.
func (c *chain) serve(t *testing.T) (base string, client *yarn.Client) {
	t.Helper()
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	o := rest.Options{}
	if !c.now.IsZero() {
		o.Clock = func() time.Time { return c.now }
	}
	client, err := yarn.NewClient(hadoopconf.Site{RMs: []hadoopconf.Manager{{URL: s.URL}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return s.URL + c.prefix, client
}

// edgesOf are what the stages of a snapshot read, and whether it warns that this is a guess.
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

// TestEdgesFromLog holds that the history server's event log tells the edges of jobs whose pages do not, those of a
// later job too, and that it is asked for seldom.
func TestEdgesFromLog(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, drawn: true, now: time.UnixMilli(1795366700000)}
	c.log = c.zipOf
	base, client := c.serve(t)
	s := NewSource(AtAddress(client, base, base), "")
	for range pageTries - 1 {
		if got, guess := edgesOf(next(t, s)); !guess || got != "2<0 2<1" || c.logs > 0 {
			t.Fatalf("before the page was tried %d times: %s, a guess %v, the log asked for %d times", pageTries, got, guess,
				c.logs)
		}
	}
	if got, guess := edgesOf(next(t, s)); guess || got != "1<0 2<1" {
		t.Errorf("with the log: %s, a guess %v", got, guess)
	}
	if got := s.app.stages[2].parents; !slices.Equal(got, []int{1}) {
		t.Errorf("the last stage reads %d: what is no stage of the job is none of its parents", got)
	}
	c.jobs = 2
	for range 10 { // rounds
		c.now = c.now.Add(time.Second)
		next(t, s)
	}
	if c.logs != 1 {
		t.Errorf("within %v the log was asked for %d times", logPause, c.logs)
	}
	c.now = c.now.Add(logPause)
	if got, guess := edgesOf(next(t, s)); guess || got != "1<0 2<1 4<3 5<4" || c.logs != 2 {
		t.Errorf("the second job: %s, a guess %v; the log was asked for %d times", got, guess, c.logs)
	}
	for range 100 {
		c.now = c.now.Add(time.Minute)
		next(t, s)
	}
	if c.logs != 2 {
		t.Errorf("the log was asked for %d times, although it is known", c.logs)
	}
}

// TestEdgesAtTheEnd holds that the event log tells the edges of a job that was so short that its page was never read.
func TestEdgesAtTheEnd(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, drawn: true}
	c.log = c.zipOf
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
		t.Fatal("the edges are known before anybody told them")
	}
	c.done = true
	end := next(t, s)
	if got, _ := edgesOf(end); got != "1<0 2<1" || end.State != dag.Succeeded {
		t.Errorf("%s, %v; the log was asked for %d times", got, end.State, c.logs)
	}
}

// TestEdgesFromLateLog holds that a log which the history server does not have yet is asked for again soon.
func TestEdgesFromLateLog(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, absent: 2, now: time.UnixMilli(1795366700000)}
	c.log = c.zipOf
	base, client := c.serve(t)
	s := NewSource(AtAddress(client, base, base), "")
	for seconds := range 20 {
		if _, guess := edgesOf(next(t, s)); guess != (seconds < 15) { // the pauses are 5 s and 10 s
			t.Fatalf("after %d s: a guess %v", seconds, guess)
		}
		c.now = c.now.Add(time.Second)
	}
}

// TestEdgesFromBadLog holds that a history server which refuses the log or answers something else is asked a few times
// in hours, and that the edges stay a guess.
func TestEdgesFromBadLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*chain{
		"refused": {jobs: 1, status: http.StatusForbidden, log: func(io.Writer) {}},
		"unknown": {jobs: 1},
		"no zip":  {jobs: 1, log: func(w io.Writer) { fmt.Fprint(w, strings.Repeat("<html>", 1000)) }},
		"a page":  {jobs: 1, status: http.StatusOK, log: func(io.Writer) {}},
	} {
		c.now = time.UnixMilli(1795366700000)
		base, client := c.serve(t)
		driver := AtAddress(client, base, base)
		s := NewSource(driver, "")
		for round := range 200 {
			if round%2 == 1 {
				s = NewSource(driver, "") // as a watcher of one execution of SQL after the other has
			}
			c.now = c.now.Add(time.Minute)
			if got, guess := edgesOf(next(t, s)); !guess || got != "2<0 2<1" {
				t.Fatalf("%s: %s, a guess %v", name, got, guess)
			}
		}
		if n := c.logs; n > 10 || n < 3 && c.log != nil {
			t.Errorf("%s: the log was asked for %d times in 200 minutes", name, n)
		}
	}
}

// TestEdgesOnYARN holds that the history server which an application on YARN names is asked for its log, if it is on a
// host of the cluster.
func TestEdgesOnYARN(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, prefix: "/proxy/application_1_0001"}
	c.log = c.zipOf
	_, client := c.serve(t)
	s := OnYARN(client, "application_1_0001", "")
	if got, guess := edgesOf(next(t, s)); guess || got != "1<0 2<1" {
		t.Errorf("%s, a guess %v; asked: %q", got, guess, c.asked)
	}
	for address, want := range map[string]string{
		"localhost:18080":            "http://localhost:18080",
		"https://localhost/gw/spark": "https://localhost/gw/spark",
		"elsewhere:18080":            "",
		"${hadoopconf-x}:18080":      "",
		"":                           "",
	} {
		d := &webDriver{client: client, app: "application_1_0001"}
		if d.findHistory(address); d.history != want {
			t.Errorf("%q: the history server is taken to be at %q, want %q", address, d.history, want)
		}
	}
}

// TestBehindGateway holds that a driver and a history server whose addresses have paths, as behind a gateway, are asked
// for everything below these: for applications, for pages of jobs, for the event log. Their clock counts.
func TestBehindGateway(t *testing.T) {
	t.Parallel()
	c := &chain{jobs: 1, prefix: "/gateway/default/sparkhistory"}
	c.log = c.zipOf
	base, client := c.serve(t)
	s := NewSource(AtAddress(client, base+"/", base+"/"), "")
	for range pageTries {
		next(t, s)
	}
	pages := 0
	for _, path := range c.asked {
		if !strings.HasPrefix(path, c.prefix+"/") || strings.Contains(path, "//") {
			t.Errorf("asked for %s", path)
		}
		if path == c.prefix+"/jobs/job/" {
			pages++
		}
	}
	if pages != 1 || c.logs != 1 { // it was refused
		t.Errorf("the page was asked for %d times, the log %d times", pages, c.logs)
	}
	if _, _, ok := client.Skew(); !ok {
		t.Error("the clock of the driver is not known")
	}
}

// TestDoctorOfEdges holds that Doctor says whether the event log tells what pages do not.
func TestDoctorOfEdges(t *testing.T) {
	t.Parallel()
	for _, has := range []bool{true, false} {
		c, want := &chain{jobs: 1}, "warn it has app-1, but not its event log: dependencies between stages are guessed"
		if has {
			c.log, want = c.zipOf, "ok it has app-1, and its event log shows the dependencies between stages"
		}
		base, client := c.serve(t)
		got := ""
		for _, check := range Doctor(t.Context(), AtAddress(client, base, base)) {
			if check.Name == "spark history server" {
				got = string(check.Status) + " " + check.Text
			}
		}
		if got != want {
			t.Errorf("with a log %v: %q, want %q", has, got, want)
		}
	}
}

// FuzzTakeLog holds that edges of a log, whatever it says, make a plan that is valid.
func FuzzTakeLog(f *testing.F) {
	f.Add(`[{"Job ID":0,"Stage Infos":[{"Stage ID":0,"Parent IDs":[2,1]},{"Stage ID":1,"Parent IDs":[1]},{"Stage ID":2,"Parent IDs":[0,"1"]}]}]`)
	f.Fuzz(func(t *testing.T, log string) {
		a := NewApp("app-1")
		const now = 1795366705755
		for _, w := range [][2]string{
			{"jobs", `[{"jobId":0,"stageIds":[0,1,2],"status":"RUNNING","submissionTime":"2026-11-22T16:58:25.723GMT"}]`},
			{"stages", `[{"stageId":0,"attemptId":0,"numTasks":4,"status":"ACTIVE","rddIds":[1]},{"stageId":1,"attemptId":0,"numTasks":2,"status":"PENDING","rddIds":[2]},{"stageId":2,"attemptId":0,"numTasks":2,"status":"PENDING","rddIds":[3]}]`},
		} {
			a.Take(&Answer{
				URL: &url.URL{Path: root + "/app-1/" + w[0]}, At: now, Status: http.StatusOK, Type: "application/json",
				Body: func() string { return w[1] },
			})
		}
		took(a, now, "logs", log)
		if s, ok := a.Snapshot(now, false); ok {
			valid(t, s)
		}
	})
}
