package screen

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestDrawFits checks of any frame on any screen: no line is wider, nor are there more; ASCII is ASCII; without colour
// nothing escapes, and with colour the same is written.
func TestDrawFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := State{
			Width: rapid.IntRange(-1, 130).Draw(t, "width"), Height: rapid.IntRange(-1, 50).Draw(t, "height"),
			Style: Style{ASCII: rapid.Bool().Draw(t, "ascii"), Light: rapid.Bool().Draw(t, "light")},
		}
		var all []*frame.Frame
		for range rapid.IntRange(0, 4).Draw(t, "frames") {
			s.Frame = anyFrame(t)
			all = append(all, s.Frame)
		}
		s.Past = slices.Values(all)
		s.Choice = anyChoice(t, s.Frame)
		if rapid.Bool().Draw(t, "replay") {
			s.Play = &Playback{
				Speed: rapid.Float64().Draw(t, "speed"),
				At:    frame.Seconds(rapid.Float64().Draw(t, "at")), Length: valueOr(anySeconds(t), 0),
			}
		}
		s.Log = rapid.SampledFrom([]string{"", anyName(t)}).Draw(t, "log")
		checkDrawing(t, s)
	})
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// checkDrawing checks the rules of every drawing.
func checkDrawing(t failer, s State) {
	t.Helper()
	bare := Draw(s)
	if len(bare) > max(0, s.Height) {
		t.Fatalf("%d lines on %d", len(bare), s.Height)
	}
	for i, l := range bare {
		for _, width := range []int{ansi.StringWidth(l), ansi.StringWidthWc(l)} {
			if width > s.Width {
				t.Fatalf("line %d is %d cells wide on %d: %q", i, width, s.Width, l)
			}
		}
		for _, r := range l {
			if r < ' ' || r >= 0x7f && r < 0xa0 || s.Style.ASCII && r > '~' {
				t.Fatalf("line %d: %q in %q", i, r, l)
			}
		}
	}
	s.Style.Colour = true
	if got := ansi.Strip(strings.Join(Draw(s), "\n")); got != strings.Join(bare, "\n") {
		t.Fatalf("in colour something else is written:\n%s\nwant\n%s", got, strings.Join(bare, "\n"))
	}
}

func anyChoice(t *rapid.T, f *frame.Frame) Choice {
	c := Choice{}
	for range rapid.IntRange(0, 6).Draw(t, "presses") {
		c = Press(c, Action(rapid.IntRange(0, int(Slower)).Draw(t, "action")), f)
	}
	return c
}

func anyName(t *rapid.T) string {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"a", "b", "日本語のジョブ", "e\u0301", "❤\ufe0f", "\u0301",
		"क्षि", "🇩🇪", "\x1b[2J", "\xff",
	})).Draw(t, "name")
}

func anySeconds(t *rapid.T) *frame.Seconds {
	return rapid.OneOf(rapid.Just[*frame.Seconds](nil), rapid.Map(rapid.Float64Range(-100, 5000),
		func(v float64) *frame.Seconds { return secondsOf(frame.Seconds(v)) }),
		rapid.SampledFrom([]*frame.Seconds{secondsOf(0), secondsOf(1e-9), secondsOf(9e9)})).Draw(t, "seconds")
}

func anyFrame(t *rapid.T) *frame.Frame {
	f := &frame.Frame{ElapsedSeconds: anySeconds(t), FailedAttempts: rapid.IntRange(0, 3).Draw(t, "failed")}
	f.Workflow.State = dag.State(rapid.IntRange(0, int(dag.EndedUnconfirmed)).Draw(t, "state"))
	f.Workflow.Name = frame.Text(anyName(t))
	if rapid.Bool().Draw(t, "at") {
		f.At = &frame.Time{Instant: dag.Instant(rapid.Int64Range(0, 4e12).Draw(t, "instant"))}
		f.Headline.EndAt = f.At
	}
	f.ProgressRatio = frame.RatioOf(rapid.Float64Range(0, 1).Draw(t, "progress"))
	f.StaleSeconds = frame.Seconds(rapid.SampledFrom([]float64{0, 0, 40}).Draw(t, "stale"))
	f.Headline.RemainingSeconds, f.Headline.LowSeconds, f.Headline.HighSeconds = anySeconds(t), anySeconds(t),
		anySeconds(t)
	f.WaitingOn = frame.Text(anyName(t))
	for range rapid.IntRange(0, 12).Draw(t, "jobs") {
		f.Jobs = append(f.Jobs, anyJob(t))
	}
	node := func() string {
		if len(f.Jobs) == 0 {
			return "none"
		}
		return rapid.SampledFrom(f.Jobs).Draw(t, "job").Node
	}
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		f.Estimates = append(f.Estimates, frame.Estimate{
			Scenario: anyName(t), Meaning: anyName(t),
			RemainingSeconds: anySeconds(t),
		})
		f.CriticalPath = append(f.CriticalPath, frame.Segment{
			Jobs: []string{node()}, Phase: anyPhase(t),
			StartSeconds: anySeconds(t), EndSeconds: anySeconds(t),
		})
		f.Failures = append(f.Failures, frame.Failure{
			Job: node(), AtSeconds: anySeconds(t), Attempt: anyName(t),
			Why: frame.Text(anyName(t)),
		})
		f.Moves = append(f.Moves,
			frame.Move{Cause: frame.Cause{
				DeltaSeconds: frame.Seconds(rapid.Float64Range(-1e6, 1e6).Draw(t, "delta")), Reason: "other",
				Subject: frame.Text(anyName(t)),
			}})
		f.Warnings = append(f.Warnings, dag.Warning{Code: rapid.SampledFrom([]string{dag.WarnStale, "other"}).Draw(t,
			"code"), Text: anyName(t)})
		a := frame.Alert{
			Bound: anyName(t), State: rapid.SampledFrom([]frame.AlertState{
				frame.OnTrack, frame.AtRisk,
				frame.Late, frame.Ended, frame.Blind,
			}).Draw(t, "alert"), BySeconds: anySeconds(t),
			Probability: f.ProgressRatio,
		}
		if rapid.Bool().Draw(t, "deadline") {
			a.DeadlineAt = &frame.Time{Instant: dag.Instant(rapid.Int64Range(0, 4e12).Draw(t, "due"))}
		}
		f.Alerts = append(f.Alerts, a)
	}
	if rapid.Bool().Draw(t, "tasks") {
		list := []frame.Task{{
			Name: anyName(t), State: anyName(t), StartSeconds: anySeconds(t),
			EndSeconds: anySeconds(t), Node: frame.Text(anyName(t)), Critical: true,
		}}
		f.Tasks = func(_, most int) ([]frame.Task, int) { return list[:min(most, 1)], 1 }
	}
	return f
}

func anyJob(t *rapid.T) frame.Job {
	j := frame.Job{
		Node: anyName(t), State: dag.State(rapid.IntRange(0, int(dag.Killed)).Draw(t, "state")),
		SlackSeconds: anySeconds(t),
		Critical:     rapid.Bool().Draw(t, "critical"), SubmittedSeconds: anySeconds(t), EndSeconds: anySeconds(t),
		ID: frame.Text(anyName(t)),
	}
	if rapid.Bool().Draw(t, "known") {
		n := rapid.IntRange(0, 1e6).Draw(t, "total")
		j.Maps.Total, j.Maps.Done = &n, n/2
	}
	for range rapid.IntRange(0, 2).Draw(t, "after") {
		j.After = append(j.After, anyName(t))
	}
	for phase := range rapid.IntRange(0, 2).Draw(t, "stretches") {
		j.Stretches = append(j.Stretches, frame.Stretch{
			Phase:        frame.Phase{Stage: dag.StageIndex(phase)},
			StartSeconds: anySeconds(t), EndSeconds: anySeconds(t),
		})
	}
	return j
}

// FuzzNames checks the same of any names, on a small and on a common screen.
func FuzzNames(f *testing.F) {
	for _, s := range []string{
		"plain", "\x1b[31m", "日本語", "e\u0301\u0301", "👩\u200d👧", "\xff\xfe", "\u202e", "\r\n\t",
		"attempt_1_0001_m_000001_0",
	} {
		f.Add(s, s)
	}
	base := recorded(f, "failure", 70)
	f.Fuzz(func(t *testing.T, job, text string) {
		s, of := base, *base.Frame
		of.Jobs, of.Failures = slices.Clone(of.Jobs), slices.Clone(of.Failures)
		s.Frame = &of
		s.Frame.Workflow.Name, s.Frame.WaitingOn = &text, &text
		for i := range s.Frame.Jobs {
			s.Frame.Jobs[i].Node, s.Frame.Jobs[i].After = job, []string{job, text}
		}
		s.Frame.Failures[0].Job, s.Frame.Failures[0].Task, s.Frame.Failures[0].Why = job, text, &text
		s.Choice.Selected = job
		for _, size := range [][2]int{{40, 12}, {80, 40}} {
			s.Width, s.Height = size[0], size[1]
			for _, ascii := range []bool{false, true} {
				s.Style = Style{ASCII: ascii}
				checkDrawing(t, s)
			}
		}
	})
}

func anyPhase(t *rapid.T) frame.Phase {
	if p := dag.Pause(rapid.IntRange(0, 3).Draw(t, "pause")); p != dag.NoPause {
		return frame.Phase{Stage: dag.NoStage, Name: p.String()}
	}
	return frame.Phase{Stage: dag.StageIndex(rapid.IntRange(0, 300).Draw(t, "stage")), Name: anyName(t)}
}
