package runreport

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// ask evaluates one question by replay. ok is false if the question does not apply to the run or has no effect.
func ask(replay *whatif.Replay, q question, base time.Duration, doubt string) (row Limit, ok bool) {
	row = Limit{Question: q.text, Change: q.flags, Doubt: frame.Text(cmp.Or(doubt, q.doubt))}
	a, err := replay.Predict(q.change)
	if cannot := (*whatif.UnsupportedError)(nil); errors.As(err, &cannot) {
		return row, false
	}
	if err != nil {
		row.Doubt = frame.Text(err.Error())
		return row, true
	}
	for _, w := range a.Warnings {
		switch {
		case w.Code == whatif.WarnNoEffect:
			return row, false
		case row.Doubt == nil:
			row.Doubt = frame.Text(w.Text)
		}
	}
	if a.Remaining == nil || !(a.AssumedRatio <= mostAssumed) {
		if row.Doubt == nil {
			row.Doubt = frame.Text("too much is assumed of what is left")
		}
		return row, true
	}
	total := frame.SecondsOf(replay.Elapsed() + *a.Remaining)
	gain := frame.SecondsOf(base - total.Duration())
	row.TotalSeconds, row.GainSeconds = &total, &gain
	return row, true
}

// sortLimits sorts the largest gain first and unknown ones last.
func sortLimits(rows []Limit) {
	slices.SortStableFunc(rows, func(a, b Limit) int {
		switch {
		case a.GainSeconds == nil || b.GainSeconds == nil:
			return cmp.Compare(known(b.GainSeconds), known(a.GainSeconds))
		default:
			return cmp.Compare(*b.GainSeconds, *a.GainSeconds)
		}
	})
}

func known(s *frame.Seconds) int {
	if s == nil {
		return 0
	}
	return 1
}

// worth is the least gain to report, as a share of the run: less is noise of the replay.
const worth = 0.02

// best returns the row with the largest gain among the feasible ones: an ideal cluster and unlimited slots are not
// feasible. It returns nil if no gain reaches worth.
func (l *Limits) best(base time.Duration) *Limit {
	for i := range l.Rows {
		r := &l.Rows[i]
		if r.GainSeconds != nil && r.Change != "--policy ideal" && r.Change != "--slots inf" &&
			float64(*r.GainSeconds) >= worth*base.Seconds() {
			return r
		}
	}
	return nil
}

// unknown returns the feasible questions that have no answer.
func (l *Limits) unknown() (questions []string) {
	for i := range l.Rows {
		if r := &l.Rows[i]; r.TotalSeconds == nil && r.Change != "--policy ideal" && r.Change != "--slots inf" {
			questions = append(questions, r.Question)
		}
	}
	return questions
}

// summary returns the result as sentences. miss is how much longer the replay is than the run was, as a ratio, if
// that makes every answer doubtful; else 0.
func (l *Limits) summary(ended bool, base time.Duration, miss float64) string {
	take, gain, length := "would take", "would gain", "the "+units.Exact(base)+" that are predicted"
	if ended {
		take, gain, length = "would have taken", "would have gained", "the "+units.Exact(base)+" that it took"
	}
	var summary []string
	unknown, nothing := l.unknown(), "nothing"
	if len(unknown) > 0 {
		summary, nothing = append(summary, "too much is assumed to tell of "+list(unknown)), "nothing else"
	}
	if best := l.best(base); best != nil {
		with := fmt.Sprintf("with %s it %s %s instead of %s: %s less", best.Question, take,
			units.Seconds(*best.TotalSeconds), length,
			units.Percent(best.GainSeconds.Duration().Seconds()/base.Seconds()))
		if best.Doubt != nil && miss == 0 {
			with += ", with a doubt that is said beside it"
		}
		summary = append(summary, with)
	} else {
		summary = append(summary, fmt.Sprintf("%s that was asked about and can be had %s 2 %% or more off %s", nothing,
			take, length))
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		switch {
		case r.Change != "--slots inf" || r.TotalSeconds == nil:
		case float64(*r.GainSeconds) < worth*base.Seconds():
			summary = append(summary, fmt.Sprintf("even %s %s nothing", r.Question, gain))
		default:
			summary = append(summary, fmt.Sprintf("even with %s it %s about %s", r.Question, take,
				units.Seconds(*r.TotalSeconds)))
		}
	}
	text := strings.Join(summary, "; ") + "."
	if miss != 0 {
		return fmt.Sprintf("Doubtful, for a replay of the run comes out %s than it was: %s", differs(miss), text)
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// differs returns how much longer or shorter the replay of a run is, from a ratio.
func differs(miss float64) string {
	if miss < 0 {
		return units.Percent(-miss) + " shorter"
	}
	return units.Percent(miss) + " longer"
}
