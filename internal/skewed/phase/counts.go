package phase

import (
	"cmp"
	"slices"
)

// Counts are the points that can be told from the counters of the tasks, polled every so many seconds: what the groups and bytes
// of a task grew by since the last poll is a burst of equal groups. Hadoop counts a group when its first value is read, and its
// bytes while they are read, here evenly. A poll in which no group begins belongs to the burst after it.
func (r *Run) Counts(every float64) []Point {
	var all []Point
	for task := range r.Work.Order {
		all = append(all, r.counted(task, every)...)
	}
	slices.SortStableFunc(all, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Task, b.Task))
	})
	return all
}

func (r *Run) counted(task int, every float64) []Point {
	var all []Point
	var last, now struct{ at, groups, bytes float64 }
	last.at = r.Start[task]
	begin, next := r.Start[task], 0
	order := r.Work.Order[task]
	whole := 0.0 // bytes of the groups before next
	for poll := every; ; poll += every {
		if poll <= r.Start[task] {
			continue
		}
		now.at = min(poll, r.Stop[task])
		for next < len(order) && begin+r.Work.Groups[order[next]].Seconds <= now.at {
			g := r.Work.Groups[order[next]]
			begin += g.Seconds
			whole += g.Bytes
			next++
		}
		now.groups, now.bytes = float64(next), whole
		if next < len(order) && poll < r.Stop[task] {
			g := r.Work.Groups[order[next]]
			now.groups++
			now.bytes += g.Bytes * (now.at - begin) / g.Seconds
		} else {
			now.groups, now.bytes = float64(len(order)), r.total(task)
		}
		if n := now.groups - last.groups; n > 0 && now.bytes > last.bytes {
			all = append(all, Point{poll, task, (now.bytes - last.bytes) / n, (now.at - last.at) / n, n})
			last = now
		}
		if poll >= r.Stop[task] {
			return all
		}
	}
}

func (r *Run) total(task int) float64 {
	sum := 0.0
	for _, key := range r.Work.Order[task] {
		sum += r.Work.Groups[key].Bytes
	}
	return sum
}
