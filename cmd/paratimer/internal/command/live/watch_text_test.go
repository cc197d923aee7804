package live

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestFleetText: a line where something changes, and none in between.
func TestFleetText(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	sink := &fleetText{out: &out, reported: map[string]alertStates{}}
	id, name := "pig_1", "a\x1b[31m.pig"
	at := dag.InstantOf(time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC))
	f := frame.Frame{At: frame.TimeOf(at), Workflow: frame.Workflow{ID: &id, Name: &name, State: dag.Running}}
	missed := frame.Missed
	for _, s := range []frame.AlertState{frame.OnTrack, frame.OnTrack, frame.AtRisk, frame.AtRisk, frame.Late} {
		f.Alerts = []frame.Alert{{Bound: "late", State: s, Text: "it is " + string(s)}}
		if err := sink.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	f.Workflow.State = dag.Succeeded
	f.Alerts = []frame.Alert{{Bound: "late", State: frame.Ended, Outcome: &missed, Text: "it was late"}}
	elapsed := frame.Seconds(65)
	f.ElapsedSeconds = &elapsed
	if err := sink.Show(frame.Tick{Frame: f}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if strings.Contains(got, "\x1b") {
		t.Errorf("a name reaches the terminal as a command: %q", got)
	}
	for _, want := range []string{
		"06:00:00 UTC  ", "pig_1  ?", "late: it is at_risk", "late: it is late",
		"late: it was late", "succeeded after 1m5s",
	} {
		if strings.Count(got, want) == 0 {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 5 {
		t.Errorf("%d lines, want 5\n%s", n, got)
	}
	if len(sink.reported) != 0 {
		t.Error("an ended workflow is kept")
	}
	broken := &fleetText{out: brokenPipe{}, reported: map[string]alertStates{}}
	if err := broken.Show(frame.Tick{Frame: f}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }
