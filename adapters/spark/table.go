package spark

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/dag"
)

// A table has the attempts of a stage's tasks as snapshots show them, by the index of the task.
type table struct {
	tasktable.Table[task]                 // the first attempt of each task; the others follow it
	partitions            []int32         // by index; -1 none
	indices               map[int32]int32 // of partitions whose number is not their index
	free                  int             // all smaller indices have a partition
	surplus               bool            // some tasks have no index
	filled                map[int32]*task // by index: ended tasks that no list has shown
	basis                 basis
	stale                 bool // the rows have to be rebuilt
}

// A basis has the inputs of a stage's attempts other than its tasks. If it changes, the table is rebuilt.
type basis struct {
	progress     // of the newest try; without complete and runMS if the lists show all ended tasks
	tasks, tries int
	status       string
	final, read  bool
	executors    int
}

// mayFill reports whether tasks may have succeeded that no list has shown.
func (s *stage) mayFill() bool {
	t := s.newest()
	return s.done() || s.table.surplus || len(s.table.filled) > 0 || t.complete > t.succeeded
}

// attempts returns the attempts of a stage's tasks, by task and number. Snapshots share them until a fact of the stage
// changes.
func (f *facts) attempts(s *stage, now dag.Instant) []dag.Attempt {
	t, newest, fill := &s.table, s.newest(), s.mayFill()
	of := basis{
		progress: newest.progress, tasks: s.tasks, tries: len(s.tries), status: s.status, final: s.final(),
		read: s.read(), executors: f.changes,
	}
	if !fill {
		of.complete, of.runMS = 0, 0
	}
	changed := len(t.Changed()) > 0 || len(s.fresh) > 0
	anew := t.stale || t.basis != of || changed && (fill || len(s.tries) > 1)
	// New tasks get their indices in this order.
	slices.SortFunc(s.fresh, func(x, y *task) int { return cmp.Compare(x.id, y.id) })
	for i := 0; i < len(s.fresh) && !anew; i++ {
		anew = !s.place(s.fresh[i]) || !t.add(s.fresh[i])
	}
	if anew {
		s.collect(now)
	}
	t.basis, s.fresh = of, nil
	if !changed && !anew {
		return t.Attempts(nil)
	}
	attempts := t.Attempts(func(to []dag.Attempt, index int32, k *task) []dag.Attempt {
		for n := int32(0); k != nil; k, n = k.again, n+1 {
			at := k.attempt(now)
			at.Number = n
			to = append(to, at)
			if max(k.launch, k.end, k.report, k.first.At, k.last.At) > now {
				t.Change(index) // a later snapshot shows more of it
			}
		}
		return to
	})
	f.markLost(s, attempts)
	return attempts
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
	if k.index = s.indexOf(k.part); !k.launch.Known() {
		k.index = -1
	}
	return k.index >= 0
}

// add adds a task with an index after the other attempts of the task. It returns false if it began before them.
func (t *table) add(k *task) bool {
	k.again = nil
	last := t.Find(k.index)
	if last == nil {
		t.Add(k.index, k)
		return true
	}
	for last.again != nil {
		last = last.again
	}
	if byLaunch(last, k) > 0 {
		return false
	}
	last.again = k
	t.Change(k.index)
	return true
}

func byRow(x, y *task) int { return cmp.Or(cmp.Compare(x.index, y.index), byLaunch(x, y)) }

// collect rebuilds all rows.
func (s *stage) collect(now dag.Instant) {
	t := &s.table
	t.Table, t.surplus, t.stale = tasktable.Table[task]{}, false, false
	var rows []*task
	for _, y := range s.tries {
		for _, k := range y.list {
			if s.place(k) {
				rows = append(rows, k)
			} else {
				t.surplus = true
			}
		}
	}
	rows = append(rows, s.fill(now)...)
	slices.SortStableFunc(rows, byRow)
	for _, k := range rows {
		t.add(k)
	}
}

// attempt returns the row of a task, without its number.
func (k *task) attempt(now dag.Instant) dag.Attempt {
	nan := math.NaN()
	unknown := [dag.Pipelines]float64{nan, nan, nan}
	none := dag.Mark{At: dag.NoInstant, Done: nan, Out: nan}
	at := dag.Attempt{
		Task: k.index, State: k.state, Slot: k.core.core, Node: k.executor,
		Start: min(k.launch, now), End: dag.NoInstant, Done: unknown, Total: unknown, Out: nan, Bytes: nan, Ratio: nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: min(k.report, now), Diagnosis: k.why,
		First: none, Last: none,
	}
	if k.guessed && !k.impliedSince.Known() {
		at.Slot = -1 // a guessed task has no known core
	}
	if k.state != dag.AttemptRunning {
		at.End = max(min(k.end, now, k.until()), at.Start)
	}
	switch {
	case k.state == dag.AttemptSucceeded && !k.guessed:
		at.Done[0], at.Out = positive(k.in)+positive(k.read), k.out
	case k.state == dag.AttemptRunning && k.read > 0:
		// A task that has fetched its input reports the input's size, but not the part that it has processed.
		at.Total[0] = positive(k.in) + k.read
	case k.state == dag.AttemptRunning:
		at.Done[0], at.Out, at.First, at.Last = k.in, k.out, k.first, k.last
		at.First.At, at.Last.At = min(k.first.At, now), min(k.last.At, now)
	}
	return at
}

// fill adds tasks that have succeeded although no list has shown them: as many as the driver counts, at the lowest
// free indices. It returns all such tasks by index.
func (s *stage) fill(now dag.Instant) []*task {
	t, done := s.newest(), s.done()
	if !s.mayFill() {
		return nil
	}
	have, busy := make([]bool, s.tasks), make([]bool, s.tasks)
	missing := t.complete
	if done {
		missing = s.tasks
	}
	for _, u := range s.tries {
		for _, k := range u.list {
			switch {
			case k.index < 0:
			case k.state == dag.AttemptSucceeded:
				if done && !have[k.index] || !done && u == t {
					missing--
				}
				have[k.index] = true
			case u == t && k.state == dag.AttemptRunning:
				busy[k.index] = !done
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

// unlisted returns a succeeded task of a try that no list has shown. Its duration is the mean of the attempt.
func (t *try) unlisted(index int32, now dag.Instant) *task {
	k := newTask(t, -1)
	k.index, k.state, k.guessed, k.end = index, dag.AttemptSucceeded, true, now
	if t.stage.done() && t.completed.Known() {
		k.end = min(t.completed, now)
	}
	k.launch = k.end - dag.Instant(min(t.runMS/float64(max(t.complete, 1)), 1<<40))
	if t.submitted.Known() {
		k.launch = min(max(k.launch, t.submitted), k.end)
	}
	return k
}

const lostOutput = "what it wrote was lost with its executor"

// markLost marks succeeded attempts as killed if their output was lost with an executor and is still needed.
func (f *facts) markLost(s *stage, attempts []dag.Attempt) {
	t := s.newest()
	isLost := func(e *executor) bool { return !e.active }
	if s.final() || t.number == 0 && !slices.ContainsFunc(f.all, isLost) {
		return
	}
	for i := 1; i < len(attempts); i++ {
		at, again := &attempts[i-1], &attempts[i]
		if at.State == dag.AttemptSucceeded && at.Task == again.Task && at.End <= again.Start && at.Node >= 0 &&
			isLost(f.all[at.Node]) {
			lose(at) // the task has run again
		}
	}
	if !s.read() {
		return
	}
	for i := range attempts {
		at := &attempts[i]
		if at.State != dag.AttemptSucceeded || at.Node < 0 {
			continue
		}
		e := f.all[at.Node]
		again := s.done() && t.number > 0 && t.submitted > e.removed
		if isLost(e) && e.removed.Known() && at.End <= e.removed && !f.keepsOutput(e) && !again {
			lose(at)
		}
	}
	if t.number > 0 && !s.done() {
		s.reconcile(attempts)
	}
}

// keepsOutput reports whether the output of tasks outlives their executor.
func (f *facts) keepsOutput(e *executor) bool {
	return f.conf.on("spark.shuffle.service.enabled") || strings.Contains(f.conf["spark.shuffle.manager"], ".") ||
		e.killed() || strings.Contains(e.reason, "decommission")
}

// lose marks an attempt as killed although it had completed its work.
func lose(at *dag.Attempt) { at.State, at.Diagnosis, at.Ratio = dag.AttemptKilled, lostOutput, 1 }

// reconcile adjusts the number of open tasks of a retried stage to the number that the new attempt still has to run.
func (s *stage) reconcile(attempts []dag.Attempt) {
	t := s.newest()
	again := map[int32]bool{} // the tasks in the new attempt; true if they have succeeded
	for _, k := range t.list {
		if i := s.indexOf(k.part); i >= 0 {
			again[i] = again[i] || k.state == dag.AttemptSucceeded
		}
	}
	var old, lost []*dag.Attempt // of tasks that are not in the new attempt
	for i := range attempts {
		at := &attempts[i]
		switch succeeded, is := again[at.Task]; {
		case at.State == dag.AttemptSucceeded && is && !succeeded:
			lose(at)
		case at.State == dag.AttemptSucceeded && !is:
			old = append(old, at)
		case at.State == dag.AttemptKilled && at.Diagnosis == lostOutput && !is:
			lost = append(lost, at)
		}
	}
	surplus := len(old) - (s.tasks - t.tasks)
	for _, at := range slices.Backward(old) {
		if surplus > 0 {
			lose(at)
			surplus--
		}
	}
	for _, at := range lost[:min(len(lost), max(0, -surplus))] {
		at.State, at.Diagnosis, at.Ratio = dag.AttemptSucceeded, "", math.NaN()
	}
}
