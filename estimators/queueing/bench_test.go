package queueing

import (
	"fmt"
	"testing"
	"time"
)

// large is the published job on more nodes, with as many maps.
func large(nodes, maps, reduces int) *Spec {
	s, _ := measuredJob(4, 5)
	s.Nodes = nodes
	s.Jobs[0].Maps, s.Jobs[0].Reduces = maps, reduces
	return s
}

func solve(b *testing.B, s *Spec, m Model) {
	b.Helper()
	r, err := Solve(s, m, Options{})
	if err != nil {
		b.Fatal(err)
	}
	if !r.Converged {
		b.Fatalf("%+v", r.Fixpoint)
	}
}

// BenchmarkNodes: like nodes are one.
func BenchmarkNodes(b *testing.B) {
	for _, nodes := range []int{3, 1000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			s := large(nodes, 40_000, nodes)
			b.ReportAllocs()
			for b.Loop() {
				solve(b, s, Product)
			}
		})
	}
}

// BenchmarkTasks: 100,000 tasks cost no more than 100.
func BenchmarkTasks(b *testing.B) {
	for _, maps := range []int{100, 100_000} {
		for _, m := range []Model{Product, ViannaForkJoin} {
			b.Run(fmt.Sprint(maps, " ", m), func(b *testing.B) {
				s := large(3, maps, 3)
				b.ReportAllocs()
				for b.Loop() {
					solve(b, s, m)
				}
			})
		}
	}
}

// BenchmarkNaive checks the default model beside the same fixpoint task by task, of 150 maps.
func BenchmarkNaive(b *testing.B) {
	s := large(3, 150, 3)
	var naive, grouped time.Duration
	for b.Loop() {
		start := time.Now()
		d := newDetail(s, reading{})
		iterate(Options{Tolerance: 1e-9, MaxIterations: 500}, d.step)
		naive += time.Since(start)
		start = time.Now()
		solve(b, s, Product)
		grouped += time.Since(start)
	}
	b.ReportMetric(naive.Seconds()/grouped.Seconds(), "naive/product")
}
