package queueing

import (
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func simulated(t testing.TB, s *Spec, o SimulationOptions) *Result {
	t.Helper()
	r, err := Simulate(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// busy returns the utilisation of a kind of centre.
func busy(r *Result, k CentreKind) float64 {
	for _, c := range r.Centres {
		if c.Kind == k {
			return c.Mean
		}
	}
	return 0
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A simulatedTask by itself takes its demand, a chain of tasks the sum of theirs.
func TestAlone(t *testing.T) {
	s := published(1, 1)
	s.Nodes = 1
	j := &s.Jobs[0]
	j.Maps, j.Reduces = 1, 1
	// the map ran where the reduce does
	chain := j.Map.Total() + j.Shuffle.Total() - j.Shuffle.Network + j.Merge.Total()
	r := simulated(t, s, SimulationOptions{Distribution: Deterministic, Runs: 1})
	near(t, "response", r.Jobs[0].Response, chain)
	near(t, "makespan", r.Makespan, chain)
	near(t, "map", r.Jobs[0].Classes[Map].Takes, j.Map.Total())
	j.Reduces = 0
	r = simulated(t, s, SimulationOptions{Runs: 4000})
	if got := r.Jobs[0]; !(math.Abs(got.Response-j.Map.Total()) < 4*float64(got.StandardError)) {
		t.Errorf("a map alone takes %v ± %v in the mean, its demand is %v", got.Response, got.StandardError, j.Map.Total())
	}
	if got := r.Jobs[0].Classes; len(got) != 1 {
		t.Errorf("a job without reduces has merges: %v", got)
	}
}

// Each centre is busy for the sum of the demands of all tasks (utilisation law), and no task is lost or served
// twice.
func TestConservation(t *testing.T) {
	s := published(4, 5)
	s.Jobs[0].Copies = 2
	s.Jobs = append(s.Jobs, s.Jobs[0])
	s.Jobs[1].Maps, s.Jobs[1].Reduces, s.Jobs[1].Copies = 17, 7, 1
	s.Jobs[0].Shuffle.Network = 0 // else the demand depends on where maps run
	s.Jobs[1].Shuffle.Network = 0
	s.Jobs[0].Map.Network = .02
	r := simulated(t, s, SimulationOptions{Distribution: Deterministic, Runs: 1})
	var demanded Demand
	for _, j := range s.Jobs {
		n, maps, reduces := float64(j.Copies), float64(j.Maps), float64(j.Reduces)
		for _, c := range []struct {
			d     Demand
			tasks float64
		}{{j.Map, n * maps}, {j.Shuffle, n * maps * reduces}, {j.Merge, n * reduces}} {
			demanded.CPU += c.d.CPU * c.tasks
			demanded.Fibre += c.d.Fibre * c.tasks
			demanded.Disk += c.d.Disk * c.tasks
			demanded.Network += c.d.Network * c.tasks
		}
	}
	end := r.Makespan
	near(t, "CPU", busy(r, CPU)*12*end, demanded.CPU)
	near(t, "fibre", busy(r, Fibre)*3*end, demanded.Fibre)
	near(t, "disk", busy(r, Disk)*3*end, demanded.Disk)
	near(t, "network", busy(r, Network)*end, demanded.Network)
}

func TestSameResult(t *testing.T) {
	o := SimulationOptions{Runs: 9, Seed: 5}
	result := func() string {
		b, err := json.Marshal(simulated(t, published(4, 5), o)) // NaN is null
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want := result()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if diff := cmp.Diff(want, result()); diff != "" {
		t.Errorf("-several processors +one: %s", diff)
	}
	o.Seed++
	if result() == want {
		t.Error("another seed gives the same runs")
	}
}

// Twice the demand takes twice as long.
func TestScale(t *testing.T) {
	s, double := published(4, 5), published(4, 5)
	for _, d := range []*Demand{&double.Jobs[0].Map, &double.Jobs[0].Shuffle, &double.Jobs[0].Merge} {
		*d = Demand{CPU: 2 * d.CPU, Fibre: 2 * d.Fibre, Disk: 2 * d.Disk, Network: 2 * d.Network}
	}
	near(t, "response", simulated(t, double, SimulationOptions{Runs: 3}).Jobs[0].Response,
		2*simulated(t, s, SimulationOptions{Runs: 3}).Jobs[0].Response)
}

// Each copy has slots of its own: the second job does not wait for the first.
func TestSlots(t *testing.T) {
	s := &Spec{Nodes: 1, CPUs: 10, MapSlots: 2, ShuffleThreads: 1, Jobs: []Job{
		{Name: "first", Copies: 1, Maps: 4, Map: Demand{CPU: 10}},
		{Name: "second", Copies: 1, Maps: 2, Map: Demand{CPU: 10}},
	}}
	r := simulated(t, s, SimulationOptions{Distribution: Deterministic, Runs: 1})
	if got := [2]float64{r.Jobs[0].Response, r.Jobs[1].Response}; got != [2]float64{20, 10} {
		t.Errorf("responses %v, want 20 and 10", got)
	}
}

// Copies with fewer tasks than nodes do not meet while nodes are idle.
func TestDealing(t *testing.T) {
	s := &Spec{Nodes: 6, CPUs: 1, MapSlots: 4, ShuffleThreads: 1, Jobs: []Job{
		{Copies: 3, Maps: 2, Map: Demand{Disk: 10}},
	}}
	near(t, "response", simulated(t, s, SimulationOptions{Distribution: Deterministic, Runs: 1}).Jobs[0].Response, 10)
	s.Jobs[0].Reduces, s.Jobs[0].Merge.Disk = 1, 5
	near(t, "response", simulated(t, s, SimulationOptions{Distribution: Deterministic, Runs: 1}).Jobs[0].Response, 15)
}

// More reduces than slots for them: the later ones copy when an earlier one has ended.
func TestReduceWaves(t *testing.T) {
	s := &Spec{Nodes: 2, CPUs: 4, MapSlots: 1, ShuffleThreads: 2, ReduceSlots: 1, Jobs: []Job{
		{
			Copies: 1, Maps: 2, Reduces: 5, Map: Demand{CPU: 10}, Shuffle: Demand{CPU: 1},
			Merge: Demand{CPU: 5},
		},
	}}
	r := simulated(t, s, SimulationOptions{Distribution: Deterministic, Runs: 1})
	near(t, "response", r.Jobs[0].Response, 10+3*(1+5))
}

func TestErrors(t *testing.T) {
	var field *FieldError
	broken := published(1, 1)
	broken.Jobs[0].Map.Disk = math.NaN()
	huge := published(1, 1)
	huge.Jobs[0].Maps, huge.Jobs[0].Reduces = 1e6, 1e3
	unequal := &Spec{Nodes: 1, CPUs: 1, MapSlots: 1, ShuffleThreads: 1, Jobs: []Job{
		{Copies: 1, Maps: 1, Map: Demand{CPU: 1e-3}},
		{Copies: 1, Maps: 1, Map: Demand{Disk: 1e9}},
	}}
	for _, c := range []struct {
		name    string
		spec    *Spec
		options SimulationOptions
		want    any
	}{
		{"NaN", broken, SimulationOptions{}, &field},
		{"runs", published(1, 1), SimulationOptions{Runs: -1}, &field},
		{"distribution", published(1, 1), SimulationOptions{Distribution: 7}, &field},
		{"cycles", published(1, 1), SimulationOptions{Cycles: math.MaxInt}, &field},
		{"tasks", huge, SimulationOptions{}, ErrTooLarge},
		{"work", published(1, 1), SimulationOptions{Runs: 1 << 30}, ErrTooLarge},
		{"a fast job beside a slow one", unequal, SimulationOptions{Cycles: 1, Runs: 1000, Distribution: Deterministic}, ErrTooLarge},
	} {
		_, err := Simulate(c.spec, c.options)
		if large, ok := c.want.(error); ok && !errors.Is(err, large) || !ok && !errors.As(err, c.want) {
			t.Errorf("%s: %v, want a %T", c.name, err, c.want)
		} else {
			t.Log(err)
		}
	}
}

// A job that takes no time ends, however often it is submitted.
func TestNoTime(t *testing.T) {
	s := &Spec{Nodes: 1, CPUs: 1, MapSlots: 1, ShuffleThreads: 1, Jobs: []Job{
		{Copies: 2, Maps: 3, Reduces: 2, Shuffle: Demand{Network: 1}}, // the only node needs no network
	}}
	for cycles := range 3 {
		r := simulated(t, s, SimulationOptions{Runs: 2, Cycles: cycles})
		if j := r.Jobs[0]; j.Response != 0 || busy(r, Network) != 0 || r.Makespan != 0 {
			t.Errorf("%d cycles: %+v", cycles, r)
		}
	}
}
