package observed

import (
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A setupLaw predicts a task's start-up from how many tasks start on its node within 1.6 s: JVM starts are work for the
// node's cores, so n together take alone + each·n (docs/facts/measured.md 4: 0.3 + 0.55 n seconds on two cores).
// It is a straight line fitted to this run's start-ups by least squares, drawn towards the profile's line, or the
// default one, as if that had been seen priorWeight times; either at the pace of this run's pauses.
type setupLaw struct {
	alone, each float64 // milliseconds
	cold        float64 // more in the first batch of a run
	n           int     // start-ups seen
	together    map[*dag.Attempt]int
	fit         startFit
	node        []float64   // how many times as long the law's start-up takes on a node; nil where one law does for all
	first       dag.Instant // until when starts belong to the run's first batch
}

func (l *setupLaw) isCold(a *dag.Attempt) bool { return l.first.Known() && a.Start <= l.first }

// Default start-up, for clusters of which nothing is known: two cores a node, as in the recordings.
const (
	defaultAlone  = 700
	defaultEach   = 550
	defaultCold   = 1200
	priorWeight   = 1
	learnedWeight = 3
	nodeWeight    = 3
)

// startWindow is how close starts must be to slow each other down; the replay uses the same.
const startWindow = 1600

type started struct {
	at      dag.Instant
	node    int32
	job     int
	kind    dag.StageIndex
	mapsEnd dag.Instant // of its job
	a       *dag.Attempt
}

// learnSetup fits the law to the attempts that have reported, and to maps that were over too soon for that.
func (m *Model) learnSetup(s *dag.Snapshot, profile *profiles.Match) {
	starts := allStarts(s)
	if m.fifo {
		m.setup = setupLaw{first: dag.NoInstant}
		m.learnWhole(s, profile)
		return
	}
	m.setup = setupLaw{alone: defaultAlone, each: defaultEach, cold: defaultCold}
	if o := profile.Overheads(); o != nil && o.SetupPer+o.SetupMin > 0 {
		m.setup.alone, m.setup.each, m.setup.cold = taskcost.MS(o.SetupMin), taskcost.MS(o.SetupPer),
			taskcost.MS(o.Cold)
	}
	if m.given {
		o := &s.Plan.Overheads
		m.setup.alone, m.setup.each, m.setup.cold = taskcost.MS(s.Plan.Cluster.Setup+o.SetupMin),
			taskcost.MS(o.SetupPer), taskcost.MS(o.Cold)
		m.setup.together = countTogether(starts, 0)
		m.setup.first = firstBatch(starts)
		return
	}
	m.setup.alone, m.setup.each, m.setup.cold = m.setup.alone*m.pace, m.setup.each*m.pace, m.setup.cold*m.pace
	m.setup.together = countTogether(starts, startWindow/2)
	prior := float64(priorWeight)
	if m.learning {
		prior = learnedWeight // a profile is used for other numbers of starts than its run had
	}
	fit := &m.setup.fit
	for _, n := range []float64{1, 5, 9} {
		fit.add(prior/3.0, n, m.setup.alone+m.setup.each*n)
	}
	m.setup.first = firstBatch(starts)
	var seen []startedUp
	watched := map[int]bool{}
	for _, st := range starts {
		if took, ok := m.startup(st.kind, st.a, st.mapsEnd); ok {
			if m.setup.isCold(st.a) {
				took -= m.setup.cold
			}
			fit.add(1, float64(m.setup.together[st.a]), max(took, 0))
			seen = append(seen, startedUp{st.node, m.setup.together[st.a], max(took, 0)})
			watched[st.job] = watched[st.job] || st.kind == dag.Map
			m.setup.n++
		}
	}
	// In a run that goes on these are few, and of one batch.
	for j := range s.Jobs {
		if m.learning && !watched[j] {
			fit.addPhase(m.lengths(dag.Map, s.Jobs[j].Stages[dag.Map].Attempts))
		}
	}
	m.setup.alone, m.setup.each = fit.line()
	m.setup.learnNodes(seen)
}

// learnWhole finds the set-up of the paper's cluster, which all tasks take alike: what the plan gives, else what first
// reports of maps, tasks of unequal size and the profile tell, but no more than the shortest task took. It is 0 where
// nothing tells.
func (m *Model) learnWhole(s *dag.Snapshot, profile *profiles.Match) {
	if m.setup.alone = taskcost.MS(s.Plan.Cluster.Setup); m.setup.alone > 0 || m.given {
		return
	}
	fit := &m.setup.fit
	if profile != nil && !m.learning && profile.Plan.Cluster.Setup > 0 {
		was := taskcost.MS(profile.Plan.Cluster.Setup)
		fit.add(square(startNoise/(setupNoise*was)), 0, was)
	}
	shortest := math.Inf(1)
	for j := range s.Jobs {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				if took, ok := m.startup(k, &attempts[i], dag.NoInstant); ok {
					fit.add(square(startNoise/max(m.lag, minLagMS)), 0, took)
				}
			}
			tasks := m.lengths(k, attempts)
			for _, t := range tasks {
				shortest = min(shortest, t.length)
			}
			fit.addPhase(tasks)
		}
	}
	alone, _ := fit.line()
	m.setup.alone = min(alone, shortest)
}

// A startedUp is a start-up that was seen, of so many together.
type startedUp struct {
	node     int32
	together int
	took     float64
}

// learnNodes finds how much longer than the law says start-ups take on each node, each drawn towards it as if it had
// been seen to hold nodeWeight times.
func (l *setupLaw) learnNodes(seen []startedUp) {
	took, law := map[int32]float64{}, map[int32]float64{}
	sum := 0.0
	for _, s := range seen {
		if s.node < 0 {
			continue
		}
		took[s.node] += s.took
		law[s.node] += l.at(s.together)
		sum += l.at(s.together)
	}
	if len(took) < 2 || sum <= 0 {
		return
	}
	prior := nodeWeight * sum / float64(len(seen))
	l.node = make([]float64, slices.Max(slices.Collect(maps.Keys(took)))+1)
	for n := range l.node {
		l.node[n] = (took[int32(n)] + prior) / (law[int32(n)] + prior)
	}
}

// on is how many times as long a start-up takes on a node.
func (l *setupLaw) on(node int32) float64 {
	if node >= 0 && int(node) < len(l.node) {
		return l.node[node]
	}
	return 1
}

func allStarts(s *dag.Snapshot) []started {
	var out []started
	for j := range s.Jobs {
		end := mapsEnd(&s.Plan.Jobs[j], &s.Jobs[j])
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				if a := &attempts[i]; a.Start.Known() && a.State != dag.AttemptWaiting {
					out = append(out, started{a.Start, a.Node, j, k, end, a})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b started) int {
		if a.node != b.node {
			return int(a.node - b.node)
		}
		return int(a.at - b.at)
	})
	return out
}

// mapsEnd is when the job's last map ended; NoInstant while one is left.
func mapsEnd(job *dag.Job, js *dag.JobState) dag.Instant {
	last, n := dag.NoInstant, 0
	for i := range js.Stages[dag.Map].Attempts {
		if a := &js.Stages[dag.Map].Attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
			n++
			if !last.Known() || a.End > last {
				last = a.End
			}
		}
	}
	if n < job.Stages[dag.Map].Count() || n == 0 {
		return dag.NoInstant
	}
	return last
}

// countTogether counts, for each start, the starts on its node from one window before it to some time after: half a
// window fits real start-ups best, a simulated one knows of none after its own.
func countTogether(starts []started, after dag.Instant) map[*dag.Attempt]int {
	out := make(map[*dag.Attempt]int, len(starts))
	lo, hi := 0, 0
	for i, st := range starts {
		for lo < i && (starts[lo].node != st.node || starts[lo].at < st.at-startWindow) {
			lo++
		}
		hi = max(hi, i)
		for hi < len(starts) && starts[hi].node == st.node && starts[hi].at <= st.at+after {
			hi++
		}
		out[st.a] = hi - lo
	}
	return out
}

// firstBatch is the instant up to which starts belong to the first batch of the run.
func firstBatch(starts []started) dag.Instant {
	first := dag.NoInstant
	for _, st := range starts {
		if !first.Known() || st.at < first {
			first = st.at
		}
	}
	if first.Known() {
		first += startWindow
	}
	return first
}

// startup is how long a map took from its start to its first work. The first report comes when work is under way: it
// goes back by the attempt's own rate. A reduce tells it only where no map was left to wait for.
func (m *Model) startup(k dag.StageIndex, a *dag.Attempt, mapsEnd dag.Instant) (float64, bool) {
	if !a.Start.Known() {
		return 0, false
	}
	if k == dag.Reduce {
		if !a.CopyEnd.Known() || !mapsEnd.Known() || mapsEnd > a.Start || a.State == dag.AttemptFailed ||
			a.State == dag.AttemptKilled {
			return 0, false
		}
		return float64(a.CopyEnd-a.Start) - copyMS, true
	}
	if !a.First.At.Known() || a.End.Known() && a.First.At >= a.End {
		return 0, false // seen only when it was over
	}
	last, at := a.Last.Done, a.Last.At
	if a.State == dag.AttemptSucceeded && a.Done[0] > a.First.Done {
		last, at = a.Done[0], a.End
	}
	if at < a.First.At+1000 || last <= a.First.Done {
		return 0, false
	}
	rate := float64(at-a.First.At) / (last - a.First.Done)
	took := float64(a.First.At-a.Start) - m.lag - a.First.Done*rate
	return took, took > 0
}

// copyMS is what a reduce takes for copy when no map is left to wait for.
const copyMS = 300

// of is the start-up that the law gives an attempt that has started.
func (l *setupLaw) of(a *dag.Attempt) float64 {
	cost := l.at(l.together[a]) * l.on(a.Node)
	if l.isCold(a) {
		cost += l.cold
	}
	return cost
}

// at is the start-up of a task that starts with n-1 others.
func (l *setupLaw) at(n int) float64 { return l.alone + l.each*float64(max(n, 1)) }

// A startFit fits the line of a setupLaw by weighted least squares: start-ups y of tasks of which x start together. A
// start-up that was seen weighs 1, which is what one of a standard deviation of startNoise milliseconds tells.
type startFit struct{ n, x, y, xx, xy float64 }

const (
	startNoise  = 400
	lengthNoise = 0.05 // of a task's length for its size, relative
	setupNoise  = 0.2  // of a profile's set-up, relative
	minLagMS    = 100  // bounds how exactly the instant of a report is known
)

func square(v float64) float64 { return v * v }

func (f *startFit) add(w, x, y float64) {
	f.n, f.x, f.y, f.xx, f.xy = f.n+w, f.x+w*x, f.y+w*y, f.xx+w*x*x, f.xy+w*x*y
}

// A taskLength is what a task that has ended took in all.
type taskLength struct{ together, units, length float64 }

func (m *Model) lengths(k dag.StageIndex, attempts []dag.Attempt) []taskLength {
	var out []taskLength
	for i := range attempts {
		a := &attempts[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || a.End <= a.Start {
			continue
		}
		t := taskLength{float64(m.setup.together[a]), m.unit(k, a), float64(a.End - a.Start)}
		if m.setup.isCold(a) {
			t.length -= m.setup.cold
		}
		if t.units > 0 && t.length > 0 {
			out = append(out, t)
		}
	}
	return out
}

// addPhase adds tasks of which only the whole length is known: a start-up, and work at one rate that nobody knows. The
// rate is projected out of the normal equations (Frisch and Waugh 1933), so that tasks of one size that started in like
// company tell nothing.
func (f *startFit) addPhase(tasks []taskLength) {
	var p startFit
	var u, xu, uu, uy float64
	for _, t := range tasks {
		w := 1 / (1 + square(lengthNoise*t.length/startNoise))
		p.add(w, t.together, t.length)
		u, xu = u+w*t.units, xu+w*t.units*t.together
		uu, uy = uu+w*t.units*t.units, uy+w*t.units*t.length
	}
	if !(uu > 0) || math.IsInf(uu, 1) || p.n-u*u/uu <= 1e-9*p.n {
		return
	}
	f.n += p.n - u*u/uu
	f.x += p.x - u*xu/uu
	f.xx += p.xx - xu*xu/uu
	f.y += p.y - u*uy/uu
	f.xy += p.xy - xu*uy/uu
}

// line is the law in milliseconds, neither part of it below 0; 0 where nothing tells.
func (f *startFit) line() (alone, each float64) {
	if d := f.n*f.xx - f.x*f.x; d > 0 {
		each = max(0, (f.n*f.xy-f.x*f.y)/d)
	}
	if f.n > 0 {
		alone = max(0, (f.y-each*f.x)/f.n)
	}
	return alone, each
}
