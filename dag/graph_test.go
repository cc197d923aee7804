package dag

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dominikbraun/graph"
	"pgregory.net/rapid"
)

// planOf returns a plan of jobs j1, j2, … with the given dependencies (indices).
func planOf(after ...[]int) *Plan {
	p := &Plan{Cluster: Cluster{MapSlots: 1, ReduceSlots: 1}}
	for i, a := range after {
		p.Jobs = append(p.Jobs, Job{
			Node: fmt.Sprintf("j%d", i+1), After: a,
			Stages: MapReduce(Stage{Known: true, Tasks: 1}, Stage{Known: true}),
		})
	}
	return p
}

func TestGraph(t *testing.T) {
	// j1 and j2 are roots, j4 waits for both, j3 stands between j1 and j5 (and is after j5 in no way).
	p := planOf(nil, nil, []int{0}, []int{1, 0}, []int{2, 0, 0})
	g, err := NewGraph(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 2, 3, 4}; !slices.Equal(g.Order(), want) {
		t.Errorf("order %v, want %v", g.Order(), want)
	}
	if got, want := fmt.Sprint(g.Levels()), "[[0 1] [2 3] [4]]"; got != want {
		t.Errorf("levels %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(g.Next(0), g.Next(1), g.Next(4)), "[2 3 4] [3] []"; got != want {
		t.Errorf("next %s, want %s", got, want)
	}
	if !g.DependsOn(4, 0) || g.DependsOn(0, 4) || g.DependsOn(4, 1) || g.DependsOn(3, 3) {
		t.Error("DependsOn is wrong")
	}
}

func TestGraphPrefersPlanOrder(t *testing.T) {
	g, err := NewGraph(planOf([]int{3}, nil, []int{0}, nil, []int{1}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 3, 0, 2, 4}; !slices.Equal(g.Order(), want) {
		t.Errorf("order %v, want %v", g.Order(), want)
	}
}

func TestGraphCycle(t *testing.T) {
	for _, c := range []struct {
		name string
		plan *Plan
		want [][]string
	}{
		// The first job has index 0. The library loses the component of a zero key.
		{"with the first job", planOf([]int{2}, []int{0}, []int{1}, nil), [][]string{{"j1", "j2", "j3"}}},
		{"itself", planOf([]int{0}), [][]string{{"j1"}}},
		{"two", planOf([]int{1}, []int{0}, []int{1}, []int{4}, []int{3}), [][]string{{"j1", "j2"}, {"j4", "j5"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewGraph(c.plan)
			var first *CycleError
			if !errors.As(err, &first) || !slices.Equal(first.Jobs, c.want[0]) {
				t.Errorf("got %v, want a cycle of %v", err, c.want[0])
			}
			var got [][]string
			for _, err := range cycles(c.plan) {
				got = append(got, err.(*CycleError).Jobs)
			}
			if !slices.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestGraphLimits(t *testing.T) {
	var fault *PlanError
	if _, err := NewGraph(&Plan{Jobs: make([]Job, 100_000)}); !errors.As(err, &fault) ||
		fault.Text != "jobs: 100000 jobs are more than the supported 5000" {
		t.Errorf("100,000 jobs: %v", err)
	}
	p := planOf(make([][]int, 2)...)
	p.Jobs[1].After = make([]int, MaxDependencies+1)
	if _, err := NewGraph(p); !errors.As(err, &fault) ||
		!strings.HasSuffix(fault.Text, "500001 dependencies up to here are more than the supported 500000") {
		t.Errorf("too many dependencies: %v", err)
	}
	if _, err := NewGraph(planOf([]int{7})); !errors.As(err, &fault) || fault.Node != "j1" ||
		!strings.HasSuffix(fault.Text, "is job number 7, which the plan does not have") {
		t.Errorf("unknown dependency: %v", err)
	}
}

// edges draws a plan whose jobs depend on any other; back reports whether on later ones too.
func edges(t *rapid.T, back bool) *Plan {
	n := rapid.IntRange(1, 20).Draw(t, "jobs")
	after := make([][]int, n)
	for j := range after {
		last := j - 1
		if back {
			last = n - 1
		}
		if last >= 0 {
			after[j] = rapid.SliceOfN(rapid.IntRange(0, last), 0, 3).Draw(t, "after")
		}
	}
	return planOf(after...)
}

func TestGraphProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := edges(t, false)
		g, err := NewGraph(p)
		if err != nil {
			t.Fatal(err)
		}
		if order, err := graph.StableTopologicalSort(jobGraph(p), func(a, b int) bool { return a < b }); err != nil ||
			len(order) != len(g.Order()) {
			t.Fatalf("the library orders %v, %v", order, err)
		}
		place := make([]int, len(p.Jobs))
		for i, j := range g.Order() {
			place[j] = i
		}
		for j := range p.Jobs {
			level := 0
			reached := make([]bool, len(p.Jobs))
			var visit func(int)
			visit = func(k int) {
				for _, a := range p.Jobs[k].After {
					if !reached[a] {
						reached[a] = true
						visit(a)
					}
				}
			}
			visit(j)
			for _, a := range p.Jobs[j].After {
				level = max(level, g.Level(a)+1)
				if place[a] >= place[j] {
					t.Fatalf("job %d comes before %d, which it depends on", j, a)
				}
			}
			if g.Level(j) != level {
				t.Fatalf("level of %d is %d, want %d", j, g.Level(j), level)
			}
			for b, want := range reached {
				if g.DependsOn(j, b) != want {
					t.Fatalf("DependsOn(%d, %d) = %v", j, b, !want)
				}
			}
		}
	})
}

// An order exists exactly where the library finds no cycle.
func TestGraphCyclesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := edges(t, true)
		_, err := NewGraph(p)
		if found := len(cycles(p)) > 0; found != (err != nil) {
			t.Fatalf("got %v from NewGraph, want %v from the components", err, found)
		}
	})
}

func BenchmarkNewGraph(b *testing.B) {
	for _, n := range []int{3, 100, 2000, MaxJobs} {
		after := make([][]int, n)
		for j := range after {
			for _, back := range []int{1, 7, 150} {
				if j >= back {
					after[j] = append(after[j], j-back)
				}
			}
		}
		p := planOf(after...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NewGraph(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The drawn cases are the same in every run, so that a change is judged by them and not by luck.
// -rapid.seed=0 draws others.
func init() { _ = flag.Set("rapid.seed", "20261121") }
