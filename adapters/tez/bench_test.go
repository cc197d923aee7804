package tez

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// BenchmarkAttempts takes the attempts of a vertex after one of its tasks has changed.
func BenchmarkAttempts(b *testing.B) {
	for _, n := range []int32{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := newGraph("dag_1_0001_1")
			for i := range n {
				g.begin(attemptKey{0, i, 0}, dag.Instant(i), "", 0)
				g.end(attemptKey{0, i, 0}, dag.AttemptSucceeded, dag.NoInstant, dag.Instant(i+1000), "")
			}
			b.ReportAllocs()
			for b.Loop() {
				g.vertices[0].dirty = true
				g.vertices[0].attempts(dag.Instant(n) + 1000)
			}
		})
	}
}
