package hadoop

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// TestSourceLivesOnTheClustersClock: hours between the clocks change nothing but a warning, from the first tick on.
func TestSourceLivesOnTheClustersClock(t *testing.T) {
	p := healthy()
	p["/ws/v1/cluster/apps"] = body(`{"apps":{"app":[{"id":"application_1795222440184_0007","user":"alice","state":"RUNNING","applicationType":"MAPREDUCE","startedTime":2}]}}`)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { p.ServeHTTP(w, r) })
	c := clientOf(t, Options{Clock: func() time.Time { return time.Now().Add(5 * time.Hour) }}, s.URL)
	snap, err := NewSource(c, Target{}).Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if off := snap.At.Sub(dag.InstantOf(time.Now())).Abs(); off > 10*time.Second {
		t.Errorf("the first snapshot is %v off the cluster's clock", off)
	}
	warned := false
	for _, w := range snap.Warnings {
		warned = warned || w.Code == dag.WarnClockSkew
	}
	if !warned {
		t.Errorf("warnings %v", snap.Warnings)
	}
}
