package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

func TestCallSite(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"sortByKey at Sort.scala:44":                                   "sortByKey at Sort.scala:44",
		"collect at /data/nm/application_1_0001/container_1/sql.py:33": "collect at sql.py:33",
		"collect at /data/look at me/sql.py:33":                        "collect at sql.py:33",
		"parquet at NativeMethodAccessorImpl.java:0":                   "parquet at NativeMethodAccessorImpl.java:0",
		"SELECT a at /b FROM c":                                        "SELECT a at /b FROM c",
		"nightly a/b":                                                  "nightly a/b",
		"":                                                             "",
	} {
		if got := callSite(name); got != want {
			t.Errorf("callSite(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestPools checks that stages of a FAIR scheduler have the pools that the driver names, those that wait that of their
// job, and that unknown weights are a warning.
func TestPools(t *testing.T) {
	t.Parallel()
	a := NewApp("app-1")
	stage := func(id int, status, pool string) string {
		return fmt.Sprintf(`{"stageId":%d,"attemptId":0,"name":"s","numTasks":2,"rddIds":[%d],"status":%q,"schedulingPool":%q}`,
			id, id, status, pool)
	}
	took(a, 0, "jobs", `[{"jobId":0,"stageIds":[0,1],"status":"RUNNING"},{"jobId":1,"stageIds":[2],"status":"RUNNING"}]`)
	took(a, 0, "stages", "["+stage(0, "ACTIVE", "nightly")+","+stage(1, "PENDING", "default")+","+
		stage(2, "ACTIVE", "default")+"]")
	pools := func() (out []string, warned bool) {
		s, ok := a.Snapshot(1000, false)
		if !ok {
			t.Fatal("no snapshot")
		}
		for _, st := range s.Plan.Jobs[0].Stages {
			out = append(out, st.Pool)
		}
		return out, slices.ContainsFunc(s.Warnings, func(w dag.Warning) bool { return strings.Contains(w.Text, "2 pools") })
	}
	if got, warned := pools(); !slices.Equal(got, []string{"", "", ""}) || warned {
		t.Errorf("a FIFO scheduler has the pools %q, warned %v", got, warned)
	}
	a.conf["spark.scheduler.mode"] = "fair"
	if got, warned := pools(); !slices.Equal(got, []string{"nightly", "nightly", "default"}) || !warned {
		t.Errorf("a FAIR scheduler has the pools %q, warned %v", got, warned)
	}
}

// TestCopies checks when slow tasks are copied: with Spark's defaults, which differ by version, and only if executors
// are on two hosts at least.
func TestCopies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, version string
		conf          map[string]string
		hosts         [2]string
		want          dag.Copies
	}{
		{"off", "3.5.6", nil, [2]string{"a:1", "b:1"}, dag.Copies{}},
		{"on", "3.5.6", map[string]string{"": "true"}, [2]string{"a:1", "b:1"}, dag.Copies{Ratio: 0.75, Times: 1.5}},
		{"one host", "3.5.6", map[string]string{"": "true"}, [2]string{"a:1", "a:2"}, dag.Copies{}},
		{"later", "4.0.5", map[string]string{"": "true"}, [2]string{"a:1", "b"}, dag.Copies{Ratio: 0.9, Times: 3}},
		{
			"set", "4.0.5",
			map[string]string{"": "true", ".quantile": "0.5", ".multiplier": "2"},
			[2]string{"a:1", "b:1"},
			dag.Copies{Ratio: 0.5, Times: 2},
		},
	} {
		a := withExecutors(9, 1, 2)
		a.version = c.version
		for k, v := range c.conf {
			a.conf["spark.speculation"+k] = v
		}
		for i, host := range c.hosts {
			a.all[i].host = host
		}
		snap, _ := a.Snapshot(at(6), false)
		if got := snap.Plan.Cluster.Copies; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		a.all[0].goes(7, "lost")
		if got := a.planner.copies(); got != (dag.Copies{}) {
			t.Errorf("%s: one executor is left, and %+v", c.name, got)
		}
	}
}
