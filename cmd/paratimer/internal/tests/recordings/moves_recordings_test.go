package recordings

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// movesSeen collects the reported moves of the predicted end.
type movesSeen struct {
	t     *testing.T
	moves []moveAt
	raw   int // parts of raw moves
}

type moveAt struct {
	at frame.Seconds
	frame.Move
}

func (m *movesSeen) Show(tick frame.Tick) error {
	f := &tick.Frame
	events := 0
	for _, c := range f.Changes {
		m.raw++
		if c.Shown {
			events++
		}
		if c.Reason == "failure" && !c.Shown {
			m.t.Errorf("at %v: a failure is not shown", *f.ElapsedSeconds)
		}
	}
	if n := len(f.Moves); f.Headline.RemainingSeconds != nil && n < events {
		m.t.Errorf("at %v: %d moves are reported, %d events moved the end", *f.ElapsedSeconds, n, events)
	}
	for _, move := range f.Moves {
		m.moves = append(m.moves, moveAt{*f.ElapsedSeconds, move})
	}
	return nil
}

// calm checks that no move is taken back within ten seconds.
func (m *movesSeen) calm() {
	for i, move := range m.moves {
		for _, next := range m.moves[i+1:] {
			if next.at-move.at <= 10 && move.DeltaSeconds*next.DeltaSeconds < 0 &&
				max(next.DeltaSeconds, -next.DeltaSeconds) > max(move.DeltaSeconds, -move.DeltaSeconds)/2 {
				m.t.Errorf("%+v at %v is taken back at %v by %+v", move.Move, move.at, next.at, next.Move)
			}
		}
	}
}

// add counts the reported moves, those without a cause, and the parts of raw moves.
func (m *movesSeen) add(all, other, raw *int) {
	if m == nil {
		return
	}
	*all += len(m.moves)
	*raw += m.raw
	for _, move := range m.moves {
		if move.Reason == "other" {
			*other++
		}
	}
}
