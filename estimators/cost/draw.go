package cost

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A sampling is the state that all draws of a tick share. Draws only read it.
type sampling struct {
	m        *Model
	rests    map[*dag.Attempt]estimators.Rest
	starts   map[*dag.Attempt]float64 // remaining milliseconds of starts, not in rests, at pace 1
	pauses   []estimators.Rest        // parallel to Model.pauses
	failures estimators.FailureLaw
}

// sampling prepares draws. It returns nil if nothing has shown the cost of any work, or if the rest is unknown.
func (m *Model) sampling() func(estimators.Draws) estimators.Drawn {
	s := &sampling{m: m, rests: map[*dag.Attempt]estimators.Rest{}, starts: map[*dag.Attempt]float64{}}
	sum, n := 0.0, 0.0
	for _, st := range m.ordered {
		st.average = 0
		change := st.meanChange()
		for i := range st.work {
			sum, n = sum+m.pace.changed(st, i, change), n+1
			st.average += st.work[i] / float64(len(st.work))
		}
		for _, r := range st.running {
			s.rests[r.attempt] = m.rest(st, r)
			if r.start > 0 {
				s.starts[r.attempt] = r.start
			}
		}
	}
	if !m.seenAny() || m.silent() {
		return nil
	}
	for _, p := range m.pauses {
		s.pauses = append(s.pauses, estimators.NewRest(taskcost.MS(p.expected), taskcost.MS(p.waited),
			estimators.NewFactors(nil, m.numbers.Pause), 1))
	}
	s.failures = estimators.NewFailureLaw(m.s, sum/max(n, 1))
	return s.sample
}

// sample draws one possible course of the run: its pauses, the costs of its tasks and their failures.
func (s *sampling) sample(d estimators.Draws) estimators.Drawn {
	m := s.m
	z := func(u estimators.Use, j int, k dag.StageIndex) float64 { return estimators.Normal(d.Common(u, j, k)) }
	// Cholesky factor of the covariance of the paces.
	l11 := math.Sqrt(m.pace.aa)
	l21 := m.pace.ab / l11
	l22 := math.Sqrt(max(0, m.pace.bb-l21*l21))
	zr, zo := z(estimators.ForRate, -1, 0), z(estimators.ForSetup, 0, 0)
	work := m.pace.factor * math.Exp(l11*zr)
	over := m.pace.loaded * math.Exp(l21*zr+l22*zo)
	drift := math.Exp(m.numbers.Drift * z(estimators.ForSpeed, 0, 0))
	grown := z(estimators.ForSize, 0, 0)
	launching, launched := d.Common(estimators.ForSetup, -1, 0), 1.0
	if m.launch.shown == 0 {
		launched = over / m.pace.loaded
	}
	type factors struct{ change, size, head float64 }
	by := dag.ByStage[factors](m.s.Plan)
	for j := range m.stages {
		for k := range m.stages[j] {
			st := &m.stages[j][k]
			i := dag.StageIndex(k) //nolint:gosec // an index
			head := m.numbers.Head
			if st.single {
				head = st.up.sigma
			}
			f := factors{size: 1, head: drift * math.Exp(head*z(estimators.ForSetup, j+1, i))}
			if rate := z(estimators.ForRate, j, i); st.keyed != nil {
				f.change = drift * math.Exp(st.keyed.Common*rate)
			} else {
				f.change = drift * math.Exp(st.change.mean+st.change.sigma*rate)
				f.size = math.Exp(st.growth.sigma * grown)
			}
			by[j][k] = f
		}
	}
	left := func(t schedule.Task) schedule.Cost {
		st := &m.stages[t.Job][t.Stage]
		u := d.Task(estimators.ForWork, t.Job, t.Stage, t.Index, t.Attempt)
		f := &by[t.Job][t.Stage]
		whole, own := f.change*st.unchanged(t.Index, work*f.size, over), st.own
		if ms := st.keyed.whole(t.Index); ms >= 0 {
			whole, own = f.change*ms, st.keyed.own[t.Index]
		}
		if t.Running != nil {
			if r, ok := s.rests[t.Running]; ok {
				left := r.At(u, whole/max(m.pace.whole(st, t.Index), 1e-9))
				return schedule.Cost{
					Setup: taskcost.Duration(s.starts[t.Running] * m.pace.overhead(st) / m.pace.loaded * over * f.head),
					Work:  taskcost.Duration(min(left, m.copied(st, t.Running))), Same: 1,
				}
			}
		}
		if t.Count > 1 && st.keyed == nil {
			mean := f.change * st.own.Mean() * st.scaled(st.average, work*f.size, over)
			sum, most, n := 0.0, mean*float64(t.Count), 0
			own := st.own.Values()
			for n == 0 || n < t.Count && sum < most {
				u := d.Task(estimators.ForWork, t.Job, t.Stage, t.Index+n, t.Attempt)
				sum += f.change * st.unchanged(t.Index+n, work*f.size, over) * own.At(u)
				n++
			}
			return schedule.Cost{Work: taskcost.Duration(sum), Same: n}
		}
		whole *= m.nodes.factor(int32(t.Node)) //nolint:gosec // an index
		launch := m.startup(st, t)
		more := m.more(st, t) * f.head
		if st.prior.N > 0 || st.single {
			more *= over / m.pace.loaded
		} else {
			more *= f.change / math.Exp(st.change.mean)
		}
		more += launch.At(launching, launched)
		return schedule.Cost{Setup: taskcost.Duration(more), Work: taskcost.Duration(whole * own.At(u)), Same: 1}
	}
	snapshot := s.drawPauses(d)
	if m.mapReduce {
		snapshot = m.drawBetween(d, over)
	}
	drawn := estimators.Drawn{Snapshot: snapshot, Left: left, Fault: s.failures.Fault(d, m.s.At), Runs: true}
	if m.s.Plan.Open {
		drawn.Later = m.later(d.Common(estimators.ForOther, 0, 0))
	}
	return drawn
}

// drawPauses returns the snapshot of one draw, with the pauses of the driver drawn.
func (s *sampling) drawPauses(d estimators.Draws) *dag.Snapshot {
	if len(s.m.pauses) == 0 {
		return s.m.s
	}
	out, plan := *s.m.s, *s.m.s.Plan
	out.Plan, plan.Jobs = &plan, dag.CloneJobs(plan.Jobs)
	for i := range s.m.pauses {
		p := &s.m.pauses[i]
		drawn := p.waited + taskcost.Duration(s.pauses[i].At(d.Common(estimators.ForPause, p.j, p.k), 1))
		if p.k == dag.NoStage {
			plan.Overheads.Finish = drawn
		} else {
			plan.Jobs[p.j].Stages[p.k].Pause = drawn
		}
	}
	return &out
}

// later draws the length of work that the engine has not announced and that no profile has, by a uniform number u. It
// is 0, or a lognormal part of the time that has passed and the known rest. The more stages a program has had, the
// smaller this part.
func (m *Model) later(u float64) func(known time.Duration) time.Duration {
	num, elapsed, stages := m.numbers, m.s.Elapsed(), 0
	for j := range m.stages {
		stages += len(m.stages[j])
	}
	return func(known time.Duration) time.Duration {
		if u < num.NothingLater {
			return 0
		}
		z := estimators.Normal((u - num.NothingLater) / (1 - num.NothingLater))
		part := math.Exp(num.Later+num.LaterSigma*z) / float64(max(stages, 1))
		return time.Duration(math.Min(part*float64(elapsed+known), float64(dag.MaxLength)))
	}
}

// expectLater returns the median of later if more work comes, and the probability that more comes. An estimate
// without it would be the time of the known work alone, which is too short for most programs.
func (m *Model) expectLater(known time.Duration) (expected time.Duration, probability float64) {
	nothing := m.numbers.NothingLater
	return m.later(nothing + (1-nothing)/2)(known), 1 - nothing
}
