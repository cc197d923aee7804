package spark

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestCopies holds when slow tasks are copied: with Spark's defaults, which differ by version, and only if executors
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
