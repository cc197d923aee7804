package observed

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// Costs is the cost model of a run: the paper's where the plan tells what every task costs on slots, or in jobs with
// other stages than maps and reduces; that of package cost for other such jobs; else what the run's own counters show,
// with what the plan tells as one more profile.
func Costs(run dag.Run) estimators.Costs { return costs(run, Options{}) }

// With is Costs with other options.
func With(opt Options) estimators.Model {
	return func(run dag.Run) estimators.Costs { return costs(run, opt) }
}

func costs(run dag.Run, opt Options) estimators.Costs {
	now := run.Now()
	switch others := !now.Plan.OnlyMapReduce(); {
	case (others || now.Plan.Cluster.Policy == dag.FIFO) && tellsCosts(now.Plan):
		return keyed(run, estimators.Paper(estimators.ObservedSlowdown)(run), opt)
	case others:
		return cost.Costs(run)
	}
	if tellsAny(now.Plan) {
		run = newest(run, itsOwnProfile(now))
	}
	return New(run, opt).Costs()
}

// newest is the run with s in place of its newest snapshot.
func newest(run dag.Run, s *dag.Snapshot) dag.Run {
	n := len(run.Window) - 1
	return dag.Run{Window: append(run.Window[:n:n], s), Anchors: run.Anchors}
}

// itsOwnProfile is the snapshot with its plan among the profiles, before all others.
func itsOwnProfile(s *dag.Snapshot) *dag.Snapshot {
	out := *s
	out.Profiles = append([]*dag.Plan{s.Plan}, s.Profiles...)
	return &out
}

// tellsAny says whether a plan knows what the tasks of some phase cost.
func tellsAny(plan *dag.Plan) bool {
	unknown := func(p dag.Pipeline) bool { return !p.Alpha.Known() }
	for j := range plan.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			if all := plan.Jobs[j].Stages[k].Pipelines; len(all) > 0 && !slices.ContainsFunc(all, unknown) {
				return true
			}
		}
	}
	return false
}

// tellsCosts says whether a plan knows what every task costs.
func tellsCosts(plan *dag.Plan) bool {
	for j := range plan.Jobs {
		for k := range plan.Jobs[j].Stages {
			p := &plan.Jobs[j].Stages[k]
			if !p.Known || p.Tasks > 0 && len(p.Pipelines) == 0 {
				return false
			}
			for _, pipe := range p.Pipelines {
				if !pipe.Tuples.Known() || !pipe.Alpha.Known() {
					return false
				}
			}
		}
	}
	return true
}

// keyed is the paper's costs, but for the reduces of jobs that go by their key groups: a plan tells a reduce's time by
// its records, and it is the linear model that has to be beaten. Key groups are a matter of maps and reduces alone: a
// plan that has other stages too keeps the paper's costs, with a warning.
func keyed(run dag.Run, paper estimators.Costs, opt Options) estimators.Costs {
	now := run.Now()
	if !anyGroups(now) {
		return paper
	}
	if !now.Plan.OnlyMapReduce() {
		paper.Warnings = append(slices.Clone(paper.Warnings), dag.Warning{
			Code: dag.WarnKeyGroups,
			Text: "key groups are not used: the plan has jobs with other stages than maps and reduces",
		})
		return paper
	}
	if tellsAny(now.Plan) {
		run = newest(run, itsOwnProfile(now))
	}
	m := New(run, opt)
	by := func(job int, k dag.StageIndex) bool { return k == dag.Reduce && m.ByGroups(job) }
	left := func(m *Model) schedule.Left {
		return func(t schedule.Task) schedule.Cost {
			if t.Stage == dag.Reduce && m.ByGroups(t.Job) {
				return m.Left(t)
			}
			return paper.Left(t)
		}
	}
	out := paper
	out.Left = left(m)
	out.Full = func(job int, k dag.StageIndex, i int) float64 {
		if by(job, k) {
			return m.Full(job, k, i)
		}
		return paper.Full(job, k, i)
	}
	out.Rem = func(job int, k dag.StageIndex, i int) float64 {
		if by(job, k) {
			return m.Rem(job, k, i)
		}
		return paper.Rem(job, k, i)
	}
	out.Warnings = slices.DeleteFunc(slices.Clone(m.Warnings), func(w dag.Warning) bool {
		return w.Code != dag.WarnKeyGroups
	})
	out.Residuals = m.residuals
	out.Groups = m.groupCosts(left)
	return out
}

// anyGroups says whether anything tells of key groups: the run, its plan or a profile.
func anyGroups(s *dag.Snapshot) bool {
	planned := func(p *dag.Plan) bool {
		return slices.ContainsFunc(p.Jobs, func(j dag.Job) bool {
			return j.IsMapReduce() &&
				j.Stages[dag.Reduce].Groups != nil
		})
	}
	return slices.ContainsFunc(s.Jobs, func(j dag.JobState) bool { return j.Groups != nil }) ||
		planned(s.Plan) || slices.ContainsFunc(s.Profiles, planned)
}

// Costs are what the model says of each task, and all else that it knows.
func (m *Model) Costs() estimators.Costs {
	return estimators.Costs{
		Left: m.Left, Full: m.Full, Rem: m.Rem,
		Completed: m.Snapshot, Warnings: m.Warnings, NodeFactors: m.NodeFactors, AssumedRatio: m.AssumedRatio,
		Sampling:  m.Sampling,
		Residuals: m.residuals, TaskSize: m.TaskSize, InRecords: m.fifo,
		Groups: m.groupCosts(func(in *Model) schedule.Left { return in.Left }),
	}
}

// groupCosts are what the model knows of key groups; left makes costs of it with reduces in one form.
func (m *Model) groupCosts(left func(in *Model) schedule.Left) estimators.GroupCosts {
	return estimators.GroupCosts{Of: m.KeyGroups, Used: m.ByGroups, In: func(f estimators.GroupForm) schedule.Left {
		if in := m.inForm(f); in != nil {
			return left(in)
		}
		return nil
	}}
}

// Left predicts what is left of a task, as schedule.Left wants it.
func (m *Model) Left(t schedule.Task) schedule.Cost {
	ph := &m.phases[t.Job][t.Stage]
	if a := t.Running; a != nil {
		setup, work, origin := m.running(ph, t.Stage, a)
		return schedule.Cost{Setup: taskcost.Duration(setup), Work: taskcost.Duration(work), Origin: origin, Same: 1}
	}
	work, origin := ph.work(t.Index, int32(t.Node))
	n := m.Snapshot.Plan.Jobs[t.Job].Stages[t.Stage].Count()
	return schedule.Cost{
		Setup:  taskcost.Duration(m.startCost(t.Stage, int32(t.Node), max(t.Together, 1), t.Cold)),
		Work:   taskcost.Duration(work),
		Origin: origin, Same: ph.same(t.Index, n),
	}
}

// startCost is the set-up of a task that starts later on a node (-1: any) with n-1 others there, cold or not; a
// reduce's copy of map outputs that are there is part of it.
func (m *Model) startCost(k dag.StageIndex, node int32, n int, cold bool) float64 {
	cost := m.setup.at(n) * m.setup.on(node)
	if cold {
		cost += m.setup.cold
	}
	if k == dag.Reduce && !m.fifo && !m.given {
		cost += copyMS
	}
	return cost
}

// Full is the whole length of a task that starts alone and not among the first, in milliseconds.
func (m *Model) Full(j int, k dag.StageIndex, i int) float64 {
	ph := &m.phases[j][k]
	work, _ := ph.work(i, -1)
	return m.startCost(k, -1, 1, false) + work
}

// Rem is what is left of a task, in milliseconds: 0 when it is done, all of it while it is pending.
func (m *Model) Rem(j int, k dag.StageIndex, i int) float64 {
	attempts := m.Snapshot.Jobs[j].Stages[k].Attempts
	best := math.NaN()
	for at := find(attempts, int32(i)); at < len(attempts) && attempts[at].Task == int32(i); at++ {
		switch a := &attempts[at]; a.State {
		case dag.AttemptSucceeded:
			return 0
		case dag.AttemptRunning:
			setup, work, _ := m.running(&m.phases[j][k], k, a)
			if left := setup + work; math.IsNaN(best) || left < best {
				best = left
			}
		}
	}
	if math.IsNaN(best) {
		return m.Full(j, k, i)
	}
	return best
}

// running is what is left of set-up and work of an attempt.
func (m *Model) running(ph *phase, k dag.StageIndex, a *dag.Attempt) (setup, work float64, origin schedule.Origin) {
	c := m.course(ph, k, a)
	return c.setupLeft(), c.workLeft(), c.origin
}

// doubted is the origin of a running attempt's cost. One that is far past its time has met something that no counter
// tells (a dead node, a stalled disk): what is left of it is unknown.
func (m *Model) doubted(left float64, origin schedule.Origin) schedule.Origin {
	if left < -max(farPastMS, farPastReports*taskcost.MS(m.Snapshot.Plan.Overheads.Report)) {
		return schedule.Unknown
	}
	return origin
}

// An attempt is far past its time by so many milliseconds, and so many reports.
const (
	farPastMS      = 10_000
	farPastReports = 5
)

// ownRate blends an attempt's own rate, watched for dt, with its phase's.
func ownRate(alpha, dt, units float64) float64 {
	switch {
	case math.IsNaN(alpha):
		if dt >= minSampleMS/2 && units > 0 {
			return dt / units
		}
		return alpha
	case dt < minSampleMS || units <= 0 || alpha <= 0:
		return alpha
	}
	return taskcost.Blend(dt, units, alpha, taskcost.OwnPriorMS)
}

func find(attempts []dag.Attempt, task int32) int {
	lo, hi := 0, len(attempts)
	for lo < hi {
		if mid := (lo + hi) / 2; attempts[mid].Task < task {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
