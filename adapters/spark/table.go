package spark

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A table has the attempts of a stage's tasks as snapshots show them. Snapshots share the attempts until a fact of
// the stage changes. The table then copies them and rebuilds only the rows of changed tasks.
type table struct {
	partitions []int32         // by index; -1 none
	indices    map[int32]int32 // of partitions whose number is not their index
	free       int             // all smaller indices have a partition
	surplus    bool            // some tasks have no index
	rows       []*task         // by index, launch and id
	attempts   []dag.Attempt   // of rows
	filled     map[int32]*task // by index: ended tasks that no list has shown
	basis      basis
	clipped    bool    // some times were later than the snapshot
	changed    []*task // since the last snapshot
	moved      bool    // the index or the launch of a row has changed
}

// A basis has the inputs of a stage's attempts other than its tasks. If it changes, the table is rebuilt.
type basis struct {
	tasks, tries         int
	of, complete         int // of the newest try; complete is 0 if the lists show all ended tasks
	runMS                float64
	status, ofStage      string
	submitted, completed dag.Instant
	final, read          bool
	executors            uint64
}

// tables builds the tables of all stages.
type tables struct {
	*facts
	executorsSum uint64
	anyLost      bool // an executor was lost
}

// begin records the state of the executors for a snapshot.
func (f *tables) begin() {
	f.executorsSum = f.sum(len(f.conf))
	f.anyLost = slices.ContainsFunc(f.all, func(e *executor) bool { return !e.active })
}

func (f *tables) basisOf(s *stage) basis {
	v := basis{
		tasks: s.tasks, tries: len(s.tries), ofStage: s.status, final: f.final(s), read: f.read(s),
		executors: f.executorsSum,
	}
	if t := s.newest(); t != nil {
		v.of, v.status, v.submitted, v.completed = t.tasks, t.status, t.submitted, t.completed
		if s.mayFill() {
			v.complete, v.runMS = t.complete, t.runMS
		}
	}
	return v
}

// mayFill reports whether tasks may have succeeded that no list has shown.
func (s *stage) mayFill() bool {
	t := s.newest()
	return s.done() || s.table.surplus || len(s.table.filled) > 0 || t.complete > t.succeeded
}

// attempts returns the attempts of a stage's tasks, by task and number.
func (f *tables) attempts(s *stage, now dag.Instant) []dag.Attempt {
	t, of := &s.table, f.basisOf(s)
	changed := t.changed
	t.changed = nil
	anew := t.moved || t.clipped || t.basis != of || len(changed) > 0 && (s.mayFill() || len(s.tries) > 1)
	if !anew && len(changed) == 0 {
		return t.attempts
	}
	if anew || !s.update(changed, now) {
		s.collect(now)
	}
	for _, k := range changed {
		k.changed = false
	}
	t.basis, t.moved = of, false
	f.markLost(s, t.attempts)
	return t.attempts
}

// indexOf returns the index of a partition among the tasks of a stage. A job may compute only some partitions, and a
// retried stage numbers its remaining tasks anew. It returns -1 if the stage has fewer tasks by the newest response.
func (s *stage) indexOf(part int32) int32 {
	t := &s.table
	i, found := t.indices[part]
	for len(t.partitions) < s.tasks {
		t.partitions = append(t.partitions, -1)
	}
	if !found {
		if i = part; i < 0 || int(i) >= len(t.partitions) || t.partitions[i] != -1 && t.partitions[i] != part {
			for t.free < len(t.partitions) && t.partitions[t.free] != -1 {
				t.free++
			}
			i = int32(t.free) //nolint:gosec // G115: bounded by mostTasks
		}
	}
	if int(i) >= s.tasks {
		return -1
	}
	if t.partitions[i] = part; i != part {
		if t.indices == nil {
			t.indices = map[int32]int32{}
		}
		t.indices[part] = i
	}
	return i
}

// place finds the index of a task, and reports whether the task gets a row.
func (s *stage) place(k *task) bool {
	k.index = s.indexOf(k.part)
	s.table.surplus = s.table.surplus || k.index < 0
	k.placed = k.index >= 0 && k.launch.Known()
	return k.placed
}

func byRow(x, y *task) int {
	return cmp.Or(cmp.Compare(x.index, y.index), cmp.Compare(x.launch, y.launch), cmp.Compare(x.id, y.id))
}

// collect rebuilds all rows.
func (s *stage) collect(now dag.Instant) {
	t := &s.table
	t.surplus, t.clipped = false, false
	t.rows = make([]*task, 0, len(t.rows))
	for _, y := range s.tries {
		for _, k := range y.list {
			if s.place(k) {
				t.rows = append(t.rows, k)
			}
		}
	}
	t.rows = append(t.rows, s.fill(now)...)
	if !slices.IsSortedFunc(t.rows, byRow) {
		slices.SortStableFunc(t.rows, byRow)
	}
	t.attempts = make([]dag.Attempt, 0, len(t.rows))
	for _, k := range t.rows {
		t.attempts = append(t.attempts, t.row(k, now))
	}
	for left := t.attempts; len(left) > 0; {
		left = left[renumber(left):]
	}
}

// update rebuilds the rows of changed tasks and adds new ones. It returns false if all rows have to be rebuilt because
// a task has no index.
func (s *stage) update(changed []*task, now dag.Instant) bool {
	t, added := &s.table, 0
	// New tasks get their indices in this order.
	slices.SortFunc(changed, func(x, y *task) int { return cmp.Compare(x.id, y.id) })
	for _, k := range changed {
		if !k.placed && s.place(k) {
			added++
		} else if k.index < 0 {
			return false
		}
	}
	changed = slices.DeleteFunc(slices.Clone(changed), func(k *task) bool { return !k.placed })
	slices.SortFunc(changed, byRow)
	attempts, from := make([]dag.Attempt, 0, len(t.rows)+added), 0
	var rows []*task
	if added > 0 {
		rows = make([]*task, 0, len(t.rows)+added)
	}
	for _, k := range changed {
		i, found := slices.BinarySearchFunc(t.rows, k, byRow)
		if attempts = append(append(attempts, t.attempts[from:i]...), t.row(k, now)); added > 0 {
			rows = append(append(rows, t.rows[from:i]...), k)
		}
		if from = i; found {
			from++
		}
	}
	if t.attempts = append(attempts, t.attempts[from:]...); added > 0 {
		t.rows = append(rows, t.rows[from:]...)
	}
	for _, k := range changed {
		i, _ := slices.BinarySearchFunc(t.attempts, k.index, func(at dag.Attempt, index int32) int {
			return cmp.Compare(at.Task, index)
		})
		renumber(t.attempts[i:])
	}
	return true
}

// renumber numbers the attempts of the first task of a list, and returns how many there are.
func renumber(list []dag.Attempt) (n int) {
	for ; n < len(list) && list[n].Task == list[0].Task; n++ {
		list[n].Number = int32(n) //nolint:gosec // G115: bounded by mostTasks
	}
	return n
}

// row returns the row of a task.
func (t *table) row(k *task, now dag.Instant) dag.Attempt {
	t.clipped = t.clipped || k.latest() > now
	return k.attempt(now)
}

// latest returns the latest time of a task.
func (k *task) latest() dag.Instant { return max(k.launch, k.end, k.report, k.first.At, k.last.At) }

// attempt returns the row of a task, without its number.
func (k *task) attempt(now dag.Instant) dag.Attempt {
	nan := math.NaN()
	unknown := [dag.Pipelines]float64{nan, nan, nan}
	at := dag.Attempt{
		Task: k.index, State: k.state, Slot: k.core.core, Node: k.executor,
		Start: min(k.launch, now), End: dag.NoInstant, Done: unknown, Total: unknown, Out: nan, Bytes: nan, Ratio: nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant, Diagnosis: k.why,
	}
	none := dag.Mark{At: dag.NoInstant, Done: nan, Out: nan}
	at.First, at.Last = none, none
	if k.guessed && !k.impliedSince.Known() {
		at.Slot = -1 // a guessed task has no known core
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
		// A task that has fetched its input reports the input's size, but not the part that it has processed.
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

// fill adds tasks that have succeeded although no list has shown them: as many as the driver counts, at the lowest
// free indices. It returns all such tasks by index. Their duration is the mean of the attempt.
func (s *stage) fill(now dag.Instant) []*task {
	t := s.newest()
	if t == nil || !s.mayFill() {
		return nil
	}
	have, busy := make([]bool, s.tasks), make([]bool, s.tasks)
	missing := t.complete
	if s.done() {
		missing = s.tasks
	}
	for _, u := range s.tries {
		for _, k := range u.list {
			switch {
			case k.index < 0:
			case k.state == dag.AttemptSucceeded:
				if s.done() && !have[k.index] || !s.done() && u == t {
					missing--
				}
				have[k.index] = true
			case u == t && k.state == dag.AttemptRunning:
				busy[k.index] = !s.done()
			}
		}
	}
	filled := s.table.filled
	maps.DeleteFunc(filled, func(i int32, _ *task) bool { return int(i) >= s.tasks || have[i] })
	missing -= len(filled)
	for i := int32(0); int(i) < s.tasks && missing > 0; i++ {
		if have[i] || filled[i] != nil || busy[i] {
			continue
		}
		if filled == nil {
			filled = map[int32]*task{}
		}
		filled[i] = t.unlisted(i, now)
		missing--
	}
	s.table.filled = filled
	return slices.SortedFunc(maps.Values(filled), byRow)
}

// unlisted returns a succeeded task of a try that no list has shown.
func (t *try) unlisted(index int32, now dag.Instant) *task {
	mean := 0.0
	if t.complete > 0 {
		mean = t.runMS / float64(t.complete)
	}
	k := newTask(t, -1)
	k.index, k.state, k.guessed = index, dag.AttemptSucceeded, true
	k.end = now
	if t.stage.done() && t.completed.Known() {
		k.end = min(t.completed, now)
	}
	k.launch = k.end - dag.Instant(min(mean, 1<<40))
	if t.submitted.Known() {
		k.launch = min(max(k.launch, t.submitted), k.end)
	}
	return k
}
