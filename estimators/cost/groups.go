package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/keygroups"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// Key groups are another way to predict the times of tasks (package keygroups). If there is evidence that they
// predict them better than bytes, they replace the law's work. Starts and pauses remain those of the law.

// keyed is the work of the tasks of a stage by their key groups.
type keyed struct {
	*keygroups.Work
	fixed []float64            // milliseconds of copy and sort in the plan, by task
	own   []estimators.Factors // by task
}

// learnGroups predicts reduces by their key groups, in the jobs for which these are known.
func (m *Model) learnGroups() {
	m.keys = make([]*keygroups.Prediction, len(m.stages))
	for _, st := range m.ordered {
		state := &m.s.Jobs[st.j]
		if !st.single || st.maps || state.State.Ended() {
			continue
		}
		maps, was := &m.stages[st.j][dag.Map], profiles.Stage(m.profile.Job(st.j), st.plan.Name)
		if st.plan.Groups != nil {
			was = st.plan
		}
		if state.Groups == nil && (was == nil || was.Groups == nil) || len(st.ended) >= st.n {
			continue
		}
		s := keygroups.Stage{
			Tasks: st.n, Attempts: st.state.Attempts, Groups: state.Groups, Feeders: maps.n,
			Silent: st.origin >= schedule.Assumed || slices.ContainsFunc(st.running, m.silentTask),
			Growth: math.NaN(), Slowdown: m.pace.factor * math.Exp(maps.change.mean), DeltaBytes: m.delta,
		}
		if st.bytes && st.records {
			s.Bytes = dag.Each(st.units)
		}
		if was != nil {
			s.Profile, s.ProfileBytes = was.Groups, was.Bytes
		}
		if maps.prior.N > 0 {
			s.Growth = math.Exp(maps.growth.mean)
		} else {
			s.Slowdown = 1
		}
		p := keygroups.Predict(s)
		if m.keys[st.j] = p; p != nil && p.Work != nil {
			st.keyed = newKeyed(p.Work, was)
		}
	}
}

// newKeyed rounds standard deviations up to multiples of the least one, so that tasks share their factors.
func newKeyed(w *keygroups.Work, was *dag.Stage) *keyed {
	out := &keyed{Work: w, fixed: make([]float64, len(w.Left)), own: make([]estimators.Factors, len(w.Left))}
	made := map[int]estimators.Factors{}
	for i := range out.own {
		if was != nil {
			for p := range min(len(was.Pipelines), dag.Work) {
				pipe := &was.Pipelines[p]
				out.fixed[i] += taskcost.Finite(pipe.Tuples.At(i) * pipe.Alpha.At(i))
			}
		}
		if i < len(w.Spread) {
			step := int(math.Ceil(w.Spread[i] / keygroups.LeastSpread))
			f, ok := made[step]
			if !ok {
				f = estimators.NewFactors(nil, float64(step)*keygroups.LeastSpread)
				made[step] = f
			}
			out.own[i] = f
		}
	}
	return out
}

// whole returns the milliseconds of task i without its start; NaN if key groups do not predict it.
func (w *keyed) whole(i int) float64 {
	if w == nil || i < 0 || i >= len(w.Whole) {
		return math.NaN()
	}
	return w.Whole[i] + w.fixed[i]
}

// rest returns the remaining work of a running attempt; ok is false if key groups do not predict it.
func (w *keyed) rest(r *observation, now dag.Instant) (rest estimators.Rest, ok bool) {
	i := r.task
	if math.IsNaN(w.whole(i)) {
		return rest, false
	}
	if w.Attempt[i] == r.attempt.Number && w.Since[i].Known() {
		return estimators.NewRest(w.Left[i], max(0, float64(now-w.Since[i])), w.own[i], 1), true // clocks differ
	}
	return estimators.NewRest(w.whole(i)+r.over, r.took, w.own[i], 1), true
}

// groupCosts returns the costs by key groups. left makes the costs of a model with reduces predicted in one form.
func (m *Model) groupCosts(left func(in *Model) schedule.Left) estimators.GroupCosts {
	return estimators.GroupCosts{
		Of:   m.groupsOf,
		Used: m.usesGroups,
		In: func(f estimators.GroupForm) schedule.Left {
			if in := m.inForm(f); in != nil {
				return left(in)
			}
			return nil
		},
	}
}

// usesGroups reports whether the reduces of a job are predicted by their key groups.
func (m *Model) usesGroups(job int) bool {
	return m.keys[job] != nil && m.keys[job].Work != nil
}

// groupsOf returns the key groups of a job's reduces, and the time of one group by NearestFit. The groups are nil if
// they are unknown, the time is nil if NearestFit does not predict the reduces.
func (m *Model) groupsOf(job int) (*dag.Groups, estimators.GroupTime) {
	if p := m.keys[job]; p != nil {
		return p.Sizes, p.Time
	}
	if plan := &m.s.Plan.Jobs[job]; plan.IsMapReduce() {
		return plan.Stages[dag.Reduce].Groups, nil
	}
	return nil, nil
}

// inForm returns the model with reduces predicted in one form; nil if no unfinished job has the data for it.
func (m *Model) inForm(f estimators.GroupForm) *Model {
	var out *Model
	for j, p := range m.keys {
		if p == nil {
			continue
		}
		w := p.Form(f)
		if w == nil {
			continue
		}
		if out == nil {
			in := *m
			in.stages = slices.Clone(m.stages)
			out = &in
		}
		out.stages[j] = slices.Clone(m.stages[j])
		out.stages[j][dag.Reduce].keyed = newKeyed(w, nil)
		out.stages[j][dag.Reduce].findAlike()
	}
	return out
}

// groupWarnings returns a warning for each job with reduces that are predicted by their key groups.
func (m *Model) groupWarnings() []dag.Warning {
	var out []dag.Warning
	for j := range m.keys {
		if m.usesGroups(j) {
			out = append(out, dag.Warning{Code: dag.WarnKeyGroups, Text: "the reduces of job " + m.s.Plan.Jobs[j].Node +
				" are predicted by their " + m.keys[j].Basis()})
		}
	}
	return out
}

// anyGroups reports whether the run, its plan or a profile has key groups.
func anyGroups(s *dag.Snapshot) bool {
	planned := func(p *dag.Plan) bool {
		return slices.ContainsFunc(p.Jobs, func(j dag.Job) bool {
			return j.IsMapReduce() && j.Stages[dag.Reduce].Groups != nil
		})
	}
	return slices.ContainsFunc(s.Jobs, func(j dag.JobState) bool { return j.Groups != nil }) ||
		planned(s.Plan) || slices.ContainsFunc(s.Profiles, planned)
}

// planCosts returns the paper's costs, except for reduces that are predicted by their key groups. A plan has the time
// of a reduce by its records: key groups are compared with this linear model. They apply only to plans of maps and
// reduces.
func planCosts(run dag.Run, opt Options) estimators.Costs {
	c := paper.Model(paper.ObservedSlowdown)(run)
	switch now := run.Now(); {
	case !anyGroups(now):
		return c
	case !now.Plan.OnlyMapReduce():
		c.Warnings = append(slices.Clone(c.Warnings), dag.Warning{
			Code: dag.WarnKeyGroups,
			Text: "key groups are not used: the plan has jobs with other stages than maps and reduces",
		})
		return c
	}
	m := newModel(run, opt)
	left := func(in *Model) schedule.Left {
		return func(t schedule.Task) schedule.Cost {
			if in.stages[t.Job][t.Stage].keyed != nil {
				return in.left(t)
			}
			return c.Left(t)
		}
	}
	out := c
	out.Left = left(m)
	type ofTask = func(j int, k dag.StageIndex, i int) float64
	either := func(by, other ofTask) ofTask {
		return func(j int, k dag.StageIndex, i int) float64 {
			if m.stages[j][k].keyed != nil {
				return by(j, k, i)
			}
			return other(j, k, i)
		}
	}
	out.Full, out.Rem = either(m.full, c.Full), either(m.rem, c.Rem)
	out.Warnings, out.Residuals, out.Groups = m.groupWarnings(), m.profile.Residuals(), m.groupCosts(left)
	return out
}
