package engine

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// manager is a ResourceManager with applications of all engines.
type manager struct {
	Services
	mu       sync.Mutex
	requests []string
}

func (*manager) Now() dag.Instant { return 5000 }

func (m *manager) RM(_ context.Context, path string) ([]byte, error) {
	m.mu.Lock()
	m.requests = append(m.requests, path)
	m.mu.Unlock()
	app := func(id, user, kind string) string {
		return `{"id":"application_1_` + id + `","user":"` + user + `","state":"RUNNING","startedTime":1` + id +
			`,"applicationType":"` + kind + `"}`
	}
	if strings.HasPrefix(path, "apps?") {
		return []byte(`{"apps":{"app":[` + strings.Join([]string{
			app("0001", "ada", "MAPREDUCE"), app("0002", "ada", "TEZ"), app("0003", "bob", "SPARK"),
			app("0004", "bob", "OTHER"), app("0005", "eve", "MAPREDUCE"),
		}, ",") + `]}}`), nil
	}
	return []byte(`{}`), nil
}

// TestFind: the engine of a target is that of its id's form, else that of its application's type.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target        yarn.Target
		engine, opens string
		requestsRM    bool // the ResourceManager is
	}{
		{yarn.Target{ID: "job_1_0001"}, "MapReduce", "job_1_0001", false},
		{yarn.Target{ID: "pig_4711"}, "MapReduce", "pig_4711", false},
		{yarn.Target{ID: "flow of another engine"}, "MapReduce", "flow of another engine", false},
		{yarn.Target{ID: "dag_1_0002_1"}, "Tez", "dag_1_0002_1", true},
		{yarn.Target{ID: "application_1_0001"}, "MapReduce", "application_1_0001", true},
		{yarn.Target{ID: "application_1_0002"}, "Tez", "application_1_0002", true},
		{yarn.Target{ID: "application_1_0003"}, "Spark", "application_1_0003", true},
		{yarn.Target{ID: "application_1_0004"}, "MapReduce", "application_1_0004", true},
		{yarn.Target{User: "ada"}, "Tez", "application_1_0002", true},
		{yarn.Target{User: "bob"}, "Spark", "application_1_0003", true},
		{yarn.Target{User: "eve"}, "MapReduce", "", true},
		{yarn.Target{User: "nemo"}, "MapReduce", "", true},
		{yarn.Target{}, "MapReduce", "", true},
	} {
		m := &manager{}
		e, target, err := find(t.Context(), m, c.target)
		if err != nil || e.Name != c.engine || target.ID != c.opens || len(m.requests) > 0 != c.requestsRM {
			t.Errorf("%+v: %s opens %q after %q, %v", c.target, e.Name, target.ID, m.requests, err)
		}
	}
}

// TestOwns: ids of engines and of applications are no names.
func TestOwns(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"application_1_0001": true, "job_1_0001": true, "pig_4711": true, "dag_1_0002_1": true, "nightly": false,
		"hive_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272": true,
	} {
		if Owns(id) != want {
			t.Errorf("%s: %v", id, !want)
		}
	}
}
