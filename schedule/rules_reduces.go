package schedule

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// reducesFirst are the rules of MapReduce's master (docs/facts/hadoop.md F, priorities 5, 10, 20): tasks to run again,
// then those that copy, then the others; each in a container of its own.
type reducesFirst struct{}

func (reducesFirst) edges(after []dag.Edge) []dag.Edge { return after }

func (reducesFirst) freed(*containersJob, int, dag.Instant) {}

func (reducesFirst) cold(y *containers, _ bool, t dag.Instant) bool { return y.cold(t) }

func (reducesFirst) first(y *containers, j int, t dag.Instant) {
	job := &y.jobs[j]
	for i := range job.phase {
		if p := &job.phase[i]; !p.copies() && !p.closed {
			y.firstGrant(j, dag.StageIndex(i), t) //nolint:gosec // an index
		}
	}
}

// firstGrant starts the first tasks at once: Overheads.Launch is measured up to the first launch, hand-off included.
func (y *containers) firstGrant(j int, k dag.StageIndex, t dag.Instant) {
	p := &y.jobs[j].phase[k]
	n := min(y.room(j, k), p.waiting)
	for n > 0 && len(p.pending) > 0 {
		r := &p.pending[0]
		run := min(n, int(r[1]-r[0]))
		first := r[0]
		y.occupy(j, run*p.mb)
		p.granted += run
		lanes := y.seats(j, run, p.mb)
		at := y.batch(batch{job: int32(j), kind: k, first: first, lanes: lanes, start: t})
		if y.endOnly != nil {
			y.endOnly.newest = -1
		}
		y.later(t, rankStart, event{op: opStart, a: at})
		p.waiting -= run
		n -= run
		if r[0] += int32(run); r[0] == r[1] {
			p.pending = p.pending[1:]
		}
	}
}

func (reducesFirst) grant(y *containers, j int, t dag.Instant) {
	job := &y.jobs[j]
	for k := range job.phase {
		if !job.phase[k].copies() {
			y.grantRetries(j, dag.StageIndex(k), t) //nolint:gosec // an index
		}
	}
	for k := range job.phase {
		if job.phase[k].copies() {
			y.grantCopying(j, dag.StageIndex(k), t) //nolint:gosec // an index
		}
	}
	for i := range job.phase {
		if k := dag.StageIndex(i); !job.phase[k].copies() && !job.phase[k].closed { //nolint:gosec // an index
			y.grantPending(j, k, y.room(j, k), t)
		}
	}
}

func (reducesFirst) nextMB(y *containers, j int) int {
	job := &y.jobs[j]
	for _, wants := range [...]func(*containersStage) bool{
		(*containersStage).retries, (*containersStage).wantsCopying,
		(*containersStage).wantsPending,
	} {
		for k := range job.phase {
			if p := &job.phase[k]; wants(p) && y.room(j, dag.StageIndex(k)) > 0 { //nolint:gosec // an index
				return p.mb
			}
		}
	}
	return 0
}

// want is slow start, then all once every
// task before it has its container, else a share of the room that grows with those that are done
// (RMContainerAllocator.scheduleReduces, docs/facts/hadoop.md F "Slow start").
func (reducesFirst) want(y *containers, j int, k dag.StageIndex) int {
	job := &y.jobs[j]
	reduces := &job.phase[k]
	maps := &job.phase[reduces.from]
	all := reduces.granted + reduces.waiting + len(reduces.retry)
	if reduces.left() == 0 {
		return reduces.granted
	}
	if float64(maps.done) < math.Ceil(reduces.slowStart*float64(maps.total)) {
		return reduces.granted
	}
	scheduled := maps.waiting + len(maps.retry)
	if scheduled == 0 {
		return all
	}
	mapMB, reduceMB := float64(maps.mb), float64(reduces.mb)
	total := float64(max(y.roomOf(j), 0)) + float64(maps.granted)*mapMB + float64(reduces.granted)*reduceMB
	ramp := job.rampUp
	if ramp <= 0 {
		ramp = defaultRampUp
	}
	ideal := total * min(float64(maps.done)/float64(max(maps.total, 1)), ramp)
	if need := float64(scheduled+maps.granted) * mapMB; total-ideal > need {
		ideal = total - need
	}
	return min(all, int(ideal/reduceMB))
}

// defaultRampUp is yarn.app.mapreduce.am.job.reduce.rampup.limit's default.
const defaultRampUp = 0.5
