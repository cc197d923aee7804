package nearestfit

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// sizes are the remaining explicit groups of a task. Removing one takes about constant time: a size without groups
// points to its neighbors (disjoint sets with path halving).
type sizes struct {
	bytes []float64 // ascending, each once
	left  []float64 // number of groups
	// the nearest place that may have groups left, itself if it has any; shifted by one: 0 and n+1 mean none
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

// take removes up to count groups of the sizes nearest to bytes, the lower one of two equally near, if they are
// within ratio of it. It returns the number of groups that matched no size.
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

// rest returns the remaining groups, ascending.
func (s *sizes) rest() []dag.GroupSize {
	var out []dag.GroupSize
	for i, n := range s.left {
		if n > 0 {
			out = append(out, dag.GroupSize{Bytes: s.bytes[i], Count: n})
		}
	}
	return out
}

// work is bytes done and their time.
type work struct {
	bytes, seconds float64
}

func (w *work) add(more work) {
	w.bytes += more.bytes
	w.seconds += more.seconds
}

// alpha returns seconds a byte; NaN while nothing is done.
func (w work) alpha() float64 {
	if w.bytes <= 0 {
		return math.NaN()
	}
	return w.seconds / w.bytes
}

// recently is finished work, weighted towards new work: each new minute of work reduces the weight of older work.
// It decays by time, not by reports, or a burst of milliseconds would weigh as much as a group of minutes.
type recently struct{ work }

func (r *recently) add(w work, weight float64) {
	keep := math.Pow(1-weight, w.seconds/time.Minute.Seconds())
	r.bytes = r.bytes*keep + w.bytes
	r.seconds = r.seconds*keep + w.seconds
}

// JobRatio returns the remaining seconds of a task if all bytes take the mean time of the job's finished ones; NaN
// while none are done. The group that is being processed counts as remaining (section 3.1).
func (p *Prediction) JobRatio(task int) float64 {
	if task < 0 || task >= len(p.tasks) {
		return math.NaN()
	}
	return p.alpha * p.tasks[task].ratioBytes
}

// TaskRatio returns the task's seconds left at its own speed, if more than Params.TaskRatioMin of its bytes are done.
// Else it returns JobRatio. NaN if there is no such task.
func (p *Prediction) TaskRatio(task int) float64 {
	if task < 0 || task >= len(p.tasks) {
		return math.NaN()
	}
	t := &p.tasks[task]
	if !math.IsNaN(t.alpha) {
		return t.alpha * t.ratioBytes
	}
	return p.JobRatio(task)
}

// conserve removes explicit groups, the smallest first, until they and the implicit bytes fit into the remaining
// bytes. If only some maps reported a key, its size is below the true one. When its group is done, the group
// matches no explicit size, so the key would be counted to the end. Such keys are the smallest that are reported.
//
// The paper does not mention them (section 4.2): this is a deviation, see Params.Conserve.
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
