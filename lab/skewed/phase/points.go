package phase

import (
	"cmp"
	"slices"
)

const (
	// Small groups are timed together, because their own time is too short to measure (docs/facts/nearestfit.md N11).
	Small = 50 // bytes
	// Burst is the largest number of pending small groups.
	Burst = 100
)

// A Point is a number of finished groups of one task with the same size and time, and the instant of their report.
type Point struct {
	At      float64
	Task    int
	Bytes   float64 // of one group
	Seconds float64 // of one group
	Count   float64
}

// points returns the tasks' reports. A group above Small is reported alone when it ends. Smaller ones are reported
// together, when more than Burst are pending or a larger one follows; each gets a share of their time by size.
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

// A burst is a number of groups that are timed together.
type burst struct{ count, bytes, seconds float64 }

// pending are small groups, by their number of values.
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
