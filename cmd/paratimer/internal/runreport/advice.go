package runreport

import (
	"cmp"
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/units"
)

// An Advice names the largest avoidable delay of a Spark run, and the remedy.
type Advice struct {
	Rule        string         `json:"rule"`
	Stage       *string        `json:"stage"` // null if it is about the whole run
	Summary     string         `json:"says"`  // what lengthened the run
	Help        string         `json:"help"`
	GainSeconds *frame.Seconds `json:"gain_seconds"` // null if no replay can answer it
}

// A finding is the result of a rule. Its gain is that of a replay with the change, unless the rule has set it.
type finding struct {
	Advice
	cost   time.Duration // how much of the critical path it is about at most
	change whatif.Change
	last   bool // it counts only if there is no other finding, and no cause that is worth more
}

// rules are the reasons for which a run of Spark is slow. Each returns a finding without a cost if it does not apply.
var rules = []func(*evidence) finding{
	(*evidence).skew, (*evidence).spill, (*evidence).collection, (*evidence).fewPartitions, (*evidence).manyPartitions,
	(*evidence).smallFiles, (*evidence).slowNode, (*evidence).driver, (*evidence).copies, (*evidence).fewCores,
}

// advise returns the finding that would save most by replay or, if no replay fits the run, the one that is about most
// of the critical path. It is nil if there is no evidence, and if no rule finds a tenth of the run.
func (e *evidence) advise() *Advice {
	if e == nil {
		return nil
	}
	var best *finding
	worth := func(f *finding) time.Duration {
		if f.GainSeconds != nil {
			return f.GainSeconds.Duration()
		}
		return f.cost
	}
	for _, rule := range rules {
		f := rule(e)
		if f.Rule == "" || f.cost.Seconds() < leastNamed*e.length.Seconds() {
			continue
		}
		if f.GainSeconds == nil && !f.change.None() {
			f.GainSeconds = e.Limits.gain(f.change)
		}
		if f.GainSeconds != nil && f.GainSeconds.Duration().Seconds() < leastNamed/2*e.length.Seconds() {
			continue
		}
		if best == nil || cmp.Or(order(best.last)-order(f.last), cmp.Compare(worth(&f), worth(best))) > 0 {
			best = &f
		}
	}
	if c := e.largestCause(); best == nil || best.last && c != nil && c.Cause != pathfrag.Work.String() &&
		c.Seconds.Duration() > worth(best) {
		return nil
	}
	return &best.Advice
}

// gain returns how much sooner the run would have ended with a change; nil if a replay cannot answer it.
func (l *Limits) gain(c whatif.Change) *frame.Seconds {
	if l.replay == nil {
		return nil
	}
	a, err := l.replay.Predict(c)
	if err != nil || a.Remaining == nil || !(a.AssumedRatio <= frame.MostAssumed) {
		return nil
	}
	return new(frame.SecondsOf(max(l.base-l.replay.Elapsed()-*a.Remaining, 0)))
}

// text returns the advice in two sentences.
func (a *Advice) text(length frame.Seconds, ended bool) string {
	would, save := "would help", "would save"
	if ended {
		would, save = "would have helped", "would have saved"
	}
	if a.GainSeconds == nil || length <= 0 {
		return fmt.Sprintf("%s. %s %s.", a.Summary, a.Help, would)
	}
	return fmt.Sprintf("%s. %s %s about %s, %s.", a.Summary, a.Help, save, units.Seconds(*a.GainSeconds),
		units.Percent(float64(*a.GainSeconds/length)))
}

// An evidence is the input of rules: the stages of a Spark application, and its report.
type evidence struct {
	*Report
	snap   *dag.Snapshot
	cores  int
	length time.Duration
	stages []*stageEvidence // those with counters
}

// A stageEvidence is a stage with the counters of its tasks.
type stageEvidence struct {
	*dag.Stage
	index  dag.StageIndex
	onPath time.Duration
	list   []*dag.Attempt
	counts StageTime     // their sums
	total  time.Duration // the length of all
}

// evidenceOf returns nil for other engines, and before anything is known.
func evidenceOf(s *Report, snap *dag.Snapshot) *evidence {
	if snap.Plan == nil || snap.Plan.Cluster.Policy != dag.Executors || len(snap.Jobs) != 1 || s.ElapsedSeconds == nil {
		return nil
	}
	e := &evidence{Report: s, snap: snap, length: s.ElapsedSeconds.Duration(), cores: 1}
	if s.Limits.replay != nil {
		e.length, e.cores = s.Limits.base, max(s.Limits.replay.Room().Total(), 1)
	}
	for k := range snap.Jobs[0].NumStages() {
		state := &snap.Jobs[0].Stages[k]
		for i := range state.Attempts {
			e.cores = max(e.cores, int(state.Attempts[i].Slot)+1)
		}
		st := &stageEvidence{
			Stage: &snap.Plan.Jobs[0].Stages[k], index: k, onPath: s.TimeAttribution.byStage[stageKey{0, k}],
			list: measured(state),
		}
		for _, a := range st.list {
			st.total += a.End.Sub(a.Start)
		}
		if st.total > 0 {
			st.counts.sum(st.list)
			e.stages = append(e.stages, st)
		}
	}
	return e
}

// mean returns the mean of a value of the tasks, in seconds.
func (st *stageEvidence) mean(of func(*dag.Attempt) time.Duration) float64 {
	sum := time.Duration(0)
	for _, a := range st.list {
		sum += of(a)
	}
	return sum.Seconds() / float64(len(st.list))
}

func lengthOf(a *dag.Attempt) time.Duration { return a.End.Sub(a.Start) }

// A remedy is the change that a rule proposes in a stage: cost is the part of the critical path that it is about.
type remedy struct {
	cost   time.Duration
	change whatif.StageChange
}

// find applies a rule to each stage. The stage with the greatest cost is the one that the advice names; describe
// returns its finding.
func (e *evidence) find(
	rule, help string, of func(*stageEvidence) remedy, describe func(*stageEvidence) string,
) finding {
	f, most := finding{}, time.Duration(0)
	for _, st := range e.stages {
		r := of(st)
		if r.cost <= 0 {
			continue
		}
		r.change.Stage = st.index
		f.cost += r.cost
		f.change.Stages = append(f.change.Stages, r.change)
		if r.cost > most {
			most = r.cost
			f.Advice = Advice{Rule: rule, Stage: frame.Text(st.Label()), Summary: describe(st), Help: help}
		}
	}
	return f
}

// without is the remedy that removes a part of the time of each task.
func (st *stageEvidence) without(part func(*dag.Attempt) time.Duration) remedy {
	share := st.mean(part) / st.mean(lengthOf)
	if !(share > 0) {
		return remedy{}
	}
	factors := map[int]float64{}
	for _, a := range st.list {
		if a.State == dag.AttemptSucceeded && a.End > a.Start {
			factors[int(a.Task)] = 1 - part(a).Seconds()/lengthOf(a).Seconds()
		}
	}
	return remedy{time.Duration(share * float64(st.onPath)), whatif.StageChange{Work: func(task int) float64 {
		if f, ok := factors[task]; ok {
			return f
		}
		return 1 - share
	}}}
}

// split is the remedy that gives a stage another number of tasks. Of the mean task, over seconds are spent once per
// task, however large it is.
func (st *stageEvidence) split(tasks int, over float64, cost time.Duration) remedy {
	mean, ratio := st.mean(lengthOf), float64(st.Count())/float64(tasks)
	factor := (over + (mean-over)*ratio) / mean
	return remedy{cost, whatif.StageChange{Tasks: tasks, Work: func(int) float64 { return factor }}}
}
