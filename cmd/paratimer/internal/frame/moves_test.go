package frame

import "testing"

func TestDrift(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		delta, drift float64
		want         string
	}{
		{60, 60, ""},
		{60, 62, ""},
		{380, 370, ""}, // the move is the drift
		{60, 240, "now 4m later than first predicted"},
		{60, -120, "now 2m sooner than first predicted"},
		{-60, 3, ""},
	} {
		drift := Seconds(c.drift)
		if got := (Move{Cause: Cause{DeltaSeconds: Seconds(c.delta)}, DriftSeconds: &drift}).Drift(); got != c.want {
			t.Errorf("a move by %v to %v: %q, want %q", c.delta, c.drift, got, c.want)
		}
	}
	if got := (Move{Cause: Cause{DeltaSeconds: 60}}).Drift(); got != "" {
		t.Errorf("without a first end: %q", got)
	}
}
