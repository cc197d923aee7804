package input

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

const (
	sparkApp  = "application_1795365508295_0001"
	sparkApps = `{"apps":{"app":[{"id":"application_1795365508295_0001","name":"nightly","user":"u","queue":"q",` +
		`"state":"RUNNING","finalStatus":"UNDEFINED","applicationType":"SPARK","startedTime":1795365600000}]}}`
	sparkDriver = `[{"id":"application_1795365508295_0001","name":"nightly","attempts":[{"completed":false}]}]`
)

// TestHubSpark checks that a Spark application on YARN is listed, found by its name, and watched through the proxy.
func TestHubSpark(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := "{}"
		switch path := strings.TrimSuffix(r.URL.Path, "/"); {
		case path == "/ws/v1/cluster/apps" && !strings.Contains(r.URL.RawQuery, "FINISHED"):
			body = sparkApps
		case path == "/proxy/"+sparkApp+"/api/v1/applications":
			body = sparkDriver
		case strings.HasSuffix(path, "/environment"):
		case strings.HasPrefix(path, "/proxy/"):
			body = "[]"
		}
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: server.URL}}}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	h := engine.NewHub(client, client)
	if err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := h.Running()
	if len(all) != 1 || all[0].Engine != "Spark" || all[0].Workflow != sparkApp || all[0].Title != "nightly" {
		t.Fatalf("listed: %+v", all)
	}
	snap, err := h.Source(sparkApp).Next(t.Context())
	if err != nil || snap.Plan.Engine != "Spark" || snap.Plan.Name != "nightly" {
		t.Errorf("observed: %+v, %v", snap, err)
	}
	if target, err := Pick(t.Context(), client, "nightl*", "u"); err != nil || target.ID != sparkApp {
		t.Errorf("by name: %v, %v", target, err)
	}
	if _, err := Pick(t.Context(), client, "weekly", "u"); !errors.Is(err, ErrIdle) {
		t.Errorf("a name that nothing has: %v", err)
	}
}
