package collect

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

func TestSequence(t *testing.T) {
	var s sequence
	for i, c := range []struct {
		n     int
		first bool
	}{
		{0, true},
		{0, false},
		{2, true},
		{2, false},
		{1, true},
		{1, false},
		{2, false},
		{3, true},
		{1 << 30, true},
		{1 << 30, false},
		{4, false}, // too long ago
		{1<<30 - 63, true},
		{1<<30 - 64, false},
	} {
		if got := s.first(c.n); got != c.first {
			t.Errorf("step %d: %d comes for the first time: %v", i, c.n, got)
		}
	}
}

// TestSequenceCountsOnce: however numbers come, none counts twice.
func TestSequenceCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sequence
		came := map[int]int{}
		for range rapid.IntRange(0, 400).Draw(t, "batches") {
			n := rapid.IntRange(0, 300).Draw(t, "n")
			if s.first(n) {
				came[n]++
			}
			if came[n] > 1 {
				t.Fatalf("%d came twice", n)
			}
		}
	})
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// after is an instant of the collector's clock.
func after(s float64) time.Time { return noon.Add(seconds(s)) }

func pointAt(seq int, s, bytes, took, count float64) point {
	return point{seq, after(s), dag.NoInstant, bytes, took, count}
}

// TestStamp: the cluster's clock is an hour behind. Instants lie within the attempt, do not go back, and stay once
// shown.
func TestStamp(t *testing.T) {
	at := func(s float64) dag.Instant { return dag.InstantOf(after(s - 3600)) }
	is := func(c course, want ...dag.Instant) {
		t.Helper()
		var got []dag.Instant
		for _, p := range c {
			got = append(got, p.at)
		}
		if !slices.Equal(got, want) {
			t.Errorf("instants %v, want %v", got, want)
		}
	}
	var c course
	c.add(0, []point{pointAt(0, -100, 1, 1, 1), pointAt(0, 5, 1, 1, 1), pointAt(0, 4, 1, 1, 1)})
	c.add(2, []point{pointAt(2, 8, 1, 1, 1), pointAt(2, 99, 1, 1, 1)})
	c.stamp(moment{after(10), at(10), at(2), at(100)})
	is(c, at(2), at(5), at(5), at(8), at(10))
	c.add(3, []point{pointAt(3, 11, 1, 1, 1)})
	c.stamp(moment{after(12.5), at(12), at(2), at(100)}) // the poll was slow
	is(c, at(2), at(5), at(5), at(8), at(10), at(10.5))
	c.add(1, []point{pointAt(1, 6, 1, 1, 1), pointAt(1, 9, 1, 1, 1)})
	c.stamp(moment{after(13), at(13), at(2), at(100)})
	is(c, at(2), at(5), at(5), at(6), at(8), at(8), at(10), at(10.5))
	c.add(4, []point{pointAt(4, 13, 1, 1, 1)})
	c.stamp(moment{after(20), at(20), at(2), at(11)})
	is(c, at(2), at(5), at(5), at(6), at(8), at(8), at(10), at(10.5), at(11))
}

// TestCondense: bytes, time and count of all stay, the sizes that are there most.
func TestCondense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c course
		n := rapid.IntRange(1, 300).Draw(t, "points")
		for i := range n {
			c.add(i/3, []point{pointAt(
				i/3, float64(i), rapid.Float64Range(0, 1e6).Draw(t, "bytes"), rapid.Float64Range(0, 100).Draw(t,
					"took"), rapid.Float64Range(1, 1e4).Draw(t, "count"),
			)})
		}
		sums := func() (bytes, took, count float64) {
			for _, p := range c {
				bytes, took, count = bytes+p.bytes*p.count, took+p.took*p.count, count+p.count
			}
			return bytes, took, count
		}
		b, s, k := sums()
		most := rapid.IntRange(1, 200).Draw(t, "most")
		c.condense(most)
		if len(c) > most {
			t.Fatalf("%d points, want %d", len(c), most)
		}
		b2, s2, k2 := sums()
		for _, x := range [][2]float64{{b, b2}, {s, s2}, {k, k2}} {
			if math.Abs(x[0]-x[1]) > 1e-9*max(1, x[0]) {
				t.Fatalf("%v became %v", x[0], x[1])
			}
		}
		if !slices.IsSortedFunc(c, func(a, b point) int { return a.seq - b.seq }) {
			t.Fatal("not in order")
		}
	})
}

// TestCondenseKeepsSizes: groups of the same size are joined before any other ones are.
func TestCondenseKeepsSizes(t *testing.T) {
	var c course
	for i := range 40 {
		c.add(i, []point{pointAt(i, float64(i), float64(1000+i%4), float64(i%4), 1)})
	}
	c.condense(10)
	if len(c) != 4 {
		t.Fatalf("%d points, want the 4 sizes", len(c))
	}
	for i, p := range c {
		if p.bytes != float64(1000+i) || p.took != float64(i) || p.count != 10 || p.seq != 36+i ||
			!p.ended.Equal(after(float64(36+i))) {
			t.Errorf("point %d: %+v", i, p)
		}
	}
}
