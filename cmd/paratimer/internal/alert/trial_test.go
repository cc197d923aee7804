package alert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// shown is a frame with one alert at a second of the run.
func shown(at int64, state frame.AlertState, deadline int64) frame.Frame {
	elapsed := frame.Seconds(at)
	now := frame.TimeOf(zero.Add(seconds(at)))
	f := frame.Frame{At: now, ElapsedSeconds: &elapsed, Workflow: frame.Workflow{State: dag.Running}}
	a := frame.Alert{Bound: "b", State: state}
	if deadline > 0 {
		a.DeadlineAt = frame.TimeOf(zero.Add(seconds(deadline)))
	}
	f.Alerts = []frame.Alert{a}
	if state == frame.Ended {
		f.Workflow.State, f.Headline.EndAt = dag.Succeeded, now
	}
	return f
}

// TestTrial gives each verdict. Every run ends at 120 s.
func TestTrial(t *testing.T) {
	at := func(s int64) *frame.Time { return frame.TimeOf(zero.Add(seconds(s))) }
	sec := func(s float64) *frame.Seconds { v := frame.Seconds(s); return &v }
	still := Bound{Kind: NoProgress}
	for name, c := range map[string]struct {
		frames []frame.Frame
		want   Result
	}{
		"nothing moved": {
			[]frame.Frame{
				shown(10, frame.OnTrack, 70), shown(61, frame.Late, 60), shown(70, frame.OnTrack, 130),
				shown(120, frame.Ended, 180),
			},
			Result{DeadlineAt: at(60), FiredSeconds: sec(61), Firings: 1, Late: true, Verdict: True},
		},
		"something always moved": {
			[]frame.Frame{shown(10, frame.OnTrack, 70), shown(100, frame.OnTrack, 110), shown(120, frame.Ended, 110)},
			Result{DeadlineAt: at(110), Verdict: Silent},
		},
		"warned in time": {
			[]frame.Frame{
				shown(10, frame.OnTrack, 100), shown(60, frame.AtRisk, 100), shown(101, frame.Late, 100),
				shown(120, frame.Ended, 100),
			},
			Result{
				DeadlineAt: at(100), FiredSeconds: sec(60), WarningSeconds: sec(40), Firings: 1, Late: true,
				Verdict: True,
			},
		},
		"the deadline itself is no warning": {
			[]frame.Frame{shown(10, frame.OnTrack, 100), shown(101, frame.Late, 100), shown(120, frame.Ended, 100)},
			Result{
				DeadlineAt: at(100), FiredSeconds: sec(101), WarningSeconds: sec(-1), Firings: 1, Late: true,
				Verdict: Missed,
			},
		},
		"late, without an alert": {
			[]frame.Frame{shown(10, frame.OnTrack, 100), shown(120, frame.Ended, 100)},
			Result{DeadlineAt: at(100), Late: true, Verdict: Missed},
		},
		"fired twice for nothing": {
			[]frame.Frame{
				shown(20, frame.AtRisk, 130), shown(30, frame.OnTrack, 130), shown(40, frame.AtRisk, 130),
				shown(45, frame.Blind, 130),
				shown(50, frame.AtRisk, 130), shown(120, frame.Ended, 130),
			},
			Result{DeadlineAt: at(130), FiredSeconds: sec(20), WarningSeconds: sec(110), Firings: 2, Verdict: False},
		},
		"on time, without an alert": {
			[]frame.Frame{shown(20, frame.Blind, 130), shown(30, frame.OnTrack, 130), shown(120, frame.Ended, 130)},
			Result{DeadlineAt: at(130), Verdict: Silent},
		},
		"no deadline was ever known": {
			[]frame.Frame{shown(20, frame.OnTrack, 0), shown(120, frame.Ended, 0)},
			Result{Verdict: Silent},
		},
		"it counts against the deadline that it fired for": {
			[]frame.Frame{shown(20, frame.OnTrack, 70), shown(60, frame.AtRisk, 100), shown(120, frame.Ended, 140)},
			Result{
				DeadlineAt: at(100), FiredSeconds: sec(60), WarningSeconds: sec(40), Firings: 1, Late: true,
				Verdict: True,
			},
		},
	} {
		var trial Trial
		if strings.Contains(name, "moved") {
			trial.Held = []Bound{still}
		}
		for _, f := range c.frames {
			if err := trial.Show(frame.Tick{Frame: f}); err != nil {
				t.Fatal(err)
			}
		}
		c.want.Bound = "b"
		if d := c.want.DeadlineAt; d != nil {
			c.want.DeadlineSeconds = frame.Since(d.Instant, zero)
		}
		if diff := cmp.Diff([]Result{c.want}, trial.Results()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
