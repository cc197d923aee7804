package compare

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestMeaningOnCores checks that runs of Spark are compared in cores, others in containers.
func TestMeaningOnCores(t *testing.T) {
	t.Parallel()
	for policy, want := range map[dag.Policy]string{dag.YARN: "containers", dag.Executors: "cores"} {
		c := &Comparison{Runs: []*Run{{Plan: &dag.Plan{Cluster: dag.Cluster{Policy: policy}}}}}
		for _, e := range []Effect{Waiting, Load} {
			if got := c.shares(map[Effect]float64{e: 1}); len(got) != 1 || !strings.Contains(got[0].Meaning, want) {
				t.Errorf("policy %d: %s is %+v", policy, e, got)
			}
		}
	}
}
