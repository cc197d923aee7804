package staged

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// The cores of executors need no launch, but the first task of each loads classes, and its code is not compiled yet. It
// may take ten times as long as others, so that it tells nothing of what these cost.

// coreStages is how many stages the expectation weighs as much as that a stage takes as long as in the profile's run.
// Tasks of small stages take a part that does not tell the pace of others, even if it is ten times as long.
const coreStages = 0.3

// onCores reports whether tasks run on the cores of executors.
func (m *Model) onCores() bool { return m.snapshot.Plan.Cluster.Policy == dag.Executors }

// learnCold finds what the first task of a core takes beyond its work, and counts it as one like the others of its
// stage, or of the profile's at this run's load. If neither tells, half of what it took is its work at least.
func (m *Model) learnCold() {
	was := taskcost.MS(m.snapshot.Plan.Overheads.Cold)
	m.learnLoad(was)
	sum, n := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		rate, known := l.warm()
		if !known && l.prior.rate > 0 && l.prior.records == l.seen.records {
			rate, known = l.prior.rate*math.Pow(m.start.scale, launchPower), true
		}
		for i := range l.seen.ended {
			e := &l.seen.ended[i]
			if !e.cold || !(e.units > 0) {
				continue
			}
			less := e.work / 2
			if known {
				less = max(0, e.work-e.units*rate)
			}
			sum, n = sum+less, n+1
			e.work -= less
			l.seen.work -= less
		}
	})
	m.start.firsts = n
	if was > 0 {
		sum, n = sum+coldTasks*was*m.start.scale, n+coldTasks
	}
	if n > 0 {
		m.start.extra = sum / n
	}
}

// learnLoad compares the first tasks of the cores with what the profile's run says of them, whose first tasks took so
// many milliseconds beyond their work: the first wave of tasks shows nothing else. One that runs is expected to take
// longer than it has, as a launch is. Work takes longer by the power that it does for launches: loading and compiling
// classes is all processor, work also waits.
func (m *Model) learnLoad(was float64) {
	if !(was > 0) {
		return
	}
	sum, n, late, lateN := 0.0, 0.0, 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		usual := l.prior.total / float64(max(l.prior.n, 1)) * l.prior.rate
		if !(usual > 0) {
			return
		}
		for _, e := range l.seen.ended {
			if e.cold {
				work := usual
				if l.seen.records == l.prior.records && e.units > 0 {
					work = e.units * l.prior.rate
				}
				sum, n = sum+math.Log(loadOf(e.work, was, work)), n+1
			}
		}
		for _, a := range l.seen.running {
			if age := float64(m.snapshot.At - l.begin(a)); m.first(a) && age > 0 {
				late, lateN = late+math.Log(loadOf((1+launchWait)*age, was, usual)), lateN+1
			}
		}
	})
	if load := late / lateN; lateN > 0 && (n == 0 || load > sum/n) {
		sum, n = sum+max(0, late), n+lateN
	}
	if n > 0 {
		m.start.scale = math.Exp(sum / n)
	}
}

// loadOf is the load, as a multiple of that of the profile's run, at which a first task takes so many milliseconds that
// took cold milliseconds beyond its work there.
func loadOf(took, cold, work float64) float64 {
	low, high := 1/scaleMax, scaleMax
	for range 30 {
		if mid := math.Sqrt(low * high); cold*mid+work*math.Pow(mid, launchPower) < took {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Sqrt(low * high)
}

// warm is what a unit takes, in milliseconds, in tasks that are not the first on their core. known is false if there is
// none.
func (l *law) warm() (rate float64, known bool) {
	work, units := 0.0, 0.0
	for _, e := range l.seen.ended {
		if !e.cold {
			work, units = work+e.work, units+e.units
		}
	}
	return work / units, units > 0
}

// A fixed part of a task's time is one that does not grow with its records: what a large task takes is less than its
// records tell. It shows in a profile whose tasks differ in size by more than this.
const unequal = 1.8

// curveTrust is how much of the fixed part is expected again: some of it is noise of the profile's run, as the first
// tasks may have met a loaded machine.
const curveTrust = 0.5

// curve is how a profile's tasks took more time with more records: fixed milliseconds, and some for each record. ok is
// false if nothing shows it.
func (p *prior) curve() (fixed, each float64, ok bool) {
	if !p.records || len(p.took) < 4 {
		return 0, 0, false
	}
	sx, sy, n, low, high := 0.0, 0.0, 0.0, math.Inf(1), 0.0
	for i, took := range p.took {
		if took > 0 && p.units[i] > 0 {
			sx, sy, n = sx+p.units[i], sy+took, n+1
			low, high = min(low, p.units[i]), max(high, p.units[i])
		}
	}
	if n < 4 || high < unequal*low {
		return 0, 0, false
	}
	mx, my, sxx, sxy := sx/n, sy/n, 0.0, 0.0
	for i, took := range p.took {
		if took > 0 && p.units[i] > 0 {
			sxx += (p.units[i] - mx) * (p.units[i] - mx)
			sxy += (p.units[i] - mx) * (took - my)
		}
	}
	each = min(max(sxy/sxx, 0), my/mx)
	each += (my/mx - each) * (1 - curveTrust)
	return my - each*mx, each, true
}

// bend counts the units of a stage by what tasks of so many records took in the profile's run, so that small tasks tell
// what large ones take.
func (l *law) bend() {
	fixed, each, ok := l.prior.curve()
	if !ok || !l.seen.records || l.prior.own || !(l.prior.rate > 0) {
		return
	}
	as := func(units float64) float64 {
		if !(units > 0) {
			return units
		}
		return (fixed + each*units) / l.prior.rate
	}
	for i := range l.size {
		l.size[i] = as(l.size[i])
	}
	l.seen.units = 0
	for i := range l.seen.ended {
		e := &l.seen.ended[i]
		e.units = as(e.units)
		l.seen.units += e.units
	}
	l.bent = true
}
