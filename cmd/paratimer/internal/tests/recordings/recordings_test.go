package recordings

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestRecordings replays each recording once. Run reports are sound, at the end and along the way, and can be drawn.
// The explanations of the predicted end's moves are calm: no line is wider than 100 columns, no move is taken back
// within ten seconds, few are reported, and at most a tenth of them has no cause.
func TestRecordings(t *testing.T) {
	t.Parallel()
	reported, err := fixtures.Recordings("recordings")
	if err != nil {
		t.Fatal(err)
	}
	busy, err := fixtures.Recordings("recordings-busy")
	if err != nil {
		t.Fatal(err)
	}
	histories, err := filepath.Glob(fixtures.Recording("*.jhist.gz"))
	if err != nil || len(histories) == 0 {
		t.Fatalf("no job history among the recordings: %v", err)
	}
	var mu sync.Mutex
	all, other, raw, figures := 0, 0, 0, 0
	t.Run("each", func(t *testing.T) {
		for _, path := range slices.Concat(reported, histories) {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				g := &runreport.Collector{From: filepath.Base(path), Model: cost.Costs}
				each := &sounding{t: t, g: g}
				var seen *movesSeen
				if sinks := []watch.Sink{g, each}; slices.Contains(histories, path) {
					replay(t, path, sinks...)
				} else {
					seen = replayMoves(t, path, sinks...)
				}
				each.check()
				if name, _, _ := strings.Cut(filepath.Base(path), "."); name == "queues-1" {
					each.hasNoAnswers() // its replay misses it by a third
				}
				mu.Lock()
				defer mu.Unlock()
				figures += each.figures
				seen.add(&all, &other, &raw)
			})
		}
		for _, path := range busy {
			t.Run("busy "+filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				seen := replayMoves(t, path)
				mu.Lock()
				defer mu.Unlock()
				seen.add(&all, &other, &raw)
			})
		}
	})
	n := len(reported) + len(busy)
	t.Logf("%d figures are sound; %d moves reported for %d raw parts in %d recordings, %d of them without a cause",
		figures, all, raw, n, other)
	if all == 0 || other*10 > all {
		t.Errorf("%d of %d moves have no cause", other, all)
	}
	if all > 2*n {
		t.Errorf("%d moves are reported in %d recordings", all, n)
	}
}

// replay plays a recording to sinks.
func replay(t *testing.T, path string, sinks ...watch.Sink) {
	t.Helper()
	every := time.Duration(fixtures.Long(6, 0)) * time.Second // 0: as it was recorded, about every 3 s
	src, err := input.OpenRecording(path, recording.Options{Every: every})
	if err != nil {
		t.Fatal(err)
	}
	w := watch.Watch{
		Source: src, Estimators: follow.EstimatorSetOf(cost.Costs, follow.Battery{}, 20), Sinks: sinks,
		Log: zerolog.Nop(),
		Bounds: []alert.Bound{{
			Name: "outside-bounds", Kind: alert.OutsideBounds,
			Threshold: alert.DefaultThreshold, Hold: alert.DefaultHold,
		}},
	}
	if _, err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// replayMoves plays a recording to sinks and checks the reported moves of the predicted end.
func replayMoves(t *testing.T, path string, sinks ...watch.Sink) *movesSeen {
	t.Helper()
	seen := &movesSeen{t: t}
	var text strings.Builder
	replay(t, path, append(sinks, seen, view.NewText(&text, false))...)
	for line := range strings.SplitSeq(text.String(), "\n") {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("a line is wider than 100 columns: %s", line)
		}
	}
	seen.calm()
	return seen
}
