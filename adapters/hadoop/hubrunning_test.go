package hadoop

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestHubRunning: what each application holds and has asked for, what its queue lets it have, and how much is free.
func TestHubRunning(t *testing.T) {
	l := needLab()
	l.rm["metrics"] = `{"clusterMetrics":{"totalMB":3072,"allocatedMB":1536,"reservedMB":512,"activeNodes":1}}`
	l.rm["scheduler"] = `{"scheduler":{"schedulerInfo":{"queues":{"queue":[{"queueName":"default","absoluteCapacity":50,"absoluteMaxCapacity":75,"userLimitFactor":0.5}]}}}}`
	hub := NewHub(l)
	if total, free := hub.Room(); total != 0 || free != 0 {
		t.Errorf("before anything was asked: %d, %d", total, free)
	}
	if err := hub.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if total, free := hub.Room(); total != 3072 || free != 1024 {
		t.Errorf("room %d, free %d", total, free)
	}
	all := hub.Running()
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	theirs, ours := all[0], all[1]
	if theirs.HeldMB != 1024 || theirs.Containers != 4 || theirs.PendingMB != 768 || theirs.UserMB != 768 || theirs.QueueMB != 2304 {
		t.Errorf("theirs: %+v", theirs)
	}
	if ours.HeldMB != 512 || !math.IsNaN(ours.PendingMB) {
		t.Errorf("ours: %+v", ours)
	}
}

// TestCrowd: a sum of many is nobody's, and nobody's need.
func TestCrowd(t *testing.T) {
	var all []dag.Load
	for i := range fewOthers + 1 {
		all = append(all, dag.Load{ID: fmt.Sprint(i), Name: "theirs", User: "bob", Queue: "q", HeldMB: 100, Progress: 0.5, Need: &dag.Need{}})
	}
	sums := crowd(all)
	if len(sums) != 1 || sums[0].HeldMB != 2100 || sums[0].Name != "" || sums[0].User != "" || sums[0].Need != nil || !strings.HasPrefix(sums[0].ID, "others") {
		t.Errorf("%+v", sums)
	}
}
