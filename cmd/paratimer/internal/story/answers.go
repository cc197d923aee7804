package story

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// ask asks one question; ok is false where it means nothing to the run.
func ask(replay *whatif.Replay, q question, base time.Duration, doubt string) (row Limit, ok bool) {
	row = Limit{Question: q.text, Change: q.flags, Doubt: frame.Text(doubt)}
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
		return row, true
	}
	total := frame.SecondsOf(replay.Elapsed() + *a.Remaining)
	gain := frame.SecondsOf(base - total.Duration())
	row.TotalSeconds, row.GainSeconds = &total, &gain
	return row, true
}

// sortLimits puts what helps most first, and what is not known last.
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

// worth is the least share of a run that a gain is told from: less is noise of the replay.
const worth = 0.02

// best is the row that helps most among those that somebody can do: no cluster is ideal, and none has a slot for every task.
func (l *Limits) best(base time.Duration) *Limit {
	for i := range l.Rows {
		r := &l.Rows[i]
		if r.GainSeconds != nil && r.Change != "--policy ideal" && r.Change != "--slots inf" && float64(*r.GainSeconds) >= worth*base.Seconds() {
			return r
		}
	}
	return nil
}

// says is what to see.
func (l *Limits) says(ended bool, base time.Duration, doubtful bool) string {
	would, length := "it would take", "the "+took(frame.SecondsOf(base))+" that are predicted"
	if ended {
		would, length = "it would have taken", "the "+took(frame.SecondsOf(base))+" that it took"
	}
	var says string
	if best := l.best(base); best != nil {
		says = fmt.Sprintf("With %s %s %s instead of %s: %s less.", best.Question, would, took(*best.TotalSeconds), length,
			percent(best.GainSeconds.Duration().Seconds()/base.Seconds()))
	} else {
		says = fmt.Sprintf("Nothing that was asked about would take 2 %% or more off %s.", length)
		if ended {
			says = fmt.Sprintf("Nothing that was asked about would have taken 2 %% or more off %s.", length)
		}
	}
	for i := range l.Rows {
		if r := &l.Rows[i]; r.Change == "--slots inf" && r.TotalSeconds != nil {
			says += fmt.Sprintf(" No number of slots or containers makes it shorter than about %s: that is its critical path.", took(*r.TotalSeconds))
		}
	}
	if doubtful {
		says += " All of this is doubtful: something lengthened or shortened the run that is not in its tasks."
	}
	return says
}
