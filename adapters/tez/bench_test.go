package tez

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// BenchmarkSnapshot takes a snapshot after one attempt has ended, and another one begun, since the snapshot before.
func BenchmarkSnapshot(b *testing.B) {
	const running = 200 // attempts
	for _, n := range []int32{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			const id = "dag_1_0001_1"
			st := newState(id, &historySource{})
			q := newTestSource(st, 0)
			app := yarn.App{ID: "application_1_0001"}
			v := st.vertexAt(0)
			v.tasks, v.hasTasks = int(n), true
			at := dag.Instant(1000)
			next := int32(0)
			step := func() {
				at += 15
				started := event{Kind: "TASK_ATTEMPT_STARTED", Entity: attemptID(id, next), At: number(at)}
				st.apply(&started, at)
				if next++; next > running {
					ended := event{Kind: "TASK_ATTEMPT_FINISHED", Entity: attemptID(id, next-1-running), At: number(at)}
					ended.Status = "SUCCEEDED"
					st.apply(&ended, at)
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
				v.counts()
				q.open()
				st.snapshot(at, &app, dag.Running, true)
			}
		})
	}
}

// attemptID returns the id of the first attempt of a task of the first vertex.
func attemptID(dagID string, task int32) string {
	return fmt.Sprintf("attempt_%s_00_%06d_0", strings.TrimPrefix(dagID, "dag_"), task)
}
