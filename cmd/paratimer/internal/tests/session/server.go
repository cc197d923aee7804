package session

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// SomeDay is when simulated runs of tests start.
var SomeDay = dag.InstantOf(time.Date(2010, 6, 6, 9, 0, 0, 0, time.UTC))

// HadoopServer simulates a run of a plan behind Hadoop's REST services. Each request for the list of applications
// advances it by ten seconds.
func HadoopServer(t *testing.T, plan string, opt simulate.Options) string {
	t.Helper()
	p, err := planfile.ReadFile(plan, planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Start, opt.Every = SomeDay, time.Second
	run, err := simulate.New(p, opt)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := restsim.New(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ws/v1/cluster/apps" {
			if err := cluster.Advance(r.Context(), cluster.Now().Add(10*time.Second)); err != nil {
				t.Error(err)
			}
		}
		cluster.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// JoinPlan is the plan of a script with joins.
const JoinPlan = "../../examples/pig-join.yaml"

// Bounds has one bound of each kind; a time of day depends on when the query was submitted.
var Bounds = []alert.Bound{
	{Name: "deadline", Daily: &alert.Daily{Hour: 1, Zone: time.UTC}},
	{Name: "within", Kind: alert.Within, For: 100 * time.Second},
	{Name: "longer-than-usual", Kind: alert.LongerThanUsual, Times: 1.5, Usual: time.Minute},
	{Name: "no-progress", Kind: alert.NoProgress, For: 2 * time.Second},
	{Name: "outside-bounds", Kind: alert.OutsideBounds},
}
