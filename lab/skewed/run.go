package skewed

import (
	"cmp"
	"slices"
)

// A run is a finished reduce phase, from instant 0 on.
type run struct {
	*work
	slots       int
	start, stop []float64 // by task
	end         float64   // when the last task stopped
	seen        []point   // the reported points, by instant, then task
}

// A point is a number of finished groups of one task with the same size and time, and the instant of their report.
type point struct {
	at             float64
	task           int
	bytes, seconds float64 // of one group
	count          float64
}

// play runs the tasks in index order, each on the first free slot. The shuffle takes no time.
func play(w *work, slots int) *run {
	r := &run{work: w, slots: slots}
	free := make([]float64, slots)
	for task, order := range w.order {
		first := slices.Index(free, slices.Min(free))
		r.start = append(r.start, free[first])
		for _, key := range order {
			free[first] += w.groups[key].seconds
		}
		r.stop = append(r.stop, free[first])
		r.end = max(r.end, free[first])
		r.report(task)
	}
	slices.SortStableFunc(r.seen, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.task, b.task))
	})
	return r
}

const (
	// smallGroup is the size of groups that are timed together, because their own time is too short to measure
	// (docs/facts/nearestfit.md N11).
	smallGroup = 50 // bytes
	// burst is the largest number of small groups that wait for a report.
	burst = 100
)

// report adds a task's points. A larger group is reported alone when it ends. Small ones are reported together, when
// more than a burst wait or a larger one follows; each gets a share of their time by size.
func (r *run) report(task int) {
	at := r.start[task]
	var count, bytes, seconds float64
	var sizes [smallGroup/valueBytes + 1]float64 // small groups by their number of values
	flush := func() {
		for values, n := range sizes {
			if size := float64(values) * valueBytes; n > 0 {
				r.seen = append(r.seen, point{at, task, size, seconds * size / bytes, n})
			}
		}
		clear(sizes[:])
		count, bytes, seconds = 0, 0, 0
	}
	for _, key := range r.order[task] {
		g := r.groups[key]
		if g.bytes > smallGroup {
			flush()
			at += g.seconds
			r.seen = append(r.seen, point{at, task, g.bytes, g.seconds, 1})
			continue
		}
		at += g.seconds
		sizes[int(g.bytes/valueBytes)]++
		count, bytes, seconds = count+1, bytes+g.bytes, seconds+g.seconds
		if count > burst {
			flush()
		}
	}
	flush()
}

// hadoop returns the progress that Hadoop shows at t: the mean over the tasks of the share of bytes that was read.
// The current group counts by its time, as the reader's position in it is not known (docs/facts/nearestfit.md N15).
func (r *run) hadoop(t float64) float64 {
	// Bytes and instants before the current report, and its own.
	type reader struct{ done, from, next, until float64 }
	tasks := make([]reader, len(r.start))
	for i := range tasks {
		tasks[i].from = r.start[i]
	}
	for _, p := range r.seen {
		switch x := &tasks[p.task]; {
		case p.at <= t:
			x.done, x.from = x.done+p.bytes*p.count, p.at
		case x.until == 0 || x.until == p.at:
			x.next, x.until = x.next+p.bytes*p.count, p.at
		}
	}
	sum := 0.0
	for i, x := range tasks {
		switch {
		case t < r.start[i]:
		case t >= r.stop[i]:
			sum++
		default:
			sum += (x.done + x.next*(t-x.from)/(x.until-x.from)) / r.bytes[i]
		}
	}
	return sum / float64(len(tasks))
}
