package phase

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func small(seed uint64, reduces int) *Work {
	values := Levels(500, 1.3)
	return Make(Spec{
		Values: values, Costs: Power(values, 2), Reduces: reduces, Maps: 5, Mean: 100, Noise: .02,
		Each: 20e-6, Seed: seed,
	})
}

// TestLevels: docs/facts/nearestfit.md B, n = 10,000 and sigma = 2: 10000, two of 5000 … 8192 of 1.
func TestLevels(t *testing.T) {
	got := map[float64]int{}
	for _, v := range Levels(10_000, 2) {
		got[v]++
	}
	want := map[float64]int{
		10000: 1, 5000: 2, 2500: 4, 1250: 8, 625: 16, 313: 32, 156: 64, 78: 128, 39: 256, 20: 512, 10: 1024, 5: 2048,
		2: 4096, 1: 8192,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestWorkIsConserved: maps write what groups have, tasks take each group once, and a task takes its mean time.
func TestWorkIsConserved(t *testing.T) {
	w := small(1, 3)
	byKey := make([]float64, len(w.Groups))
	for _, parts := range w.Maps {
		for _, p := range parts {
			byKey[p.Key] += p.Bytes
		}
	}
	seconds, taken := 0.0, make([]int, len(w.Groups))
	for i, g := range w.Groups {
		if g.Bytes != byKey[i] {
			t.Errorf("key %d: groups have %v bytes, maps wrote %v", i, g.Bytes, byKey[i])
		}
		seconds += g.Seconds
	}
	for task, order := range w.Order {
		for _, key := range order {
			taken[key]++
			if w.Groups[key].Task != task {
				t.Errorf("task %d takes key %d of task %d", task, key, w.Groups[key].Task)
			}
		}
	}
	for key, n := range taken {
		if n != 1 {
			t.Errorf("key %d is taken %d times", key, n)
		}
	}
	if math.Abs(seconds-300) > 1e-6 {
		t.Errorf("three tasks take %v s, want 300", seconds)
	}
}

func TestSameSeedSameWork(t *testing.T) {
	if !reflect.DeepEqual(small(7, 3), small(7, 3)) {
		t.Error("the same seed made other work")
	}
	if reflect.DeepEqual(small(7, 3).Order, small(8, 3).Order) {
		t.Error("another seed made the same order")
	}
}

// TestHashIsFair: each of 8 tasks gets about an eighth of 8,000 keys, with the differences that chance makes.
func TestHashIsFair(t *testing.T) {
	count := make([]int, 8)
	for key := range 8000 {
		count[task(3, key, 8)]++
	}
	chi := 0.0
	for i, n := range count {
		if n < 880 || n > 1120 {
			t.Errorf("task %d has %d keys of 8000", i, n)
		}
		chi += float64((n-1000)*(n-1000)) / 1000
	}
	if chi < 1 || chi > 25 { // of 7 degrees of freedom: one time in 200 or less
		t.Errorf("keys go to tasks as %v: not by chance", count)
	}
}

// TestDeal: what is dealt is all there, evenly, also where it is drawn from the normal distribution.
func TestDeal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := make([]int, 20)
	for _, n := range []int{0, 1, 19, 20_000, 20_100, 1_000_000} {
		deal(rng, n, count)
		sum := 0
		for _, c := range count {
			sum += c
			if mean := float64(n) / 20; math.Abs(float64(c)-mean) > 6*math.Sqrt(mean)+1 {
				t.Errorf("%d values: a map has %d", n, c)
			}
		}
		if sum != n {
			t.Errorf("%d values dealt of %d", sum, n)
		}
	}
}

// TestPlayKeepsSlotsBusy: with two slots a third task begins when the first one stops.
func TestPlayKeepsSlotsBusy(t *testing.T) {
	w := &Work{
		Groups: []Group{{0, 100, 5, 5}, {1, 100, 9, 9}, {2, 100, 2, 2}, {3, 100, 3, 3}},
		Order:  [][]int{{0}, {1}, {2}, {3}},
	}
	r := Play(w, 2)
	if want := []float64{0, 0, 5, 7}; !reflect.DeepEqual(r.Start, want) {
		t.Errorf("start at %v, want %v", r.Start, want)
	}
	if r.Over != 10 {
		t.Errorf("over at %v, want 10", r.Over)
	}
}

// TestBursts: docs/facts/nearestfit.md N11.
func TestBursts(t *testing.T) {
	w := &Work{Order: [][]int{nil}}
	take := func(n int, bytes, seconds float64) {
		for range n {
			w.Order[0] = append(w.Order[0], len(w.Groups))
			w.Groups = append(w.Groups, Group{Bytes: bytes, Seconds: seconds})
		}
	}
	take(101, 10, 1) // one more than may be pending
	take(2, 20, 5)   // flushed by the one that is alone
	take(1, 50, 8)
	take(1, 60, 7)
	want := []Point{{101, 0, 10, 1, 101}, {119, 0, 20, 4, 2}, {119, 0, 50, 10, 1}, {126, 0, 60, 7, 1}}
	if got := Play(w, 1).Seen; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestPointsAreAllGroups: what is reported is every group, its bytes and its time.
func TestPointsAreAllGroups(t *testing.T) {
	w := small(2, 4)
	seen := Play(w, 2).Seen
	var count, bytes, seconds float64
	for i, p := range seen {
		count += p.Count
		bytes += p.Count * p.Bytes
		seconds += p.Count * p.Seconds
		if i > 0 && p.At < seen[i-1].At {
			t.Fatalf("point %d goes back in time", i)
		}
	}
	if n := float64(len(w.Groups)); count != n {
		t.Errorf("%v groups of %v", count, n)
	}
	all := 0.0
	for _, b := range w.Bytes() {
		all += b
	}
	if math.Abs(bytes-all) > 1e-9*all {
		t.Errorf("%v bytes of %v", bytes, all)
	}
	if math.Abs(seconds-400) > 1e-6 {
		t.Errorf("%v s of 400", seconds)
	}
}

// TestHadoopProgress: docs/facts/nearestfit.md N15. Two tasks on one slot; the running group counts by its time.
func TestHadoopProgress(t *testing.T) {
	w := &Work{Groups: []Group{{0, 100, 10, 10}, {0, 300, 10, 10}, {1, 100, 5, 5}}, Order: [][]int{{0, 1}, {2}}}
	g := Play(w, 1).Gauge()
	for _, c := range []struct{ at, want float64 }{
		{0, 0},
		{5, .0625},
		{10, .125},
		{15, .3125},
		{20, .5},
		{22.5, .75},
		{25, 1},
	} {
		if got := g.At(c.at); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", c.at, got, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	degrees := Levels(50, 1.5)
	for _, k := range Kinds() {
		values, costs := k.Make(rand.New(rand.NewPCG(1, 1)), degrees)
		if len(values) != len(costs) || len(values) == 0 {
			t.Fatalf("%s: %d sizes, %d costs", k.Name, len(values), len(costs))
		}
		for i, v := range values {
			if v < 1 || v != math.Trunc(v) || costs[i] <= 0 {
				t.Errorf("%s: group %d has %v values and costs %v", k.Name, i, v, costs[i])
			}
		}
	}
}

func TestDegrees(t *testing.T) {
	got, err := Degrees(strings.NewReader("1 2\n7 1\n"))
	if want := []float64{1, 1, 7}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"1\n", "0 3\n", "2 -1\n", "x 1\n", "1 99999999\n"} {
		if _, err := Degrees(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: got %v, want an error of line 1", bad, err)
		}
	}
}
