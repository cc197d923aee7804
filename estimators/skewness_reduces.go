package estimators

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A reduceWork is how long count reduces of a job, from first on, work each.
type reduceWork struct {
	first, count int
	ms           float64
	end          dag.Instant
	done, skewed bool
	running      *dag.Attempt
}

// An uneven is a job that may be skewed.
type uneven struct {
	job     int
	count   int          // reduce tasks
	works   []reduceWork // of all whose end is known, by first
	median  float64      // of their work, in milliseconds
	longest float64      // of the unfinished ones

	unit       SizeUnit
	sizeOf     func(task int) float64
	total      float64 // of all sizes; NaN where one is not known
	medianSize float64
	keys       *keyring

	skewed []reduceWork // unfinished, the longest first
	listed []reduceWork // of these or, if all are asked for, of all works, one task each
}

// reduceWork collects the reduces of every unfinished job with more than one.
func (w *ReplayContext) reduceWork(sch *schedule.Schedule) []*uneven {
	s := w.Now()
	jobs := make([]*uneven, len(s.Plan.Jobs))
	maps := make([]dag.Instant, len(jobs)) // when the last map ends
	for j := range jobs {
		if !s.Plan.Jobs[j].IsMapReduce() {
			continue
		}
		if n := s.Plan.Jobs[j].Stages[dag.Reduce].Count(); n > 1 && !w.jobEnded(j) {
			jobs[j] = &uneven{job: j, count: n}
			maps[j] = lastEnd(attempts(s, j, dag.Map))
		}
	}
	for i := range sch.Spans {
		if sp := &sch.Spans[i]; sp.Stage == dag.Map && !sp.Past {
			maps[sp.Job] = max(maps[sp.Job], sp.End)
		}
	}
	for i := range sch.Spans {
		sp := &sch.Spans[i]
		if u := jobs[sp.Job]; sp.Stage == dag.Reduce && !sp.Past && u != nil {
			u.add(reduceWork{
				first: int(sp.First), count: int(sp.Count),
				ms: float64(sp.End - max(sp.Start, maps[sp.Job])), end: sp.End,
			})
		}
	}
	var out []*uneven
	for j, u := range jobs {
		if u == nil || len(u.works) == 0 {
			continue
		}
		u.attempts(attempts(s, j, dag.Reduce), maps[j])
		out = append(out, u)
	}
	return out
}

// lastEnd is the newest end of a task's attempt that succeeded; NoInstant where none has.
func lastEnd(list []dag.Attempt) dag.Instant {
	last := dag.NoInstant
	for i := range list {
		if list[i].State == dag.AttemptSucceeded {
			last = max(last, list[i].End)
		}
	}
	return last
}

func (u *uneven) add(r reduceWork) {
	r.ms = max(r.ms, 0)
	u.works = append(u.works, r)
}

// attempts adds the reduces that are done, tells those that run, and finds the median. Of a task that runs twice the
// attempt that ends first counts.
func (u *uneven) attempts(list []dag.Attempt, maps dag.Instant) {
	slices.SortFunc(u.works, func(a, b reduceWork) int {
		return cmp.Or(cmp.Compare(a.first, b.first),
			cmp.Compare(a.end, b.end))
	})
	u.works = slices.CompactFunc(u.works, func(a, b reduceWork) bool { return a.first == b.first })
	unfinished := len(u.works)
	for i := range u.works {
		u.longest = max(u.longest, u.works[i].ms)
	}
	eachTask(list, func(task int, state taskState, a *dag.Attempt) {
		switch {
		case state == taskDone && a.End.Known() && a.Start.Known():
			u.add(reduceWork{first: task, count: 1, ms: float64(a.End - max(a.Start, maps)), end: a.End, done: true})
		case state == taskRunning:
			i, found := slices.BinarySearchFunc(u.works[:unfinished], task, func(r reduceWork, t int) int {
				return cmp.Compare(r.first, t)
			})
			if found {
				u.works[i].running = a
			}
		}
	})
	u.median = medianOf(u.works, func(r *reduceWork) float64 { return r.ms })
}

// medianOf is the lower median over tasks, NaN of none.
func medianOf(works []reduceWork, of func(*reduceWork) float64) float64 {
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

// size finds what the reduces are given: bytes by their key groups, else by the cost model, else records by the plan.
func (u *uneven) size(w *ReplayContext) {
	u.keys = w.keyring(u.job, u.count)
	plan := &w.Now().Plan.Jobs[u.job].Stages[dag.Reduce]
	sources := []struct {
		unit SizeUnit
		of   func(int) float64
	}{{SizesBytes, u.keys.bytes}, {SizesUnknown, nil}, {SizesRecords, func(i int) float64 {
		if len(plan.Pipelines) <= dag.Work {
			return math.NaN()
		}
		return plan.Pipelines[dag.Work].Tuples.At(i)
	}}}
	if size := w.Costs.ReduceSize; size != nil {
		sources[1].of = func(i int) float64 { return size(u.job, i) }
		sources[1].unit = SizesBytes
		if w.Costs.InRecords {
			sources[1].unit = SizesRecords
		}
	}
	for _, from := range sources {
		if from.of == nil {
			continue
		}
		if median := medianOf(u.works, func(r *reduceWork) float64 { return from.of(r.first) }); median >= 0 {
			u.unit, u.sizeOf, u.medianSize = from.unit, from.of, median
			break
		}
	}
	if u.unit == SizesUnknown {
		u.sizeOf = func(int) float64 { return math.NaN() }
	}
	u.total = 0
	for i := range u.count {
		u.total += u.sizeOf(i)
	}
}

// share is what a reduce was given of all that the job's reduces are.
func (u *uneven) share(task int) float64 {
	if f := u.sizeOf(task) / u.total; f >= 0 && f <= 1 {
		return f
	}
	return math.NaN()
}

// excess is how much longer than the median a reduce works, in milliseconds.
func (r *reduceWork) excess(u *uneven) float64 { return r.ms - u.median }

// judge says which reduces are skewed: they work longer than the median one, and were given more, in all or in one key.
// What is slow on no more than others have is not skewed.
func (u *uneven) judge(all bool) {
	for i := range u.works {
		r := &u.works[i]
		if !WorksLong(duration(r.ms), duration(u.median)) || r.done {
			continue
		}
		if GivenMore(u.sizeOf(r.first), u.medianSize) || u.keys.largest(r) > r.excess(u)/2 {
			r.skewed = true
			u.skewed = append(u.skewed, *r)
		}
	}
	longest := func(a, b reduceWork) int {
		return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(a.first, b.first))
	}
	slices.SortStableFunc(u.skewed, longest)
	from := u.skewed
	if all {
		from = slices.Clone(u.works)
		slices.SortStableFunc(from, longest)
	}
	for _, r := range from {
		for task := r.first; task < r.first+r.count && len(u.listed) < MaxSkewedReduces; task++ {
			one := r
			one.first, one.count = task, 1
			u.listed = append(u.listed, one)
		}
	}
}
