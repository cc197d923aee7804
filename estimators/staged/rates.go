package staged

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

const (
	// paceMS is how much work of a stage makes it count half as one that has shown this run's pace.
	paceMS = 4000
	// paceStages is how many stages the expectation weighs as much as that a stage takes as long as in the profile's
	// run: each may have changed in its own way.
	paceStages = 1.0
	// paceSigma is the logarithm of a pace that counts twice as much against the expectation: stages differ by a
	// little, clusters by more.
	paceSigma = 0.3
	// launchPower is the power of the pace of launches that is expected of work before any was seen. Work that waits
	// need not be slower.
	launchPower = 0.1
	paceMax     = 10.0
	// taskOverhead is what a task takes beyond its work, as a share of a launch.
	taskOverhead = 0.07
)

// learnRates finds what a unit of each stage costs, and how large its tasks are. What a stage reads follows from what
// the stages before it write.
func (m *Model) learnRates() {
	m.expectOverhead()
	m.learnVolumes()
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		l.learnRecent(len(m.firsts))
		l.addRunning()
	})
	m.learnPace()
	m.each(func(_ int, _ dag.StageIndex, l *law) { l.learnRate(m.pace) })
	m.assume()
}

// learnVolumes finds how many units the tasks of each stage have, and how many they write.
func (m *Model) learnVolumes() {
	m.each(func(j int, k dag.StageIndex, l *law) {
		l.sel = math.NaN()
		if l.seen.out > 0 && l.seen.units > 0 {
			l.sel = l.seen.out / l.seen.units
		} else if l.prior.sel > 0 {
			l.sel = l.prior.sel
		}
		m.learnSizes(j, k, l)
	})
}

// expectOverhead makes what the profile says of each stage what it is expected to be at this run's load. A task does
// more than work on records, such as to open and to commit: that takes a share of what a launch does, and as many times
// as long as in the profile's run.
func (m *Model) expectOverhead() {
	was := m.profile.Overheads()
	if was == nil {
		return
	}
	overhead := taskOverhead * taskcost.MS(was.SetupMin)
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		if p := &l.prior; !p.own && p.rate > 0 && p.n > 0 {
			share := min(1, overhead*float64(p.n)/(p.rate*p.total))
			p.rate *= 1 + share*(m.start.scale-1)
		}
	})
}

// addRunning counts what running tasks have done between their first report and their last one: before the first they
// started up.
func (l *law) addRunning() {
	if !l.seen.records || !l.ready() {
		return
	}
	for _, a := range l.seen.running {
		took, d := l.watched(a)
		l.seen.units, l.seen.work = l.seen.units+d, l.seen.work+took
	}
}

// watched is for how many milliseconds reports show an attempt at work, and how many records it worked on in them.
func (l *law) watched(a *dag.Attempt) (took, units float64) {
	if !a.First.At.Known() || !a.Last.At.Known() {
		return 0, 0
	}
	from, to := max(a.First.At, l.begin(a)), a.Last.At
	before := l.written(a.First.Done, a.First.Out)
	if d := l.worked(a) - before; to > from && d > 0 {
		return float64(to - from), d
	}
	return 0, 0
}

// ready reports whether all that its tasks wait for is there.
func (l *law) ready() bool { return !l.waits || l.input.Known() }

// worked is how many records an attempt has worked on.
func (l *law) worked(a *dag.Attempt) float64 { return l.written(done(a), a.Out) }

// written is how many records were worked on where so many were read and written. A task that reads all records of a
// key before it writes counts them too early: then what it has written tells (docs/facts/tez.md T4).
func (l *law) written(read, wrote float64) float64 {
	if l.sel > 0 && wrote >= 0 {
		read = min(read, wrote/l.sel)
	}
	return read
}

func lastChange(a *dag.Attempt, now dag.Instant) dag.Instant {
	if a.Last.At.Known() {
		return min(a.Last.At, now)
	}
	return now
}

// learnPace compares this run with the profile's.
func (m *Model) learnPace() {
	sum, weight := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		expected := l.seen.units * l.prior.rate
		if !(expected > 0) || l.prior.records != l.seen.records || !(l.seen.work > 0) {
			return
		}
		w := min(expected, l.seen.work)
		w /= w + paceMS
		sum, weight = sum+w*math.Log(l.seen.work/expected), weight+w
	})
	mean, before := 0.0, launchPower*math.Log(m.start.scale)
	if weight > 0 {
		mean = sum/weight - before
	}
	shrunk := weight / (weight + paceStages/(1+mean*mean/(paceSigma*paceSigma)))
	m.pace = min(max(math.Exp(before+shrunk*mean), 1/paceMax), paceMax)
}

func (l *law) learnRate(pace float64) {
	l.rate, l.origin = math.NaN(), schedule.Assumed
	if l.seen.units > 0 && l.seen.work > 0 && l.sized {
		l.rate, l.origin = l.seen.work/l.seen.units, schedule.Observed
		if l.recent > 0 && !(l.prior.rate > 0) {
			l.rate = l.recent
		}
	}
	if p := l.prior.rate * pace; p > 0 && l.prior.records == l.seen.records {
		switch {
		case l.origin == schedule.Observed:
			l.rate = taskcost.Blend(l.seen.work, l.seen.units, p, taskcost.PriorMS)
		default:
			l.rate, l.origin = p, schedule.Profiled
		}
	}
}

// recentWaves is after how many tasks of each container or core a task counts half in what those to come are expected
// to cost.
const recentWaves = 8

// learnRecent finds what a unit took lately, in milliseconds, on so many containers or cores. Their JVMs compile code
// for minutes, so tasks become faster long after the first of each. The time until the next task of short ones comes is
// a part of what they take.
func (l *law) learnRecent(width int) {
	half := recentWaves * max(1, width)
	if len(l.seen.ended) <= 2*half {
		return
	}
	by := slices.Clone(l.seen.ended)
	slices.SortFunc(by, func(a, b ended) int { return cmp.Or(cmp.Compare(b.end, a.end), cmp.Compare(a.task, b.task)) })
	work, units := 0.0, 0.0
	before := map[int32]dag.Instant{} // by container or core: the end of the task before
	for i, e := range slices.Backward(by) {
		if end, ok := before[e.slot]; ok && e.start > end && float64(e.start-end) < e.work {
			e.work += float64(e.start - end)
		}
		before[e.slot] = e.end
		w := math.Exp2(-float64(i) / float64(half))
		work, units = work+w*e.work, units+w*e.units
	}
	if units > 0 {
		l.recent, l.lately = work/units, by[2*half].end
	}
	l.faster = faster(by)
}

// faster is by which power of their number tasks become faster: of all that have ended, newest first, the newer half
// against the quarter before it. 0 where they do not.
func faster(by []ended) float64 {
	rate := func(some []ended) float64 {
		work, units := 0.0, 0.0
		for i := range some {
			work, units = work+some[i].work, units+some[i].units
		}
		return work / units
	}
	n := len(by)
	return max(0, zeroNaN(math.Log2(rate(by[n/2:n-n/4])/rate(by[:n/2]))))
}

// assume gives stages that nobody has seen a rate: where their records are known the median rate of the stages that
// were seen, otherwise a part of a mean task of these.
func (m *Model) assume() {
	var rates []float64
	sum, n := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		if l.rate > 0 && l.seen.records {
			rates = append(rates, l.rate)
		}
		if l.rate > 0 {
			for _, size := range l.size {
				sum, n = sum+l.rate*size, n+1
			}
		}
	})
	slices.Sort(rates)
	m.mean = sum / max(n, 1)
	m.each(func(j int, k dag.StageIndex, l *law) {
		if !math.IsNaN(l.rate) {
			return
		}
		if in := m.input(j, k); in > 0 && len(rates) > 0 && len(l.size) > 0 {
			for i := range l.size {
				l.size[i] = in / float64(len(l.size))
			}
			l.rate = laterRate * min(rates[len(rates)/2], m.mean/l.size[0])
			return
		}
		l.rate = laterWork * m.mean
		for i := range l.size {
			l.size[i] = 1
		}
	})
}

// laterWork is what a task of a stage that nobody has seen is assumed to take, as a share of a mean task, where not
// even its records are known.
const laterWork = 0.1

// laterRate is the same for a record, as a share of the median of the rates that were seen.
const laterRate = 0.2

// doubtWork is what a task of a stage that nobody has seen may well turn out to take, as a share of the mean task of
// the stages that were seen. It counts as assumed although it is in no estimate.
const doubtWork = 1

// assumedRatio is how much of the time that remains is assumed, 0..1: the time in which nothing would run but tasks of
// stages that nobody has seen, with what they may well take beyond their assumption.
func (m *Model) assumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	seen := make(map[[2]int32]bool)
	known, sure, extra := sch.Now, 0.0, 0.0
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		if sp.Count == 0 || !m.assumed(sp) {
			if sp.End > known {
				sure += float64(sp.End - max(sp.Start, known))
				known = sp.End
			}
			continue
		}
		if key := [2]int32{sp.Job, int32(sp.Stage)}; sp.End > known && !seen[key] {
			seen[key] = true
			extra += max(0, doubtWork*m.mean-m.stages[sp.Job][sp.Stage].work(int(sp.First)))
		}
	}
	return (total - sure + extra) / (total + extra)
}

// assumed says that a span is of tasks whose cost nobody has seen, in this run or a profile's.
func (m *Model) assumed(sp *schedule.Span) bool {
	l := &m.stages[sp.Job][sp.Stage]
	return l.origin >= schedule.Assumed || !l.sized || sp.Start >= m.snapshot.At && m.onlyCold(int(sp.Job), l)
}

// onlyCold says that the tasks of a stage that have ended were all the first in their containers, and no profile tells
// how long others take. These are of no use for tasks in containers that are used again, which may take half as long.
func (m *Model) onlyCold(job int, l *law) bool {
	warm := func(e ended) bool { return !e.cold }
	return m.snapshot.Plan.Jobs[job].Rules == dag.AncestorsFirst && l.origin == schedule.Observed &&
		!(l.prior.rate > 0) && len(l.seen.ended) > 0 && !slices.ContainsFunc(l.seen.ended, warm)
}
