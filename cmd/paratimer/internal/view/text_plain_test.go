package view

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// eventful returns the frames of a run in which much happens: a warning, a failure that moves the end, an alert, skew,
// a lost node, a gap, the end.
func eventful() []frame.Frame {
	first := frameOf(10, 660)
	first.Workflow.Name, first.WaitingOn = str("nightly.pig"), str("m_000001_0 of job j1")
	first.Headline.LowSeconds, first.Headline.HighSeconds, first.Headline.Rough = sec(612), sec(835), true
	first.Warnings = []dag.Warning{{Code: dag.WarnAssumedCost, Text: "the reduces of j1 are assumed"}}
	failed := frameOf(70, 900)
	failed.Failures = []frame.Failure{{
		AtSeconds: sec(69), Job: "j1", Attempt: "m_000017_0", Node: str("n3"),
		Why: str("Exit code is 137"),
	}}
	failed.FailedAttempts = 1
	failed.Moves = []frame.Move{
		{Cause: frame.Cause{DeltaSeconds: 241, Reason: "failure", Subject: str("m_000017_0 failed and starts again")}},
		{Cause: frame.Cause{DeltaSeconds: -31, Reason: "speed", Subject: str("maps take 9% less time than predicted")}},
	}
	failed.Skew = []frame.Skew{oneSkewed()}
	risky := frameOf(130, 840)
	risky.Failures, risky.FailedAttempts = failed.Failures, 1
	risky.Alerts = []frame.Alert{{
		Bound: "within", State: frame.AtRisk,
		Text: "at risk: 83% likely to miss its 15m (06:30 UTC); expected 06:31:05 UTC, 1m5s late; waits for m_000002_0 of job 5m; +4m at 06:16 UTC: m_000017_0 failed",
	}}
	lost := frameOf(200, 800)
	lost.Warnings = []dag.Warning{
		{Code: dag.WarnNodeLost, Text: "node n3 is lost"},
		{Code: dag.WarnNotReporting, Text: "m_000002_0 does not report"},
	}
	lost.Failures = []frame.Failure{
		{Job: "j1", Attempt: "m_000021_0"},
		{Job: "j1", Attempt: "m_000020_0"},
		failed.Failures[0],
	}
	lost.FailedAttempts, lost.Alerts = 3, risky.Alerts
	gap := lost
	gap.ElapsedSeconds, gap.StaleSeconds = sec(260), 60
	gap.Alerts = []frame.Alert{{Bound: "within", State: frame.Blind, Text: "blind: it cannot be observed"}}
	over := frameOf(1000, 0)
	over.Workflow.State, over.Jobs[0].State, over.FailedAttempts = dag.Failed, dag.Failed, 3
	over.Alerts = []frame.Alert{{
		Bound: "within", State: frame.Ended, Outcome: some(frame.Missed),
		Text: "missed: failed at 06:32 UTC, +2m against its 15m (06:30 UTC)",
	}}
	return []frame.Frame{first, failed, risky, lost, gap, over, over}
}

func show(t *testing.T, text *Text, b *bytes.Buffer, frames ...frame.Frame) string {
	t.Helper()
	for _, f := range frames {
		if err := text.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestPlain checks that lines for ears have words in place of symbols, and names as they are.
func TestPlain(t *testing.T) {
	var b bytes.Buffer
	const want = `nightly.pig: 1 job
after 10 seconds: warning: the reduces of j1 are assumed
after 10 seconds: job j1 running
after 10 seconds: about 11 minutes left, between 10 minutes and 14 minutes, roughly, waits for m_000001_0 of job j1
after 1 minute 10 seconds: the end comes 4 minutes later: m_000017_0 failed and starts again
after 1 minute 10 seconds: the end comes 31 seconds sooner: maps take 9 percent less time than predicted
after 1 minute 10 seconds: about 15 minutes left
after 1 minute 10 seconds: skew: reduce 3 of scope-30 has 61 percent of the bytes and holds the end back by 14 minutes, key #9f3a alone by 11 minutes
after 1 minute 10 seconds: that key in 8 parts: 11 minutes 30 seconds sooner; 16 reduces: no sooner
after 2 minutes 10 seconds: at risk: 83 percent likely to miss its 15 minutes (06:30 UTC); expected 06:31:05 UTC, 1 minute 5 seconds late; waits for m_000002_0 of job 5 minutes; 4 minutes later at 06:16 UTC: m_000017_0 failed
after 2 minutes 10 seconds: about 14 minutes left
after 3 minutes 20 seconds: warning: node n3 is lost
after 3 minutes 20 seconds: warning: m_000002_0 does not report
after 3 minutes 20 seconds: about 13 minutes 30 seconds left
after 4 minutes 20 seconds: blind: it cannot be observed
after 4 minutes 20 seconds: about 13 minutes 30 seconds left, seen 1 minute ago
after 16 minutes 40 seconds: job j1 failed
after 16 minutes 40 seconds: missed: failed at 06:32 UTC, 2 minutes later against its 15 minutes (06:30 UTC)
failed after 16 minutes 40 seconds
`
	text := NewText(&b, true)
	text.Plain = true
	got := show(t, text, &b, eventful()...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plain lines (-want +got):\n%s", diff)
	}
	if i := strings.IndexAny(got, "~–+%\x1b\r\b"); i >= 0 {
		t.Errorf("a symbol is left: %q", got[max(0, i-20):i+1])
	}
}

// TestQuiet checks that only alerts, failures, lost nodes and the end are printed, each once.
func TestQuiet(t *testing.T) {
	var b bytes.Buffer
	const want = `   1m10s  failed: m_000017_0 of job j1 on n3: Exit code is 137
   2m10s  at risk: 83% likely to miss its 15m (06:30 UTC)
            expected 06:31:05 UTC, 1m5s late
            waits for m_000002_0 of job 5m
            +4m at 06:16 UTC: m_000017_0 failed
   3m20s  warning: node n3 is lost
   3m20s  failed: m_000021_0 of job j1 (and 1 more)
  16m40s  job j1 failed
  16m40s  missed: failed at 06:32 UTC, +2m against its 15m (06:30 UTC)
  16m40s  failed after 16m40s
`
	text := NewText(&b, false)
	text.Quiet = true
	if diff := cmp.Diff(want, show(t, text, &b, eventful()...)); diff != "" {
		t.Errorf("quiet lines (-want +got):\n%s", diff)
	}
}

// TestQuietAndPlain checks that both go together, and that a query without trouble has one line.
func TestQuietAndPlain(t *testing.T) {
	var b bytes.Buffer
	over := frameOf(125, 0)
	over.Workflow.State, over.Jobs[0].State = dag.Succeeded, dag.Succeeded
	const want = "succeeded after 2 minutes 5 seconds\n"
	text := NewText(&b, false)
	text.Quiet, text.Plain = true, true
	if got := show(t, text, &b, frameOf(1, 120), frameOf(61, 60), over); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPlainHeadlines(t *testing.T) {
	for _, c := range []struct {
		rem, low, high *frame.Seconds
		want           string
	}{
		{nil, nil, nil, "remaining time unknown yet"},
		{nil, sec(245), nil, "at least 4 minutes left"},
		{nil, sec(370), sec(1430), "between 6 minutes and 24 minutes left"},
		{sec(0.2), sec(0.2), sec(0.2), "less than a second left"},
		{sec(0), sec(0), sec(125), "up to 2 minutes 30 seconds left"},
		{sec(60), nil, nil, "about 1 minute left"},
		{sec(7384), sec(7384), sec(9000), "about 2 hours 5 minutes left, between 2 hours and 2 hours 30 minutes"},
		{sec(40), sec(0), sec(300), "about 40 seconds left, up to 5 minutes"},
	} {
		h := frame.Headline{RemainingSeconds: c.rem, LowSeconds: c.low, HighSeconds: c.high}
		if got := shownOf(h).spoken(); got != c.want {
			t.Errorf("(%v, %v, %v) = %q, want %q", c.rem, c.low, c.high, got, c.want)
		}
	}
}

// TestTell checks that lengths and shares are spelled and all else stands.
func TestTell(t *testing.T) {
	for in, want := range map[string]string{
		"up-to 09:00:15 under 1%":     "up-to 09:00:15 under 1 percent",
		"under 1%, over 99%, j2 m3s4": "under 1 percent, over 99 percent, j2 m3s4",
		"1h1m1s, -1h, <1s":            "1 hour 1 minute 1 second, 1 hour sooner, less than a second",
		"1.5 times its usual 2h5m":    "1.5 times its usual 2 hours 5 minutes",
		"":                            "",
	} {
		if got := spellOut(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestTextPrintsAChange checks that a status line with something new comes after a tenth of the remaining time, one
// without after a tenth too, but a minute at least.
func TestTextPrintsAChange(t *testing.T) {
	for _, c := range []struct {
		name  string
		left  func(at int) float64
		long  time.Duration
		lines int
	}{
		{"a minute to go, and it stands still: each minute", func(int) float64 { return 60 }, 10 * time.Minute, 11},
		{"an hour to go, and it stands still: each six minutes", func(int) float64 { return 3600 }, time.Hour, 11},
		{"a day to go, and it stands still: each ten minutes", func(int) float64 { return 86400 }, time.Hour, 7},
		{
			"an hour to go, it runs: each rounded step", func(at int) float64 { return float64(3600 - at) },
			10 * time.Minute, 6,
		},
		{
			"three minutes to go, it runs: no oftener than each tenth", func(at int) float64 { return float64(180 - at) },
			time.Minute, 5,
		},
	} {
		var b bytes.Buffer
		text := NewText(&b, false)
		for at := 0; at <= int(c.long.Seconds()); at++ {
			if err := text.Show(frame.Tick{Frame: frameOf(float64(at), c.left(at))}); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Count(b.String(), "~"); got != c.lines {
			t.Errorf("%s: %d status lines, want %d:\n%s", c.name, got, c.lines, &b)
		}
	}
}

// TestStatusCountsTasks checks that a status line counts the tasks of the running stage that the end waits for, and
// that lines in ASCII have nothing else.
func TestStatusCountsTasks(t *testing.T) {
	f := frameOf(60, 660)
	f.Headline.LowSeconds, f.Headline.HighSeconds, f.WaitingOn = sec(612), sec(835), str("map 16 of é")
	seventeen, three := 17, 3
	maps, reduces := frame.Tasks{Total: &seventeen, Done: 12, Running: 5}, frame.Tasks{Total: &three, Running: 1}
	f.Jobs = []frame.Job{
		{Node: "j1", State: dag.Running, Stages: []frame.Stage{{Name: "map", Tasks: frame.Tasks{Total: &three, Running: 1}}}},
		{
			Node: "j2", State: dag.Running, Critical: true, Maps: maps, Reduces: reduces,
			Stages: []frame.Stage{{Name: "map", Tasks: maps}, {Name: "reduce", Tasks: reduces}},
		},
	}
	stage := f
	stage.Workflow.Engine, stage.Workflow.Whole = "Spark", dag.Whole{Name: "application", Parts: "stages"}
	stage.Jobs = []frame.Job{f.Jobs[1]}
	stage.Jobs[0].Stages = []frame.Stage{{Name: "scan", Tasks: maps}}
	named := stage
	named.WaitingOn = str("task 3 of scan")
	for _, c := range []struct {
		frame frame.Frame
		plain bool
		want  string
	}{
		{f, false, "~11m (10m - 14m)  j2 maps 12/17  waits for map 16 of \\u00e9\n"},
		{f, true, "about 11 minutes left, between 10 minutes and 14 minutes, j2 maps 12 of 17, waits for map 16 of \\u00e9\n"},
		{stage, false, "~11m (10m - 14m)  scan 12/17  waits for map 16 of \\u00e9\n"},
		{named, false, "~11m (10m - 14m)  tasks 12/17  waits for task 3 of scan\n"},
	} {
		var b bytes.Buffer
		text := NewText(&b, false)
		text.ASCII, text.Plain = true, c.plain
		if got := show(t, text, &b, c.frame); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q, want %q at its end", got, c.want)
		}
	}
}
