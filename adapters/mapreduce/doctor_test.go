package mapreduce

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// patient is a cluster with responses that a test changes.
type patient map[string]func(w http.ResponseWriter, r *http.Request)

func body(s string) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) { sendJSON(w, s) }
}

// healthy answers as the recorded 3.4.2 does, cut to what is read.
func healthy() patient {
	const app = "application_1795222440184_0007"
	return patient{
		"/ws/v1/cluster/info": body(
			`{"clusterInfo":{"id":1,"state":"STARTED","haState":"ACTIVE","resourceManagerVersion":"3.4.2","hadoopVersion":"3.4.2"}}`),
		"/ws/v1/cluster/metrics": body(
			`{"clusterMetrics":{"allocatedMB":512,"totalMB":3072,"activeNodes":1,"lostNodes":0}}`),
		"/ws/v1/cluster/scheduler": body(`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler"}}}`),
		"/ws/v1/cluster/apps": body(
			`{"apps":{"app":[{"id":"application_1795222440184_0003","user":"bob","startedTime":1},{"id":"` + app +
				`","user":"alice","startedTime":2}]}}`),
		"/proxy/" + app + "/ws/v1/mapreduce/jobs/job_1795222440184_0007": body(
			`{"job":{"state":"RUNNING","mapsTotal":20,"mapsCompleted":3,"reducesTotal":6,"reducesCompleted":0}}`),
		"/proxy/" + app + "/ws/v1/mapreduce/jobs/job_1795222440184_0007/conf": body(
			`{"conf":{"property":[{"name":"a","value":"b"}]}}`),
		"/ws/v1/history/info":           body(`{"historyInfo":{"hadoopVersion":"3.4.2"}}`),
		"/ws/v1/history/mapreduce/jobs": body(`{"jobs":{}}`),
	}
}

func (p patient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if answer := p[r.URL.Path]; answer != nil {
		answer(w, r)
		return
	}
	http.NotFound(w, r)
}

// options are the settings that a test changes.
type options struct {
	rest.Options
	Site yarn.Site
}

// examine returns the checks as "name status: text (hint)" lines.
func examine(t *testing.T, p patient, change func(*options)) string {
	t.Helper()
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	o := options{rest.Options{User: "alice"}, yarn.Site{Auth: "simple", RMs: []yarn.Manager{{URL: s.URL}}, JHS: s.URL}}
	if change != nil {
		change(&o)
	}
	var b strings.Builder
	for _, c := range Doctor(context.Background(), siteClient(t, o.Site, o.Options)) {
		fmt.Fprintf(&b, "%s %s: %s (%s)\n", c.Name, c.Status, strings.ReplaceAll(c.Text, s.URL, "URL"), c.Hint)
	}
	return b.String()
}

func TestDoctorOfAHealthyCluster(t *testing.T) {
	got := examine(t, healthy(), nil)
	// The clock's text depends on when the test runs within a second.
	before, clock, _ := strings.Cut(got, "clock ok")
	_, after, _ := strings.Cut(clock, "\n")
	want := `authentication ok: simple, as user alice ()
resourcemanager ok: URL: Hadoop 3.4.2, STARTED, ACTIVE ()
cluster ok: 1 active nodes, 3072 MB in all, 512 MB allocated ()
scheduler ok: capacityScheduler ()
applications ok: 2 MapReduce applications run, the newest is application_1795222440184_0007 of alice ()
proxy ok: job_1795222440184_0007 is RUNNING: 3 of 20 maps, 0 of 6 reduces ()
permissions ok: the configuration of job_1795222440184_0007 may be read, and with it its workflow ()
history server ok: Hadoop 3.4.2 ()
`
	if before+after != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDoctorFinds(t *testing.T) {
	const master = "/proxy/application_1795222440184_0007/ws/v1/mapreduce/jobs/job_1795222440184_0007"
	refuse := func(status int) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) }
	}
	over := func(p patient) {
		apps := p["/ws/v1/cluster/apps"]
		p["/ws/v1/cluster/apps"] = func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.RawQuery, "states=RUNNING") {
				sendJSON(w, `{"apps":null}`)
				return
			}
			apps(w, r)
		}
		p[master] = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://h1:19888/jobhistory/job/job_1795222440184_0007/ws/v1")
			sendHTML(w, http.StatusFound, "")
		}
	}
	for name, c := range map[string]struct {
		change func(p patient)
		opt    func(*options)
		want   []string
		not    string
	}{
		"a history server that is down": {
			func(p patient) {}, func(o *options) { o.Site.JHS = "http://127.0.0.1:1" },
			[]string{"history server fail:", "nothing listens"},
			"",
		},
		"a ResourceManager that is down": {
			func(p patient) {}, func(o *options) { o.Site.RMs[0].URL = "http://127.0.0.1:1" },
			[]string{"resourcemanager fail:", "nothing listens", "history server ok"},
			"proxy",
		},
		"two that are down": {
			func(p patient) {}, func(o *options) {
				o.Site.RMs = []yarn.Manager{{ID: "rm1", URL: "http://127.0.0.1:1"}, {ID: "rm2", URL: "http://127.0.0.1:2"}}
			},
			[]string{"resourcemanager fail: no ResourceManager answers (check the addresses: http://127.0.0.1:1, http://127.0.0.1:2)"},
			"proxy",
		},
		"one of two is down": {func(p patient) {}, func(o *options) {
			o.Site.RMs = []yarn.Manager{{ID: "rm1", URL: "http://127.0.0.1:1"}, {ID: "rm2", URL: o.Site.RMs[0].URL}}
		}, []string{"resourcemanager rm1 warn:", "resourcemanager rm2 ok:", "proxy ok"}, "fail"},
		"only a standby": {
			func(p patient) {
				p["/ws/v1/cluster/info"] = body(
					`{"clusterInfo":{"state":"STARTED","haState":"STANDBY","hadoopVersion":"3.4.2"}}`)
			}, nil,
			[]string{"STARTED, STANDBY", "resourcemanager fail: no ResourceManager is active (a failover"},
			"proxy",
		},
		"no nodes": {
			func(p patient) { p["/ws/v1/cluster/metrics"] = body(`{"clusterMetrics":{"activeNodes":0}}`) }, nil,
			[]string{"cluster warn: no active node (jobs wait"},
			"fail",
		},
		"the fair scheduler": {func(p patient) {
			p["/ws/v1/cluster/scheduler"] = body(`{"scheduler":{"schedulerInfo":{"type":"fairScheduler"}}}`)
		}, nil, []string{"scheduler warn: fairScheduler"}, "fail"},
		"an unknown version": {
			func(p patient) { p["/ws/v1/history/info"] = body(`{"historyInfo":{"hadoopVersion":"4.0.0"}}`) }, nil,
			[]string{`history server warn: version "4.0.0" was never tried`},
			"fail",
		},
		"a hidden job": {
			func(p patient) { p[master] = refuse(http.StatusUnauthorized) }, nil,
			[]string{"proxy fail: GET URL/proxy", "acl-view-job"},
			"permissions",
		},
		"a hidden conf": {
			func(p patient) { p[master+"/conf"] = refuse(http.StatusUnauthorized) }, nil,
			[]string{"proxy ok", "permissions warn"},
			"fail",
		},
		"nothing that runs": {over, nil, []string{
			"have ended, none runs",
			"proxy ok: sends applications that have ended to the history server at http://h1:19888",
		}, "fail"},
		"a history server that nothing names": {
			over, func(o *options) { o.Site.JHSGuessed = true },
			[]string{
				"proxy warn: sends applications that have ended to http://h1:19888, which gets no requests",
				"nor do they name another history server", "give --jhs http://h1:19888",
			},
			"fail",
		},
		"nothing at all": {
			func(p patient) { p["/ws/v1/cluster/apps"] = body(`{"apps":{}}`) }, nil,
			[]string{"none is remembered", "proxy ok: not tried", "start a job"},
			"fail",
		},
		"a refusal": {func(p patient) {
			p["/ws/v1/cluster/apps"] = func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("WWW-Authenticate", "PseudoAuth")
				w.WriteHeader(http.StatusForbidden)
			}
		}, nil, []string{"applications fail:", "give --user"}, ""},
		"Kerberos without a ticket": {
			func(p patient) {}, func(o *options) { o.Site.Auth = "kerberos" },
			[]string{"authentication warn"},
			"fail",
		},
		"assumptions and shortcuts": {func(p patient) {}, func(o *options) {
			o.Site.Notes, o.Insecure, o.User = []string{"the history server is assumed"}, true, ""
		}, []string{
			"configuration warn: the history server is assumed (set HADOOP_CONF_DIR", "certificates warn",
			"no user's name",
		}, "fail"},
		"clocks apart": {func(p patient) {}, func(o *options) {
			o.Clock = func() time.Time { return time.Now().Add(-3 * time.Hour) }
		}, []string{"clock warn: the cluster's clock is 3h ", "ahead of this machine's"}, "fail"},
		"no JSON": {
			func(p patient) { p["/ws/v1/cluster/metrics"] = body(`{"clusterMetrics":`) }, nil,
			[]string{"cluster fail:"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := healthy()
			c.change(p)
			got := examine(t, p, c.opt)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in\n%s", want, got)
				}
			}
			if c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%q is in\n%s", c.not, got)
			}
		})
	}
}
