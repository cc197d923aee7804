package nearestfit

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// sizes are the remaining explicit groups of a task. below and over are disjoint sets with path halving, so that a
// size without groups is skipped in about constant time.
type sizes struct {
	bytes []float64 // ascending, each once
	left  []float64 // number of groups
	// below and over have an entry for each size, with indices from 1 to n: itself if the size has groups left, else
	// an index nearer to the next lower, or higher, size that has. 0 and n+1: there is none.
	below, over []int32
}

func newSizes(explicit []dag.GroupSize) *sizes {
	in := make([]dag.GroupSize, 0, len(explicit))
	for _, g := range explicit {
		if measurable(g.Bytes, maxMeasured) && measurable(g.Count, maxMeasured) && g.Count > 0 {
			in = append(in, g)
		}
	}
	slices.SortStableFunc(in, func(a, b dag.GroupSize) int { return cmp.Compare(a.Bytes, b.Bytes) })
	s := &sizes{}
	for _, g := range in {
		if last := len(s.bytes) - 1; last >= 0 && s.bytes[last] == g.Bytes {
			s.left[last] += g.Count
			continue
		}
		s.bytes, s.left = append(s.bytes, g.Bytes), append(s.left, g.Count)
	}
	s.below, s.over = make([]int32, len(s.bytes)+2), make([]int32, len(s.bytes)+2)
	for i := range s.below {
		s.below[i], s.over[i] = int32(i), int32(i) //nolint:gosec // sizes of one task
	}
	return s
}

// take removes up to count groups of sizes that differ from bytes by at most ratio of it, the nearest ones first, the
// lower one of two. It returns how many of count it could not remove.
func (s *sizes) take(bytes, count, ratio float64) float64 {
	n := len(s.bytes)
	for count > 0 && n > 0 {
		at := sort.SearchFloat64s(s.bytes, bytes)
		low, high := find(s.below, at), find(s.over, at+1) // low is before at, high from it on
		var best int
		switch {
		case low > 0 && high <= n && s.bytes[high-1]-bytes < bytes-s.bytes[low-1]:
			best = high
		case low > 0:
			best = low
		case high <= n:
			best = high
		default:
			return count
		}
		i := best - 1
		if math.Abs(s.bytes[i]-bytes) > ratio*bytes {
			return count
		}
		some := min(count, s.left[i])
		count -= some
		s.left[i] -= some
		if s.left[i] <= 0 {
			s.below[best], s.over[best] = int32(best-1), int32(best+1) //nolint:gosec // as above
		}
	}
	return count
}

func find(next []int32, i int) int {
	for int(next[i]) != i {
		next[i] = next[next[i]]
		i = int(next[i])
	}
	return i
}

// rest returns the remaining groups by size.
func (s *sizes) rest() []dag.GroupSize {
	var out []dag.GroupSize
	for i, n := range s.left {
		if n > 0 {
			out = append(out, dag.GroupSize{Bytes: s.bytes[i], Count: n})
		}
	}
	return out
}

// work is the bytes of finished groups and their time.
type work struct {
	bytes, seconds float64
}

func (w *work) add(more work) {
	w.bytes += more.bytes
	w.seconds += more.seconds
}

// alpha returns seconds a byte; NaN without bytes.
func (w work) alpha() float64 {
	if w.bytes <= 0 {
		return math.NaN()
	}
	return w.seconds / w.bytes
}

// recently is finished work in which new work weighs more: each minute of new work multiplies the weight of older
// work by 1-EWMA. If each report did, milliseconds of work would count as much as minutes.
type recently struct{ work }

func (r *recently) add(w work, weight float64) {
	keep := math.Pow(1-weight, w.seconds/time.Minute.Seconds())
	r.bytes = r.bytes*keep + w.bytes
	r.seconds = r.seconds*keep + w.seconds
}

// JobRatio returns the remaining seconds of a task by the seconds a byte of all finished groups (section 3.1); NaN if
// there are none.
func (p *Prediction) JobRatio(task int) float64 {
	if task < 0 || task >= len(p.tasks) {
		return math.NaN()
	}
	return p.alpha * p.tasks[task].ratioBytes
}

// TaskRatio returns the remaining seconds of a task by the seconds a byte of its own finished groups. It is JobRatio
// if no more than Params.TaskRatioMin of the task's bytes are done.
func (p *Prediction) TaskRatio(task int) float64 {
	if task < 0 || task >= len(p.tasks) || math.IsNaN(p.tasks[task].alpha) {
		return p.JobRatio(task)
	}
	return p.tasks[task].alpha * p.tasks[task].ratioBytes
}

// conserve removes explicit groups, which are sorted by size, from the smallest on, until they and the implicit
// bytes are at most left, the remaining bytes. If only some maps have reported a key, its explicit size is too
// small, and its finished group does not match it. Such keys are the smallest ones that maps report.
func conserve(explicit []dag.GroupSize, implicit, left float64) []dag.GroupSize {
	over := implicit - left
	for _, g := range explicit {
		over += g.Bytes * g.Count
	}
	if !(over > 0) { // NaN if bytes are unknown
		return explicit
	}
	for i := range explicit {
		g := &explicit[i]
		if g.Bytes*g.Count > over {
			g.Count -= over / g.Bytes
			return explicit[i:]
		}
		over -= g.Bytes * g.Count
	}
	return nil
}
