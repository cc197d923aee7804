package recordings

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// movesSeen collects what people are told of the predicted end's moves.
type movesSeen struct {
	t     *testing.T
	moves []toldAt
	raw   int // parts of raw moves
}

type toldAt struct {
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
		m.t.Errorf("at %v: %d moves are told, %d events moved the end", *f.ElapsedSeconds, n, events)
	}
	for _, move := range f.Moves {
		m.moves = append(m.moves, toldAt{*f.ElapsedSeconds, move})
	}
	return nil
}

// TestMovesOfRecordings holds on all recordings how calm the explanations are: few moves are told, at most a tenth of
// them has no cause, none is taken back within ten seconds, and no line is wider than 100 columns.
func TestMovesOfRecordings(t *testing.T) {
	t.Parallel()
	paths, err := fixtures.Recordings("recordings", "recordings-busy")
	if err != nil {
		t.Fatal(err)
	}
	all, other, raw := 0, 0, 0
	for _, path := range paths {
		src, file, err := input.OpenRecording(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		seen := &movesSeen{t: t}
		var text strings.Builder
		w := watch.Watch{
			Source: src, Estimators: follow.EstimatorSet(false, 20),
			Sinks: []watch.Sink{seen, view.NewText(&text, false)}, Log: zerolog.Nop(),
		}
		_, err = w.Run(t.Context())
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		raw += seen.raw
		for line := range strings.SplitSeq(text.String(), "\n") {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("%s: a line is wider than 100 columns: %s", filepath.Base(path), line)
			}
		}
		for i, m := range seen.moves {
			all++
			if m.Reason == "other" {
				other++
			}
			for _, next := range seen.moves[i+1:] {
				if next.at-m.at <= 10 && m.DeltaSeconds*next.DeltaSeconds < 0 &&
					max(next.DeltaSeconds, -next.DeltaSeconds) > max(m.DeltaSeconds, -m.DeltaSeconds)/2 {
					t.Errorf("%s: %+v at %v is taken back at %v by %+v", filepath.Base(path), m.Move, m.at, next.at,
						next.Move)
				}
			}
		}
	}
	t.Logf("%d moves told of %d raw parts in %d recordings, %d of them without a cause", all, raw, len(paths), other)
	if all == 0 || other*10 > all {
		t.Errorf("%d of %d moves have no cause", other, all)
	}
	if all > 2*len(paths) {
		t.Errorf("%d moves are told in %d recordings", all, len(paths))
	}
}
