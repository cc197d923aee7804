package view

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

func sec(s float64) *frame.Seconds { v := frame.Seconds(s); return &v }

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		rem, low, high *frame.Seconds
		want           string
	}{
		{nil, nil, nil, "?"},
		{nil, sec(0.4), nil, "?"},
		{nil, sec(245), nil, "at least 4m"},
		{nil, sec(47), nil, "at least 46s"},
		{nil, sec(370), sec(1430), "6m – 24m"},
		{nil, sec(0), sec(28), "up to 30s"},
		{sec(0.2), sec(0.2), sec(0.2), "<1s"},
		{sec(48), sec(48), sec(48), "~48s"},
		{sec(111.7), sec(111.7), sec(111.7), "~1m50s"},
		{sec(660), sec(612), sec(835), "~11m (10m – 14m)"},
		{sec(671), nil, nil, "~11m"},
		{sec(7384), sec(7384), sec(9000), "~2h5m (2h – 2h30m)"},
		{sec(40), sec(0), sec(300), "~40s (up to 5m)"},
	} {
		if got := Remaining(frame.Headline{RemainingSeconds: c.rem, LowSeconds: c.low, HighSeconds: c.high}); got !=
			c.want {
			t.Errorf("Remaining(%v, %v, %v) = %q, want %q", c.rem, c.low, c.high, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "<1s", 999 * time.Millisecond: "<1s", time.Second: "1s", 10 * time.Minute: "10m", 90 * time.Second: "1m30s",
		100 * time.Minute: "1h40m", 10 * time.Hour: "10h", 25*time.Hour + 31*time.Second: "25h1m",
	} {
		if got := units.Short(d); got != want {
			t.Errorf("Short(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"scope-35 größer":              "scope-35 größer",
		"a\x1b[2Jb":                    `a\x1b[2Jb`,
		"a\r\nb\tc\x00":                `a\r\nb\tc\x00`,
		"\u202egpj.exe":                `\u202egpj.exe`,
		"\u0085\u009b31m":              `\u0085\u009b31m`,
		"broken \xff\xfe":              `broken \xff\xfe`,
		"no\u00a0break\u200b":          `no\u00a0break\u200b`,
		strings.Repeat("ä", 300):       strings.Repeat("ä", 200) + "…",
		"x" + strings.Repeat("ä", 300): "x" + strings.Repeat("ä", 199) + "…",
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzEscape checks that nothing but printable text on one line comes out.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a\x1b[31m", "\xff", "\u2028", strings.Repeat("\x80", 500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Escape(s) {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u202e' || r == '\ufffd' &&
				!strings.ContainsRune(s, r) {
				t.Fatalf("%q lets %U through", s, r)
			}
		}
		if len(Escape(s)) > 8*longest {
			t.Fatalf("%d bytes out of %d", len(Escape(s)), len(s))
		}
	})
}

func frameOf(elapsed float64, rem float64) frame.Frame {
	return frame.Frame{
		ElapsedSeconds: sec(elapsed),
		Workflow:       frame.Workflow{State: dag.Running},
		Headline:       frame.Headline{RemainingSeconds: sec(rem), LowSeconds: sec(rem), HighSeconds: sec(rem)},
		Jobs:           []frame.Job{{Node: "j1", State: dag.Running}},
	}
}

func str(s string) *string { return &s }

func TestTextSaysWhatChanges(t *testing.T) {
	var b bytes.Buffer
	text := NewText(&b, false)
	first := frameOf(10, 90)
	first.Workflow.Name = str("q\x1b[31m.pig")
	first.WaitingOn = str("m_000001_0 of job j1")
	same := frameOf(11, 90)
	same.WaitingOn = first.WaitingOn
	moved := frameOf(12, 330)
	moved.WaitingOn = first.WaitingOn
	moved.Changes = []frame.Change{
		{Cause: frame.Cause{DeltaSeconds: 241, Reason: "failure"}},
		{Cause: frame.Cause{DeltaSeconds: -3, Reason: "other"}},
	}
	moved.Moves = []frame.Move{{Cause: frame.Cause{
		DeltaSeconds: 241, Reason: "failure", Subject: str("m_000017_0 failed and starts again"),
	}}}
	moved.Warnings = []dag.Warning{{Code: dag.WarnNodeLost, Text: "node1 is lost"}}
	again := frameOf(13, 330)
	again.WaitingOn, again.Warnings = first.WaitingOn, moved.Warnings
	stale := frameOf(28, 312)
	stale.StaleSeconds, stale.WaitingOn = 15, first.WaitingOn
	over := frameOf(300, 0)
	over.Workflow.State, over.Jobs[0].State = dag.Succeeded, dag.Succeeded
	for _, f := range []frame.Frame{first, same, moved, again, stale, over} {
		if err := text.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	const want = `q\x1b[31m.pig: 1 job
     10s  job j1 running
     10s  ~1m30s  waits for m_000001_0 of job j1
     12s  warning: node1 is lost
     12s  +4m: m_000017_0 failed and starts again
     12s  ~5m30s
     28s  ~5m10s  (seen 15s ago)
      5m  job j1 succeeded
      5m  succeeded after 5m
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestTextTimeGoesOn checks that the times of lines do not go back if a run ended before it was last seen to run, and
// that a job that failed has its reason.
func TestTextTimeGoesOn(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	text := NewText(&b, false)
	over := frameOf(209, 0)
	over.Workflow.State, over.Jobs[0].State = dag.Failed, dag.Failed
	over.Failures, over.FailedAttempts = []frame.Failure{
		{Job: "other", Why: str("another")}, {Job: "j1", Task: "map 3 of j1", Why: str("Boom [cannot parse user User00077]")},
	}, 2
	over.Jobs[0].Diagnosis = str("Task failed task_1_1_m_000003")
	for _, f := range []frame.Frame{frameOf(211, 90), over} {
		if err := text.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	const want = `   3m31s  job j1 failed: map 3 of j1: Boom [cannot parse user User00077]
   3m31s  failed after 3m29s
`
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("the lines are\n%s", &b)
	}
}

func TestTextTellsOfClocksOnce(t *testing.T) {
	var b bytes.Buffer
	text := NewText(&b, false)
	for i := range 5 {
		f := frameOf(float64(i), 90)
		f.Warnings = []dag.Warning{{Code: dag.WarnClockSkew, Text: fmt.Sprintf("the cluster's clock is %ds ahead",
			100+i)}}
		if err := text.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(b.String(), "warning: the cluster's clock is 100s ahead"); n != 1 ||
		strings.Count(b.String(), "warning") != 1 {
		t.Errorf("want one warning:\n%s", &b)
	}
}

func TestTextHasAHeartbeat(t *testing.T) {
	var b bytes.Buffer
	text := NewText(&b, false)
	for s := range 150 {
		f := frameOf(float64(s), 0)
		f.Headline = frame.Headline{}
		if err := text.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(b.String(), "  ?\n"); got != 3 {
		t.Errorf("%d lines in 150 s without news, want 3 (at 0, 60 and 120 s):\n%s", got, &b)
	}
}

func TestNDJSONIsOneLineAFrame(t *testing.T) {
	var b bytes.Buffer
	v := NDJSON{&b}
	f := frameOf(1, 2)
	f.WaitingOn = str("a\nb <c>")
	for range 2 {
		if err := v.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2 || lines[0] != lines[1] || !strings.Contains(lines[0], `a\nb <c>`) {
		t.Errorf("lines: %q", lines)
	}
}

func TestColour(t *testing.T) {
	var b bytes.Buffer
	if Colour(&b, func(string) string { return "" }) {
		t.Error("a buffer is no terminal")
	}
}
