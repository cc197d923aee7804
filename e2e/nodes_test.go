//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Four NodeManagers of 1024, 1024, 768 and 768 MB; the third takes three times as long for a record. A master takes 512
// MB, a task 256.

// joinNodes is a join with a number of maps in its first job. Ten are one more than four nodes have room for beside two
// masters, so a change of a node concerns running and pending tasks.
func joinNodes(maps int) []string {
	return []string{
		"pig", "join", "-p", fmt.Sprintf("a=%dx300x150", maps), "-p", "b=3x200x100", "-p", "pace=30", "-p",
		"pace_out=60",
		"-p", "parallel_a=2", "-p", "parallel_b=1", "-p", "parallel=2",
	}
}

const slowNode = "3"

// onFour runs the join on four nodes and returns once a map of its first job has worked and the cluster is full.
func onFour(t *testing.T, with string, maps, fullMB int) (l *lab, pig *process, w *watcher) {
	l = up(t, "--nodes", "4", "--slow", slowNode, "--with", with)
	pig = l.client("pig", joinNodes(maps)...)
	w = l.attach("attach", l.awaitApp("join.pig").ID)
	l.awaitTask(l.awaitJob(maps), "m_000000", 10)
	l.await("a full cluster", func() bool { return l.metrics().AllocatedMB >= fullMB })
	return l, pig, w
}

// metrics are the cluster's.
func (l *lab) metrics() (m struct{ AllocatedMB, TotalMB int }) {
	l.t.Helper()
	var got struct {
		ClusterMetrics struct{ AllocatedMB, TotalMB int }
	}
	l.get(l.rm+"/ws/v1/cluster/metrics", &got)
	return got.ClusterMetrics
}

// unmastered is a node that no master runs on and that is not slow.
func (l *lab) unmastered() string {
	l.t.Helper()
	var nodes []string
	for _, a := range l.apps() {
		if a.State == "RUNNING" {
			nodes = append(nodes, strings.TrimSpace(l.output("fault.sh", "--wait", "20", "master-node", a.ID)))
		}
	}
	for _, n := range []string{"4", "2", "1"} {
		if !slices.Contains(nodes, n) {
			return n
		}
	}
	l.t.Fatalf("masters run on all nodes: %v", nodes)
	return ""
}

// odd returns the status of a node in the frame: its state, "slow" or "avoided"; "" if it has none.
func (f frame) odd(node string) string {
	for _, n := range f.Nodes {
		switch {
		case !strings.HasPrefix(n.Name, "node"+node+":"):
		case n.State != "running":
			return n.State
		case len(n.AvoidedBy) > 0:
			return "avoided"
		case n.Times != nil && *n.Times > 1:
			return "slow"
		}
	}
	return ""
}

// firstStatus returns the first frame from an event on that shows this status of the node, and how many seconds later
// it was. Without one the test fails.
func (w *watcher) firstStatus(node, what string, since time.Time) (int, float64) {
	l := w.lab
	l.t.Helper()
	for i, f := range w.frames {
		if f.At != nil && !f.At.Before(since) && f.odd(node) == what {
			after := f.At.Sub(since).Seconds()
			l.t.Logf("%.1f s: node %s is %q, %.1f s after the event", *f.Elapsed, node, what, after)
			return i, after
		}
	}
	l.t.Fatalf("no frame has node %s as %q", node, what)
	return -1, 0
}

// finish waits for the end and checks what all of these scenarios have in common.
func (w *watcher) finish(pig *process) {
	w.lab.t.Helper()
	w.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)
	w.logChanges()
}

// TestAddedNode: the fourth node comes while maps of the first wave run. The third is slow all along. Beside
// a master it holds one task at a time, and one attempt alone does not show it: there are maps enough for a second.
func TestAddedNode(t *testing.T) {
	l, pig, w := onFour(t, "nodes=4", 24, 2560)
	l.hadoop("node", "4")
	l.await("the fourth node", func() bool { return l.metrics().TotalMB == 3584 })
	added := time.Now()
	w.finish(pig)
	_, slow := w.firstStatus(slowNode, "slow", *w.frames[0].At)
	i := slices.IndexFunc(w.frames, func(f frame) bool { return f.At.After(added) })
	if i < 1 {
		t.Fatal("no frame after the node had come")
	}
	was, is := w.frames[i-1].total("standard"), w.frames[min(i+1, len(w.frames)-1)].total("standard")
	w.summarize("four nodes of 1024, 1024, 768 and 768 MB, the third slow, the fourth added while maps run", i,
		fmt.Sprintf("the slow node named %.0f s after the first frame; `standard` before and two ticks after the fourth came %s s and %s s", slow, short(was), short(is)))
}

// TestDrainedNode: a node is taken out with 15 s for what runs there, which is less than it needs.
func TestDrainedNode(t *testing.T) {
	l, pig, w := onFour(t, "nodes", 10, 3328)
	node := l.unmastered()
	requested := l.killed(l.fault("decommission", node, "15"))
	w.finish(pig)
	i, drains := w.firstStatus(node, "draining", requested)
	_, removed := w.firstStatus(node, "decommissioned", requested)
	w.summarize("of four nodes one is decommissioned with 15 s for its tasks", i,
		fmt.Sprintf("draining shown %.0f s after the request, decommissioned %.0f s after", drains, removed))
}

// TestSickNode: a node's health script finds fault with it for some seconds.
func TestSickNode(t *testing.T) {
	l, pig, w := onFour(t, "nodes", 10, 3328)
	node := l.unmastered()
	faulted := l.killed(l.fault("sicken-node", node))
	l.await("the node's loss", func() bool { return l.metrics().TotalMB < 3584 })
	time.Sleep(3 * every) // so that a watcher sees it
	healed := l.killed(l.fault("heal-node", node))
	w.finish(pig)
	i, lost := w.firstStatus(node, "unhealthy", faulted)
	_, back := w.firstStatus(node, "", healed)
	w.summarize("of four nodes one is unhealthy for some seconds", i,
		fmt.Sprintf("shown after %.0f s, its return %.0f s after it was healthy again", lost, back))
}

// TestAvoidedNode: every task on a node fails, so the master requests no more containers there.
func TestAvoidedNode(t *testing.T) {
	l := up(t, "--nodes", "4", "--slow", slowNode, "--with", "nodes")
	pig := l.client("pig", joinNodes(10)...)
	id := l.awaitApp("join.pig").ID
	w := l.attach("attach", id)
	l.awaitJob(10)
	node := l.unmastered()
	broke := l.killed(l.fault("break-node", node))
	w.finish(pig)
	i, avoided := w.firstStatus(node, "avoided", broke)
	failed := 0
	for _, f := range w.frames {
		failed = max(failed, len(f.Failures))
	}
	w.summarize("of four nodes one fails its tasks, until their master avoids it", i,
		"shown after "+strconv.FormatFloat(avoided, 'f', 0, 64)+" s; "+strconv.Itoa(failed)+" attempts failed")
}
