package spark

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A page is a server of a master's page. It counts requests by their paths.
type page struct {
	json, html string

	mu       sync.Mutex
	requests map[string]int
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests[r.URL.Path]++
	if r.URL.Path == "/json/" {
		w.Header().Set("Content-Type", "text/json;charset=utf-8")
		fmt.Fprint(w, p.json)
		return
	}
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	fmt.Fprint(w, p.html)
}

// recorded returns the page of a master of Spark 3.5.6 with three applications. One waits for cores.
func recorded(t *testing.T) *page {
	t.Helper()
	p := &page{requests: map[string]int{}}
	for file, to := range map[string]*string{"json": &p.json, "html": &p.html} {
		b, err := os.ReadFile("testdata/master-3.5.6." + file)
		if err != nil {
			t.Fatal(err)
		}
		*to = string(b)
	}
	return p
}

// master returns a master at the addresses of servers.
func master(t *testing.T, pages ...http.Handler) *Master {
	t.Helper()
	var bases []string
	for _, p := range pages {
		s := httptest.NewServer(p)
		t.Cleanup(s.Close)
		bases = append(bases, s.URL)
	}
	where, err := yarn.RMSite(strings.Join(bases, ","), "")
	if err != nil {
		t.Fatal(err)
	}
	client, err := yarn.NewClient(where, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return NewMaster(client, "", bases...)
}

// TestList reads the recorded page twice. The addresses of drivers are requested once.
func TestList(t *testing.T) {
	t.Parallel()
	p := recorded(t)
	m := master(t, p)
	want := []Listed{
		{ID: "app-20261128052220-0001", Name: "third", URL: "http://127.0.0.1:24042", Began: 1795843340931},
		{ID: "app-20261128052222-0002", Name: `nightly <b>&"x"`, URL: "http://127.0.0.1:24041", Began: 1795843342349},
		{ID: "app-20261128052219-0000", Name: "second", URL: "http://127.0.0.1:24040", Began: 1795843339250},
	}
	for range 2 {
		all, err := m.List(t.Context())
		if err != nil || len(all) != len(want) {
			t.Fatalf("%+v, %v", all, err)
		}
		for i, w := range want {
			w.User, w.State, w.Ended = "root", dag.Running, dag.NoInstant
			if all[i] != w {
				t.Errorf("%+v, want %+v", all[i], w)
			}
		}
	}
	if p.requests["/json/"] != 2 || p.requests["/"] != 1 {
		t.Errorf("requests: %v", p.requests)
	}
	p.json = strings.ReplaceAll(p.json, "0002", "0003")
	if _, err := m.List(t.Context()); err != nil || p.requests["/"] != 2 {
		t.Errorf("of a new application: %v, %v", p.requests, err)
	}
}

// TestStates reads applications that have ended, drivers that wait for a worker, and an application without a page.
func TestStates(t *testing.T) {
	t.Parallel()
	p := recorded(t)
	p.html = strings.Replace(p.html, `<a href="http://127.0.0.1:24042">third</a>`, "third", 1)
	p.json = strings.Replace(p.json, `"completedapps" : [ ]`, `"completedapps" : [
		{"id": "a", "starttime": 1000, "duration": 500, "state": "FINISHED"}, {"id": "b", "state": "FAILED"},
		{"id": "c", "state": "KILLED"}, {"id": "d", "state": "NEW"}, 7]`, 1)
	p.json = strings.Replace(p.json, `"activedrivers" : [ ]`, `"activedrivers" : [
		{"id": "driver-1", "starttime": "1000", "state": "SUBMITTED", "mainclass": "org.Nightly"},
		{"id": "driver-2", "starttime": "1000", "state": "RUNNING"}]`, 1)
	all, err := master(t, p).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Listed{}
	for _, l := range all {
		got[l.ID] = l
	}
	if len(all) != 7 || got["app-20261128052220-0001"].URL != "" || got["a"].State != dag.EndedUnconfirmed ||
		got["a"].Ended != 1500 || got["b"].State != dag.Failed || got["b"].Ended.Known() || got["c"].State != dag.Killed ||
		got["driver-1"].State != dag.Submitted || got["driver-1"].Name != "org.Nightly" {
		t.Errorf("%+v", all)
	}
}

// TestCheckMaster checks what doctor shows of a master if its newest driver does not respond, and if it does not
// respond itself.
func TestCheckMaster(t *testing.T) {
	t.Parallel()
	p := recorded(t)
	p.html = strings.Replace(p.html, "http://127.0.0.1:24041", "http://127.0.0.1:1", 1)
	got := NewDrivers(master(t, p)).Check(t.Context(), "spark master", "at m", nil)
	if len(got) != 2 || got[0].Status != yarn.OK || got[0].Text != "3 drivers at m" || got[1].Status != yarn.Fail ||
		!strings.Contains(got[1].Text, "127.0.0.1:1") {
		t.Errorf("%+v", got)
	}
	got = NewDrivers(master(t, http.NotFoundHandler())).Check(t.Context(), "spark master", "at m", nil)
	if len(got) != 1 || got[0].Status != yarn.Fail || got[0].Hint == "" {
		t.Errorf("%+v", got)
	}
}

// TestActiveMaster finds the active one of several masters, and servers that are no master.
func TestActiveMaster(t *testing.T) {
	t.Parallel()
	standby := recorded(t)
	standby.json = strings.Replace(standby.json, `"ALIVE"
}`, `"STANDBY"
}`, 1)
	if all, err := master(t, standby, recorded(t)).List(t.Context()); err != nil || len(all) != 3 {
		t.Errorf("with one on standby: %+v, %v", all, err)
	}
	whole := recorded(t)
	for name, c := range map[string]struct {
		p    *page
		want string
	}{
		"standby":  {standby, "is STANDBY: give the address of the active one as well"},
		"a worker": {&page{json: `{"id": "w", "masterwebuiurl": "http://m:8080"}`}, "a worker: give that of its master, http://m:8080"},
		"other":    {&page{json: `{"apps": []}`}, "is not the page of a master: give the address"},
		"no JSON":  {&page{json: `<html>`}, "is not JSON"},
		"no page":  {&page{json: whole.json, html: "<title>Welcome</title>"}, "give the address"},
	} {
		if c.p.requests == nil {
			c.p.requests = map[string]int{}
		}
		if _, err := master(t, c.p).List(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestAddress checks which links are followed. Owners of applications choose them.
func TestMasterAddress(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"http://driver:4040":                "http://driver:4040",
		"https://driver:4440/":              "https://driver:4440",
		"/proxy/app-1":                      "http://m:8080/spark/proxy/app-1",
		"/proxy/app-1/":                     "http://m:8080/spark/proxy/app-1",
		"file:///etc/passwd":                "",
		"http://user:secret@driver:4040":    "",
		"http://driver:4040/?token=1":       "",
		"javascript:alert(1)":               "",
		"":                                  "",
		"/app/kill/?id=app-1&terminate=yes": "",
	} {
		if got := driverAddress("http://m:8080/spark/", link); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}
