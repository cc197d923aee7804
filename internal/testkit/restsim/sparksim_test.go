package restsim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// get requests a path below the application's. It decodes the response into v, which may be nil.
func get(t *testing.T, d *SparkDriver, path string, v any) int {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://driver:4040"+path, nil)
	resp, err := d.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if v != nil {
		if err := json.Unmarshal(body, v); err != nil {
			t.Fatalf("%s: %v\n%.300s", path, err, body)
		}
	}
	return resp.StatusCode
}

// TestDriver compares the lists of a driver at several instants.
func TestDriver(t *testing.T) {
	t.Parallel()
	a := SparkNotebook(30)
	a.Retained = 20
	now := SparkBegin
	d := &SparkDriver{SparkApplication: a, Now: func() dag.Instant { return now }}
	for _, c := range []struct {
		at   time.Duration
		rows string
	}{
		{0, "jobs 0, running 0, stages 0, active 0, tasks 0, running 0, executions 0, plan 404"},
		{5 * time.Second, "jobs 1, running 1, stages 3, active 2, tasks 82, running 16, executions 1, plan 404"},
		{65 * time.Second, "jobs 4, running 1, stages 12, active 2, tasks 100, running 0, executions 4, plan 200"},
		{a.Ends(), "jobs 20, running 0, stages 20, active 0, tasks 0, running 0, executions 20, plan 404"},
	} {
		now = SparkBegin.Add(c.at)
		count := func(path string) int {
			var rows []map[string]any
			get(t, d, "/api/v1/applications/"+a.ID+path, &rows)
			return len(rows)
		}
		tasks := "/stages/0/0/taskList?length=1000"
		got := fmt.Sprintf("jobs %d, running %d, stages %d, active %d, tasks %d, running %d, executions %d, plan %d",
			count("/jobs"), count("/jobs?status=running"), count("/stages"),
			count("/stages?status=active&status=complete")-count("/stages?status=complete"),
			count(tasks), count(tasks+"&status=RUNNING"), count("/sql?length=1000"),
			get(t, d, "/api/v1/applications/"+a.ID+"/sql/1", nil))
		if got != c.rows {
			t.Errorf("%v: %s, want %s", c.at, got, c.rows)
		}
	}
}

// TestLarge checks the size of the large application.
func TestLarge(t *testing.T) {
	t.Parallel()
	a := SparkLarge()
	tasks := 0
	for i := range a.stages {
		tasks += len(a.stages[i].ends)
	}
	if tasks != 100_000 || len(a.stages) != 3000 || a.Widest() > a.Ends() || a.Ends() > 90*time.Minute {
		t.Errorf("%d tasks, %d stages, %v, %v", tasks, len(a.stages), a.Widest(), a.Ends())
	}
	for range 2 {
		d := &SparkDriver{SparkApplication: a, Now: func() dag.Instant { return SparkBegin.Add(a.Widest()) }}
		if n := d.Naive(); n < 80<<20 || n > 200<<20 {
			t.Errorf("%d bytes", n)
		}
	}
}
