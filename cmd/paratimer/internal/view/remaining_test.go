package view

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

func headline(rem, low, high float64) frame.Headline {
	return frame.Headline{RemainingSeconds: sec(rem), LowSeconds: sec(low), HighSeconds: sec(high)}
}

// TestTextDoesNotFlicker shows values on the edge between two: they are worded in two ways, and a line comes all the
// same only when it would if nothing changed.
func TestTextDoesNotFlicker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ a, b frame.Headline }{
		"the point": {headline(7349, 7000, 8000), headline(7351, 7000, 8000)},
		"the low":   {headline(7200, 6901, 8000), headline(7200, 6899, 8000)},
		"the high":  {headline(7200, 7000, 8099), headline(7200, 7000, 8101)},
		"the unit":  {headline(7200, 6900, 9290), headline(7200, 6900, 9310)},
	} {
		if Remaining(c.a) == Remaining(c.b) {
			t.Errorf("%s: both are %s: nothing is tested", name, Remaining(c.a))
		}
		var out strings.Builder
		text := NewText(&out, false)
		for i, h := range []frame.Headline{c.a, c.b, c.a, c.b} {
			f := frameOf(float64(100*i), 1)
			f.Headline = h
			if err := text.Show(frame.Tick{Frame: f}); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(out.String(), "~"); n != 1 {
			t.Errorf("%s: %d lines in five minutes, want 1:\n%s", name, n, &out)
		}
	}
}

// TestShownIsNear checks that a shown time is off by no more than its rounding, and that a range contains its time.
func TestShownIsNear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		left := rapid.Float64Range(1, 20_000).Draw(t, "left")
		h := headline(left, left*rapid.Float64Range(0.1, 1).Draw(t, "low"), left*rapid.Float64Range(1, 3).Draw(t,
			"high"))
		s, d, unit := shownOf(h), frame.Seconds(left).Duration(), Unit(h)
		if off := (s.mid - d).Abs(); off > unit/2 {
			t.Fatalf("%v is shown as %v, rounded to %v", d, s.mid, unit)
		}
		if s.form == ranged && (s.low > h.LowSeconds.Duration() || s.high < h.HighSeconds.Duration()) {
			t.Fatalf("%v – %v is shown as %v – %v", *h.LowSeconds, *h.HighSeconds, s.low, s.high)
		}
	})
}

func TestRough(t *testing.T) {
	h := headline(660, 612, 835)
	h.Rough = true
	if got := Remaining(h); got != "~11m (10m – 14m, rough)" {
		t.Errorf("a rough range is %s", got)
	}
}

// TestPastTheEstimate checks that a query past its time does not end "any second now" for an hour.
func TestPastTheEstimate(t *testing.T) {
	for want, h := range map[string]frame.Headline{
		"<1s":       headline(0.2, 0, 3),
		"up to 10m": headline(0.2, 0, 595),
		"up to 5s":  headline(0, 0, 5),
	} {
		if got := Remaining(h); got != want {
			t.Errorf("%v of up to %v is %q, want %q", *h.RemainingSeconds, *h.HighSeconds, got, want)
		}
	}
}

// standing is a frame with one alert.
func standing(at float64, state frame.AlertState) frame.Frame {
	f := frameOf(at, 1000-at)
	f.Alerts = []frame.Alert{{Bound: "deadline", State: state, Text: string(state) + ": of 06:30"}}
	if state == frame.Ended {
		missed := frame.Missed
		f.Alerts[0].Outcome = &missed
	}
	return f
}

// TestTextTellsOfAlertsOnce checks that a bound is printed when its state differs from the printed one, and only
// then.
func TestTextTellsOfAlertsOnce(t *testing.T) {
	stale := func(f frame.Frame, age frame.Seconds) frame.Frame {
		f.StaleSeconds = age
		return f
	}
	for name, c := range map[string]struct {
		frames []frame.Frame
		want   []string
	}{
		"a course": {
			[]frame.Frame{
				standing(1, frame.OnTrack), standing(2, frame.AtRisk), standing(3, frame.AtRisk),
				standing(4, frame.Late), standing(5, frame.Ended),
			},
			[]string{"at_risk", "late", "ended"},
		},
		"a short time in the dark": {
			[]frame.Frame{
				standing(1, frame.AtRisk), stale(standing(2, frame.Blind), 9),
				standing(3, frame.AtRisk),
			},
			[]string{"at_risk"},
		},
		"a long one": {
			[]frame.Frame{
				standing(1, frame.AtRisk), stale(standing(2, frame.Blind), 31),
				stale(standing(3, frame.Blind), 40),
				standing(4, frame.AtRisk),
			},
			[]string{"at_risk", "blind", "at_risk"},
		},
		"it comes back": {
			[]frame.Frame{
				standing(1, frame.OnTrack), standing(2, frame.AtRisk),
				standing(3, frame.OnTrack), standing(5, frame.Ended),
			},
			[]string{"at_risk", "on_track", "ended"},
		},
	} {
		var out strings.Builder
		text := NewText(&out, false)
		for _, f := range c.frames {
			if err := text.Show(frame.Tick{Frame: f}); err != nil {
				t.Fatal(err)
			}
		}
		var reported []string
		for _, m := range regexp.MustCompile(`([a-z_]+): of 06:30`).FindAllStringSubmatch(out.String(), -1) {
			reported = append(reported, m[1])
		}
		if !slices.Equal(reported, c.want) {
			t.Errorf("%s: reported %q, want %q", name, reported, c.want)
		}
	}
}

// TestTextEscapesAlerts checks that names of the cluster in an alert cannot move the cursor.
func TestTextEscapesAlerts(t *testing.T) {
	f := standing(1, frame.Late)
	f.Alerts[0].Text = "late\x1b[2J: job \x1b]0;x\a"
	var out strings.Builder
	if err := NewText(&out, false).Show(frame.Tick{Frame: f}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\a") {
		t.Errorf("control characters in %q", out.String())
	}
}
