package screen

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// TestOneMomentShowsOneNumber checks that one remaining time is worded alike by the text line, the screen's header and
// the row of its scenario, however it was shown before.
func TestOneMomentShowsOneNumber(t *testing.T) {
	t.Parallel()
	frameAt := func(at, left, low, high frame.Seconds) frame.Frame {
		f := frame.Frame{
			Workflow: frame.Workflow{State: dag.Running}, At: &frame.Time{Instant: 1_795_222_440_000},
			ElapsedSeconds: &at,
		}
		f.Headline = frame.Headline{
			RemainingSeconds: &left, LowSeconds: &low, HighSeconds: &high,
			EndAt: frame.TimeOf(f.At.Add(left.Duration())),
		}
		f.Estimates = []frame.Estimate{{
			Scenario: "standard", Meaning: "nothing fails", RemainingSeconds: &left,
			EndAt: f.Headline.EndAt,
		}}
		return f
	}
	const want = "~20m"
	now := frameAt(420, 1235, 900, 1900)

	var lines strings.Builder
	text := view.NewText(&lines, false)
	for _, f := range []frame.Frame{frameAt(120, 1340, 1000, 1500), now} {
		if err := text.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	all := strings.Split(strings.TrimSpace(lines.String()), "\n")
	if newest := all[len(all)-1]; !strings.Contains(newest, want+" (14m – 32m)") {
		t.Errorf("the text line is %q, want %s", newest, want)
	}

	drawn := strings.Join(Draw(State{Frame: &now, Width: 100, Height: 40}), "\n")
	for where, words := range map[string]string{"header": "in " + want, "row": want + "  nothing fails"} {
		if !strings.Contains(drawn, words) {
			t.Errorf("the %s is not %q:\n%s", where, words, drawn)
		}
	}
}
