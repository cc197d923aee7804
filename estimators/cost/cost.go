// Package cost predicts how long the remaining tasks of each stage take, and how uncertain that is: the cost law.
//
// A task of stage s takes
//
//	T = (over·e^o + work·e^r) · e^(d_s) · e^ε
//
// where work and over are its expected milliseconds before the run has shown anything. The work grows with the task's
// records, the overhead does not. r and o are the run's paces of work and of overhead, d_s is the stage's own change,
// and ε is the residual of the task. All four are normal with mean 0 and the standard deviations of Numbers; r and o
// are correlated. Tasks that have ended give the posterior of r, o and every d_s. The estimate is a replay at the
// posterior means. A range comes from the ends of replays with draws from the posterior.
//
// Times that are plain floats are milliseconds.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package cost

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/keygroups"
	"github.com/paratimer/paratimer/estimators/load"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// A Model is the cost law of one run at one instant.
type Model struct {
	overheads
	delta   float64 // Options.DeltaBytes
	nodes   nodes
	keys    []*keygroups.Prediction // by job; nil: its key groups are unknown
	pauses  []pause                 // of the driver
	between *between                // pauses of MapReduce jobs
	stalled load.Stall
	wide    estimators.Factors // for the remaining time of attempts with counters that do not change
}

// Options are the settings of a model. The zero value is the default.
type Options struct {
	Numbers    *Numbers // nil: those of the run's engine
	DeltaBytes float64  // NearestFit's δ: how far the size of a neighbor may be away; 0: that of nearestfit.Default
}

// Costs returns the costs of a run by the cost law, with the numbers of its engine. If the plan has the costs of all
// tasks, it returns the paper's costs in two cases: on the paper's slots, and in plans with stages other than maps
// and reduces.
func Costs(run dag.Run) estimators.Costs { return With(Options{})(run) }

// Of returns the numbers of the engine of a plan.
func Of(p *dag.Plan) *Numbers {
	switch {
	case p.Cluster.Policy == dag.Executors:
		return &Spark
	case p.OnlyMapReduce() && profiles.HasCosts(p):
		return &Planned
	case p.OnlyMapReduce():
		return &MapReduce
	}
	return &Tez
}

// With returns a model that is Costs with options.
func With(opt Options) estimators.Model {
	return func(run dag.Run) estimators.Costs {
		plan := run.Now().Plan
		if profiles.HasCosts(plan) && (plan.Cluster.Policy == dag.FIFO || !plan.OnlyMapReduce()) {
			return planCosts(run, opt)
		}
		m := newModel(run, opt)
		if m.mapReduce && !m.given {
			m.findStall()
		}
		c := estimators.Costs{
			Left: m.left, Full: m.full, Rem: m.rem, Completed: m.s, AssumedRatio: m.assumedRatio,
			// The time of an unseen MapReduce stage is too uncertain for a single time that depends on it.
			Measured: !m.mapReduce,
			Sampling: m.sampling, Residuals: m.profile.Residuals(), TaskSize: m.taskSize,
			InRecords: !m.mapReduce || plan.Cluster.Policy == dag.FIFO,
			Warnings:  m.warnings(), NodeFactors: m.nodes.factors,
			Groups: m.groupCosts(func(in *Model) schedule.Left { return in.left }),
		}
		if !m.silent() && m.seenAny() && m.executors {
			c.Later = m.expectLater
		}
		return c
	}
}

func newModel(run dag.Run, opt Options) *Model {
	m := &Model{overheads: overheads{observations: observe(run, opt.Numbers)}, delta: opt.DeltaBytes}
	m.wide = estimators.NewFactors(nil, m.numbers.UnseenSigma)
	if !m.mapReduce {
		m.cold = taskcost.MS(m.s.Plan.Overheads.Cold)
	}
	m.between = pausesOf(&m.observations)
	m.launch = m.launchesOf(&run.Now().Plan.Overheads)
	m.growTasks()
	(&sizes{overheads: &m.overheads}).expect()
	m.learnPace(m.between.groups())
	m.learnStages()
	m.nodes = nodesOf(&m.overheads)
	m.learnGroups()
	for _, st := range m.ordered {
		st.findAlike()
	}
	switch {
	case !m.mapReduce:
		m.pauses = driverPauses(&m.overheads)
	case !m.given:
		m.between.expect(&m.s.Plan.Overheads, m.pace.loaded)
	}
	return m
}

// warnings returns the warnings about the costs of MapReduce jobs; nil for other plans.
func (m *Model) warnings() []dag.Warning {
	if !m.mapReduce {
		return nil
	}
	return slices.Concat(
		load.Warnings(m.s), m.nodes.warnings(m.s), m.profileWarnings(), m.groupWarnings(), m.stalled.Warnings(),
	)
}

// doubtedPace is the ratio of the pace of work to the profile's run, or its inverse, from which on the profile may be
// of another script.
const doubtedPace = 10

// findStall finds a stall and expects it to last as long again as it has lasted.
func (m *Model) findStall() {
	if m.stalled = load.FindStall(m.s, m.left); m.stalled != 0 {
		m.s.NextContainer = m.s.At.Add(time.Duration(m.stalled))
	}
}

// profileWarnings returns a warning if no profile fits, or if the profile seems to be of another script.
func (m *Model) profileWarnings() []dag.Warning {
	switch was, pace := m.profile, m.againstProfile(); {
	case was == nil && len(m.s.Profiles) > 0:
		return []dag.Warning{{Code: dag.WarnNoProfile, Text: fmt.Sprintf("no profile fits %s: none has a job of the same name, "+
			"feature or aliases; learn one from a run of this script", m.s.Plan.Name)}}
	case was != nil && m.lost:
		return []dag.Warning{{Code: dag.WarnProfileDoubted, Text: fmt.Sprintf("most of the time of the profile %s's tasks does "+
			"not grow with their records: this larger run is predicted from its own tasks", was.Plan.Name)}}
	case was != nil && math.Abs(pace) >= math.Log(doubtedPace):
		return []dag.Warning{{Code: dag.WarnProfileDoubted, Text: fmt.Sprintf("this run takes %.2g times as long for a tuple as "+
			"the profile %s says: is it of the same script and cluster?", math.Exp(pace), was.Plan.Name)}}
	}
	return nil
}

// againstProfile returns the logarithm of how many times as long as in the profile's run work takes. It is the mean
// over the observed stages; 0 if there are none. The run's pace alone would not show it, because an outlying stage
// hardly moves that pace.
func (m *Model) againstProfile() float64 {
	sum, n := 0.0, 0.0
	for _, st := range m.ordered {
		if st.prior.N > 0 && st.origin == schedule.Observed {
			sum, n = sum+m.pace.a+st.change.mean, n+1
		}
	}
	return sum / max(n, 1)
}

// taskSize returns the expected units of a task; NaN if unknown.
func (m *Model) taskSize(j int, k dag.StageIndex, i int) float64 {
	if st := &m.stages[j][k]; st.records && i >= 0 && i < st.n {
		return st.units[i]
	}
	return math.NaN()
}
