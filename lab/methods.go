package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/sketch"
)

// A form is a variant of NearestFit: its parameters, and the key groups of reduces that it uses.
type form struct {
	Params nearestfit.Params
	// Lambda is how many of its largest keys a map reports, Entries the capacity of the Space-Saving that joins them.
	// All keys are known if both are 0 (the theoretical form, section 3).
	Lambda, Entries int
	// Counts is set if keys have the counts of the Space-Saving as sizes, which are upper bounds, in place of their
	// certain bytes (facts/nearestfit.md N7).
	Counts bool
	// Still is set if groups take exactly the time of their size.
	Still bool
}

// streaming returns the paper's streaming form (sections 4 and 8.1).
func streaming() form { return form{Params: nearestfit.Default(), Lambda: 2000, Entries: 70_000} }

// tasks returns the reduces with the key groups of the form.
func (f *form) tasks(w *work) []nearestfit.Task {
	join := sketch.NewJoin[int](len(w.order), f.Lambda, f.Entries)
	heavy := sketch.New[int](max(1, f.Entries))
	for _, parts := range w.maps {
		p := sketch.Profile[int]{Bytes: make([]float64, len(w.order))}
		for _, part := range parts {
			task := w.groups[part.key].task
			p.Bytes[task] += part.bytes
			p.Keys = append(p.Keys, sketch.Key[int]{Key: part.key, Reduce: task, Bytes: part.bytes})
		}
		if f.Counts {
			largest := slices.SortedFunc(slices.Values(p.Keys), func(a, b sketch.Key[int]) int {
				return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Key, b.Key))
			})
			for _, k := range largest[:min(f.Lambda, len(largest))] {
				heavy.Add(k.Key, k.Bytes)
			}
		}
		join.Add(p)
	}
	tasks := make([]nearestfit.Task, len(w.order))
	for i, input := range join.Inputs() {
		tasks[i] = nearestfit.Task{Bytes: input.Bytes, Implicit: w.bytes[i]}
		if f.Counts {
			continue
		}
		tasks[i].Implicit = input.Implicit
		for _, k := range input.Explicit {
			tasks[i].Explicit = append(tasks[i].Explicit, dag.GroupSize{Bytes: k.Bytes, Count: 1})
		}
	}
	if !f.Counts {
		return tasks
	}
	entries := slices.Collect(heavy.All())
	slices.SortFunc(entries, func(a, b sketch.Entry[int]) int { return cmp.Compare(a.Count, b.Count) })
	for _, e := range entries {
		t := &tasks[w.groups[e.Key].task]
		t.Explicit = append(t.Explicit, dag.GroupSize{Bytes: e.Count, Count: 1})
		t.Implicit = max(0, t.Implicit-e.Count)
	}
	return tasks
}

// A watcher receives the points of a run when they become visible, and predicts from them in one form.
type watcher struct {
	*jobRun
	job        *nearestfit.Job
	unseen     []point
	done       []int // number of groups in the visible points, by task
	prediction *nearestfit.Prediction
}

// until makes all points up to an instant visible.
func (w *watcher) until(t float64) {
	for task, start := range w.start {
		if start <= t {
			w.job.Start(task, start)
		}
	}
	for len(w.unseen) > 0 && w.unseen[0].at <= t {
		p := w.unseen[0]
		w.job.Record(p.task, p.at, p.bytes, p.seconds, p.count)
		w.done[p.task] += int(p.count)
		w.unseen = w.unseen[1:]
	}
	w.prediction = w.job.Predict()
}

// A method has a value at each tick of a run that is watched in a form: the error of its progress, or the share of a
// rule. NaN if there is none.
type method struct {
	form  string
	value func(w *watcher, t float64) float64
}

// methods are the methods in the tables that are not the name of a form.
var methods = map[string]method{
	"job_ratio":        {"stream", off(jobRatio)},
	"task_ratio":       {"stream", off(taskRatio)},
	"job_ratio, EWMA":  {"EWMA", off(jobRatio)},
	"task_ratio, EWMA": {"EWMA", off(taskRatio)},
	"curve known":      {"theory", off((*watcher).known)},
	"Hadoop":           {"stream", func(w *watcher, t float64) float64 { return math.Abs(w.hadoop(t) - t/w.end) }},
	// The rules of section 3.3.
	"neighbors in the task": {"stream", share(nearestfit.OwnNeighbours)},
	"the task's fit":        {"stream", share(nearestfit.OwnFit)},
	"neighbors in others":   {"stream", share(nearestfit.JobNeighbours)},
	"the best fit":          {"stream", share(nearestfit.BestFit)},
	"bytes":                 {"stream", share(nearestfit.Fallback)},
}

// methodOf returns a method by its name, which may be that of a form of NearestFit.
func methodOf(name string) method {
	if m, ok := methods[name]; ok {
		return m
	}
	return method{name, off(nearestFit)}
}

// These return the seconds of work that are left of a task, counted from the arrival of its last groups.
func jobRatio(w *watcher, task int) float64 { return w.prediction.JobRatio(task) }

func taskRatio(w *watcher, task int) float64 { return w.prediction.TaskRatio(task) }

func nearestFit(w *watcher, task int) float64 { return w.prediction.Remaining(task).Seconds }

// known has the exact time of each group except for the noise. Other methods can beat it only by chance.
func (w *watcher) known(task int) float64 {
	sum := 0.0
	for _, key := range w.order[task][w.done[task]:] {
		sum += w.groups[key].expected
	}
	return sum
}

// off is the error of progress if the last task ends by the work that is left of each.
func off(left func(w *watcher, task int) float64) func(w *watcher, t float64) float64 {
	return func(w *watcher, t float64) float64 {
		return math.Abs(t/w.ends(left, t) - t/w.end)
	}
}

// ends returns the end of the last task by list scheduling: running tasks go on, and the others start in the order of
// their index, each on the slot that is free first (sections 3.2 and 3.6). It is NaN if the work of a task is unknown.
func (w *watcher) ends(left func(w *watcher, task int) float64, t float64) float64 {
	var free []float64 // instants at which slots are free
	for task, start := range w.start {
		if start <= t && w.stop[task] > t {
			free = append(free, max(t, w.prediction.Remaining(task).At+left(w, task)))
		}
	}
	for len(free) < w.slots {
		free = append(free, t)
	}
	for task, start := range w.start {
		if start <= t {
			continue
		}
		first := slices.Min(free)
		if math.IsNaN(first) {
			return first
		}
		free[slices.Index(free, first)] += left(w, task)
	}
	return slices.Max(free)
}

// share is the share of the remaining time that a rule predicts.
func share(rule nearestfit.Rule) func(w *watcher, t float64) float64 {
	return func(w *watcher, t float64) float64 {
		part, all := 0.0, 0.0
		for task := range w.stop {
			if w.stop[task] <= t {
				continue
			}
			shares := w.prediction.Remaining(task).Shares
			for _, s := range shares {
				all += s.Seconds
			}
			part += shares[rule].Seconds
		}
		return part / all
	}
}

func newWatcher(r *jobRun, f form) *watcher {
	job := nearestfit.New(f.tasks(r.work), f.Params)
	return &watcher{jobRun: r, job: job, unseen: r.seen, done: make([]int, len(r.start))}
}

// valueBytes is the size of a value.
const valueBytes = 10

// The synthetic workload (facts/nearestfit.md B; section 8.2 of the paper).
const (
	mapTasks     = 20
	meanSeconds  = 1800.0 // of a reduce task
	groupSeconds = 20e-6  // of a group of any size
)

// A group is a key group. Its key is its index.
type group struct {
	task     int
	bytes    float64
	seconds  float64
	expected float64 // seconds without the noise
}

// A part is one map's part of a key group.
type part struct {
	key   int
	bytes float64
}

// work is the work of a reduce phase: its groups by key, the order in which each task processes them, and the parts
// of each map.
type work struct {
	groups []group
	order  [][]int // by task
	maps   [][]part
	bytes  []float64 // by task
}

// newWork creates the work of groups with these numbers of values and these costs, which are scaled. Each group goes to
// the task of its key's hash, tasks process groups in random order, and values are spread uniformly over the maps.
// noise is the standard deviation of the logarithm of a group's time.
func newWork(values, costs []float64, reduces int, noise float64, seed uint64) *work {
	rng := rand.New(rand.NewPCG(seed, uint64(len(values))))
	w := &work{
		groups: make([]group, len(values)), order: make([][]int, reduces), maps: make([][]part, mapTasks),
		bytes: make([]float64, reduces),
	}
	sum := 0.0
	for i, v := range values {
		g := &w.groups[i]
		g.task = taskOf(seed, i, reduces)
		g.bytes = v * valueBytes
		g.expected = costs[i]
		g.seconds = costs[i] * math.Exp(noise*rng.NormFloat64())
		sum += g.seconds
		w.order[g.task] = append(w.order[g.task], i)
		w.bytes[g.task] += g.bytes
	}
	scale := (meanSeconds*float64(reduces) - groupSeconds*float64(len(values))) / sum
	for i := range w.groups {
		g := &w.groups[i]
		g.seconds, g.expected = g.seconds*scale+groupSeconds, g.expected*scale+groupSeconds
	}
	for _, order := range w.order {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	count := make([]int, mapTasks)
	for key, v := range values {
		deal(rng, int(v), count)
		for m, n := range count {
			if n > 0 {
				w.maps[m] = append(w.maps[m], part{key, float64(n) * valueBytes})
			}
		}
	}
	return w
}

// taskOf returns the reduce task of a key's hash.
func taskOf(seed uint64, key, reduces int) int {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(key)) //nolint:gosec // an index
	sum := sha256.Sum256(b[:])
	return int(binary.LittleEndian.Uint64(sum[:]) % uint64(reduces)) //nolint:gosec // below reduces
}

// deal assigns n values to maps, one by one. If a map gets more than many on average, its number is drawn from the
// normal distribution.
func deal(rng *rand.Rand, n int, count []int) {
	const many = 1000
	clear(count)
	for m := range count {
		rest := float64(len(count) - m)
		mean := float64(n) / rest
		if mean <= many {
			for range n {
				count[m+rng.IntN(len(count)-m)]++
			}
			return
		}
		got := min(n, max(0, int(math.Round(mean+math.Sqrt(mean*(1-1/rest))*rng.NormFloat64()))))
		count[m] = got
		n -= got
	}
}

// levels returns the sizes of key groups in values: level i has round(sigma^i) groups of round(n/sigma^i) values,
// down to groups of one value. A larger sigma is more skewed: the first levels have most of the work.
func levels(n, sigma float64) []float64 {
	var sizes []float64
	for width := 1.0; n/width >= 1; width *= sigma {
		size := math.Round(n / width)
		for range int(math.Round(width)) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// powers are the costs of a group by the number of its values.
var powers = map[string]float64{"n": 1, "linear": 1, "n²": 2, "n³": 3, "n⁴": 4}

// costsOf returns the numbers of values and the costs of key groups: of the sizes with a power as their cost, or, for
// the sizes of a graph's nodes, of a join or of a product of matrices (the kinds of the paper's Table 3).
func costsOf(kind string, sizes []float64, rng *rand.Rand) (values, costs []float64) {
	switch kind {
	case "join":
		// The edges of a node and of another one at random, so that a cost is not a function of the size alone.
		for i, j := range rng.Perm(len(sizes)) {
			values, costs = append(values, sizes[i]+sizes[j]), append(costs, sizes[i]*sizes[j])
		}
	case "blocks":
		// The graph's matrix times itself, in blocks. Its rows are assigned to blocks at random and an entry's column
		// is drawn by degree. So block (i, j) has D_i D_j / D entries, with D_i the degrees of a block's rows. The
		// group of block (i, k) gets all blocks (i, j) and (j, k), which have D_i + D_k entries, and its work is in
		// proportion to D_i D_k.
		const side = 24
		var rows [side]float64
		for n, i := range rng.Perm(len(sizes)) {
			rows[n%side] += sizes[i]
		}
		for _, a := range rows {
			for _, b := range rows {
				values, costs = append(values, math.Round(a+b)), append(costs, a*b)
			}
		}
	default:
		for _, s := range sizes {
			values, costs = append(values, s), append(costs, math.Pow(s, powers[kind]))
		}
	}
	return values, costs
}
