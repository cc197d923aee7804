package sketch

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slowSaving is the definition of facts/nearestfit.md B4, in a list.
type slowSaving struct {
	capacity, inserted int
	entries            []Entry[int]
	order              []int
}

func (s *slowSaving) add(key int, w float64) {
	for i := range s.entries {
		if s.entries[i].Key == key {
			s.entries[i].Count += w
			return
		}
	}
	s.inserted++
	if len(s.entries) < s.capacity {
		s.entries, s.order = append(s.entries, Entry[int]{key, w, 0}), append(s.order, s.inserted)
		return
	}
	victim := 0
	for i, e := range s.entries {
		if v := s.entries[victim]; e.Count < v.Count || e.Count == v.Count && s.order[i] < s.order[victim] {
			victim = i
		}
	}
	least := s.entries[victim].Count
	s.entries[victim], s.order[victim] = Entry[int]{key, least + w, least}, s.inserted
}

func byKey(a, b Entry[int]) int { return cmp.Compare(a.Key, b.Key) }

// The heap does what the list does, counts are never too low, and no key that is heavy is lost.
func TestSpaceSaving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 6).Draw(t, "capacity")
		fast, slow := New[int](capacity), &slowSaving{capacity: capacity}
		truth, all := map[int]float64{}, 0.0
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key, w := rapid.IntRange(0, 9).Draw(t, "key"), float64(rapid.IntRange(0, 4).Draw(t, "weight"))
			fast.Add(key, w)
			slow.add(key, w)
			truth[key] += w
			all += w
		}
		got := slices.Collect(fast.All())
		kept := map[int]bool{}
		for _, e := range got {
			kept[e.Key] = true
			if e.Count < truth[e.Key] || e.Sure() > truth[e.Key] {
				t.Fatalf("key %d weighs %v, the sketch says %v to %v", e.Key, truth[e.Key], e.Sure(), e.Count)
			}
		}
		for key, w := range truth {
			if w > all/float64(capacity) && !kept[key] {
				t.Fatalf("key %d weighs %v of %v and is lost", key, w, all)
			}
		}
		slices.SortFunc(got, byKey)
		slices.SortFunc(slow.entries, byKey)
		if !slices.Equal(got, slow.entries) {
			t.Fatalf("%v, by the definition %v", got, slow.entries)
		}
	})
}

func TestSpaceSavingRefuses(t *testing.T) {
	s := New[float64](0)
	for _, w := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		s.Add(1, w)
	}
	s.Add(math.NaN(), 1)
	if s.Len() != 0 {
		t.Errorf("%d entries", s.Len())
	}
	for range 3 {
		s.Add(1, math.MaxFloat64)
		s.Add(2, math.MaxFloat64)
	}
	if e := slices.Collect(s.All()); len(e) != 1 || math.IsInf(e[0].Count, 0) || math.IsNaN(e[0].Sure()) {
		t.Errorf("a flood of weight leaves %v", e)
	}
}

func inputs[K cmp.Ordered](maps []Profile[K], reduces, lambda, capacity int) []ReduceInput[K] {
	j := NewJoin[K](reduces, lambda, capacity)
	for _, m := range maps {
		j.Add(m)
	}
	return j.Inputs()
}

// Bytes are conserved, explicit sizes are never too large, and all keys are known with neither lambda nor capacity.
func TestReduceInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reduces := rapid.IntRange(1, 3).Draw(t, "reduces")
		maps := make([]Profile[int], rapid.IntRange(0, 4).Draw(t, "maps"))
		truth, bytes := map[int]float64{}, make([]float64, reduces)
		for m := range maps {
			maps[m].Bytes = make([]float64, reduces)
			for key := range 8 {
				if !rapid.Bool().Draw(t, "has") {
					continue
				}
				k := Key[int]{key, key % reduces, float64(rapid.IntRange(0, 5).Draw(t, "bytes"))}
				maps[m].Keys = append(maps[m].Keys, k)
				maps[m].Bytes[k.Reduce] += k.Bytes
				truth[key] += k.Bytes
				bytes[k.Reduce] += k.Bytes
			}
		}
		exact := rapid.Bool().Draw(t, "exact")
		lambda, capacity := 0, 0
		if !exact {
			lambda, capacity = rapid.IntRange(1, 4).Draw(t, "lambda"), rapid.IntRange(1, 6).Draw(t, "capacity")
		}
		for r, p := range inputs(maps, reduces, lambda, capacity) {
			known := 0.0
			for _, k := range p.Explicit {
				known += k.Bytes
				if k.Bytes > truth[k.Key] || exact && k.Bytes != truth[k.Key] || k.Reduce != r {
					t.Fatalf("key %v of reduce %d has %v", k, r, truth[k.Key])
				}
			}
			if p.Bytes != bytes[r] || known+p.Implicit != bytes[r] || exact && p.Implicit != 0 {
				t.Fatalf("reduce %d: %v explicit and %v implicit of %v", r, known, p.Implicit, bytes[r])
			}
		}
	})
}

// Keys that lead nowhere and bytes that are none are left out; what the sketch is not sure of is not explicit.
func TestReduceInputsOfHostileMaps(t *testing.T) {
	got := inputs([]Profile[string]{
		{Bytes: []float64{10, math.NaN(), 5}, Keys: []Key[string]{
			{"a", 0, 4},
			{"b", 7, 4},
			{"c", -1, 4},
			{"d", 0, math.Inf(1)},
			{"e", 0, -1},
		}},
		{Keys: []Key[string]{{"f", 0, 2}}},
	}, 2, 5, 1)
	// f takes a's place: its count is 6, for sure it has 2.
	if len(got) != 2 || len(got[0].Explicit) != 1 || got[0].Explicit[0] != (Key[string]{"f", 0, 2}) ||
		got[0].Implicit != 8 || got[1].Bytes != 0 {
		t.Errorf("reduce inputs are %+v", got)
	}
}

func BenchmarkSpaceSaving(b *testing.B) {
	s := New[int](70000)
	b.ReportAllocs()
	for i := range b.N {
		s.Add(int(uint32(i)*2654435761>>12), float64(i%97))
	}
}

// TestDeepHeap is TestSpaceSaving with as many entries as a heap of some levels has.
func TestDeepHeap(t *testing.T) {
	for _, capacity := range []int{20, 85, 300} {
		r := rand.New(rand.NewPCG(uint64(capacity), 1))
		fast, slow := New[int](capacity), &slowSaving{capacity: capacity}
		for step := range 5000 {
			key, w := int(r.ExpFloat64()*float64(capacity)), float64(r.IntN(1+step%40))
			fast.Add(key, w)
			slow.add(key, w)
		}
		got := slices.Collect(fast.All())
		slices.SortFunc(got, byKey)
		slices.SortFunc(slow.entries, byKey)
		if !slices.Equal(got, slow.entries) {
			t.Errorf("%d entries: not those of the definition", capacity)
		}
	}
}
