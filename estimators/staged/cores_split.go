package staged

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A split says what the tasks of a stage did in the profile's run: work, which takes as long on any machine, up to its
// pace, and overhead, which takes as many times as long as the machine is loaded.
type split struct {
	ok    bool
	unit  float64   // milliseconds of work a unit
	every float64   // milliseconds of overhead a task
	head  float64   // milliseconds more of the first task on a core
	slow  []float64 // how many times as long as their units tell tasks work
}

// work is what a task that has ended would have worked in the profile's run.
func (s *split) work(e *ended) float64 {
	if e.task < len(s.slow) {
		return s.unit * e.units * s.slow[e.task]
	}
	return s.unit * e.units
}

const (
	// everyShare and headShare are what tasks, and first tasks of a stage on a core, take in overhead as a share of
	// what the first task of a core takes beyond its work, where nothing tells.
	everyShare = 0.03
	headShare  = 0.3
	// shortTime is how many times as long as the usual overhead a time is of which half is overhead.
	shortTime = 2.0
	// longRecords is how many times as long as its records tell a task must have been in the profile's run to be
	// expected to be so again, slowAgain how much of that is expected.
	longRecords = 2.0
	slowAgain   = 0.8
)

// splitPriors splits what the profile says of each stage.
func (m *Model) splitPriors() {
	cold := taskcost.MS(m.snapshot.Plan.Overheads.Cold)
	cores := m.snapshot.Plan.Cluster.Cores
	if m.profile != nil && m.profile.Plan.Cluster.Cores > 0 {
		cores = m.profile.Plan.Cluster.Cores
	}
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		if p := &l.prior; !p.own && p.n > 0 && p.rate > 0 && p.total > 0 {
			l.split = p.split(cores, cold)
		}
	})
}

// within is the part of a time that is overhead if so much of it is usual. A time that is not much longer than usual
// overhead is mostly that.
func within(took, usual float64) float64 {
	if !(took > 0) || !(usual > 0) {
		return 0
	}
	long := took / (shortTime * usual)
	return max(took*usual/(took+usual), took/(1+long*long))
}

// split splits what tasks took in the profile's run, the first ones of which were the first of their stage on as many
// cores.
func (p *prior) split(cores int, cold float64) split {
	s := split{ok: true, unit: p.rate}
	seen, took, units, n := make([]bool, p.n), 0.0, 0.0, 0.0
	for i := range p.n {
		if seen[i] = p.took[i] > 0 && p.units[i] > 0; seen[i] {
			took, units, n = took+p.took[i], units+p.units[i], n+1
		}
	}
	if n == 0 {
		return s
	}
	all := struct{ took, units float64 }{took, units}
	if p.records {
		s.slow = make([]float64, p.n)
		for _, part := range [][2]int{{0, min(cores, p.n)}, {min(cores, p.n), p.n}} {
			usual := p.usualRate(part[0], part[1])
			for i := part[0]; i < part[1]; i++ {
				s.slow[i] = 1
				if !seen[i] || !(p.took[i] > longRecords*usual*p.units[i]) || part[1]-part[0] < 3 {
					continue
				}
				s.slow[i] = 1 + slowAgain*(p.took[i]/(usual*p.units[i])-1)
				took, units, n = took-p.took[i], units-p.units[i], n-1
				seen[i] = false
			}
		}
	}
	var later, heads struct{ took, units, n float64 }
	for i, ok := range seen {
		g := &later
		if i < cores {
			g = &heads
		}
		if ok {
			g.took, g.units, g.n = g.took+p.took[i], g.units+p.units[i], g.n+1
		}
	}
	usual := headShare * cold
	if s.every = within(took/n, everyShare*cold); later.n > 0 {
		s.every = within(later.took/later.n, everyShare*cold)
	}
	if later.n > 0 && heads.n > 0 && usual > 0 {
		rate := max(0, later.took-later.n*s.every) / later.units
		shown := (heads.took-rate*heads.units)/heads.n - s.every
		sigma := noiseSigma * heads.took / heads.n * math.Sqrt(1/heads.n+1/later.n)
		a, b := 1/(usual*usual), 1/(sigma*sigma)
		s.head = max(0, (a*usual+b*shown)/(a+b))
		s.head = min(s.head, heads.took/heads.n-s.every)
	} else if heads.n > 0 {
		s.head = within(heads.took/heads.n-s.every, usual)
	}
	s.unit = max(leastWork, took-n*s.every-heads.n*s.head) / units
	// A profile of several runs has a mean rate, which times of tasks of one run do not tell.
	if scale := p.rate * all.units / all.took; scale > 0 && !math.IsInf(scale, 0) {
		s.unit, s.every, s.head = s.unit*scale, s.every*scale, s.head*scale
	}
	return s
}

// usualRate is the median of what tasks take a unit.
func (p *prior) usualRate(from, to int) float64 {
	var rates []float64
	for i := from; i < to; i++ {
		if p.took[i] > 0 && p.units[i] > 0 {
			rates = append(rates, p.took[i]/p.units[i])
		}
	}
	if len(rates) == 0 {
		return math.Inf(1)
	}
	slices.Sort(rates)
	return rates[len(rates)/2]
}
