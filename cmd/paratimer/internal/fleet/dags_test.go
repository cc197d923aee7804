package fleet

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A tezCluster is a cluster with one application of Tez, which runs two DAGs and then is idle.
type tezCluster struct {
	cluster
	dags       []string // that were begun, by id
	identified int
}

func (s *tezCluster) Identify(_ context.Context, app string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identified++
	s.apps[0].Read, s.apps[0].Workflow, s.apps[0].Title = true, s.dags[len(s.dags)-1], "w0"
	return nil
}

// TestSession watches the DAGs of a session one after the other, each as a workflow.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, shown := &tezCluster{dags: []string{"dag_1_0000_1"}}, &frameLog{}
		c.add(t, 1)
		c.apps[0].Engine, c.apps[0].Name = "Tez", "HIVE-1"
		run := c.runs[c.apps[0].App]
		play := func(id string, next ...string) func() watch.Source {
			return func() watch.Source {
				l := run().(*live) //nolint:forcetypeassert // add made it
				l.id, l.over = id, func() {
					c.mu.Lock()
					defer c.mu.Unlock()
					c.dags = append(c.dags, next...)
				}
				return l
			}
		}
		c.runs["dag_1_0000_1"] = play("dag_1_0000_1", "dag_1_0000_2")
		c.runs["dag_1_0000_2"] = play("dag_1_0000_2")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Minute, errEnough)
		defer cancel()
		o := options(&c.cluster, shown)
		o.Cluster = c
		_ = New(o, ruleset(t, "rules: [{name: r, match: {name: w0, engine: Tez}, within: 1h}, {name: m, match: {engine: MapReduce}, within: 1h}]")).Run(ctx)
		var got []string
		for _, f := range shown.frames["w0"] {
			if len(f.Alerts) != 1 || f.Alerts[0].Bound != "r" {
				t.Fatalf("got the alerts %+v", f.Alerts)
			}
			if f.Workflow.State == dag.Succeeded {
				got = append(got, *f.Workflow.ID)
			}
		}
		if len(got) != 2 || got[0] != "dag_1_0000_1" || got[1] != "dag_1_0000_2" {
			t.Errorf("ended: %v", got)
		}
		if limit := int(30 * time.Minute / askAgain); c.identified < 3 || c.identified > limit+2 {
			t.Errorf("got %d requests to a session that is idle after its second DAG", c.identified)
		}
	})
}
