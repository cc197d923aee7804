package runreport

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// Limits are how long the run would have taken with one thing changed, or would take if it changed now. The values
// come from whatif's replay.
type Limits struct {
	Summary string  `json:"says"`
	Rows    []Limit `json:"rows"` // the change that helps most first
}

// A Limit is one answer.
type Limit struct {
	Question     string         `json:"question"`
	Change       string         `json:"change"` // as flags of whatif; "" if it has no flag
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	GainSeconds  *frame.Seconds `json:"gain_seconds"` // sooner; negative: later
	Doubt        *string        `json:"doubt"`
}

// A question is a change that whatif evaluates.
type question struct {
	text, flags string
	change      whatif.Change
	doubt       string // in addition to those of the replay
}

// mostUnlike is the largest error of the replay of a finished run, relative to the run, with which changes are
// evaluated.
const mostUnlike = 0.15

// limitsOf evaluates the changes that might have helped.
func limitsOf(run dag.Run, model estimators.Model) Limits {
	l := Limits{Rows: []Limit{}}
	s := run.Now()
	replay, base, why, err := replayOf(run, model)
	switch {
	case err != nil:
		l.Summary = "What would help cannot be told: " + name(err.Error()) + "."
		return l
	case replay == nil:
		l.Summary = why
		return l
	}
	doubt, miss := "", 0.0
	if w, doubtful := replay.Doubt(); doubtful {
		doubt, miss = w.Text, replay.Miss()
	}
	if math.Abs(miss) > mostUnlike {
		l.Summary = fmt.Sprintf("A replay of the run comes out %s than it was, so what would have helped cannot be said.",
			differs(miss))
		return l
	}
	for _, q := range questions(s, replay) {
		row, ok := ask(replay, q, base, doubt)
		if ok {
			l.Rows = append(l.Rows, row)
		}
	}
	sortLimits(l.Rows)
	l.Summary = l.summary(s.State.Ended(), base, miss)
	return l
}

// replayOf returns the replay and the run's actual or predicted length. The replay is nil if none is possible; why is
// the reason.
func replayOf(run dag.Run, model estimators.Model) (r *whatif.Replay, base time.Duration, why string, err error) {
	s := run.Now()
	switch {
	case s.State == dag.Succeeded:
		past, ok := whatif.Again(run)
		if !ok {
			return nil, 0, "No job has run, so nothing can be learned for what would have been.", nil
		}
		r, err = whatif.NewReplayOf(past, model)
		return r, past.Took, "", err
	case s.State.Ended():
		return nil, 0, "What did not run is not known, so nobody can say what would have helped.", nil
	}
	r = whatif.NewReplay(run, model)
	a, err := r.Predict(whatif.Change{})
	if err != nil {
		return nil, 0, "", err
	}
	if a.Remaining == nil || !(a.AssumedRatio <= mostAssumed) {
		return nil, 0, "What would help cannot be told: too much is assumed of what is left.", nil
	}
	return r, r.Elapsed() + *a.Remaining, "", nil
}

// mostAssumed is the greatest share of a time that may be assumed, as in headlines.
const mostAssumed = 1.0 / 3

// questions returns the questions that apply to a run.
func questions(s *dag.Snapshot, replay *whatif.Replay) []question {
	room := replay.Room()
	word := room.Policy.Slot()
	all := []question{
		{"a " + word + " for every task", "--slots inf", whatif.Change{Slots: []whatif.Slots{{N: math.Inf(1)}}}, ""},
	}
	if room.Total() > 0 {
		all = append(all, question{
			"twice the " + word + "s", "--slots 2x",
			whatif.Change{Slots: []whatif.Slots{{Op: whatif.Times, N: 2}}},
			"",
		})
	}
	even, lost, slow := shape(s)
	if lost && s.State.Ended() {
		q := question{text: noFailures, change: whatif.Change{Unfailing: true}}
		if slices.ContainsFunc(s.Nodes, func(n dag.NodeState) bool { return n.Lost }) {
			q.doubt = "a node was lost, and what its slots were worth is not in this answer: only the attempts that were lost are"
		}
		all = append(all, q)
	}
	if even != "" {
		all = append(all, question{even, "--skew none", whatif.Change{Even: true}, ""})
	}
	if room.Policy == dag.YARN && len(slow) > 0 {
		for _, ratio := range []float64{0.05, 1} {
			if !slow[ratio] || len(slow) > 1 {
				all = append(all, question{fmt.Sprintf("reduces asked for when %.0f %% of the maps are done",
					100*ratio), fmt.Sprintf("--slowstart %g", ratio), whatif.Change{SlowStart: &ratio}, ""})
			}
		}
	}
	return append(all, question{
		"a " + word + " for every task, no start-ups and no pauses", "--policy ideal",
		whatif.Change{Policy: whatif.Ideal},
		"",
	})
}

// shape returns which work could be spread evenly, "" for none, whether an attempt was lost, and at which ratios of
// finished maps reduces are requested.
func shape(s *dag.Snapshot) (even string, lost bool, slow map[float64]bool) {
	slow = map[float64]bool{}
	for j := range s.Jobs {
		p := &s.Plan.Jobs[j]
		for k := range p.NumStages() {
			stage := &p.Stages[k]
			reads := len(stage.After) > 0 && stage.Count() > 1
			switch {
			case reads && !p.IsMapReduce():
				even = "the work of each stage that reads others spread evenly over its tasks"
			case reads && even == "":
				even = "the work of each job spread evenly over its reduces"
			}
			if k == dag.Reduce && p.IsMapReduce() && stage.Count() > 0 {
				slow[p.MapReduce.SlowStart] = true
			}
			for i := range s.Jobs[j].Stages[k].Attempts {
				a := &s.Jobs[j].Stages[k].Attempts[i]
				lost = lost || a.State == dag.AttemptFailed ||
					a.State == dag.AttemptKilled && !s.Jobs[j].Stages[k].Overtaken(i)
			}
		}
	}
	return even, lost, slow
}
