package kubernetes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// An apiServer has one pod, and responds as Kubernetes 1.37 does.
type apiServer struct {
	mu                     sync.Mutex
	phase, state           string // of the pod, "" if it was deleted; of its SparkApplication, "" without an operator
	isNext                 bool   // the operator has started the application again
	expired, denied, down  bool
	redirects, proxyDenied bool // the driver's page; the right to the proxy
	lists                  int
}

const statusForm = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"code":%d}`

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fail := func(code int, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, statusForm, message, code)
	}
	id := "spark-1"
	if a.isNext {
		id = "spark-2"
	}
	pod := `{"metadata":{"name":"nightly-driver","namespace":"etl","creationTimestamp":"2026-11-28T05:33:02Z",
		"labels":{"spark-role":"driver","spark-app-selector":"` + id + `","sparkoperator.k8s.io/app-name":"nightly"}},
		"spec":{"containers":[{"ports":[{"name":"spark-ui","containerPort":4041}],
		"env":[{"name":"SPARK_USER","value":"ann"}]}]},"status":{"phase":"` + a.phase + `","containerStatuses":[{"state":
		{"terminated":{"exitCode":1,"reason":"OOMKilled","finishedAt":"2026-11-28T05:40:00Z"}}}]}}`
	w.Header().Set("Content-Type", "application/json")
	isOpen := a.phase == "Running" || a.phase == "Pending"
	switch query := r.URL.Query(); {
	case r.Header.Get("Authorization") != "Bearer secret":
		fail(http.StatusUnauthorized, "Unauthorized")
	case a.denied:
		fail(http.StatusForbidden, `pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "etl"`)
	case r.URL.Path == "/api/v1/namespaces/etl/pods" && query.Get("labelSelector") == "spark-role=driver":
		switch a.lists++; {
		case query.Get("continue") == "":
			fmt.Fprint(w, `{"kind":"PodList","metadata":{"continue":"more"},"items":[]}`)
		case a.expired:
			a.expired = false
			fail(http.StatusGone, "The provided continue parameter is too old")
		case isOpen:
			fmt.Fprintf(w, `{"kind":"PodList","metadata":{},"items":[%s]}`, pod)
		default:
			fmt.Fprint(w, `{"kind":"PodList","metadata":{},"items":[]}`)
		}
	case r.URL.Path == "/api/v1/namespaces/etl/pods/nightly-driver" && a.phase != "":
		fmt.Fprint(w, pod)
	case strings.HasPrefix(r.URL.Path, "/apis/sparkoperator.k8s.io/v1beta2/namespaces/etl/") && a.state != "":
		fmt.Fprintf(w, `{"kind":"SparkApplicationList","metadata":{},"items":[{"metadata":{"name":"nightly","namespace":"etl"},
			"spec":{"restartPolicy":{"type":"OnFailure"}},"status":{"sparkApplicationId":%q,"terminationTime":"2026-11-28T05:41:00Z",
			"applicationState":{"state":%q,"errorMessage":"driver container failed"}}}]}`, id, a.state)
	case strings.Contains(r.URL.Path, "/pods/nightly-driver:4041/proxy/") && a.down:
		fail(http.StatusServiceUnavailable, "error trying to reach service: dial tcp 10.1.2.3:4041: connect: connection refused")
	case strings.Contains(r.URL.Path, "/proxy/") && a.redirects: // a text, as kube-apiserver 1.37 has it
		http.Error(w, "the backend attempted to redirect this request, which is not permitted", http.StatusBadGateway)
	case strings.HasSuffix(r.URL.Path, "/proxy") && a.proxyDenied:
		fail(http.StatusForbidden, `pods "paratimer-doctor:4040" is forbidden: User "bob" cannot get resource "pods/proxy" in API group "" in the namespace "etl"`)
	case strings.HasSuffix(r.URL.Path, "/pods/nightly-driver:4041/proxy/api/v1/applications"):
		fmt.Fprint(w, `[{"id":"spark-1"}]`)
	default:
		fail(http.StatusNotFound, "not found")
	}
}

// clusterOf returns the cluster of a server by a kubeconfig with this token.
func clusterOf(t *testing.T, server *apiServer, token string) *Cluster {
	t.Helper()
	s := httptest.NewTLSServer(server)
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "config")
	config := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: a,
		clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}], users: [{name: u, user: {token: %s}}],
		contexts: [{name: a, context: {cluster: c, user: u, namespace: etl}}]}`, s.URL, token)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string { return map[string]string{"KUBECONFIG": file + ".missing:" + file}[name] }
	access, err := FindAccess("", "", getenv)
	if err != nil {
		t.Fatal(err)
	}
	site, err := yarn.RMSite(access.Base, "")
	if err != nil {
		t.Fatal(err)
	}
	client, err := yarn.NewClient(site, rest.Options{User: "ann", Own: access.Transport, OwnBase: access.Base})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return New(client, access, "")
}

// TestEnd checks how a driver has ended whose pod has ended or was deleted, with and without the operator.
func TestEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		phase, state string
		want         dag.State
		why          string
	}{
		"runs":                {"Running", "", dag.Running, ""},
		"failed":              {"Failed", "", dag.Failed, "the driver's container ended with exit code 1: OOMKilled"},
		"succeeded":           {"Succeeded", "COMPLETED", dag.Succeeded, ""},
		"without an operator": {"Succeeded", "", dag.Succeeded, ""},
		"deleted, operator":   {"", "FAILED", dag.Failed, "driver container failed"},
		"deleted, not by one": {"", "", dag.Blocked, ""},
		"not noticed yet":     {"", "RUNNING", dag.Running, ""},
		"suspended":           {"", "SUSPENDED", dag.Killed, ""},
		"started again":       {"Running", "RUNNING", dag.Failed, "the Spark operator has deleted the driver, to start the application again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &apiServer{phase: "Running", expired: true}
			cluster := clusterOf(t, server, "secret")
			all, err := cluster.List(t.Context())
			if err != nil || len(all) != 1 || all[0].ID != "spark-1" || all[0].Name != "nightly" || all[0].User != "ann" ||
				all[0].Queue != "etl" || all[0].State != dag.Running || server.lists != 4 {
				t.Fatalf("%+v, %v after %d requests", all, err, server.lists)
			}
			if body, err := cluster.Driver(all[0]).Get(t.Context(), "/api/v1/applications"); err != nil {
				t.Errorf("%s, %v", body, err)
			}
			server.mu.Lock()
			server.phase, server.state, server.isNext = c.phase, c.state, name == "started again"
			server.mu.Unlock()
			all, err = cluster.List(t.Context())
			var got spark.Listed
			if len(all) > 0 {
				got = all[0]
			}
			if err != nil || got.State != c.want || c.want.Ended() && got.Why != c.why {
				t.Errorf("%+v, %v, want %v: %s", got, err, c.want, c.why)
			}
		})
	}
}

// TestErrors checks that errors of the server show what to do.
func TestErrors(t *testing.T) {
	t.Parallel()
	if _, err := clusterOf(t, &apiServer{}, "wrong").List(t.Context()); rest.Status(err) != 401 ||
		!strings.Contains(rest.Hint(err), "kubectl get pods") {
		t.Error(err)
	}
	if _, err := clusterOf(t, &apiServer{denied: true}, "secret").List(t.Context()); rest.Status(err) != 403 ||
		!strings.Contains(rest.Hint(err), "a Role in namespace etl that allows it: verb list, resource pods") {
		t.Error(err)
	}
	for status, server := range map[int]*apiServer{503: {phase: "Running", down: true}, 502: {phase: "Running", redirects: true}} {
		cluster := clusterOf(t, server, "secret")
		all, err := cluster.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cluster.Driver(all[0]).Get(t.Context(), "/api/v1/applications"); rest.Status(err) != status ||
			!strings.Contains(rest.Hint(err), "proxy") {
			t.Error(err)
		}
	}
}

// TestCheck checks what doctor shows of an account without rights, without that of the proxy, and with all.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*struct {
		server apiServer
		want   string // the last check
		status yarn.Grade
		checks int
	}{
		"no right": {apiServer{denied: true}, "kubernetes list pods", yarn.Fail, 1},
		"no proxy": {apiServer{proxyDenied: true}, "kubernetes get pods/proxy", yarn.Fail, 4},
		"all":      {apiServer{phase: "Running"}, "kubernetes list sparkapplications", yarn.OK, 6},
	} {
		cluster := clusterOf(t, &c.server, "secret")
		got := spark.NewDrivers(cluster).Check(t.Context(), "kubernetes list pods", "at the server", cluster.Rights)
		i := slices.IndexFunc(got, func(got yarn.Check) bool { return got.Name == c.want })
		if len(got) != c.checks || i < 0 || got[i].Status != c.status || (got[i].Hint == "") != (c.status == yarn.OK) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
