package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A requestKind is a kind of a master's requests for containers of a stage. Stages that copy have requests of one
// kind for all their tasks.
type requestKind uint8

const (
	again    requestKind = iota // for tasks to run again
	copying                     // for tasks that copy
	firstTry                    // for tasks that have never had a container
	requestKinds
)

// A taskRequest is the requests of a kind for tasks of a stage.
type taskRequest struct {
	*stage
	kind requestKind
}

// requestOrder returns all requests that a master may make, in the order in which the scheduler serves them.
// MapReduce's master has priorities for kinds (docs/facts/hadoop.md F, priorities 5, 10, 20). Tez' master has them for
// stages (docs/facts/tez.md T5, T6), by their distance from the roots: no stage gets a container while one that it
// reads waits for some.
func (j *job) requestOrder(stages []dag.Stage) []taskRequest {
	all := make([]taskRequest, 0, len(stages)*int(requestKinds))
	for _, k := range byLevel(stages) {
		for kind := range requestKinds {
			all = append(all, taskRequest{&j.stages[k], kind})
		}
	}
	if !j.reuses {
		slices.SortStableFunc(all, func(a, b taskRequest) int {
			return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.k, b.k))
		})
	}
	return all
}

// waits reports whether the scheduler has the requests.
func (r taskRequest) waits() bool {
	switch {
	case r.copies():
		return r.kind == copying && r.asked > 0 && r.waiting+len(r.retry) > 0
	case r.kind == again:
		return !r.closed && r.retries()
	}
	return r.kind == firstTry && !r.closed && r.waiting > 0
}

// waits reports whether tasks of the job wait for containers, as of the last change.
func (j *job) waits() bool { return slices.ContainsFunc(j.requests, taskRequest.waits) }

// grantTasks allocates the containers for tasks that a job may get now.
func (c *scheduler) grantTasks(j *job) {
	if j.pools != nil && len(j.requests) > 1 {
		j.pools.grant(c, j)
		return
	}
	for _, r := range j.requests {
		st := r.stage
		for r.kind != firstTry && len(st.retry) > 0 && r.waits() && c.room(st) > 0 {
			if r.kind == copying {
				st.asked--
			}
			c.give(st, st.takeRetry(), 1)
		}
		switch {
		case r.kind == again || !r.waits():
		case r.kind == copying:
			st.asked -= c.grantPending(st, min(st.asked, c.room(st)))
		default:
			c.grantPending(st, c.room(st))
		}
	}
}

// freed records that n tasks of a job have ended at t. Tez' master keeps their containers: a free one runs the next
// task.
func (j *job) freed(n int, t dag.Instant) {
	if j.reuses {
		j.kept.add(t, n)
	}
}

// edgesOf returns the edges of a stage in the kinds that the replay distinguishes. Tez' master requests the readers of
// a broadcast at once, and they wait for it in their containers, as with slow start.
func (j *job) edgesOf(after []dag.Edge) []dag.Edge {
	if !j.reuses {
		return after
	}
	out := slices.Clone(after)
	for i, e := range after {
		if e.Kind == dag.Broadcast {
			out[i] = dag.Edge{From: e.From, Kind: dag.SlowStart}
		}
	}
	return out
}

// byLevel orders stages by their distance from the roots: the longest path to one. Stages at one distance are in
// plan order.
func byLevel(stages []dag.Stage) []dag.StageIndex {
	level, order := make([]int, len(stages)), make([]dag.StageIndex, len(stages))
	for k := range stages {
		order[k] = dag.StageIndex(k) //nolint:gosec // an index
		for _, e := range stages[k].After {
			level[k] = max(level[k], level[e.From]+1)
		}
	}
	slices.SortStableFunc(order, func(a, b dag.StageIndex) int { return cmp.Compare(level[a], level[b]) })
	return order
}

// wanted returns the number of tasks of a copying stage that should have containers or requests.
func (c *scheduler) wanted(st *stage) int {
	want := st.granted
	switch {
	case st.left() == 0:
	case st.job.reuses:
		want = max(want, int(math.Ceil(st.slowStartShare()*float64(st.total)))-st.done)
	default:
		want = c.slowStart(st)
	}
	return min(want, st.granted+st.waiting+len(st.retry))
}

// slowStartShare returns the share of a stage's tasks that Tez schedules. It grows with the progress of the slowest
// input stage between the edge's two ratios (ShuffleVertexManagerBase.getNumOfTasksToSchedule, docs/facts/tez.md T5).
func (st *stage) slowStartShare() float64 {
	share := 1.0
	for _, e := range st.edges {
		from := &st.job.stages[e.From]
		if e.Kind != dag.SlowStart || from.left() == 0 {
			continue
		}
		done := float64(from.done) / float64(from.total)
		switch full := max(e.Full, e.Ratio); {
		case from.closed || done < e.Ratio:
			share = 0
		case done < full:
			share = min(share, (done-e.Ratio)/(full-e.Ratio))
		}
	}
	return share
}

// defaultRampUp is yarn.app.mapreduce.am.job.reduce.rampup.limit's default.
const defaultRampUp = 0.5

// slowStart returns how many reduces MapReduce's master schedules: all once every map has its container, else a share
// of the room that grows with the finished maps (RMContainerAllocator.scheduleReduces, docs/facts/hadoop.md F "Slow
// start").
func (c *scheduler) slowStart(reduces *stage) int {
	maps := &reduces.job.stages[reduces.from]
	scheduled := maps.waiting + len(maps.retry) + maps.unasked
	switch {
	case float64(maps.done) < math.Ceil(reduces.slowStart*float64(maps.total)):
		return reduces.granted
	case scheduled == 0:
		return plenty
	}
	mapSize, reduceSize := float64(maps.size), float64(reduces.size)
	total := float64(max(c.roomOf(reduces.job), 0)) + float64(maps.granted)*mapSize +
		float64(reduces.granted)*reduceSize
	ramp := reduces.job.rampUp
	if ramp <= 0 {
		ramp = defaultRampUp
	}
	ideal := total * min(float64(maps.done)/float64(max(maps.total, 1)), ramp)
	return int(max(ideal, total-float64(scheduled+maps.granted)*mapSize) / reduceSize)
}
