package spark

import (
	"cmp"
	"math"
	"slices"

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

// kept are the attempts that a snapshot has shown of a stage. The next one shows the same if nothing has changed.
type kept struct {
	attempts []dag.Attempt
	of       version
	settled  bool // no task runs, and no time was cut at now
}

// A version is what a stage's attempts follow from, but for the tasks, whose changes it counts.
type version struct {
	changes, tasks, tries int
	of, complete          int // of the newest try
	runMS                 float64
	status, ofStage       string
	submitted, completed  dag.Instant
	final, read           bool
	executors             uint64
}

func (a *App) versionOf(s *stage) version {
	v := version{
		changes: s.changes, tasks: s.tasks, tries: len(s.tries), ofStage: s.status, final: a.final(s), read: a.read(s),
		executors: a.executorsSeen,
	}
	if t := s.newest(); t != nil {
		v.of, v.complete, v.runMS = t.tasks, t.complete, t.runMS
		v.status, v.submitted, v.completed = t.status, t.submitted, t.completed
	}
	return v
}

// executorsVersion is a hash of what decides whether the output of tasks is lost.
func (a *App) executorsVersion() uint64 {
	h := uint64(len(a.conf))
	for _, e := range a.executors {
		h = (h ^ uint64(e.removed)) * 1099511628211 //nolint:gosec // the bits of an instant
		if h *= 31; e.active {
			h++
		}
		h = (h ^ uint64(len(e.reason))) * 1099511628211
	}
	return h
}

// attempts are the attempts of a stage's tasks, by task and number.
func (a *App) attempts(s *stage, now dag.Instant) []dag.Attempt {
	if s.kept.settled && s.kept.of == a.versionOf(s) {
		return s.kept.attempts
	}
	out, settled := a.attemptsNow(s, now)
	s.kept = kept{out, a.versionOf(s), settled}
	return out
}

// attemptsNow makes the attempts anew.
func (a *App) attemptsNow(s *stage, now dag.Instant) (out []dag.Attempt, settled bool) {
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
	out = make([]dag.Attempt, len(rows))
	number, settled := int32(0), true
	for n, r := range rows {
		if number++; n == 0 || rows[n-1].i != r.i {
			number = 0
		}
		out[n] = a.attempt(r.k, r.i, number, now)
		settled = settled && !r.k.running() && max(r.k.launch, r.k.end, r.k.report) <= now
	}
	a.markLost(s, out)
	return out, settled
}

func (a *App) attempt(k *task, i, number int32, now dag.Instant) dag.Attempt {
	nan := math.NaN()
	unknown := [dag.Pipelines]float64{nan, nan, nan}
	at := dag.Attempt{
		Task: i, Number: number, State: k.state, Slot: k.dealt.core,
		Node:  int32(k.executor), //nolint:gosec // G115: bounded by mostExecutors
		Start: min(k.launch, now), End: dag.NoInstant, Done: unknown, Total: unknown, Out: nan, Bytes: nan, Ratio: nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant, Diagnosis: k.why,
	}
	none := dag.Mark{At: dag.NoInstant, Done: nan, Out: nan}
	at.First, at.Last = none, none
	if _, implied := a.unended[k]; k.guessed && !implied {
		at.Slot = -1 // as are its times
	}
	if k.report.Known() {
		at.FirstReport = min(k.report, now)
	}
	if k.state != dag.AttemptRunning {
		at.End = max(min(k.end, now, k.until()), at.Start)
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
			guessed: true, in: nan, read: nan, out: nan, dealt: dealing{lane: lane{-1, dag.NoInstant}},
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
