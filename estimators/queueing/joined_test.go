package queueing

import (
	"math"
	"strings"
	"testing"
)

// Two slots end a map every half of a map's time, and each reduce takes it at once. Two joins follow: of the last two
// maps, H_2 times 10 s, and of the two merges, H_2 times 5 s, of which the longer delay counts.
func TestJoined(t *testing.T) {
	t.Parallel()
	spec := func() *Spec {
		return &Spec{
			Nodes: 2, CPUs: 4, MapSlots: 1, ShuffleThreads: 1,
			Jobs: []Job{{
				Name: "j", Copies: 1, Maps: 4, Reduces: 2, Map: Demand{CPU: 10}, Shuffle: Demand{CPU: 1},
				Merge: Demand{CPU: 5},
			}},
		}
	}
	alone, long := spec(), spec()
	alone.Jobs[0].Reduces = 0
	long.Jobs[0].Merge.CPU = 50
	for _, c := range []struct {
		name     string
		s        *Spec
		response float64
		tree     string
	}{
		{"short merges", spec(), 20 + 1 + 5 + 5, "S(P_A(map*2 x2) P_A(S(shuffle merge) x2))"},
		{"long merges", long, 20 + 1 + 50 + 25, "S(P_A(map*2 x2) P_A(S(shuffle merge) x2))"},
		{"maps alone", alone, 20 + 5, "P_A(map*2 x2)"},
	} {
		r, err := Solve(c.s, ViannaForkJoin, Options{})
		if err != nil {
			t.Fatal(err)
		}
		j := &r.Jobs[0]
		if math.Abs(j.Response-c.response) > 1e-6 {
			t.Errorf("%s: %.6f s, want %v", c.name, j.Response, c.response)
		}
		d := newDetail(c.s, pipelined)
		iterate(Options{Tolerance: 1e-9, MaxIterations: 500}, d.step)
		maps := d.jobs[0].line.maps
		for i, end := range []float64{15, 20} {
			if p := maps[len(maps)-2+i]; len(maps) != 4 || p.thread != i || math.Abs(p.end-end) > 1e-6 {
				t.Errorf("%s: the last map of slot %d: %+v, want an end at %v", c.name, i, p, end)
			}
		}
		var b strings.Builder
		draw(&b, j.Tree)
		if b.String() != c.tree {
			t.Errorf("%s: tree %s, want %s", c.name, b.String(), c.tree)
		}
		higher, err := Solve(c.s, Tripathi, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if higher.Response() < float64(j.Span) {
			t.Errorf("%s: the tree gives %.1f s, the timeline alone %.1f s", c.name, higher.Response(), j.Span)
		}
	}
}

// H_k of a few and of very many.
func TestHarmonic(t *testing.T) {
	t.Parallel()
	for k, want := range map[int]float64{
		1: 1, 2: 1.5, 4: 25. / 12, 16: 3.380728993228993, 100: 5.187377517639621,
		101: 5.197278507738631, 1_000_000: 14.392726722865724,
	} {
		if got := harmonic(k); math.Abs(got-want) > 1e-12*want {
			t.Errorf("H_%d is %v, want %v", k, got, want)
		}
	}
}
