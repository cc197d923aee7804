package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// stageRules define how a job's master requests containers and assigns them to its stages.
type stageRules interface {
	// edges returns the edges of a stage in the kinds that the replay distinguishes.
	edges(after []dag.Edge) []dag.Edge
	// first starts the job's first tasks now.
	first(c *scheduler, j *job)
	// grant allocates the containers that the job may get now.
	grant(c *scheduler, j *job)
	// nextSize returns the size of the container that grant would allocate next; 0: none.
	nextSize(c *scheduler, j *job) int
	// want returns the number of tasks of a copying stage that should have containers or requests.
	want(c *scheduler, st *stage) int
	// freed records that n tasks have ended at t: the master may keep their containers.
	freed(j *job, n int, t dag.Instant)
	// cold reports whether a task that starts now takes longer than usual to start; kept: its container was
	// launched before.
	cold(c *scheduler, kept bool) bool
}

func rulesOf(c *dag.Cluster, job *dag.Job) stageRules {
	if job.Rules == dag.AncestorsFirst {
		return ancestorsFirst(byLevel(job.Stages))
	}
	if of, pools := poolsOf(c, job.Stages); of != nil {
		return fairPools{of: of, pools: pools}
	}
	return reducesFirst{}
}

// reducesFirst are the rules of MapReduce's master (docs/facts/hadoop.md F, priorities 5, 10, 20): tasks to run
// again, then those that copy, then the others; each in a container of its own.
type reducesFirst struct{}

func (reducesFirst) edges(after []dag.Edge) []dag.Edge { return after }

func (reducesFirst) freed(*job, int, dag.Instant) {}

func (reducesFirst) cold(c *scheduler, _ bool) bool { return c.cold() }

// first starts the first tasks at once: Overheads.Launch is measured up to the first launch, hand-off included.
func (reducesFirst) first(c *scheduler, j *job) {
	for k := range j.stages {
		st := &j.stages[k]
		if st.copies() || st.closed {
			continue
		}
		for n := min(c.room(st), st.waiting); n > 0 && len(st.pending) > 0; {
			first, took := st.takePending(n)
			c.startAt(st, first, took, c.now, false)
			n -= took
		}
	}
}

func (reducesFirst) grant(c *scheduler, j *job) {
	for k := range j.stages {
		if st := &j.stages[k]; !st.copies() {
			c.grantRetries(st)
		}
	}
	for k := range j.stages {
		if st := &j.stages[k]; st.copies() {
			c.grantCopying(st)
		}
	}
	for k := range j.stages {
		if st := &j.stages[k]; !st.copies() && !st.closed && st.waiting > 0 {
			c.grantPending(st, c.room(st))
		}
	}
}

func (reducesFirst) nextSize(c *scheduler, j *job) int {
	for _, asks := range [...]func(*stage) bool{
		func(st *stage) bool { return !st.copies() && !st.closed && st.retries() },
		(*stage).requestsCopying,
		func(st *stage) bool { return !st.copies() && st.waiting > 0 },
	} {
		for k := range j.stages {
			if st := &j.stages[k]; asks(st) && c.room(st) > 0 {
				return st.size
			}
		}
	}
	return 0
}

// defaultRampUp is yarn.app.mapreduce.am.job.reduce.rampup.limit's default.
const defaultRampUp = 0.5

// want applies slow start. It returns all tasks once every task before them has its container, else a share of the
// room that grows with the finished tasks (RMContainerAllocator.scheduleReduces, docs/facts/hadoop.md F "Slow
// start").
func (reducesFirst) want(c *scheduler, reduces *stage) int {
	maps := &reduces.job.stages[reduces.from]
	all := reduces.granted + reduces.waiting + len(reduces.retry)
	if reduces.left() == 0 || float64(maps.done) < math.Ceil(reduces.slowStart*float64(maps.total)) {
		return reduces.granted
	}
	scheduled := maps.waiting + len(maps.retry) + maps.unasked
	if scheduled == 0 {
		return all
	}
	mapSize, reduceSize := float64(maps.size), float64(reduces.size)
	total := float64(max(c.roomOf(reduces.job), 0)) + float64(maps.granted)*mapSize +
		float64(reduces.granted)*reduceSize
	ramp := reduces.job.rampUp
	if ramp <= 0 {
		ramp = defaultRampUp
	}
	ideal := total * min(float64(maps.done)/float64(max(maps.total, 1)), ramp)
	if need := float64(scheduled+maps.granted) * mapSize; total-ideal > need {
		ideal = total - need
	}
	return min(all, int(ideal/reduceSize))
}

// ancestorsFirst are the rules of Tez' master (docs/facts/tez.md T5, T6): the stages of a job in the order of their
// distance from the roots. So no stage gets a container while one that it reads waits for some. A free container
// runs the next task.
type ancestorsFirst []dag.StageIndex

// edges converts a broadcast to slow start: its readers are requested at once and wait for it in their containers.
func (ancestorsFirst) edges(after []dag.Edge) []dag.Edge {
	out := slices.Clone(after)
	for i, e := range after {
		if e.Kind == dag.Broadcast {
			out[i] = dag.Edge{From: e.From, Kind: dag.SlowStart}
		}
	}
	return out
}

func (ancestorsFirst) freed(j *job, n int, t dag.Instant) {
	if last := len(j.kept) - 1; last >= 0 && j.kept[last].at == t {
		j.kept[last].n += n
		return
	}
	j.kept = append(j.kept, starts{t, n})
}

func (ancestorsFirst) cold(_ *scheduler, kept bool) bool { return !kept }

func (r ancestorsFirst) first(c *scheduler, j *job) {
	for _, k := range r {
		if st := &j.stages[k]; st.copies() {
			j.requestCopying(c, st)
		}
	}
	r.grant(c, j)
}

func (r ancestorsFirst) grant(c *scheduler, j *job) {
	for _, k := range r {
		if st := &j.stages[k]; st.copies() {
			c.grantCopying(st)
		} else {
			c.grantRetries(st)
			if !st.closed {
				c.grantPending(st, c.room(st))
			}
		}
	}
}

func (r ancestorsFirst) nextSize(c *scheduler, j *job) int {
	for _, k := range r {
		st := &j.stages[k]
		asks := st.requestsCopying()
		if !st.copies() {
			asks = !st.closed && (st.retries() || st.waiting > 0)
		}
		if asks && c.room(st) > 0 {
			return st.size
		}
	}
	return 0
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

// want grows with the progress of the slowest input stage between the edge's two ratios
// (ShuffleVertexManagerBase.getNumOfTasksToSchedule, docs/facts/tez.md T5).
func (ancestorsFirst) want(_ *scheduler, st *stage) int {
	all := st.granted + st.waiting + len(st.retry)
	if st.left() == 0 {
		return st.granted
	}
	share, over := 1.0, true
	for _, e := range st.edges {
		from := &st.job.stages[e.From]
		if e.Kind != dag.SlowStart || from.left() == 0 {
			continue
		}
		over = false
		done := float64(from.done) / float64(from.total)
		switch full := max(e.Full, e.Ratio); {
		case from.closed || done < e.Ratio:
			share = 0
		case done < full:
			share = min(share, (done-e.Ratio)/(full-e.Ratio))
		}
	}
	if over || share == 1 {
		return all
	}
	return min(all, max(int(math.Ceil(share*float64(st.total)))-st.done, st.granted))
}
