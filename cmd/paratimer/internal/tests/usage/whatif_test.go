package usage

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// A running query is observed a few times. Then what-if answers for the rest of it.
func TestWhatIfOfAQueryThatRuns(t *testing.T) {
	t.Parallel()
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, out, errs := session.Run(t, "whatif", "--rm", url, "--jhs", url, "--user", "alice", "--no-history", "--slots",
		"2x", "--output", "json")
	if code != program.ExitOK {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	var d struct {
		Workflow struct{ Name, State string }
		Slots    struct{ Containers int }
		Base     struct {
			Floor *float64 `json:"floor_seconds"`
			Left  *float64 `json:"remaining_seconds"`
		}
		Changes []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	if d.Workflow.Name != "join.pig" || d.Workflow.State != "running" || d.Slots.Containers != 12 ||
		d.Changes[0].Name != "slots 2x" {
		t.Errorf("%+v", d)
	}
	if a := d.Base; a.Left == nil && a.Floor == nil || a.Left != nil && (*a.Left < 20 || *a.Left > 200) {
		t.Errorf("got %v left, at least %v", a.Left, a.Floor)
	}
	code, _, errs = session.Run(t, "whatif", "nobody.pig", "--rm", url, "--jhs", url, "--user", "bob", "--no-history")
	if code != program.ExitBlind || !strings.Contains(errs, "nobody.pig") {
		t.Errorf("without a query: exit code %d: %s", code, errs)
	}
}

// A query whose tasks are too many to be kept is not estimated by commands that look at it once either.
func TestLooksAtAQueryThatIsTooLarge(t *testing.T) {
	t.Parallel()
	to, err := url.Parse(restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/tasks") {
			w.Header().Set("Content-Type", "application/json")
			w.Header()["Date"] = nil // the simulated cluster's is another
			_, _ = w.Write([]byte(`{"tasks":{"task":[` + strings.Repeat("{},", 1<<16) + `{}]}}`))
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for _, command := range [][]string{{"whatif", "--slots", "2x"}, {"report", "--skew"}} {
		args := append(command, "--rm", server.URL, "--jhs", server.URL, "--user", "alice", "--no-history")
		if code, _, errs := session.Run(t, args...); code != program.ExitBlind || !strings.Contains(errs, "too many tasks") {
			t.Errorf("%s: exit code %d: %s", command[0], code, errs)
		}
	}
}
