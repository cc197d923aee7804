//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"
)

// down is how long the ResourceManager is away. It is real time: heartbeats and reposts go on meanwhile.
const down = 20 * time.Second

// TestBlind kills the ResourceManager in the middle of a run that has missed one bound and keeps another, and starts it
// again.
func TestBlind(t *testing.T) {
	l := up(t, "--recovery")
	o := l.oncall()
	pig := l.client("pig", append([]string{"pig"}, joinLong...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "", append(o.sinks(), "--within", "15s", "--within", "1h", "--set", "hold=2")...)
	long := l.awaitJob(4)
	id := o.awaitAlert("within")
	l.awaitTask(long, "m_000002", 20)
	killed := l.killed(l.fault("kill-rm"))
	time.Sleep(down)
	// Alertmanager drops an alert after 20 s if it is not repeated.
	if o.alertmanager.url != "" && !slices.Equal(o.alertmanager.active("within"), []string{id}) {
		t.Errorf("blind, Alertmanager has within of %v, want it of %s", o.alertmanager.active("within"), id)
	}
	l.hadoop("rm")
	w.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)

	from := slices.IndexFunc(w.frames, func(f frame) bool { return f.alert("within") == "blind" })
	if from < 0 {
		t.Fatal("no frame is blind")
	}
	to := from
	for to < len(w.frames) && w.frames[to].alert("within") == "blind" {
		if is := w.frames[to].alert("within-2"); is != "blind" {
			t.Errorf("frame %d is blind to one bound and %s to the other", to+1, is)
		}
		to++
	}
	t.Logf("killed at %.1f s, %d blind frames from %s s on, sight again at %s s", w.since(killed), to-from,
		number(w.frames[from].Elapsed), number(w.frames[to].Elapsed))
	if late, track := w.frames[to].alert("within"), w.frames[to].alert("within-2"); late != "late" ||
		track != "on_track" {
		t.Errorf("with sight again the bounds are %s and %s, want late and on_track", late, track)
	}
	o.over(id, "within")
	if o.alertmanager.url != "" && o.alertmanager.notified("", "within-2", "firing") > 0 {
		t.Error("a bound that was kept has fired")
	}
	w.summarize("the ResourceManager killed, and back after 20 s", to,
		"blind for as long; a missed bound fires on, one that is kept stays silent, each is reported once")
}
