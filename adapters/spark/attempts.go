package spark

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// indexOf is the index of a partition among the tasks of a stage. A job may ask for some partitions only, and a stage
// that is tried again numbers its remaining tasks anew. It is -1 if the stage has fewer tasks by the newest answer.
func (s *stage) indexOf(part int) int32 {
	if i, ok := s.index[part]; ok {
		if int(i) >= s.tasks {
			return -1
		}
		return i
	}
	for len(s.parts) < s.tasks {
		s.parts = append(s.parts, -1)
	}
	i := part
	if i < 0 || i >= len(s.parts) || s.parts[i] >= 0 {
		i = slices.Index(s.parts, -1)
	}
	if i < 0 || i >= s.tasks {
		return -1
	}
	s.index[part], s.parts[i] = int32(i), part //nolint:gosec // G115: bounded by mostTasks
	return int32(i)                            //nolint:gosec // G115: bounded by mostTasks
}

// attempts are the attempts of a stage's tasks, by task and number.
func (a *App) attempts(s *stage, now dag.Instant, lanes *lanes) []dag.Attempt {
	type row struct {
		i int32
		k *task
	}
	var rows []row
	for _, t := range s.tries {
		for _, id := range sortedKeys(t.list) {
			k := t.list[id]
			if i := s.indexOf(k.part); i >= 0 && k.launch.Known() {
				rows = append(rows, row{i, k})
			}
		}
	}
	for _, i := range a.fill(s, now) {
		rows = append(rows, row{i, s.filled[i]})
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(x.i, y.i), cmp.Compare(x.k.launch, y.k.launch), cmp.Compare(x.k.id, y.k.id))
	})
	out := make([]dag.Attempt, len(rows))
	number := int32(0)
	for n, r := range rows {
		if number++; n == 0 || rows[n-1].i != r.i {
			number = 0
		}
		out[n] = a.attempt(s, r.k, r.i, number, now, lanes)
	}
	a.markLost(s, out)
	return out
}

func (a *App) attempt(s *stage, k *task, i, number int32, now dag.Instant, lanes *lanes) dag.Attempt {
	nan := math.NaN()
	unknown := [dag.Pipelines]float64{nan, nan, nan}
	at := dag.Attempt{
		Task: i, Number: number, State: k.state, Slot: lanes.of(k),
		Node:  int32(k.executor), //nolint:gosec // G115: bounded by mostExecutors
		Start: min(k.launch, now), End: dag.NoInstant, Done: unknown, Total: unknown, Out: nan, Bytes: nan, Ratio: nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant, Diagnosis: k.why,
	}
	none := dag.Mark{At: dag.NoInstant, Done: nan, Out: nan}
	at.First, at.Last = none, none
	if k.guessed && !a.unended[k] {
		at.Slot = -1 // as are its times
	}
	if k.report.Known() {
		at.FirstReport = min(k.report, now)
	}
	if k.state != dag.AttemptRunning {
		at.End = max(min(k.end, now, lanes.until(k)), at.Start)
	}
	reads := k.read > 0
	switch {
	case k.state == dag.AttemptSucceeded && !k.guessed:
		at.Done[0], at.Out = zeroNaN(k.in)+zeroNaN(k.read), k.out
	case k.state == dag.AttemptRunning && reads:
		// What it has fetched is its size. How much of it is done nobody tells.
		at.Total[0] = zeroNaN(k.in) + k.read
	case k.state == dag.AttemptRunning:
		at.Done[0], at.Out = k.in, k.out
		at.First, at.Last = clip(k.first, now), clip(k.last, now)
	}
	return at
}

func clip(m dag.Mark, now dag.Instant) dag.Mark {
	m.At = min(m.At, now)
	return m
}

func zeroNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// fill notes tasks that have succeeded and that no list has shown: as many as the stage counts, those with the lowest
// indices. It returns their indices. What they took is the mean of the attempt.
func (a *App) fill(s *stage, now dag.Instant) []int32 {
	t := s.newest()
	if t == nil {
		return nil
	}
	have := make([]bool, s.tasks)
	seen, listed := 0, 0
	for n, u := range s.tries {
		for _, k := range u.list {
			i := s.indexOf(k.part)
			if i < 0 {
				continue
			}
			if k.state == dag.AttemptSucceeded && !have[i] {
				have[i] = true
				seen++
			}
			if n == t.number && k.state == dag.AttemptSucceeded {
				listed++
			}
		}
	}
	missing := t.complete - listed
	if s.done() {
		missing = s.tasks - seen
	}
	if s.filled == nil && missing > 0 {
		s.filled = map[int32]*task{}
	}
	busy := make([]bool, s.tasks)
	for _, k := range t.list {
		if i := s.indexOf(k.part); i >= 0 && k.state == dag.AttemptRunning {
			busy[i] = true
		}
	}
	for i := range s.filled {
		if have[i] {
			delete(s.filled, i)
		}
	}
	missing -= len(s.filled)
	mean := 0.0
	if t.complete > 0 {
		mean = t.runMS / float64(t.complete)
	}
	for i := 0; i < s.tasks && missing > 0; i++ {
		n := int32(i) //nolint:gosec // G115: bounded by mostTasks
		if have[i] || s.filled[n] != nil || busy[i] && !s.done() {
			continue
		}
		end := now
		if s.done() && t.completed.Known() {
			end = min(t.completed, now)
		}
		start := end - dag.Instant(min(mean, 1<<40))
		if t.submitted.Known() {
			start = min(max(start, t.submitted), end)
		}
		nan := math.NaN()
		s.filled[n] = &task{
			id: -1, part: -1, launch: start, end: end, executor: -1, state: dag.AttemptSucceeded,
			guessed: true, in: nan, read: nan, out: nan,
		}
		missing--
	}
	out := make([]int32, 0, len(s.filled))
	for i := range s.filled {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}

// A lanes hands each task a core of its executor, by when it began: the first task of a core loads classes and takes
// longer.
type lanes struct {
	slot map[*task]int32
	next map[*task]dag.Instant
}

// handover is the longest time by which a task that has ended overlaps the next one on its core: the driver launches
// that one first, and then takes the result. What overlaps for longer did not share a core.
const handover = time.Second

// until is when the next task began on the core of a task that seems to have ended a moment later.
func (l *lanes) until(k *task) dag.Instant {
	if at, ok := l.next[k]; ok && k.end.Sub(at) <= handover {
		return at
	}
	return math.MaxInt64
}

func (l *lanes) of(k *task) int32 {
	if n, ok := l.slot[k]; ok {
		return n
	}
	return -1
}

// lanes deals the tasks of all stages of the plan.
func (a *App) lanes() *lanes {
	var all []*task
	for _, s := range a.order {
		for _, t := range s.tries {
			for _, k := range t.list {
				if k.executor >= 0 && k.launch.Known() {
					all = append(all, k)
				}
			}
		}
	}
	slices.SortFunc(all, func(x, y *task) int {
		return cmp.Or(cmp.Compare(x.launch, y.launch),
			cmp.Compare(x.id, y.id))
	})
	l := &lanes{slot: make(map[*task]int32, len(all)), next: make(map[*task]dag.Instant, len(all))}
	free := make([][]dag.Instant, len(a.executors)) // by executor and core: free since
	last := make([][]*task, len(a.executors))
	base := make([][]int32, len(a.executors))
	next := int32(0)
	for _, k := range all {
		e := k.executor
		end := k.end
		if k.state == dag.AttemptRunning {
			end = math.MaxInt64
		}
		best := -1
		for i, at := range free[e] {
			if at <= k.launch && (best < 0 || at > free[e][best]) {
				best = i
			}
		}
		if best < 0 && len(free[e]) >= max(a.executors[e].cores, 1) {
			best = 0 // a moment's overlap: the one that is free soonest
			for i, at := range free[e] {
				if at < free[e][best] {
					best = i
				}
			}
		}
		if best < 0 {
			best = len(free[e])
			free[e] = append(free[e], 0)
			last[e] = append(last[e], nil)
			base[e] = append(base[e], next)
			next++
		}
		if before := last[e][best]; before != nil && before.state != dag.AttemptRunning {
			l.next[before] = k.launch
		}
		free[e][best], last[e][best] = end, k
		l.slot[k] = base[e][best]
	}
	return l
}
