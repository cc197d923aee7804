package tap

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// after is an instant of the collector's clock.
func after(s float64) time.Time { return noon.Add(seconds(s)) }

// TestStamp: the cluster's clock is an hour behind. Instants lie within the attempt, do not go back, and stay once
// shown.
func TestStamp(t *testing.T) {
	at := func(s float64) dag.Instant { return dag.InstantOf(after(s - 3600)) }
	a := attempt{seq: -1}
	take := func(seq int, ended ...float64) {
		b := Batch{Seq: seq}
		for _, s := range ended {
			b.Points = append(b.Points, Point{Age: 100 - s, Count: 1})
		}
		a.take(&b, after(100), maxPoints)
	}
	is := func(m moment, want ...dag.Instant) {
		t.Helper()
		var r dag.ReduceGroups
		a.show(&r, m)
		var got []dag.Instant
		for _, p := range r.Done {
			got = append(got, p.At)
		}
		if !slices.Equal(got, want) {
			t.Errorf("instants %v, want %v", got, want)
		}
	}
	take(0, -100, 5, 4)
	take(2, 8, 99)
	is(moment{after(10), at(10), at(2), at(100)}, at(2), at(5), at(5), at(8), at(10))
	take(3, 11)
	was := moment{after(12.5), at(12), at(2), at(100)} // the poll was slow
	is(was, at(2), at(5), at(5), at(8), at(10), at(10.5))
	take(1, 6, 9) // too late
	take(3, 11)   // came before
	take(4, 13)
	is(moment{after(20), at(20), at(2), at(11)}, at(2), at(5), at(5), at(8), at(10), at(10.5), at(11))
}

// TestCondense: bytes, time and count of all stay, and what snapshots have shown.
func TestCondense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a attempt
		for i := range rapid.IntRange(1, 300).Draw(t, "points") {
			a.points = append(a.points, dag.GroupPoint{
				At: dag.Instant(i), Bytes: rapid.Float64Range(0, 1e6).Draw(t, "bytes"),
				Took:  seconds(rapid.Float64Range(0, 100).Draw(t, "took")),
				Count: rapid.Float64Range(1, 1e4).Draw(t, "count"),
			})
		}
		a.shown = rapid.IntRange(0, len(a.points)).Draw(t, "shown")
		before, firstFresh := slices.Clone(a.points), dag.Instant(a.shown)
		shared := a.points
		most := rapid.IntRange(1, 200).Draw(t, "most")
		a.condense(most)
		if len(a.points) > max(most, 1) {
			t.Fatalf("%d points, want %d", len(a.points), most)
		}
		if !slices.Equal(shared, before) {
			t.Fatal("points that were handed out have changed")
		}
		sums := func(points []dag.GroupPoint) (bytes, took, count float64) {
			for _, p := range points {
				bytes, took, count = bytes+p.Bytes*p.Count, took+p.Took.Seconds()*p.Count, count+p.Count
			}
			return bytes, took, count
		}
		b, s, k := sums(before)
		b2, s2, k2 := sums(a.points)
		for _, x := range [][2]float64{{b, b2}, {s, s2}, {k, k2}} {
			if math.Abs(x[0]-x[1]) > 1e-6*max(1, x[0]) {
				t.Fatalf("%v became %v", x[0], x[1])
			}
		}
		for i, p := range a.points {
			if i > 0 && p.At <= a.points[i-1].At || (p.At < firstFresh) != (i < a.shown) {
				t.Fatalf("point %d of %d, %d of them shown: %+v", i, len(a.points), a.shown, p)
			}
		}
	})
}

// TestCondenseKeepsSizes: groups of the same size are joined before any other ones are.
func TestCondenseKeepsSizes(t *testing.T) {
	var a attempt
	for i := range 40 {
		a.points = append(a.points, dag.GroupPoint{
			At: dag.Instant(i), Bytes: float64(1000 + i%4), Took: time.Duration(i % 4), Count: 1,
		})
	}
	a.condense(10)
	if len(a.points) != 4 {
		t.Fatalf("%d points, want the 4 sizes", len(a.points))
	}
	for i, p := range a.points {
		want := dag.GroupPoint{At: dag.Instant(36 + i), Bytes: float64(1000 + i), Took: time.Duration(i), Count: 10}
		if p != want {
			t.Errorf("point %d: %+v, want %+v", i, p, want)
		}
	}
}
