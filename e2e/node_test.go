//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLostNode kills one of two NodeManagers while reduces of the last job run on it: they and the maps that have ended
// there run again.
func TestLostNode(t *testing.T) {
	loseNode(t, "one of two nodes lost, reduces of the last job on it; the AM drops its attempts after 10 s", "-D",
		"yarn.client.nodemanager-connect.max-wait-ms=10000")
}

// TestLostNodeByDefault does the same with Hadoop's own patience: the AM tries for three minutes to stop its attempts
// there.
func TestLostNodeByDefault(t *testing.T) {
	loseNode(t, "the same; the AM keeps them for three minutes, as by default")
}

func loseNode(t *testing.T, scenario string, options ...string) {
	l := up(t, "--nodes", "2")
	pig := l.client("pig", append([]string{
		"pig", "join", "-p", "a=4x240x120", "-p", "b=3x160x80", "-p", "pace=25", "-p", "pace_out=1500",
		"-p", "parallel_a=3", "-p", "parallel_b=2", "-p", "parallel=6",
	}, options...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "")
	var last app
	l.await("the third job", func() bool {
		apps := l.apps()
		if len(apps) == 3 {
			last = apps[2]
		}
		return len(apps) == 3
	})
	l.awaitTask(last, "r_000005", 70)
	// One node has room for four tasks beside the AM, so the other has at least two of the six reduces.
	other := "1"
	if strings.TrimSpace(l.output("fault.sh", "master-node", last.ID)) == "1" {
		other = "2"
	}
	killed := l.killed(l.fault("kill-node", other))
	w.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)
	lost := slices.IndexFunc(w.frames, func(f frame) bool { return f.warned("node_lost") })
	if lost < 0 {
		t.Fatal("no frame warns of node_lost")
	}
	waiting := slices.IndexFunc(w.frames, func(f frame) bool {
		return strings.Contains(deref(f.WaitingOn),
			"its node is lost")
	})
	if waiting < 0 {
		t.Error("no frame waits on an attempt of the lost node")
	} else {
		t.Logf("%.1f s: waiting on %s", *w.frames[waiting].Elapsed, *w.frames[waiting].WaitingOn)
	}
	seen, total := w.frames[lost], *w.last().Elapsed
	w.logChanges()
	t.Logf("killed at %.1f s, lost at %.1f s; then standard was %s s, it became %.1f s",
		w.since(killed), *seen.Elapsed, number(seen.total("standard")), total)
	w.summarize(scenario, lost,
		fmt.Sprintf("`node_lost` %.0f s after the kill, the silent attempt in `waiting_on`; `standard` then was %s s",
			seen.At.Sub(killed).Seconds(), short(seen.total("standard"))))
}
