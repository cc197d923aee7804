package queueing

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asJSON makes results comparable: NaN is null.
func asJSON(t *testing.T, r *Result) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Two exponential tasks side by side: the last takes 1.5 of the mean (facts/queueing.md d).
func TestTreeOperators(t *testing.T) {
	maps := func(mean float64, count int) *Tree {
		one := leaf(Map, 1, exponential(mean))
		one.Count = count
		return one
	}
	for _, c := range []struct {
		name           string
		tree           *Tree
		mean, variance float64
	}{
		{"P_A", &Tree{Op: ParallelAnd, Parts: []*Tree{maps(1, 2)}}, 1.5, 1.25},
		{"P_A of two classes", &Tree{Op: ParallelAnd, Parts: []*Tree{maps(1, 1), maps(3, 1)}}, 3.25, 8.3125},
		{"S", &Tree{Op: Serial, Parts: []*Tree{maps(1, 3), maps(2, 1)}}, 5, 7},
	} {
		c.tree.evaluate()
		if math.Abs(float64(c.tree.Mean)-c.mean) > 1e-9 || math.Abs(c.tree.Variance-c.variance) > 1e-9 {
			t.Errorf("%s: mean %v, variance %v; want %v, %v", c.name, c.tree.Mean, c.tree.Variance, c.mean, c.variance)
		}
	}
}

// The timeline of four maps and a reduce on two nodes of a slot: two waves, and an output of each node after either.
func TestTimeline(t *testing.T) {
	s := &Spec{
		Nodes: 2, CPUs: 4, MapSlots: 1, ShuffleThreads: 1,
		Jobs: []Job{{
			Name: "j", Copies: 1, Maps: 4, Reduces: 1, Map: Demand{CPU: 10}, Shuffle: Demand{CPU: 1},
			Merge: Demand{CPU: 5},
		}},
	}
	r, err := Solve(s, Product, Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := r.Jobs[0]
	if want := []Phase{{0, 10, 1}, {10, 20, 1}, {20, 27, 1}}; !reflect.DeepEqual(j.Phases, want) {
		t.Errorf("phases %+v", j.Phases)
	}
	again, _ := Solve(s, Product, Options{})
	if diff := cmp.Diff(asJSON(t, r), asJSON(t, again)); diff != "" {
		t.Errorf("the same Spec, another result: %s", diff)
	}
}

func draw(b *strings.Builder, t *Tree) {
	if t.Op == Leaf {
		b.WriteString(t.Kind.String())
		if t.Tasks > 1 {
			b.WriteString("*" + string(rune('0'+t.Tasks)))
		}
	} else {
		b.WriteString(t.Op.String() + "(")
		for i, part := range t.Parts {
			if i > 0 {
				b.WriteString(" ")
			}
			draw(b, part)
		}
		b.WriteString(")")
	}
	if t.Count > 1 {
		b.WriteString(" x" + string(rune('0'+t.Count)))
	}
}

func TestBadSpecs(t *testing.T) {
	for _, c := range []struct {
		name    string
		corrupt func(s *Spec)
		field   string
	}{
		{"no nodes", func(s *Spec) { s.Nodes = 0 }, "Nodes"},
		{"no CPUs", func(s *Spec) { s.CPUs = 0 }, "CPUs"},
		{"negative disks", func(s *Spec) { s.Disks = -1 }, "Disks"},
		{"no map slots", func(s *Spec) { s.MapSlots = 0 }, "MapSlots"},
		{"no shuffle threads", func(s *Spec) { s.ShuffleThreads = 0 }, "ShuffleThreads"},
		{"negative reduce slots", func(s *Spec) { s.ReduceSlots = -1 }, "ReduceSlots"},
		{"no jobs", func(s *Spec) { s.Jobs = nil }, "Jobs"},
		{"no copies", func(s *Spec) { s.Jobs[0].Copies = 0 }, "Jobs[0].Copies"},
		{"no maps", func(s *Spec) { s.Jobs[0].Maps = 0 }, "Jobs[0].Maps"},
		{"a billion maps", func(s *Spec) { s.Jobs[0].Maps = 1_000_000_000 }, "Jobs[0].Maps"},
		{"NaN", func(s *Spec) { s.Jobs[0].Map.CPU = math.NaN() }, "Jobs[0].Map.CPU"},
		{"infinite", func(s *Spec) { s.Jobs[0].Merge.Disk = math.Inf(1) }, "Jobs[0].Merge.Disk"},
		{"negative", func(s *Spec) { s.Jobs[0].Shuffle.Network = -1 }, "Jobs[0].Shuffle.Network"},
		{"no demand", func(s *Spec) {
			s.Jobs[0].Map, s.Jobs[0].Shuffle, s.Jobs[0].Merge = Demand{}, Demand{},
				Demand{}
		}, "Jobs[0].Map"},
	} {
		s, _ := measuredJob(1, 1)
		c.corrupt(s)
		_, err := Solve(s, Product, Options{})
		var bad *FieldError
		if !errors.As(err, &bad) || bad.Field != c.field {
			t.Errorf("%s: %v, want a fault of %s", c.name, err, c.field)
		}
	}
	s, _ := measuredJob(1, 1)
	for _, o := range []Options{{Tolerance: math.NaN()}, {MaxIterations: -1}} {
		if _, err := Solve(s, Product, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	if _, err := Solve(s, Model(9), Options{}); err == nil {
		t.Error("model 9 is taken")
	}
	s.Nodes, s.MapSlots, s.Jobs[0].Maps = 1000, 100, 1_000_000
	if _, err := Solve(s, ViannaForkJoin, Options{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("100,000 slots task by task: %v", err)
	}
	if r, err := Solve(s, Product, Options{}); err != nil || !(r.Response() > 0) {
		t.Errorf("100,000 slots: %v", err)
	}
}

// A step that has not settled in time has not converged.
func TestFixpoint(t *testing.T) {
	o := Options{Tolerance: 1e-9, MaxIterations: 100}
	for rate, want := range map[float64]Fixpoint{
		.99: {Iterations: 100, Residual: math.Pow(.99, 100)}, 1: {Iterations: 100, Residual: 1},
		.1: {Iterations: 10, Converged: true, Residual: 1e-10},
	} {
		x := 1.
		f := iterate(o, func() float64 {
			x *= rate
			return x
		})
		if f.Converged != want.Converged || f.Iterations != want.Iterations ||
			math.Abs(f.Residual-want.Residual) > 1e-12 {
			t.Errorf("%g: %+v, want %+v", rate, f, want)
		}
	}
}

// A single task alone takes its demand; more of everything is never quicker.
func TestOneTask(t *testing.T) {
	s := &Spec{
		Nodes: 1, CPUs: 1, MapSlots: 1, ShuffleThreads: 1,
		Jobs: []Job{{Copies: 1, Maps: 1, Map: Demand{1, 2, 3, 4}}},
	}
	for _, m := range []Model{Product, ViannaForkJoin, Tripathi, ViannaTable4} {
		r, err := Solve(s, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Response()-10) > 1e-5 || math.Abs(r.Jobs[0].Throughput-.1) > 1e-6 {
			t.Errorf("%v: %v s, %v jobs a second", m, r.Response(), r.Jobs[0].Throughput)
		}
	}
	two := *s
	two.Jobs = []Job{s.Jobs[0], s.Jobs[0]}
	two.Jobs[1].Copies = 3
	r, err := Solve(&two, Product, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := r.Jobs[0].Response, r.Jobs[1].Response; a <= 10 || math.Abs(a-b) > 1e-6 {
		t.Errorf("four like jobs in two classes: %v and %v s", a, b)
	}
}

// TestFewerWavesLater: a job whose tree of fewer waves takes longer was predicted to respond in -2648 s.
func TestFewerWavesLater(t *testing.T) {
	s := &Spec{Nodes: 3, CPUs: 2, MapSlots: 1, ShuffleThreads: 1, ReduceSlots: 2, Jobs: []Job{
		{
			Copies: 1, Maps: 369, Reduces: 21, Shuffle: Demand{Network: 3.74445212145128},
			Merge: Demand{Disk: 6.229179663877466e-34},
		},
		{
			Copies: 1, Maps: 283, Reduces: 13, Map: Demand{Disk: 1.2581963675206833e-08},
			Shuffle: Demand{CPU: 0.30504649672102563}, Merge: Demand{Disk: 43.75},
		},
		{
			Copies: 2, Maps: 400, Reduces: 50, Map: Demand{
				CPU: 0.12017239296437765, Fibre: 4.711242068053813,
				Disk: 0.46961720523427175,
			},
			Shuffle: Demand{Disk: 1.5073600026767318, Network: 4}, Merge: Demand{Fibre: 8.732255280448189e-15},
		},
	}}
	r, err := Solve(s, Tripathi, Options{MaxIterations: 60})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, s, r)
}
