package mva

import (
	"errors"
	"flag"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func init() { _ = flag.Set("rapid.seed", "20261122") }

// product solves a network from its product form (F. Baskett et al., JACM 22(2), 1975): a sum over all ways to spread
// the customers. It has nothing in common with a recursion.
func product(n *Network) (throughput []float64, queue [][]float64) {
	weight := func(population []int, counted func(at [][]int, w float64)) float64 {
		centres := len(n.Centres) + 1 // the last is thinking
		at := make([][]int, centres)
		for k := range at {
			at[k] = make([]int, len(population))
		}
		total := 0.0
		var spread func(class, centre, left int)
		spread = func(class, centre, left int) {
			if class == len(population) {
				w := 1.0
				for k := range at {
					here := 0
					for c, there := range at[k] {
						d := n.think(c)
						if k < len(n.Centres) {
							d = n.Demand[c][k]
						}
						for i := 1; i <= there; i++ {
							here++
							w *= d / float64(i)
							if k < len(n.Centres) {
								if s := n.servers(k); s > 0 {
									w *= float64(here) / float64(min(here, s))
								}
							}
						}
					}
				}
				total += w
				if counted != nil {
					counted(at, w)
				}
				return
			}
			if centre == centres-1 {
				at[centre][class] = left
				next := 0
				if class+1 < len(population) {
					next = population[class+1]
				}
				spread(class+1, 0, next)
				return
			}
			for i := 0; i <= left; i++ {
				at[centre][class] = i
				spread(class, centre+1, left-i)
			}
		}
		spread(0, 0, population[0])
		return total
	}
	queue = make([][]float64, len(n.Population))
	for c := range queue {
		queue[c] = make([]float64, len(n.Centres))
	}
	g := weight(n.Population, func(at [][]int, w float64) {
		for k := range n.Centres {
			for c, there := range at[k] {
				queue[c][k] += w * float64(there)
			}
		}
	})
	for c := range n.Population {
		for k := range queue[c] {
			queue[c][k] /= g
		}
		fewer := append([]int(nil), n.Population...)
		fewer[c]--
		throughput = append(throughput, weight(fewer, nil)/g)
	}
	return throughput, queue
}

func TestProductForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes, centres := rapid.IntRange(1, 2).Draw(t, "classes"), rapid.IntRange(1, 3).Draw(t, "centres")
		n := &Network{}
		for range centres {
			n.Centres = append(n.Centres, Centre{
				Servers: rapid.IntRange(0, 4).Draw(t, "servers"),
				Delay:   rapid.IntRange(0, 4).Draw(t, "delay") == 0,
			})
		}
		for range classes {
			n.Population = append(n.Population, rapid.IntRange(1, 6/classes).Draw(t, "customers"))
			n.Think = append(n.Think, float64(rapid.IntRange(0, 3).Draw(t, "think")))
			demand := make([]float64, centres)
			for k := range demand {
				demand[k] = float64(rapid.IntRange(0, 5).Draw(t, "demand")) / 2
			}
			n.Demand = append(n.Demand, demand)
		}
		for c := range classes {
			if n.idle(c) {
				return
			}
		}
		got, err := Exact(n)
		if err != nil {
			t.Fatal(err)
		}
		throughput, queue := product(n)
		for c := range classes {
			if math.Abs(got.Throughput[c]-throughput[c]) > 1e-10*throughput[c] {
				t.Fatalf("class %d: throughput %v, want %v", c, got.Throughput[c], throughput[c])
			}
			for k := range centres {
				if math.Abs(got.Queue[c][k]-queue[c][k]) > 1e-10*(1+queue[c][k]) {
					t.Fatalf("class %d at %d: queue %v, want %v", c, k, got.Queue[c][k], queue[c][k])
				}
			}
		}
		approximate, err := BardSchweitzer(n, Options{})
		if err != nil || !approximate.Converged {
			t.Fatalf("%+v, %v", approximate, err)
		}
		for c, x := range approximate.Throughput {
			in := x * n.think(c)
			for _, q := range approximate.Queue[c] {
				in += q
			}
			// Little's law: everybody is somewhere.
			if math.Abs(in-float64(n.Population[c])) > 1e-9 {
				t.Fatalf("class %d: %v customers of %d", c, in, n.Population[c])
			}
		}
	})
}

// Far in saturation, where the textbook recursion for several servers gives negative probabilities.
func TestSaturated(t *testing.T) {
	for _, servers := range []int{4, 32, 500} {
		n := &Network{
			Centres: []Centre{{Servers: servers}, {}}, Population: []int{2000},
			Demand: [][]float64{{34, 1e-3}},
		}
		r, err := Exact(n)
		if err != nil {
			t.Fatal(err)
		}
		if x, want := r.Throughput[0], float64(servers)/34; math.Abs(x/want-1) > 1e-9 {
			t.Errorf("%d servers: throughput %v, want %v", servers, x, want)
		}
		a, err := BardSchweitzer(n, Options{})
		if err != nil || !a.Converged || math.Abs(a.Throughput[0]/r.Throughput[0]-1) > 0.02 {
			t.Errorf("%d servers: approximately %+v, %v", servers, a, err)
		}
	}
}

func TestDegenerate(t *testing.T) {
	n := &Network{
		Centres: []Centre{{Servers: 2}, {Delay: true}}, Population: []int{3, 0, 5, 2},
		Demand: [][]float64{{1, 0}, {1, 1}, {0, 0}, {0, 4}},
	}
	for name, solve := range map[string]func() (*Result, error){
		"exact":       func() (*Result, error) { return Exact(n) },
		"approximate": func() (*Result, error) { return BardSchweitzer(n, Options{}) },
	} {
		r, err := solve()
		if err != nil {
			t.Fatal(name, err)
		}
		if x := r.Throughput; math.Abs(x[0]-2) > 0.35 || x[1] != 0 || !math.IsInf(x[2], 1) || x[3] != 0.5 {
			t.Errorf("%s: throughputs %v", name, x)
		}
		if !math.IsNaN(r.Residence[1][0]) || r.Queue[1][0] != 0 || r.Queue[2][0] != 0 || r.Response[2] != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestErrors(t *testing.T) {
	one := func(population int, demand float64, c Centre) *Network {
		return &Network{Centres: []Centre{c}, Population: []int{population}, Demand: [][]float64{{demand}}}
	}
	thinks := one(1, 1, Centre{})
	thinks.Think = []float64{math.Inf(1)}
	ragged := one(1, 1, Centre{})
	ragged.Demand = [][]float64{{1, 2}}
	for want, n := range map[string]*Network{
		"no centres: give at least one":                    {},
		"no classes: give at least one":                    {Centres: []Centre{{}}},
		"1 classes with the demands of 0: give each one's": {Centres: []Centre{{}}, Population: []int{1}},
		"class 1: -1 customers: give 0 to 1099511627776": one(-1, 1,
			Centre{}),
		"class 1 at centre 1: a demand of -1 s: give a number from 0": one(1, -1,
			Centre{}),
		"class 1 at centre 1: a demand of NaN s: give a number from 0": one(1, math.NaN(),
			Centre{}),
		"centre 1: -2 servers: give at least 1": one(1, 1,
			Centre{Servers: -2}),
		"class 1: thinks for +Inf s: give a number from 0": thinks,
		"class 1: 2 demands at 1 centres: give one each":   ragged,
		"class 1: 3 customers of 1e+100 s a cycle: beyond what can be computed; give another unit": one(3, 1e100,
			Centre{}),
	} {
		var fault *NetworkError
		if _, err := Exact(n); !errors.As(err, &fault) || err.Error() != want {
			t.Errorf("exact: %v, want %v", err, want)
		}
		if _, err := BardSchweitzer(n, Options{}); !errors.As(err, &fault) || err.Error() != want {
			t.Errorf("approximate: %v, want %v", err, want)
		}
	}
	if _, err := BardSchweitzer(one(1, 1, Centre{}), Options{Damping: 1}); err == nil {
		t.Error("damping 1: no error")
	}
	large := &Network{Centres: []Centre{{}}, Population: []int{9999, 9999, 9999}, Demand: [][]float64{{1}, {1}, {1}}}
	if _, err := Exact(large); !reflect.DeepEqual(err, &SizeError{States: 1e12}) {
		t.Errorf("%v", err)
	}
	if _, err := Exact(one(9999, 1, Centre{Servers: 1000})); !reflect.DeepEqual(err,
		&SizeError{States: 1e4, MultiServers: 1, Servers: 1000}) {
		t.Errorf("%v", err)
	}
	if r, err := BardSchweitzer(large, Options{}); err != nil || !r.Converged {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := BardSchweitzer(&Network{
		Centres: []Centre{{}, {}}, Population: []int{100},
		Demand: [][]float64{{1, 0.999}},
	}, Options{MaxIterations: 3}); err != nil ||
		r.Converged || r.Iterations != 3 || !(r.Residual > 0) {
		t.Errorf("three iterations: %+v, %v", r, err)
	}
}

func BenchmarkExact(b *testing.B) {
	for name, n := range map[string]*Network{
		"one class": {
			Centres: []Centre{{Servers: 32}, {}, {}}, Population: []int{1000},
			Demand: [][]float64{{5, 0.1, 0.2}},
		},
		"three classes": {
			Centres: []Centre{{Delay: true}, {}, {}, {}}, Population: []int{20, 10, 10},
			Demand: [][]float64{{5, .1, 3, 0}, {.6, .1, .4, .2}, {47, 1, 59, 0}},
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Exact(n); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+" approximately", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := BardSchweitzer(n, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
