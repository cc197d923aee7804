package plugin

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestRanges has the examples of the guidelines, section 2.5: table 2.
func TestRanges(t *testing.T) {
	for typed, values := range map[string]map[float64]bool{
		"10":     {-1: true, 0: false, 10: false, 10.1: true},
		"10:":    {9.9: true, 10: false, 1e9: false},
		"~:10":   {-1e9: false, 10: false, 10.1: true},
		"10:20":  {9: true, 10: false, 20: false, 21: true},
		"@10:20": {9: false, 10: true, 20: true, 21: false},
		"30m":    {1800: false, 1801: true},
		"1m:1h":  {59: true, 60: false, 3600: false, 3601: true},
	} {
		var l Limits
		if err := l.Set(typed, false); err != nil {
			t.Errorf("%s: %v", typed, err)
			continue
		}
		for v, want := range values {
			if got, _ := l.Remaining.Warning.alerts(v, v); got != want {
				t.Errorf("%s: %v alerts: %v, want %v", typed, v, got, want)
			}
		}
	}
	for _, typed := range []string{"", ":", "@", "%", "x", "10:5", "1:2:3", "NaN", "Inf", "-1%", "101%", "~"} {
		var l Limits
		err := l.Set(typed, true)
		if typed == ":" { // everything from 0 on: no limit of a time
			if err != nil {
				t.Errorf("%q: %v", typed, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%q is taken as %v %v", typed, l.Remaining.Critical, l.Late.Critical)
		}
	}
}

func running(change func(*frame.Frame)) frame.Frame {
	remaining, low := frame.Seconds(660), frame.Seconds(600)
	f := frame.Frame{
		Workflow: frame.Workflow{Name: frame.Text("join.pig"), State: dag.Running},
		Headline: frame.Headline{RemainingSeconds: &remaining, LowSeconds: &low},
	}
	change(&f)
	return f
}

func TestVerdicts(t *testing.T) {
	alert := func(s frame.AlertState) func(*frame.Frame) {
		return func(f *frame.Frame) { f.Alerts = append(f.Alerts, frame.Alert{Bound: "deadline", State: s}) }
	}
	state := func(s dag.State) func(*frame.Frame) {
		return func(f *frame.Frame) { f.Workflow.State = s }
	}
	for _, c := range []struct {
		name   string
		change func(*frame.Frame)
		limits []string // warning, critical
		want   State
	}{
		{"on track", alert(frame.OnTrack), nil, OK},
		{"at risk", alert(frame.AtRisk), nil, Warning},
		{"late", alert(frame.Late), nil, Critical},
		{"blind", alert(frame.Blind), nil, Unknown},
		{"late and blind", func(f *frame.Frame) { alert(frame.Late)(f); alert(frame.Blind)(f) }, nil, Critical},
		{"blind and at risk", func(f *frame.Frame) { alert(frame.Blind)(f); alert(frame.AtRisk)(f) }, nil, Warning},
		{"missed an observation", func(f *frame.Frame) { f.StaleSeconds = frame.SecondsOf(old) }, nil, OK},
		{"old", func(f *frame.Frame) { f.StaleSeconds = frame.SecondsOf(old + time.Second) }, nil, Unknown},
		{"succeeded late", func(f *frame.Frame) { state(dag.Succeeded)(f); alert(frame.Ended)(f) }, nil, OK},
		{"succeeded after its bound", func(f *frame.Frame) {
			state(dag.Succeeded)(f)
			alert(frame.Ended)(f)
			missed := frame.Missed
			f.Alerts[0].Outcome = &missed
		}, nil, Warning},
		{"failed", state(dag.Failed), nil, Critical},
		{"killed", state(dag.Killed), nil, Critical},
		{"unconfirmed", state(dag.EndedUnconfirmed), nil, Unknown},
		{"more than the warning", func(*frame.Frame) {}, []string{"10m", "1h"}, Warning},
		{"more than both", func(*frame.Frame) {}, []string{"5m", "10m"}, Critical},
		{"nothing is known", func(f *frame.Frame) { f.Headline = frame.Headline{} }, []string{"5m", "10m"}, Unknown},
		{
			"nothing is known nor limited", func(f *frame.Frame) { f.Headline = frame.Headline{} },
			[]string{"50%", ":"},
			OK,
		},
		{
			"nothing is known, and at risk",
			func(f *frame.Frame) { f.Headline = frame.Headline{}; alert(frame.AtRisk)(f) },
			[]string{"5m"},
			Warning,
		},
		{
			"at least ten minutes", func(f *frame.Frame) { f.Headline.RemainingSeconds = nil },
			[]string{"5m", "9m"},
			Critical,
		},
		{
			"at least ten minutes, of an hour", func(f *frame.Frame) { f.Headline.RemainingSeconds = nil },
			[]string{"30m:", "1h"},
			Unknown,
		},
		{
			"at least ten minutes, of five or more", func(f *frame.Frame) { f.Headline.RemainingSeconds = nil },
			[]string{"10m:", "@0:5m"},
			OK,
		},
		{"over, and past all limits", state(dag.Succeeded), []string{"5m", "10m"}, OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := Limits{Unknown: Unknown}
			for i, typed := range c.limits {
				if err := l.Set(typed, i == 1); err != nil {
					t.Fatal(err)
				}
			}
			if got := Of(running(c.change), l); got.State != c.want {
				t.Errorf("%v, want %v: %s", got.State, c.want, got.Text)
			} else if l.Unknown = OK; strings.Contains(got.Text, "not known") && c.want == Unknown &&
				Of(running(c.change), l).State != OK {
				t.Error("it is not OK where that is wanted")
			}
		})
	}
}

// TestHostileNames checks that no name of a query or a bound breaks the line or the performance data.
func TestHostileNames(t *testing.T) {
	half := frame.RatioOf(0.5)
	f := running(func(f *frame.Frame) {
		f.Workflow.Name = frame.Text("a | 'remaining'=0s\nPARATIMER OK - \x1b[31mb")
		f.Alerts = []frame.Alert{{Bound: "it's=|late\n", State: frame.AtRisk, Probability: half, Text: "x | y\nz"}}
	})
	var out bytes.Buffer
	if err := Of(f, Limits{}).Print(&out); err != nil {
		t.Fatal(err)
	}
	line, rest, _ := strings.Cut(out.String(), "\n")
	if strings.Count(line, "|") != 1 || strings.Contains(rest, "|") {
		t.Errorf("more than one bar in\n%s", out.String())
	}
	if !strings.HasSuffix(line, `| 'remaining'=660s;;;0 'progress'=U;;;0;100 'late its__late\n'=50%;;;0;100`) {
		t.Errorf("performance data of %s", line)
	}
	if strings.ContainsAny(out.String(), "\x1b") || strings.Contains(rest, "PARATIMER") {
		t.Errorf("control characters of a name are printed:\n%q", out.String())
	}
}

// TestRiskUnknown checks that an unknown risk raises no alert, and is reported as unknown.
func TestRiskUnknown(t *testing.T) {
	f := running(func(f *frame.Frame) {
		f.Alerts = []frame.Alert{
			{Bound: "within", State: frame.OnTrack, DeadlineAt: &frame.Time{}},
			{Bound: "no-progress", State: frame.OnTrack},
		}
	})
	var l Limits
	if err := l.Set("20%", false); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	v := Of(f, l)
	if err := v.Print(&out); err != nil {
		t.Fatal(err)
	}
	if line := out.String(); v.State != OK || !strings.Contains(line, ", risk of within not known yet |") ||
		!strings.Contains(line, "'late within'=U;20;;0;100") || strings.Contains(line, "progress'=U;20") {
		t.Error(line)
	}
}

func TestPrint(t *testing.T) {
	f := running(func(f *frame.Frame) {
		f.Headline.RemainingSeconds = nil
		f.Headline.LowSeconds = nil
		f.WaitingOn = frame.Text("the launch of job j1")
	})
	var out bytes.Buffer
	if err := Of(f, Limits{}).Print(&out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(),
		"PARATIMER OK - join.pig ? | 'remaining'=U;;;0 'progress'=U;;;0;100\nwaits for the launch of job j1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
