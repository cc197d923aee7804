package staged

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// The cores of executors need no launch, but the first task of each loads classes, and its code is not compiled yet. It
// may take ten times as long as others, so that it tells nothing of what these cost. The first task of a stage on each
// core does a part of that again: the driver plans and sends the stage, its code is new, Python workers start.

// onCores reports whether tasks run on the cores of executors.
func (m *Model) onCores() bool { return m.snapshot.Plan.Cluster.Policy == dag.Executors }

// learnCores finds what tasks cost that run on the cores of executors.
func (m *Model) learnCores() {
	m.splitPriors()
	m.learnVolumes()
	m.learnLoad()
	m.learnCold()
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		if l.split.ok && l.prior.records == l.seen.records {
			m.learnStage(l)
			return
		}
		l.learnRecent(m.snapshot.Plan.Cluster.Cores)
		l.addRunning()
		l.learnRate(m.pace)
	})
	m.assume()
}

// learnCold finds what the first task of a core takes beyond its work, and counts it as one like the others of its
// stage, or of the profile's at this run's load. If neither tells, half of what it took is its work at least.
func (m *Model) learnCold() {
	was := taskcost.MS(m.snapshot.Plan.Overheads.Cold)
	sum, n := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		rate, known := l.warm()
		for i := range l.seen.ended {
			e := &l.seen.ended[i]
			if !e.cold || !(e.units > 0) {
				continue
			}
			less := e.work / 2
			switch {
			case l.split.ok && l.prior.records == l.seen.records:
				less = max(0, e.work-m.pace*l.split.work(e)-m.start.scale*l.split.every)
			case known:
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

const (
	// stageSigma is by how much a stage's work may differ from this run's pace, headSigma the same of what the first
	// tasks of a stage take beyond it, coldSigma of those of a core, and noiseSigma of a task from others of its stage:
	// standard deviations of logarithms.
	stageSigma = 0.15
	headSigma  = 1.2
	coldSigma  = 0.3
	noiseSigma = 0.15
	// paceSigmaCores is the same of this run's pace against what the load lets expect, loadSigma of the load,
	// bootSigma the same if the start of the first executor tells it.
	paceSigmaCores = 0.2
	loadSigma      = 1.5
	bootSigma      = 0.7
	// coresPower is the power of the load that work takes longer by: tasks that wait for disks and the network need not
	// be slower on a machine whose processors are busy.
	coresPower = 0.06
	loadMax    = 200.0
	// leastWork is the work of tasks that are all overhead, in milliseconds.
	leastWork = 1e-9
	// fitSteps is how often the fit of pace and load is improved.
	fitSteps = 30
)

// A group is tasks of a stage that have ended, of one kind: what they took, and what they do in the profile's run as
// work and as overhead, of which every is what each task has.
type group struct {
	took, work, over, every, n float64
	sigma                      float64
}

// learnLoad finds the pace of this run's work and the load of its machines, as multiples of those of the profile's run.
func (m *Model) learnLoad() {
	m.start.scale, m.pace = 1, 1
	var groups []group
	cold := taskcost.MS(m.snapshot.Plan.Overheads.Cold)
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		if !l.split.ok || l.prior.records != l.seen.records {
			return
		}
		var kinds [3]group
		for i := range l.seen.ended {
			e := &l.seen.ended[i]
			over, kind := l.split.every, 0
			switch {
			case e.cold:
				over, kind = over+cold, 1
			case e.first:
				over, kind = over+l.split.head, 2
			}
			g := &kinds[kind]
			g.sigma = headSigma
			if kind == 1 {
				g.sigma = coldSigma
			}
			g.took, g.work, g.over, g.n = g.took+e.work, g.work+l.split.work(e), g.over+over, g.n+1
			g.every += l.split.every
		}
		for _, g := range kinds {
			if g.n > 0 && g.took > 0 && g.work+g.over > 0 {
				groups = append(groups, g)
			}
		}
	})
	m.fitLoad(groups)
	if late, ok := m.late(m.pace, m.start.scale, cold); ok {
		m.fitLoad(append(groups, late))
	}
}

// late is the first tasks of the cores that run longer than expected. One is expected to take longer than it has, as a
// launch is.
func (m *Model) late(pace, load, cold float64) (g group, ok bool) {
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		if !l.split.ok || l.prior.records != l.seen.records {
			return
		}
		for _, a := range l.seen.running {
			age := float64(m.snapshot.At - l.begin(a))
			work, over := l.split.unit*l.sizeOf(int(a.Task)), l.split.every+cold
			if m.first(a) && age > 0 && (1+launchWait)*age > pace*work+load*over {
				g.sigma = coldSigma
				g.took, g.work, g.over, g.n = g.took+(1+launchWait)*age, g.work+work, g.over+over, g.n+1
				g.every += l.split.every
			}
		}
	})
	return g, g.n > 0 && g.work+g.over > 0 && cold > 0
}

// fitLoad finds the pace and the load that explain best what groups of tasks took, by iterated least squares of
// logarithms, and how uncertain these are.
func (m *Model) fitLoad(groups []group) {
	boot, sigma := math.Log(bootScale(&m.snapshot.Plan.Overheads, m.profile.Overheads())), loadSigma
	if boot != 0 {
		sigma = bootSigma
	}
	a, b := coresPower*boot, boot
	for range fitSteps {
		// the expectation: a is about coresPower times b, b as the start of the first executor lets expect
		pa, pb := 1/(paceSigmaCores*paceSigmaCores), 1/(sigma*sigma)
		aa, ab, bb := pa, -coresPower*pa, coresPower*coresPower*pa+pb
		ra, rb := -pa*(a-coresPower*b), coresPower*pa*(a-coresPower*b)-pb*(b-boot)
		for _, g := range groups {
			work, over := math.Exp(a)*g.work, math.Exp(b)*g.over
			da := work / (work + over)
			db := 1 - da
			v := stageSigma*stageSigma*da*da + g.sigma*g.sigma*db*db + noiseSigma*noiseSigma/g.n
			// How the profile's tasks are split is a guess: the further pace and load are apart, the less these tell.
			guess := zeroNaN(g.work*g.every/(g.work+g.every)) * (math.Exp(b) - math.Exp(a)) / (work + over)
			v += guess * guess
			r := math.Log(g.took / (work + over))
			w := 1 / v / max(1, math.Abs(r)/(2*math.Sqrt(v)))
			aa, ab, bb = aa+w*da*da, ab+w*da*db, bb+w*db*db
			ra, rb = ra+w*da*r, rb+w*db*r
		}
		det := aa*bb - ab*ab
		x, y := (bb*ra-ab*rb)/det, (aa*rb-ab*ra)/det
		if most := max(math.Abs(x), math.Abs(y)); most > 1 {
			x, y = x/most, y/most
		}
		a, b = a+x, b+y
		m.paceDoubt, m.loadDoubt = math.Sqrt(bb/det), math.Sqrt(aa/det)
	}
	bound := func(v, most float64) float64 { return min(max(math.Exp(v), 1/most), most) }
	m.pace, m.start.scale = bound(a, paceMax), bound(b, loadMax)
}

// learnStage finds what the tasks of a stage cost, of which the profile tells: what this run's have taken, drawn
// towards the profile's at this run's pace and load.
func (m *Model) learnStage(l *law) {
	s := &l.split
	usual, head := m.start.scale*s.every, m.start.scale*s.head
	l.origin = schedule.Profiled
	mm, mf, ff := 1/(stageSigma*stageSigma), 0.0, math.Inf(1)
	if head > 0 {
		ff = 1 / (headSigma * headSigma * head * head)
	}
	rm, rf := 0.0, 0.0
	see := func(took, work, isHead, sigma float64) {
		if !(took > 0) || !(work > 0) {
			return
		}
		r := took - work - isHead*head
		w := 1 / (sigma * sigma)
		w /= max(1, math.Abs(r)/(3*sigma))
		mm, mf, rm = mm+w*work*work, mf+w*work*isHead, rm+w*work*r
		if !math.IsInf(ff, 1) {
			ff, rf = ff+w*isHead*isHead, rf+w*isHead*r
		}
	}
	for i := range l.seen.ended {
		e := &l.seen.ended[i]
		work, isHead := m.pace*s.work(e)+usual, 0.0
		sigma := noiseSigma * work
		switch {
		case e.cold:
			sigma = math.Hypot(sigma, m.start.extra/2)
		case e.first:
			isHead = 1
			sigma = noiseSigma * (work + head)
		}
		see(e.work, work, isHead, sigma)
		l.origin = schedule.Observed
	}
	if l.seen.records && l.ready() {
		for _, a := range l.seen.running {
			took, units := l.watched(a)
			work := m.pace * s.unit * units
			see(took, work, 0, math.Hypot(2*noiseSigma*work, noiseSigma*m.pace*s.unit*l.sizeOf(int(a.Task))))
		}
	}
	x, y := rm/mm, 0.0
	if !math.IsInf(ff, 1) {
		det := mm*ff - mf*mf
		x, y = (ff*rm-mf*rf)/det, (mm*rf-mf*rm)/det
	}
	factor := min(max(1+x, 1/paceMax), paceMax)
	l.rate, l.every, l.head = factor*m.pace*s.unit, factor*usual, max(0, head+y)
	if l.prior.n == len(l.size) {
		l.slow = s.slow
	}
}

// sizeOf is the units of a task.
func (l *law) sizeOf(i int) float64 {
	if i < 0 || i >= len(l.size) {
		return 0
	}
	return l.size[i]
}

// overheadOf is which share of what a running attempt takes is overhead, which the load of the machine decides.
func (m *Model) overheadOf(l *law, a *dag.Attempt) float64 {
	if !m.onCores() {
		return 0
	}
	extra := m.extraOf(l, a)
	return zeroNaN((extra + l.every) / (extra + l.work(int(a.Task))))
}
