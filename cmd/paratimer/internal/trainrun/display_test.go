package trainrun_test

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/trainrun"
)

func TestBar(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	b := &trainrun.Bar{Lines: trainrun.Lines{W: &out}, Now: func() time.Time { return now }}
	drawn := func() string {
		s := out.String()
		out.Reset()
		return s
	}
	b.Tick() // before anything has begun
	step := trainrun.Step{Number: 2, Of: 7, Row: three()[1], Attempt: 1}
	outlook := trainrun.Outlook{
		This: trainrun.Range{Seconds: 60, Low: 50, High: 70},
		Rest: trainrun.Range{Seconds: 120, Low: 100, High: 140},
	}
	b.Begin(step, outlook)
	if got, want := drawn(), "\r\x1b[K[..........] 2/7  machines 2, scale 0.25, 0s  ~3m (2m30s – 3m30s)"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	now = now.Add(60 * time.Second)
	b.Tick()
	if got, want := drawn(), "\r\x1b[K[###.......] 2/7  machines 2, scale 0.25, 1m0s  ~2m (1m40s – 2m30s)"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// It takes longer than thought: it may take half as long again.
	now = now.Add(60 * time.Second)
	b.Tick()
	if got, want := drawn(), "\r\x1b[K[#####.....] 2/7  machines 2, scale 0.25, 2m0s  ~2m (1m40s – 3m20s, rough)"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	b.End(step, trainrun.Outcome{Took: 123456 * time.Millisecond}, trainrun.Outlook{This: outlook.Rest})
	if got, want := drawn(), "\r\x1b[K2/7  machines 2, scale 0.25: 2m3.5s; ~2m (1m40s – 2m20s) left\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	b.Begin(step, trainrun.Outlook{})
	drawn()
	b.Close()
	b.Tick()
	if got, want := drawn(), "\r\x1b[K"; got != want {
		t.Errorf("closed: got %q, want %q", got, want)
	}
}

// What a command says does not move the cursor.
func TestLinesEscape(t *testing.T) {
	var out strings.Builder
	trainrun.Lines{W: &out}.End(trainrun.Step{Number: 1, Of: 10, Row: three()[0], Attempt: 1},
		trainrun.Outcome{Err: errFake("no\x1b[2J"), Output: "a\nb\x1b[1;1H"}, trainrun.Outlook{})
	if got := out.String(); strings.ContainsRune(got, '\x1b') ||
		!strings.HasPrefix(got, " 1/10  machines 1, scale 0.25: failed, no") {
		t.Errorf("%q", got)
	}
}

type errFake string

func (e errFake) Error() string { return string(e) }
