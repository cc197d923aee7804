package simulate

import (
	"math"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// A walk is the order of an attempt's key groups and the time of each, without the factor on the whole attempt.
type walk struct {
	size []float64 // bytes of the groups, in their order
	ms   []float64 // work until the end of each, in milliseconds
	read []float64 // bytes until the end of each
}

// walk draws the order and noise of an attempt's groups. Each attempt has its own.
func (t *truth) walk(job, task, attempt int) *walk {
	k := t.keyed[job]
	key := attemptKey{job, dag.Reduce, int32(task), int32(attempt)}
	if w := k.walks[key]; w != nil {
		return w
	}
	var w walk
	for _, s := range k.groups.Reduces[task].Explicit {
		for range int(math.Round(s.Count)) {
			w.size = append(w.size, s.Bytes)
		}
	}
	r := random(t.opt.Seed, drawWalk, job, dag.Reduce, task, attempt)
	r.Shuffle(len(w.size), func(a, b int) { w.size[a], w.size[b] = w.size[b], w.size[a] })
	w.ms, w.read = make([]float64, len(w.size)), make([]float64, len(w.size))
	ms, read := 0.0, 0.0
	for i, bytes := range w.size {
		ms += k.ms(bytes) * t.opt.Family.factor(r, t.opt.Noise)
		read += bytes
		w.ms[i], w.read[i] = ms, read
	}
	k.walks[key] = &w
	return &w
}

// groupEnd returns when group i ends, in milliseconds of work. For i < 0 it returns when the groups begin.
func (x *extent) groupEnd(i int) int64 {
	begin := x.ends[dag.Sort]
	if i < 0 {
		return begin
	}
	return begin + int64(min(maxWorkMS, math.Floor(x.slow*x.walk.ms[i]+0.5)))
}

// groupsDone returns how many groups are done at a position.
func (x *extent) groupsDone(pos int64) int {
	return sort.Search(len(x.walk.size), func(i int) bool { return x.groupEnd(i) > pos })
}

// readBefore returns the bytes of the groups before group n.
func (x *extent) readBefore(n int) float64 {
	if n == 0 {
		return 0
	}
	return x.walk.read[n-1]
}

// bytesRead returns how many bytes are read at a position. The current group counts by the share of its time that has
// passed.
func (x *extent) bytesRead(pos int64) float64 {
	n := x.groupsDone(pos)
	read := x.readBefore(n)
	if n < len(x.walk.size) {
		if begin, end := x.groupEnd(n-1), x.groupEnd(n); pos > begin {
			read += x.walk.size[n] * float64(pos-begin) / float64(end-begin)
		}
	}
	return read
}

// share returns the share of the work's records that are read at a position.
func (x *extent) share(pos int64) float64 {
	all := x.readBefore(len(x.walk.size))
	if all == 0 {
		return float64(x.groupsDone(pos)) / float64(len(x.walk.size))
	}
	return x.bytesRead(pos) / all
}

// A tap reports small groups together: more than burstGroups groups of at most burstBytes bytes each
// (docs/facts/nearestfit.md N11).
const (
	burstBytes  = 50
	burstGroups = 100
)

// points returns all groups of an attempt as they are reported, with instants from its planned track.
func (x *extent) points(r *track, bursts bool) []dag.GroupPoint {
	var out []dag.GroupPoint
	first := 0 // of the pending burst
	flush := func(end int) {
		if end > first {
			out = append(out, x.burst(r, first, end)...)
		}
		first = end
	}
	for i, bytes := range x.walk.size {
		if !bursts || bytes > burstBytes {
			flush(i)
			flush(i + 1)
		} else if i+1-first > burstGroups {
			flush(i + 1)
		}
	}
	flush(len(x.walk.size))
	return out
}

// burst returns the groups from..to-1, which are reported at the end of the last one. Their time is divided by bytes.
// Equal sizes become one point.
func (x *extent) burst(r *track, from, to int) []dag.GroupPoint {
	sizes := slices.Sorted(slices.Values(x.walk.size[from:to]))
	bytes, before := 0.0, 0.0
	for _, s := range sizes {
		bytes += s
	}
	if from > 0 {
		before = x.walk.ms[from-1]
	}
	ms := x.slow * (x.walk.ms[to-1] - before)
	at := r.reached(x.groupEnd(to - 1))
	var out []dag.GroupPoint
	for i, s := range sizes {
		if n := len(out); i > 0 && out[n-1].Bytes == s {
			out[n-1].Count++
			continue
		}
		share := 1 / float64(len(sizes))
		if bytes > 0 {
			share = s / bytes
		}
		out = append(out, dag.GroupPoint{At: at, Bytes: s, Took: millisOf(ms * share), Count: 1})
	}
	return out
}
