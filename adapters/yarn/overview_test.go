package yarn

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// services answer by host and path, with a query in front of a path that has one.
type services map[string]string

func (s services) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := s[r.URL.Scheme+"://"+r.URL.Host+r.URL.Path]
	kind, status := "application/json", http.StatusOK
	if !ok {
		status, body = http.StatusNotFound, `{"RemoteException":{"message":"Not current Dag: 2"}}`
	}
	if strings.Contains(r.URL.Path, "/logs/") {
		kind = "text/plain;charset=utf-8"
		if r.Header.Get("Accept") == "application/json" { // as the NodeManager of 3.4.2
			kind, status, body = "application/json", http.StatusServiceUnavailable,
				`{"RemoteException":{"exception":"WebApplicationException"}}`
		}
	}
	if strings.HasPrefix(body, "<") {
		kind = "text/html"
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

func overviewClient(t *testing.T, rm string, s services) *Client {
	t.Helper()
	c, err := NewClient(Site{RMs: []Manager{{URL: rm}}, JHS: rm}, rest.Options{Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestProxyAndNodeManager(t *testing.T) {
	t.Parallel()
	const app = "application_1_0001"
	for _, scheme := range []string{"http", "https"} {
		c := overviewClient(t, scheme+"://rm:8088", services{
			scheme + "://rm:8088/proxy/" + app + "/ws/v2/tez/dagInfo": `{"dag":{}}`,
			scheme + "://rm:8088/proxy/" + app +
				"/ui/ws/v2/tez/dagInfo": `<html><h1>Tez UI Url is not defined.</h1></html>`,
			scheme + "://n0:8042/ws/v1/node/containers/container_1/logs":         `{"containerLogsInfo":{}}`,
			scheme + "://n0:8042/ws/v1/node/containers/container_1/logs/syslog":  "LogLength:3\n",
			scheme + "://n0:8042/ws/v1/node/containers/container_1/logs/page.ht": "<html>",
		})
		for path, want := range map[string]string{
			"ws/v2/tez/dagInfo?dagID=1": `{"dag":{}}`, "ui/ws/v2/tez/dagInfo": "",
			"ws/v2/tez/none": "",
		} {
			b, err := c.Proxy(t.Context(), app, rest.Request{Path: path})
			if string(b) != want || (err == nil) != (want != "") {
				t.Errorf("%s: %s, %v", path, b, err)
			}
		}
		for path, want := range map[string]string{
			"containers/container_1/logs":                `{"containerLogsInfo":{}}`,
			"containers/container_1/logs/syslog?size=-3": "LogLength:3\n", "containers/container_1/logs/page.ht": "",
		} {
			if b, err := c.NM(t.Context(), "n0:8042", path); string(b) != want || (err == nil) != (want != "") {
				t.Errorf("%s: %s, %v", path, b, err)
			}
		}
		if _, err := c.NM(t.Context(), "n0:8042/evil?", "x"); err == nil {
			t.Error("got a request without a usable address")
		}
		_, err := c.Proxy(t.Context(), app, rest.Request{Path: "ws/v2/tez/dagInfo2"})
		if e := new(rest.Error); !errors.As(err, &e) || e.Status != http.StatusNotFound ||
			strings.Contains(e.Hint, "ResourceManager does not know") {
			t.Error(err)
		}
	}
}

func TestOverview(t *testing.T) {
	t.Parallel()
	const rm = "http://rm:8088/ws/v1/cluster/"
	answers := services{
		rm + "apps": `{"apps":{"app":[{"id":"application_1_0002","name":"x\u001b","user":"bob","queue":"default","state":"RUNNING","applicationType":"TEZ","startedTime":2000,"allocatedMB":1024,
			"amHostHttpAddress":"n0:8042","amContainerLogs":"http://n0:8042/node/containerlogs/container_e17_1_0002_01_000001/bob","resourceInfo":{"resourceUsagesByPartition":[{"amUsed":{"memory":512}}]}},
			{"id":"application_1_0003","state":"RUNNING","applicationType":"MAPREDUCE","user":"eve","queue":"default","startedTime":3000,"allocatedMB":2048,"amContainerLogs":"file:///etc/passwd"}]}}`,
		rm + "apps/application_1_0001": `{"app":{"id":"application_1_0001","state":"FINISHED","finalStatus":"FAILED","diagnostics":"why\nnot","startedTime":1000,"finishedTime":1500}}`,
		rm + "metrics":                 `{"clusterMetrics":{"totalMB":8192,"activeNodes":1}}`,
		rm + "nodes":                   `{"nodes":{"node":[{"id":"n0:41749","nodeHTTPAddress":"n0:8042","state":"RUNNING","availMemoryMB":8192}]}}`,
		rm + "scheduler":               `{"scheduler":{"schedulerInfo":{"queueName":"root","queues":{"queue":[{"queueName":"default","absoluteCapacity":50,"absoluteMaxCapacity":50}]}}}}`,
	}
	o := NewOverview(overviewClient(t, "http://rm:8088", answers), func(string) dag.Instant { return 5000 })
	if err := o.Observe(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, ok := o.App(t.Context(), "application_1_0002")
	want := App{
		ID: "application_1_0002", Name: `x\x1b`, FullName: "x\x1b", User: "bob", Queue: "default", Type: "TEZ", Running: true,
		State: dag.EndedUnconfirmed, Submitted: 2000, Finished: dag.NoInstant, HasPending: true, Containers: -1,
		HeldMB: 1024, MasterMB: 512, Node: "n0:8042", Container: "container_e17_1_0002_01_000001",
	}
	if a.Progress = 0; a != want || !ok || o.Now() != 5000 || len(o.Listed()) != 2 || o.Listed()[1].Container != "" {
		t.Errorf("%+v, want %+v", a, want)
	}
	if a, ok := o.App(t.Context(), "application_1_0001"); !ok || !a.Ended || a.State != dag.Failed ||
		a.Diagnosis != "why" || a.Finished != 1500 {
		t.Errorf("%+v, %v", a, ok)
	}
	if _, ok := o.App(t.Context(), "application_1_0009"); ok {
		t.Error("finds an application that does not exist")
	}
	c := o.Cluster("application_1_0002")
	if c.Policy != dag.YARN || c.MemoryMB != 8192 || c.QueueMB != 4096 || len(c.Nodes) != 1 {
		t.Errorf("%+v", c)
	}
	snap := &dag.Snapshot{}
	if o.Fill(snap, "application_1_0002"); snap.User != "bob" || len(snap.Load) != 1 ||
		snap.Load[0].ID != "application_1_0003" || snap.Load[0].HeldMB != 2048 || snap.Load[0].Before ||
		len(snap.Queues) != 1 {
		t.Errorf("%+v", snap)
	}
	if o.NodeIndex("n0:41749") != 0 || o.NodeIndex("n0:8042") != 0 || o.NodeIndex("n1:1") != 1 {
		t.Error("got the nodes of another cluster")
	}
	delete(answers, rm+"apps")
	if err := o.Observe(t.Context()); err == nil {
		t.Error("no applications are no error")
	}
	if got, err := Apps([]byte(`{"apps":{"app":[{"id":"application_1_0001"},{}]}}`), nil); len(got) != 1 || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := Apps([]byte(`{}`), nil); got != nil || err == nil {
		t.Errorf("%+v, %v", got, err)
	}
}
