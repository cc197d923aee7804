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

	helps  *Limit         // the feasible one that helps most; nil if none helps
	replay *whatif.Replay // nil if there is none, or if it misses the run by too much
	base   time.Duration  // the length of the run
}

// A Limit is one answer.
type Limit struct {
	Question     string        `json:"question"`
	Change       string        `json:"change"` // as flags of whatif; "" if it has no flag
	TotalSeconds frame.Seconds `json:"total_seconds"`
	GainSeconds  frame.Seconds `json:"gain_seconds"` // sooner
	Doubt        *string       `json:"doubt"`
}

const (
	// mostUnlike is the largest error of the replay of a finished run, relative to the run, with which changes are
	// evaluated.
	mostUnlike = 0.15
	// leastGain is the least gain of an answer, in seconds: a change that makes the run longer does not help.
	leastGain = 0.5
	// worth is the least gain to report, as a share of the run: less is noise of the replay.
	worth = 0.02
)

// limitsOf evaluates the changes that might have helped.
func limitsOf(run dag.Run, model estimators.Model) Limits {
	l := Limits{Rows: []Limit{}}
	replay, base, err := replayOf(run, model)
	if err != nil {
		l.Summary = "Not answered: " + view.Escape(err.Error()) + "."
		return l
	}
	l.replay, l.base = replay, base
	doubt, _ := replay.Doubt()
	for _, q := range questions(run.Now(), replay.Room()) {
		if row, ok := q.answer(replay, base, doubt.Text); ok {
			l.Rows = append(l.Rows, row)
		}
	}
	slices.SortStableFunc(l.Rows, func(a, b Limit) int { return cmp.Compare(b.GainSeconds, a.GainSeconds) })
	l.choose(run.Now().State.Ended(), base)
	return l
}

// A question is a change that whatif evaluates.
type question struct {
	applies     bool
	text, flags string
	change      whatif.Change
	doubt       string // in addition to those of the replay
}

// questions returns the questions about a run. Some that do not apply to it are only dropped when they are evaluated.
func questions(s *dag.Snapshot, room whatif.Room) []question {
	late, early, lost := 1.0, 0.05, ""
	if slices.ContainsFunc(s.Nodes, func(n dag.NodeState) bool { return n.Lost }) {
		lost = "a node was lost: only its lost attempts are counted, not its missing slots"
	}
	word, yarn := room.Policy.Slot(), room.Policy == dag.YARN && s.Plan.OnlyMapReduce()
	every, ideal := "a "+word+" for every task", "a "+word+" for every task, no start-ups and no pauses"
	twice, all := []whatif.Slots{{Op: whatif.Times, N: 2}}, []whatif.Slots{{N: math.Inf(1)}}
	return []question{
		{true, every, "--slots inf", whatif.Change{Slots: all}, ""},
		{true, "the work of each stage spread evenly", "--skew none", whatif.Change{Even: true}, ""},
		{true, ideal, "--policy ideal", whatif.Change{Ideal: true}, ""},
		{room.Total() > 0, "twice the " + word + "s", "--slots 2x", whatif.Change{Slots: twice}, ""},
		{s.State.Ended(), noFailures, "", whatif.Change{Unfailing: true}, lost},
		{yarn, "reduces requested when 5% of the maps are done", "--slowstart 0.05", whatif.Change{SlowStart: &early}, ""},
		{yarn, "reduces requested when all maps are done", "--slowstart 1", whatif.Change{SlowStart: &late}, ""},
	}
}

// answer answers the question by replay. ok is false if the question does not apply to the run, if too much of the
// answer is assumed, or if it does not shorten the run.
func (q *question) answer(replay *whatif.Replay, base time.Duration, doubt string) (row Limit, ok bool) {
	if !q.applies {
		return row, false
	}
	a, err := replay.Predict(q.change)
	if err != nil || a.Remaining == nil || !(a.AssumedRatio <= frame.MostAssumed) {
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

// replayOf returns the replay and the run's actual or predicted length. The error is why there is none.
func replayOf(run dag.Run, model estimators.Model) (r *whatif.Replay, base time.Duration, err error) {
	if r, err = whatif.Of(run, model); err != nil {
		return nil, 0, err
	}
	if took := r.Took(); took > 0 {
		if math.Abs(r.Miss()) > mostUnlike {
			err = fmt.Errorf("a replay of the run takes %s, not %s",
				units.Exact(time.Duration((1+r.Miss())*float64(took)).Round(time.Millisecond)), units.Exact(took))
		}
		return r, took, err
	}
	a, err := r.Predict(whatif.Change{})
	if err != nil {
		return nil, 0, err
	}
	if a.Remaining == nil || !(a.AssumedRatio <= frame.MostAssumed) {
		return nil, 0, errors.New("too much of the remaining work is assumed")
	}
	return r, r.Elapsed() + *a.Remaining, nil
}

// choose names the feasible change that helps most, if it reaches worth: an ideal cluster and unlimited slots are not
// feasible.
func (l *Limits) choose(ended bool, base time.Duration) {
	take := "would take"
	if ended {
		take = "would have taken"
	}
	at := slices.IndexFunc(l.Rows, func(r Limit) bool {
		return r.Change != "--policy ideal" && r.Change != "--slots inf" && float64(r.GainSeconds) >= worth*base.Seconds()
	})
	if at < 0 {
		l.Summary = fmt.Sprintf("No feasible change %s %s or more off.", take, units.Percent(worth))
		return
	}
	l.helps = &l.Rows[at]
	l.Summary = fmt.Sprintf("With %s it %s %s instead of %s: %s less.", l.helps.Question, take,
		units.Seconds(l.helps.TotalSeconds), units.Exact(base),
		units.Percent(float64(l.helps.GainSeconds)/base.Seconds()))
}
