package schedule

import "github.com/paratimer/paratimer/dag"

// EndOnly makes a replay tell nothing but its end, and keeps its memory for the next one. One who replays a thousand
// worlds looks at their ends only. It is not safe for concurrent use; the zero value is ready.
type EndOnly struct {
	// ends are of spans that succeed, and of others' tasks: their order within an instant does not matter.
	ends    endQueue
	events  []event
	spans   []Span
	loads   []load
	ebbs    []ebb
	batches []batch
	do      []func(dag.Instant)
	starts  recentStarts
	lanes   []int32
	free    []int32   // spans that are over, to be used again
	vacant  []int32   // batches that have started
	stages  []stageOf // by row: whose end a plain task's is
	newest  int32     // the batch that was granted last, -1 once it has started
	// by the first of the attempts of a stage; nil if it is not finished
	finished map[*dag.Attempt]*finished
}

// A stageOf is a stage of a job.
type stageOf struct {
	job   int32
	stage dag.StageIndex
}

// lend gives an engine the memory of the replay before.
func (l *EndOnly) lend(y *containers) {
	if l == nil {
		return
	}
	y.todo = events{heap: l.events[:0], do: l.do[:0]}
	y.out, y.batches, y.recent = l.spans[:0], l.batches[:0], l.starts[:0]
	y.loads, y.ebbs = l.loads[:0], l.ebbs[:0]
	l.ends.reset(y.now)
	l.free, l.vacant = l.free[:0], l.vacant[:0]
	l.newest, l.stages = -1, l.stages[:0]
}

// take takes it back.
func (l *EndOnly) take(y *containers) {
	if l == nil {
		return
	}
	clear(y.todo.do)
	l.events, l.do, l.spans, l.batches, l.starts = y.todo.heap, y.todo.do, y.out, y.batches, y.recent
	l.loads, l.ebbs = y.loads, y.ebbs
}

// ending says that a span is to end.
func (l *EndOnly) ending() bool { return l != nil && l.ends.n > 0 }

// endsAt has a span end at t.
func (l *EndOnly) endsAt(t dag.Instant, span int32) { l.ends.push(end{t, span, endOfSpan}) }

// span returns the index of a new span.
func (y *containers) span(sp Span) int {
	if y.endOnly != nil {
		if n := len(y.endOnly.free); n > 0 {
			at := int(y.endOnly.free[n-1])
			y.endOnly.free = y.endOnly.free[:n-1]
			y.out[at] = sp
			return at
		}
	}
	y.out = append(y.out, sp)
	return len(y.out) - 1
}

// over lets a span be used again, where nobody will look at it.
func (y *containers) over(at int) {
	if y.endOnly != nil {
		y.endOnly.free = append(y.endOnly.free, int32(at))
	}
}

// batch returns the index of a new batch.
func (y *containers) batch(b batch) int32 {
	if y.endOnly != nil {
		if n := len(y.endOnly.vacant); n > 0 {
			at := y.endOnly.vacant[n-1]
			y.endOnly.vacant = y.endOnly.vacant[:n-1]
			b.cuts = y.batches[at].cuts[:0]
			y.batches[at] = b
			return at
		}
	}
	y.batches = append(y.batches, b)
	return int32(len(y.batches) - 1)
}

// joins adds n tasks to the newest batch, where they follow on its tasks and start with it. No other batch has come
// between, so tasks start in the same order as in batches of their own.
func (y *containers) joins(j int, k dag.StageIndex, first int32, n int, start dag.Instant, kept bool) bool {
	if !y.laneless() || y.endOnly.newest < 0 {
		return false
	}
	b := &y.batches[y.endOnly.newest]
	if int(b.job) != j || b.kind != k || b.start != start || b.kept != kept || b.first+int32(len(b.lanes)) != first {
		return false
	}
	b.cuts = append(b.cuts, int32(len(b.lanes)))
	b.lanes = y.useLanes(len(b.lanes)+n, 0)
	return true
}

// startBatch starts a batch.
func (y *containers) startBatch(at int32, t dag.Instant) {
	b := y.batches[at]
	if y.endOnly != nil {
		y.endOnly.vacant = append(y.endOnly.vacant, at)
		if y.endOnly.newest == at {
			y.endOnly.newest = -1
		}
	}
	if y.laneless() {
		y.runPlain(&b, t)
		return
	}
	y.start(&b, t)
}

// seats takes n lanes for tasks of a job.
func (y *containers) seats(j, n, mb int) []int32 {
	if y.laneless() {
		return y.useLanes(n, mb)
	}
	return y.pool.seat(n, mb, y.jobs[j].avoided)
}

// useLanes takes n lanes. Where only the end counts and no node is known, one lane stands for all.
func (y *containers) useLanes(n, mb int) []int32 {
	if !y.laneless() {
		return y.pool.use(n, mb)
	}
	if len(y.pool.node) == 0 {
		y.pool.lane(-1)
	}
	for len(y.endOnly.lanes) < n {
		y.endOnly.lanes = append(y.endOnly.lanes, 0)
	}
	return y.endOnly.lanes[:n:n]
}

func (y *containers) freeLanes(lanes []int32) {
	if !y.laneless() {
		y.pool.free.add(lanes...)
	}
}

// laneless reports whether a replay need not know in which lane a task runs: only its end counts, and either no node is
// known or all cores are alike.
func (y *containers) laneless() bool { return y.endOnly != nil && (len(y.pool.room) == 0 || y.alike) }

// coresAlike reports whether it makes no difference on which core of which executor a task runs: none is to come, on
// which the first task would be slow, each task takes one, and all that run now are on executors that take tasks.
func (y *containers) coresAlike() bool {
	e := &y.s.Plan.Cluster.Elastic
	grows := e.Each > 0 && min(e.Max, dag.MaxSlots)-y.growth.cores >= e.Each
	if !y.cores() || grows || len(y.s.Coming) > 0 || len(y.pool.room) == 0 || len(y.s.Load) > 0 {
		return false
	}
	for j := range y.s.Jobs {
		for k := range y.s.Jobs[j].Stages {
			if y.need(&y.s.Plan.Jobs[j].Stages[k]) != 1 {
				return false
			}
			if y.finished(j, dag.StageIndex(k)) != nil { //nolint:gosec // an index
				continue
			}
			for i := range y.s.Jobs[j].Stages[k].Attempts {
				a := &y.s.Jobs[j].Stages[k].Attempts[i]
				if a.State == dag.AttemptRunning &&
					(a.Node < 0 || int(a.Node) >= len(y.pool.open) || !y.pool.open[a.Node]) {
					return false
				}
			}
		}
		if len(y.s.Jobs[j].Avoided) > 0 {
			return false
		}
	}
	return true
}
