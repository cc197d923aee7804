package view

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

func headline(rem, low, high float64) frame.Headline {
	return frame.Headline{RemainingSeconds: sec(rem), LowSeconds: sec(low), HighSeconds: sec(high)}
}

// TestSteadyDoesNotFlip shows values on the edge between two: without memory each flips at every line.
func TestSteadyDoesNotFlip(t *testing.T) {
	for name, c := range map[string]struct {
		a, b frame.Headline
		want string
	}{
		"the point": {headline(644, 610, 830), headline(646, 610, 830), "~10m30s (10m – 14m)"},
		"the low":   {headline(660, 601, 830), headline(660, 599, 830), "~11m (10m – 14m)"},
		"the high":  {headline(660, 610, 839), headline(660, 610, 841), "~11m (10m – 14m)"},
		"the unit":  {headline(660, 610, 849), headline(660, 610, 851), "~11m (10m – 14m30s)"},
	} {
		var s steady
		for range 3 {
			for _, h := range []frame.Headline{c.a, c.b} {
				if got := s.remaining(h); got != c.want {
					t.Errorf("%s: %s, want %s", name, got, c.want)
				}
			}
		}
		if Remaining(c.a) == Remaining(c.b) {
			t.Errorf("%s: alone they are the same, %s: nothing is tested", name, Remaining(c.a))
		}
	}
}

// TestSteadyFollows holds that what is shown is never off by more than its rounding and a quarter of it, and that a
// remaining time that only falls is never shown to rise.
func TestSteadyFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s steady
		left := rapid.Float64Range(1, 20_000).Draw(t, "left")
		shown := time.Duration(-1)
		for range rapid.IntRange(1, 60).Draw(t, "lines") {
			left *= rapid.Float64Range(0.9, 1).Draw(t, "falls")
			d := frame.Seconds(left).Duration()
			s.remaining(headline(left, left*0.9, left*1.25))
			if off := (s.mid - d).Abs(); off > s.unit*3/4 {
				t.Fatalf("%v is shown as %v, rounded to %v", d, s.mid, s.unit)
			}
			if s.low > d*9/10+s.unit/4+time.Millisecond || s.high < d*5/4-s.unit/4-time.Millisecond {
				t.Fatalf("%v is shown within %v – %v, rounded to %v", d, s.low, s.high, s.unit)
			}
			if shown >= 0 && s.mid > shown+s.unit/2 {
				t.Fatalf("%v was shown, then %v, though it only fell", shown, s.mid)
			}
			shown = s.mid
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

// TestPastTheEstimate holds that a query past its time does not end "any second now" for an hour.
func TestPastTheEstimate(t *testing.T) {
	for want, h := range map[string]frame.Headline{
		"~<1s (<1s – 3s)": headline(0.2, 0, 3),
		"up to 10m":       headline(0.2, 0, 595),
		"up to 5s":        headline(0, 0, 5),
	} {
		if got := Remaining(h); got != want {
			t.Errorf("%v of up to %v is %q, want %q", *h.RemainingSeconds, *h.HighSeconds, got, want)
		}
	}
}

// standing is a frame with one alert.
func standing(at float64, state frame.AlertState, quiet bool) frame.Frame {
	f := frameOf(at, 1000-at)
	f.Alerts = []frame.Alert{{Bound: "deadline", State: state, Text: string(state) + ": of 06:30", Quiet: quiet}}
	if state == frame.Ended {
		missed := frame.Missed
		f.Alerts[0].Outcome = &missed
	}
	return f
}

// TestTextTellsOfAlertsOnce holds that a bound is told of when it stands otherwise than was told, and only then.
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
				standing(1, frame.OnTrack, false), standing(2, frame.AtRisk, false), standing(3, frame.AtRisk, false),
				standing(4, frame.Late, false), standing(5, frame.Ended, false),
			},
			[]string{"at_risk", "late", "ended"},
		},
		"a short time in the dark": {
			[]frame.Frame{standing(1, frame.AtRisk, false), stale(standing(2, frame.Blind, false), 9), standing(3, frame.AtRisk, false)},
			[]string{"at_risk"},
		},
		"a long one": {
			[]frame.Frame{
				standing(1, frame.AtRisk, false), stale(standing(2, frame.Blind, false), 31), stale(standing(3, frame.Blind, false), 40),
				standing(4, frame.AtRisk, false),
			},
			[]string{"at_risk", "blind", "at_risk"},
		},
		"nobody asked, nothing fires": {
			[]frame.Frame{standing(1, frame.OnTrack, true), standing(2, frame.OnTrack, true), standing(5, frame.Ended, true)},
			nil,
		},
		"nobody asked, it fires": {
			[]frame.Frame{standing(1, frame.OnTrack, true), standing(2, frame.AtRisk, true), standing(3, frame.OnTrack, true), standing(5, frame.Ended, true)},
			[]string{"at_risk", "on_track", "ended"},
		},
	} {
		var out strings.Builder
		text := NewText(&out, false)
		for _, f := range c.frames {
			if err := text.Show(f); err != nil {
				t.Fatal(err)
			}
		}
		var told []string
		for _, m := range regexp.MustCompile(`([a-z_]+): of 06:30`).FindAllStringSubmatch(out.String(), -1) {
			told = append(told, m[1])
		}
		if !slices.Equal(told, c.want) {
			t.Errorf("%s: told %q, want %q", name, told, c.want)
		}
	}
}

// TestTextEscapesAlerts holds that what an alert says of the cluster cannot move the cursor.
func TestTextEscapesAlerts(t *testing.T) {
	f := standing(1, frame.Late, false)
	f.Alerts[0].Text = "late\x1b[2J: job \x1b]0;x\a"
	var out strings.Builder
	if err := NewText(&out, false).Show(f); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\a") {
		t.Errorf("control characters in %q", out.String())
	}
}
