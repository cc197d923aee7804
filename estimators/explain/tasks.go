package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A taskWork is the working time of each of count tasks of a stage, from first on.
type taskWork struct {
	first, count int
	ms           float64
	end          dag.Instant
	done, skewed bool
	running      *dag.Attempt
}

// An uneven is a stage that may be skewed.
type uneven struct {
	job     int
	stage   dag.StageIndex
	count   int        // number of its tasks
	ended   bool       // the run has ended: all its tasks are done
	works   []taskWork // of all tasks with a known end, by first
	median  float64    // median of their work, in milliseconds
	longest float64    // longest work of the unfinished ones

	unit       estimators.SizeUnit
	sizeOf     func(task int) float64
	total      float64 // sum of all sizes; NaN if one is unknown
	medianSize float64
	keys       *keyring

	skewed []taskWork // unfinished, longest first
	listed []taskWork // the longest of skewed or, with all, of works, one task each
}

// taskWorks collects the tasks of every unfinished stage that reads others and has more than one task. If the run
// has ended, it collects every such stage.
func taskWorks(w *estimators.ReplayContext, sch *schedule.Schedule) []*uneven {
	s := w.Now()
	stages := make([][]*uneven, len(s.Plan.Jobs))
	ends := make([][]dag.Instant, len(stages)) // the end of each stage's last task
	for j := range stages {
		job := &s.Plan.Jobs[j]
		stages[j], ends[j] = make([]*uneven, len(job.Stages)), make([]dag.Instant, len(job.Stages))
		for k := range job.NumStages() {
			ends[j][k] = (&dag.StageState{Attempts: s.Attempts(j, k)}).LastSuccess()
			n, ended := job.Stages[k].Count(), s.State.Ended()
			if n > 1 && job.Stages[k].ReadsRecords() && (ended || !s.JobEnded(j)) {
				stages[j][k] = &uneven{job: j, stage: k, count: n, ended: ended}
			}
		}
	}
	for i := range sch.Spans {
		if sp := &sch.Spans[i]; sp.Stage >= 0 && !sp.Past {
			ends[sp.Job][sp.Stage] = max(ends[sp.Job][sp.Stage], sp.End)
		}
	}
	input := func(j int, k dag.StageIndex) dag.Instant { // the end of the last task that the tasks of a stage wait for
		last := dag.NoInstant
		for _, e := range s.Plan.Jobs[j].Stages[k].After {
			if e.Kind != dag.Pipelined && e.Kind != dag.OneToOne {
				last = max(last, ends[j][e.From])
			}
		}
		return last
	}
	for i := range sch.Spans {
		sp := &sch.Spans[i]
		if sp.Stage < 0 || sp.Past || stages[sp.Job][sp.Stage] == nil {
			continue
		}
		stages[sp.Job][sp.Stage].add(taskWork{
			first: int(sp.First), count: int(sp.Count),
			ms: float64(sp.End - max(sp.Start, input(int(sp.Job), sp.Stage))), end: sp.End,
		})
	}
	var out []*uneven
	for j := range stages {
		for k, u := range stages[j] {
			if u == nil || len(u.works) == 0 && !u.ended {
				continue
			}
			u.attempts(s.Attempts(j, dag.StageIndex(k)), input(j, dag.StageIndex(k))) //nolint:gosec // an index
			if len(u.works) > 0 {
				out = append(out, u)
			}
		}
	}
	return out
}

func (u *uneven) add(r taskWork) {
	r.ms = max(r.ms, 0)
	u.works = append(u.works, r)
}

// attempts adds the tasks that are done, marks those that run, and finds the median. If two attempts of a task run,
// the one that ends first counts.
func (u *uneven) attempts(list []dag.Attempt, input dag.Instant) {
	slices.SortFunc(u.works, func(a, b taskWork) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.end, b.end))
	})
	u.works = slices.CompactFunc(u.works, func(a, b taskWork) bool { return a.first == b.first })
	unfinished := len(u.works)
	for i := range u.works {
		u.longest = max(u.longest, u.works[i].ms)
	}
	dag.EachTask(list, func(task int, state dag.TaskState, a *dag.Attempt) {
		switch {
		case state == dag.TaskDone && a.End.Known() && a.Start.Known():
			u.add(taskWork{first: task, count: 1, ms: float64(a.End - max(a.Start, input)), end: a.End, done: true})
		case state == dag.TaskRunning:
			i, found := slices.BinarySearchFunc(u.works[:unfinished], task, func(r taskWork, t int) int {
				return cmp.Compare(r.first, t)
			})
			if found {
				u.works[i].running = a
			}
		}
	})
	u.median = medianOf(u.works, func(r *taskWork) float64 { return r.ms })
}

// medianOf returns the lower median over tasks, NaN if there are none.
func medianOf(works []taskWork, of func(*taskWork) float64) float64 {
	type weighted struct {
		v float64
		n int
	}
	all, n := make([]weighted, 0, len(works)), 0
	for i := range works {
		if v := of(&works[i]); !math.IsNaN(v) {
			all = append(all, weighted{v, works[i].count})
			n += works[i].count
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.v, b.v) })
	for at := (n - 1) / 2; len(all) > 0; all = all[1:] {
		if at -= all[0].n; at < 0 {
			return all[0].v
		}
	}
	return math.NaN()
}

// size finds the inputs of the tasks: bytes by their key groups, else by the cost model, else records by the plan.
func (u *uneven) size(w *estimators.ReplayContext) {
	u.keys = keyringOf(w, u.job, u.stage, u.count)
	pipelines := w.Now().Plan.Jobs[u.job].Stages[u.stage].Pipelines
	sources := []struct {
		unit estimators.SizeUnit
		of   func(int) float64
	}{{estimators.SizesBytes, u.keys.bytes}, {estimators.SizesUnknown, nil}, {
		estimators.SizesRecords,
		func(i int) float64 {
			if len(pipelines) == 0 {
				return math.NaN()
			}
			return pipelines[len(pipelines)-1].Tuples.At(i)
		},
	}}
	if size := w.Costs.TaskSize; size != nil {
		sources[1].of = func(i int) float64 { return size(u.job, u.stage, i) }
		sources[1].unit = estimators.SizesBytes
		if w.Costs.InRecords {
			sources[1].unit = estimators.SizesRecords
		}
	}
	for _, from := range sources {
		if from.of == nil {
			continue
		}
		if median := medianOf(u.works, func(r *taskWork) float64 { return from.of(r.first) }); median >= 0 {
			u.unit, u.sizeOf, u.medianSize = from.unit, from.of, median
			break
		}
	}
	if u.unit == estimators.SizesUnknown {
		u.sizeOf = func(int) float64 { return math.NaN() }
	}
	u.total = 0
	for i := range u.count {
		u.total += u.sizeOf(i)
	}
}

// excess returns how much longer than the median a task works, in milliseconds.
func (r *taskWork) excess(u *uneven) float64 { return r.ms - u.median }

// judge decides which tasks are skewed: they work longer than the median one, and received more, in total or in one
// key. A task that is slow on an ordinary input is not skewed.
func (u *uneven) judge(all bool) {
	for i := range u.works {
		r := &u.works[i]
		if !WorksLong(taskcost.Exact(r.ms), taskcost.Exact(u.median)) || r.done && !u.ended {
			continue
		}
		largest, keys := u.keys.left(r)
		if GivenMore(u.sizeOf(r.first), u.medianSize, taskcost.Exact(r.ms), taskcost.Exact(u.median)) ||
			max(largest, keys-u.median) > r.excess(u)/2 {
			r.skewed = true
			u.skewed = append(u.skewed, *r)
		}
	}
	longest := func(a, b taskWork) int {
		return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(a.first, b.first))
	}
	slices.SortStableFunc(u.skewed, longest)
	from := u.skewed
	if all {
		from = slices.Clone(u.works)
		slices.SortStableFunc(from, longest)
	}
	for _, r := range from {
		for task := r.first; task < r.first+r.count && len(u.listed) < MaxSkewed; task++ {
			one := r
			one.first, one.count = task, 1
			u.listed = append(u.listed, one)
		}
	}
}

// A keyring is the key groups of a job and their times.
type keyring struct {
	groups *dag.Groups
	total  float64 // bytes of all reduces; NaN if those of one are unknown
	time   estimators.GroupTime
}

// keyringOf finds a job's groups. Groups of a plan with another number of reduces are partitioned in another way. Only
// the reduces of a MapReduce job have groups.
func keyringOf(w *estimators.ReplayContext, job int, stage dag.StageIndex, reduces int) *keyring {
	k := &keyring{}
	if !w.Now().Plan.Jobs[job].IsMapReduce() {
		return k
	}
	if of := w.Costs.Groups.Of; of != nil {
		k.groups, k.time = of(job)
	} else if s := w.Now(); job < len(s.Jobs) && s.Jobs[job].Groups != nil {
		k.groups = s.Jobs[job].Groups
	} else {
		k.groups = s.Plan.Jobs[job].Stages[stage].Groups
	}
	if !k.groups.Known() || len(k.groups.Reduces) < reduces {
		k.groups, k.time = nil, nil
	}
	for i := range reduces {
		k.total += k.bytes(i)
	}
	return k
}

// origin returns the source of the groups.
func (k *keyring) origin() dag.GroupOrigin {
	if k.groups == nil {
		return dag.GroupsNone
	}
	return k.groups.Origin
}

// bytes returns the size of a reduce, NaN if unknown.
func (k *keyring) bytes(task int) float64 {
	if k.groups == nil || task >= len(k.groups.Reduces) {
		return math.NaN()
	}
	return k.groups.Reduces[task].Bytes
}

// named reports whether keys are known one by one.
func (k *keyring) named() bool { return k.origin() >= dag.GroupsTapped }

// of returns the largest groups of a reduce.
func (k *keyring) of(r *taskWork) []estimators.SkewedKey {
	if !k.named() || r.first >= len(k.groups.Reduces) {
		return nil
	}
	g := &k.groups.Reduces[r.first]
	top := g.Top
	if len(top) == 0 {
		top = unnamed(g.Explicit)
	}
	top = top[:min(len(top), dag.MaxTopGroups)]
	left := notDone(top, g, r.running)
	out := make([]estimators.SkewedKey, len(top))
	for i, key := range top {
		ms, rule := k.took(r, key.Bytes)
		out[i] = estimators.SkewedKey{
			Name: key.Key, Bytes: key.Bytes, TaskShare: shareOf(key.Bytes, g.Bytes),
			JobShare: shareOf(key.Bytes, k.total),
			Took:     taskcost.Exact(ms), Rule: rule, Left: left[i] && !r.done,
		}
	}
	return out
}

// took returns the time of a group in a reduce, in milliseconds: by its job's key groups, else by its share of the
// bytes.
func (k *keyring) took(r *taskWork, bytes float64) (float64, string) {
	if k.time != nil {
		if ms, rule := k.time(r.first, bytes); !math.IsNaN(ms) {
			return taskcost.Finite(ms), rule
		}
	}
	return taskcost.Finite(r.ms * shareOf(bytes, k.bytes(r.first))), estimators.RuleLinear
}

// left returns the time of the largest remaining key of a task, and the time of all its remaining keys, in
// milliseconds. Of a task that is done it counts all keys.
func (k *keyring) left(r *taskWork) (largest, all float64) {
	for _, key := range k.of(r) {
		if key.Left || r.done {
			largest, all = max(largest, taskcost.MS(key.Took)), all+taskcost.MS(key.Took)
		}
	}
	return largest, all
}

func shareOf(part, whole float64) float64 {
	if f := part / whole; f >= 0 && f <= 1 {
		return f
	}
	return math.NaN()
}

// unnamed returns the largest of explicit sizes, which are ascending.
func unnamed(sizes []dag.GroupSize) []dag.KeyGroup {
	var out []dag.KeyGroup
	for i := len(sizes) - 1; i >= 0; i-- {
		for n := sizes[i].Count; n >= 1; n-- {
			if out = append(out, dag.KeyGroup{Bytes: sizes[i].Bytes}); len(out) == dag.MaxTopGroups {
				return out
			}
		}
	}
	return out
}

// closeSize is the greatest relative difference between a finished group and a key of the same size
// (facts/nearestfit.md N9).
const closeSize = 0.05

// notDone reports which of a reduce's groups, largest first, are not done. Each finished group matches the group of
// the nearest size. The finished groups of an attempt count for that attempt only.
func notDone(top []dag.KeyGroup, g *dag.ReduceGroups, running *dag.Attempt) []bool {
	left := slices.Repeat([]bool{true}, len(top))
	if len(top) == 0 || running == nil || running.Number != g.Attempt {
		return left
	}
	least := top[len(top)-1].Bytes * (1 - closeSize)
	var done []dag.GroupPoint
	for _, d := range g.Done {
		if d.Bytes >= least {
			done = append(done, d)
		}
	}
	slices.SortStableFunc(done, func(a, b dag.GroupPoint) int { return cmp.Compare(b.Bytes, a.Bytes) })
	for _, d := range done {
		for n := min(d.Count, float64(len(top))); n >= 1; n-- {
			best := -1
			for i, key := range top {
				off := math.Abs(key.Bytes - d.Bytes)
				if left[i] && off <= closeSize*d.Bytes &&
					(best < 0 ||
						off < math.Abs(top[best].Bytes-d.Bytes)) { //nolint:gosec // G602: best is an index of top
					best = i
				}
			}
			if best < 0 {
				break
			}
			left[best] = false
		}
	}
	return left
}
