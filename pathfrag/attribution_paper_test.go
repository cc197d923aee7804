package pathfrag_test

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
)

// attributionIs simulates a run to its end and compares its attribution.
func attributionIs(t *testing.T, plan *dag.Plan, opt simulate.Options, want string) {
	t.Helper()
	play(t, plan, opt, func(s *dag.Snapshot, m *pathfrag.Marks) {
		if !s.State.Ended() {
			return
		}
		a, err := pathfrag.Attribute(s, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(s, a); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
}

// TestPaper follows the paper's examples by hand. Fig. 3(a): the path goes over p2's maps, r2, m3, r3 (section 3.1.3).
// Fig. 4 with 4 GB: "the critical path has changed" to m101-104 and, in their slots, m213-216 (section 4.2;
// facts/paratimer.md A2).
func TestPaper(t *testing.T) {
	fig3, fig4 := golden.Named(t, "g01_fig3a"), golden.Named(t, "g05_join_4GB")
	attributionIs(t, fig3.Plan, simulate.Options{}, `      0-  10000 work j2 map 0.0
  10000-  20000 work j2 map 5.0
  20000-  22000 work j2 reduce 0.0
  22000-  25000 work j3 map 0.0
  25000-  27000 work j3 reduce 0.0
`)
	attributionIs(t, fig4.Plan, simulate.Options{}, `      0-   2000 setup j1 map 3.0
   2000- 557000 work j1 map 3.0
 557000- 559000 setup j2 map 15.0
 559000-1284000 work j2 map 15.0
1284000-1286000 setup j2 reduce 15.0
1286000-1318000 shuffle j2 reduce 15.0
1318000-1334000 sort j2 reduce 15.0
1334000-1386000 work j2 reduce 15.0
1386000-1388000 setup j3 map 15.0
1388000-1394250 work j3 map 15.0
1394250-1396250 setup j3 map 31.0
1396250-1421250 work j3 map 31.0
1421250-1423250 setup j3 reduce 15.0
1423250-1443250 shuffle j3 reduce 15.0
1443250-1453250 sort j3 reduce 15.0
1453250-1498250 work j3 reduce 15.0
`)
}

// oneJob is a job of maps and reduces of 1000 tuples; alpha in milliseconds a tuple.
func oneJob(maps int, reduces []float64) *dag.Plan {
	pipe := func(tuples dag.Series) dag.Pipeline { return dag.Pipeline{Tuples: tuples, Alpha: dag.Uniform(10)} }
	return &dag.Plan{Name: "one", Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 4, SlotsPerNode: 1}, Jobs: []dag.Job{{
		Node: "a", Stages: dag.MapReduce(dag.Stage{
			Known: true, Tasks: maps,
			Pipelines: []dag.Pipeline{pipe(dag.Uniform(1000))},
		},
			dag.Stage{Known: true, Tasks: len(reduces), Pipelines: []dag.Pipeline{
				pipe(dag.Uniform(100)),
				pipe(dag.Uniform(0)), pipe(dag.Each(reduces)),
			}}),
	}}}
}

// The reduce with most to do holds the end back: what it works beyond the median one is skew. What is only longer is
// not.
func TestSkew(t *testing.T) {
	attributionIs(t, oneJob(1, []float64{1000, 3000, 1200}), simulate.Options{}, `      0-  10000 work a map 0.0
  10000-  11000 shuffle a reduce 1.0
  11000-  23000 work a reduce 1.0
  23000-  41000 skew a reduce 1.0
`)
	attributionIs(t, oneJob(1, []float64{1000, 1400, 1200}), simulate.Options{}, `      0-  10000 work a map 0.0
  10000-  11000 shuffle a reduce 1.0
  11000-  25000 work a reduce 1.0
`)
}

// A map that fails and has to run again on another node: its first attempt was in vain, and so was the wait.
func TestFailure(t *testing.T) {
	fail := []simulate.Failure{{Job: "a", Stage: dag.Map, Task: 0, After: 6 * time.Second}}
	attributionIs(t, oneJob(2, []float64{1000}), simulate.Options{Fail: fail}, `      0-  10000 work a map 1.0
  10000-  20000 work a map 0.1
  20000-  21000 shuffle a reduce 0.0
  21000-  31000 work a reduce 0.0
`)
	// With nothing else to do the chain goes over the failure.
	attributionIs(t, oneJob(1, []float64{1000}), simulate.Options{Fail: fail}, `      0-   6000 failures a map 0.0
   6000-  16000 work a map 0.1
  16000-  17000 shuffle a reduce 0.0
  17000-  27000 work a reduce 0.0
`)
}
