package runreport

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// Limits are how long the run would have taken with one thing changed, or would take if it changed now. The values
// come from whatif's replay.
type Limits struct {
	Summary string  `json:"says"`
	Rows    []Limit `json:"rows"` // the change that helps most first
}

// A Limit is one answer.
type Limit struct {
	Question     string        `json:"question"`
	Change       string        `json:"change"` // as flags of whatif; "" if it has no flag
	TotalSeconds frame.Seconds `json:"total_seconds"`
	GainSeconds  frame.Seconds `json:"gain_seconds"` // sooner
	Doubt        *string       `json:"doubt"`
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
func limitsOf(run dag.Run, model estimators.Model, lost bool) Limits {
	l := Limits{Rows: []Limit{}}
	replay, base, err := replayOf(run, model)
	if err != nil {
		l.Summary = "Not answered: " + view.Escape(err.Error()) + "."
		return l
	}
	doubt, _ := replay.Doubt()
	for _, q := range questions(run.Now(), replay.Room(), lost) {
		if row, ok := evaluate(replay, q, base, doubt.Text); ok {
			l.Rows = append(l.Rows, row)
		}
	}
	slices.SortStableFunc(l.Rows, func(a, b Limit) int { return cmp.Compare(b.GainSeconds, a.GainSeconds) })
	l.Summary = l.summary(run.Now().State.Ended(), base)
	return l
}

// evaluate answers one question by replay. ok is false if the question does not apply to the run, if too much of the
// answer is assumed, or if it does not shorten the run.
func evaluate(replay *whatif.Replay, q question, base time.Duration, doubt string) (row Limit, ok bool) {
	a, err := replay.Predict(q.change)
	if err != nil || a.Remaining == nil || !(a.AssumedRatio <= mostAssumed) {
		return row, false
	}
	doubt = cmp.Or(doubt, q.doubt)
	for _, w := range a.Warnings {
		if w.Code == whatif.WarnNoEffect {
			return row, false
		}
		doubt = cmp.Or(doubt, w.Text)
	}
	total := frame.SecondsOf(replay.Elapsed() + *a.Remaining)
	gain := frame.SecondsOf(base - total.Duration())
	return Limit{q.text, q.flags, total, gain, frame.Text(doubt)}, gain >= leastGain
}

// leastGain is the least gain of an answer, in seconds: a change that makes the run longer does not help.
const leastGain = 0.5

// worth is the least gain to report, as a share of the run: less is noise of the replay.
const worth = 0.02

// best returns the row with the largest gain among the feasible ones: an ideal cluster and unlimited slots are not
// feasible. It returns nil if no gain reaches worth.
func (l *Limits) best(base time.Duration) *Limit {
	for i := range l.Rows {
		r := &l.Rows[i]
		if r.Change != "--policy ideal" && r.Change != "--slots inf" && float64(r.GainSeconds) >= worth*base.Seconds() {
			return r
		}
	}
	return nil
}

// replayOf returns the replay and the run's actual or predicted length. The error is why there is none.
func replayOf(run dag.Run, model estimators.Model) (r *whatif.Replay, base time.Duration, err error) {
	s := run.Now()
	if s.State == dag.Succeeded {
		past, ok := whatif.Again(run)
		if !ok {
			return nil, 0, errors.New("no job has run")
		}
		r, err = whatif.NewReplayOf(past, model)
		if err == nil && math.Abs(r.Miss()) > mostUnlike {
			err = fmt.Errorf("a replay of the run takes %s, not %s",
				units.Exact(time.Duration((1+r.Miss())*float64(past.Took)).Round(time.Millisecond)),
				units.Exact(past.Took))
		}
		return r, past.Took, err
	}
	if s.State.Ended() {
		return nil, 0, errors.New("the run did not succeed")
	}
	r = whatif.NewReplay(run, model)
	a, err := r.Predict(whatif.Change{})
	if err != nil {
		return nil, 0, err
	}
	if a.Remaining == nil || !(a.AssumedRatio <= mostAssumed) {
		return nil, 0, errors.New("too much is assumed of what is left")
	}
	return r, r.Elapsed() + *a.Remaining, nil
}

// mostAssumed is the greatest share of a time that may be assumed, as in headlines.
const mostAssumed = 1.0 / 3

// questions returns the questions about a run. Those that do not apply to it are dropped when they are evaluated. lost
// means that attempts failed or were killed.
func questions(s *dag.Snapshot, room whatif.Room, lost bool) []question {
	word := room.Policy.Slot()
	twice, late, early := []whatif.Slots{{Op: whatif.Times, N: 2}}, 1.0, 0.05
	all := []question{
		{"a " + word + " for every task", "--slots inf", whatif.Change{Slots: []whatif.Slots{{N: math.Inf(1)}}}, ""},
		{"no skew", "--skew none", whatif.Change{Even: true}, ""},
		{
			"a " + word + " for every task, no start-ups and no pauses", "--policy ideal",
			whatif.Change{Ideal: true},
			"",
		},
	}
	if room.Total() > 0 {
		all = append(all, question{"twice the " + word + "s", "--slots 2x", whatif.Change{Slots: twice}, ""})
	}
	if lost && s.State.Ended() {
		q := question{text: noFailures, change: whatif.Change{Unfailing: true}}
		if slices.ContainsFunc(s.Nodes, func(n dag.NodeState) bool { return n.Lost }) {
			q.doubt = "a node was lost: only its lost attempts are counted, not what its slots were worth"
		}
		all = append(all, q)
	}
	if room.Policy == dag.YARN && s.Plan.OnlyMapReduce() {
		all = append(all, question{
			"reduces requested when 5% of the maps are done", "--slowstart 0.05", whatif.Change{SlowStart: &early}, "",
		}, question{"reduces requested when all maps are done", "--slowstart 1", whatif.Change{SlowStart: &late}, ""})
	}
	return all
}

// summary names the change that helps most.
func (l *Limits) summary(ended bool, base time.Duration) string {
	take := "would take"
	if ended {
		take = "would have taken"
	}
	best := l.best(base)
	if best == nil {
		return fmt.Sprintf("No feasible change %s %s or more off.", take, units.Percent(worth))
	}
	return fmt.Sprintf("With %s it %s %s instead of %s: %s less.", best.Question, take,
		units.Seconds(best.TotalSeconds), units.Exact(base), units.Percent(float64(best.GainSeconds)/base.Seconds()))
}
