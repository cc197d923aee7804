package tez

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// BenchmarkSnapshot takes a snapshot after one attempt has ended, and another one begun, since the snapshot before.
func BenchmarkSnapshot(b *testing.B) {
	const running = 200 // attempts
	for _, n := range []int32{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := NewSource(nil, Target{})
			s.app, s.id, s.g = yarn.App{ID: "application_1_0001"}, "dag_1_0001_1", newGraph("dag_1_0001_1")
			s.lines = logReader{g: s.g, node: func(string) int32 { return 0 }}
			v := s.g.at(0)
			v.tasks, v.known = int(n), true
			at := dag.Instant(1000)
			next := int32(0)
			step := func() {
				at += 15
				s.lines.begin(attemptKey{0, next, 0}, at, "", "")
				if next++; next > running {
					ended := attemptKey{0, next - 1 - running, 0}
					s.lines.finish(ended, dag.AttemptSucceeded, dag.NoInstant, dag.NoInstant, at, "")
				}
			}
			for next < n*3/4 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				if next < n {
					step()
				} else {
					v.table.Change(n - 1)
				}
				s.now = at
				v.counts()
				s.open()
				s.snapshot()
			}
		})
	}
}
