package mapreduce

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// BenchmarkSnapshot takes a snapshot after one map has ended, and another one begun, since the snapshot before.
func BenchmarkSnapshot(b *testing.B) {
	const running = 200
	for _, n := range []int32{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := newLab()
			l.apps("1 RUNNING UNDEFINED 512")
			s := NewSource(l, yarn.Target{})
			if err := s.view.Observe(b.Context()); err != nil {
				b.Fatal(err)
			}
			a := s.view.Known("application_1_0001")
			j := newJob(a)
			j.state, j.counted, j.inList = dag.Running, [2]int{int(n), 0}, [2]int{int(n), 0}
			s.member, s.chosen = []*job{j}, a.ID
			s.jobs = map[string]*job{a.ID: j}
			p := &j.tasks[dag.Map]
			for i := range n {
				p.Add(i, newTask(j, dag.Map, i))
			}
			at := dag.Instant(1000)
			next := int32(0)
			step := func() {
				at += 15
				p.Find(next).listed(&wireTask{State: "RUNNING"}, at)
				x := p.Find(next).attempt(0)
				x.State, x.Start = dag.AttemptRunning, at
				if next++; next > running {
					i := next - 1 - running
					line := wireTask{State: "SUCCEEDED", SuccessfulAttempt: input.Label(fmt.Sprintf("attempt_1_0001_m_%06d_0", i))}
					p.Find(i).listed(&line, at)
					p.Find(i).left = 0
				}
				p.Change(next - 1)
				p.Change(max(0, next-1-running))
			}
			for next < n*3/4 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				if next < n {
					step()
				}
				p.Change(n - 1)
				s.now, s.warned = at, nil
				s.dueTasks(j)
				s.snapshot()
			}
		})
	}
}
