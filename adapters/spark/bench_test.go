package spark

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// benchApp is an application of 20 jobs of one stage on 200 cores, half of whose last stage's tasks have ended.
func benchApp(tasks int) *App {
	const stages, cores = 20, 4
	a := NewApp("app-1")
	for i := range 50 {
		e := a.executors[a.executorAt(fmt.Sprint(i))]
		e.cores, e.added = cores, 0
	}
	at, id := dag.Instant(0), 0
	for n := range stages {
		s := a.stageAt(n)
		s.tasks, s.status, s.known = tasks/stages, "COMPLETE", true
		t := s.tryAt(0)
		t.tasks, t.submitted = s.tasks, at
		end := s.tasks
		if n == stages-1 {
			s.status, end = "ACTIVE", s.tasks/2
		}
		for i := range end {
			k := a.taskAt(t, id)
			k.part, k.executor, k.state = i, i/cores%50, dag.AttemptSucceeded
			k.launch = at + dag.Instant(i/(50*cores))*3000
			k.end = k.launch + 2900
			id++
		}
		at += dag.Instant(s.tasks/(50*cores)+1) * 3000
		t.status, t.complete, t.completed = s.status, end, at
		status := "SUCCEEDED"
		if n == stages-1 {
			status = "RUNNING"
		}
		a.takeJob(n, "count", "", t.submitted, at, []int{n}, status, "")
	}
	return a
}

// BenchmarkSnapshot takes a snapshot after one task has ended since the snapshot before.
func BenchmarkSnapshot(b *testing.B) {
	for _, tasks := range []int{1000, 5000, 100_000} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			a := benchApp(tasks)
			last := a.stages[19].newest()
			now := last.completed
			if _, ok := a.Snapshot(now, false); !ok {
				b.Fatal("no job")
			}
			b.ReportAllocs()
			for b.Loop() {
				a.taskAt(last, a.tasks-1)
				a.Snapshot(now, false)
			}
		})
	}
}
