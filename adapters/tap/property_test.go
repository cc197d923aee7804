package tap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// drawBatch returns a batch of a tap, of a broken one, or of one that sends wrong numbers.
func drawBatch(t *rapid.T) *Batch {
	task, number := rapid.IntRange(0, 3).Draw(t, "task"), rapid.IntRange(0, 2).Draw(t, "number")
	if rapid.Bool().Draw(t, "map") {
		var sizes []float64
		for _, s := range rapid.SliceOfN(rapid.IntRange(1, 500), 0, 12).Draw(t, "keys") {
			sizes = append(sizes, float64(s))
		}
		b := mapBatch(theJob, task, number, sizes...)
		b.Map.Complete = rapid.Bool().Draw(t, "complete")
		return b
	}
	b := reduceBatch(theJob, task%2, number, rapid.IntRange(0, 12).Draw(t, "seq"))
	for range rapid.IntRange(0, 30).Draw(t, "points") {
		b.Points = append(b.Points, Point{
			Age:   rapid.Float64Range(0, 100).Draw(t, "age"),
			Bytes: float64(rapid.IntRange(0, 1000).Draw(t, "bytes")), Seconds: rapid.Float64Range(0, 10).Draw(t,
				"seconds"),
			Count: float64(rapid.IntRange(1, 9).Draw(t, "count")),
		})
	}
	if rapid.Bool().Draw(t, "open") {
		b.Open = &Open{
			Name: fmt.Sprint("k", rapid.IntRange(0, 3).Draw(t, "key")), Bytes: 5,
			Seconds: rapid.Float64Range(0, 30).Draw(t, "since"),
		}
	}
	return b
}

// drawAttempts are attempts of two reduces, in order.
func drawAttempts(t *rapid.T, s *stage) (out []dag.Attempt) {
	for task := range int32(2) {
		for number := range int32(rapid.IntRange(0, 3).Draw(t, "attempts")) {
			a := attemptAt(task, number, rapid.SampledFrom([]dag.AttemptState{
				dag.AttemptRunning, dag.AttemptRunning, dag.AttemptSucceeded, dag.AttemptFailed, dag.AttemptKilled,
			}).Draw(t, "state"), noon)
			if a.State != dag.AttemptRunning {
				a.End = cluster(s.clock)
			}
			a.CopyEnd, a.Bytes = cluster(noon), 100
			out = append(out, a)
		}
	}
	return out
}

// TestSourceHolds: whatever comes, snapshots that were handed out stay as they are, bytes are conserved, instants do
// not go back, and a tape gives every snapshot back.
func TestSourceHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, 4, Limits{Lambda: 5, Capacity: rapid.IntRange(1, 20).Draw(rt, "capacity")})
		s.store.points = minPoints
		var written bytes.Buffer
		var snaps []*dag.Snapshot
		var copies [][]byte
		src := recording.Tee(s.src, &written)
		for range rapid.IntRange(1, 8).Draw(rt, "ticks") {
			for range rapid.IntRange(0, 8).Draw(rt, "batches") {
				_ = s.store.Take(drawBatch(rt), s.clock)
			}
			s.done(rapid.IntRange(0, 4).Draw(rt, "maps"))
			s.reduces(drawAttempts(rt, s)...)
			s.clock = s.clock.Add(time.Duration(rapid.IntRange(0, 20).Draw(rt, "seconds")) * time.Second)
			s.snap.At = cluster(s.clock)
			snap, err := src.Next(rt.Context())
			if err != nil {
				rt.Fatal(err)
			}
			if g := snap.Jobs[1].Groups; g != nil {
				checkInvariants(rt, g, snap)
			}
			snaps, copies = append(snaps, snap), append(copies, frozen(rt, snap))
		}
		if all := s.store.cost(); all != s.store.held {
			rt.Fatalf("%d bytes held, %d counted", all, s.store.held)
		}
		replayed, err := recording.NewReader(&written)
		if err != nil {
			rt.Fatal(err)
		}
		for i, snap := range snaps {
			if !bytes.Equal(frozen(rt, snap), copies[i]) {
				rt.Fatalf("snapshot %d has changed since it was handed out", i)
			}
			again, err := replayed.Next(rt.Context())
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(snap.Jobs, again.Jobs, nan); diff != "" {
				rt.Fatalf("snapshot %d from the tape: %s", i, diff)
			}
		}
	})
}

// checkInvariants checks the invariants of any snapshot.
func checkInvariants(t *rapid.T, g *dag.Groups, snap *dag.Snapshot) {
	for i, r := range g.Reduces {
		sum, last := r.Implicit, 0.0
		for _, e := range r.Explicit {
			if e.Bytes <= last || e.Count < 1 {
				t.Fatalf("reduce %d: sizes %v", i, r.Explicit)
			}
			sum, last = sum+e.Bytes*e.Count, e.Bytes
		}
		if g.Maps == 4 && sum != r.Bytes {
			t.Fatalf("reduce %d: %v bytes, but its parts have %v", i, r.Bytes, sum)
		}
		before := dag.NoInstant
		if r.Attempt < 0 && (r.Done != nil || r.OpenSince.Known()) {
			t.Fatalf("reduce %d: groups of no attempt", i)
		}
		for _, p := range r.Done {
			if p.At > snap.At || p.Count < 1 {
				t.Fatalf("reduce %d: %+v at %v", i, p, snap.At)
			}
			if p.At < before {
				t.Fatalf("reduce %d: %+v comes after %v", i, p, before)
			}
			before = max(before, p.At)
		}
	}
}

// frozen is a snapshot's groups as text.
func frozen(t *rapid.T, s *dag.Snapshot) []byte {
	g := s.Jobs[1].Groups
	if g == nil {
		return nil
	}
	b, err := json.Marshal(fmt.Sprintf("%+v", *g))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
