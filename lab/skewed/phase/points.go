package phase

import (
	"cmp"
	"slices"
)

const (
	// Small groups are timed together: their own time is too short to measure (docs/facts/nearestfit.md N11).
	Small = 50 // bytes
	// Burst is how many small groups are pending at most.
	Burst = 100
)

// A Point is groups of one size and time that a task has finished, and when that became visible.
type Point struct {
	At      float64
	Task    int
	Bytes   float64 // of one group
	Seconds float64 // of one group
	Count   float64
}

// points are what the tasks report: a group above Small alone, when it ends; smaller ones together, when more than
// Burst are pending or a larger one follows, each with its share by size of what they took.
func (r *Run) points() []Point {
	var all []Point
	for task := range r.Work.Order {
		all = append(all, r.reported(task)...)
	}
	byInstant(all)
	return all
}

func byInstant(all []Point) {
	slices.SortStableFunc(all, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Task, b.Task))
	})
}

func (r *Run) reported(task int) []Point {
	var all []Point
	at := r.Start[task]
	var b pending
	for _, key := range r.Work.Order[task] {
		g := r.Work.Groups[key]
		if g.Bytes > Small {
			all = b.flush(all, at, task)
			at += g.Seconds
			all = append(all, Point{at, task, g.Bytes, g.Seconds, 1})
			continue
		}
		at += g.Seconds
		if b.add(g); b.count > Burst {
			all = b.flush(all, at, task)
		}
	}
	return b.flush(all, at, task)
}

// A burst is groups that are timed together.
type burst struct{ count, bytes, seconds float64 }

// pending are small groups, by how many values they have.
type pending struct {
	burst
	sizes [Small/ValueBytes + 1]float64
}

func (b *pending) add(g Group) {
	b.sizes[int(g.Bytes/ValueBytes)]++
	b.count++
	b.bytes += g.Bytes
	b.seconds += g.Seconds
}

func (b *pending) flush(all []Point, at float64, task int) []Point {
	for values, n := range b.sizes {
		if n > 0 {
			size := float64(values) * ValueBytes
			all = append(all, Point{at, task, size, b.seconds * size / b.bytes, n})
		}
	}
	*b = pending{}
	return all
}
