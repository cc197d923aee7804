package mapreduce

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestHubMissed: an application that ended between two lists that would show it stays meanwhile, nor is
// its configuration; one that such a list does not have is.
func TestHubMissed(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	hub := newHub(l)
	round := func() {
		t.Helper()
		l.now = l.now.Add(5 * time.Second)
		if err := refresh(t, hub); err != nil {
			t.Fatal(err)
		}
	}
	round()
	if err := hub.Identify(t.Context(), "application_1_0001"); err != nil {
		t.Fatal(err)
	}
	l.apps("2 RUNNING UNDEFINED 512")
	round()
	for range 2 {
		if all := hub.Submitted(); len(all) != 1 || all[0].App != "application_1_0002" {
			t.Errorf("%+v run", all)
		}
		if c, _ := hub.conf("application_1_0001"); c == nil {
			t.Error("its configuration is gone")
		}
		src := hub.Source("application_1_0001")
		for range 2 {
			if s, err := src.Next(t.Context()); err != nil || s.ID != "pig_1" {
				t.Errorf("%+v, %v", s, err)
			}
		}
		round()
	}
	if c, _ := hub.conf("application_1_0001"); c != nil {
		t.Error("the configuration of one that no list has is kept")
	}
	if _, err := hub.Source("application_1_0001").Next(t.Context()); !errors.As(err, new(*yarn.NoWorkflowError)) {
		t.Errorf("one that no list has: %v", err)
	}
}

// TestHubRunning: each application's allocated and pending memory, the limit of its queue, and the free memory.
func TestHubRunning(t *testing.T) {
	l := tenantLab()
	l.rm["metrics"] = `{"clusterMetrics":{"totalMB":3072,"allocatedMB":1536,"reservedMB":512,"activeNodes":1}}`
	l.rm["scheduler"] = `{"scheduler":{"schedulerInfo":{"queues":{"queue":[{"queueName":"default","absoluteCapacity":50,"absoluteMaxCapacity":75,"userLimitFactor":0.5}]}}}}`
	hub := newHub(l)
	if total, free := hub.Room(); total != 0 || free != 0 {
		t.Errorf("before the first request: got %d MB, %d free, want 0", total, free)
	}
	if err := refresh(t, hub); err != nil {
		t.Fatal(err)
	}
	if total, free := hub.Room(); total != 3072 || free != 1024 {
		t.Errorf("room %d, free %d", total, free)
	}
	all := hub.Submitted()
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	theirs, ours := all[0], all[1]
	if theirs.HeldMB != 1024 || theirs.Containers != 4 || theirs.PendingMB != 768 || theirs.UserMB != 768 ||
		theirs.QueueMB != 2304 {
		t.Errorf("theirs: %+v", theirs)
	}
	if ours.HeldMB != 512 || !math.IsNaN(ours.PendingMB) {
		t.Errorf("ours: %+v", ours)
	}
}

// TestHubKeeps: a hub keeps its state of the cluster and its queues while newer answers fail, also for sources that
// come later.
func TestHubKeeps(t *testing.T) {
	t.Parallel()
	l := tenantLab()
	l.rm["metrics"] = `{"clusterMetrics":{"totalMB":3072,"allocatedMB":1536,"activeNodes":1}}`
	l.rm["scheduler"] = `{"scheduler":{"schedulerInfo":{"queues":{"queue":[{"queueName":"default","absoluteCapacity":50,"absoluteMaxCapacity":75}]}}}}`
	hub := newHub(l)
	for range 11 {
		if err := refresh(t, hub); err != nil {
			t.Fatal(err)
		}
		delete(l.rm, "metrics")
		delete(l.rm, "scheduler")
		if total, free := hub.Room(); total != 3072 || free != 1536 {
			t.Fatalf("room %d, free %d", total, free)
		}
		if mb := hub.Submitted()[0].QueueMB; mb != 2304 {
			t.Fatalf("its queue has %d MB", mb)
		}
	}
	s, err := hub.Source("application_1_0001").Next(t.Context())
	if err != nil || len(s.Queues) != 1 || s.Plan.Cluster.MemoryMB != 3072 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestCrowd: the sum of many small applications has no owner and no known need.
func TestCrowd(t *testing.T) {
	var all []dag.Load
	for i := range fewTenants + 1 {
		all = append(all, dag.Load{
			ID: fmt.Sprint(i), Name: "theirs", User: "bob", Queue: "q", HeldMB: 100,
			Progress: 0.5, Need: &dag.Need{},
		})
	}
	sums := sumLoads(all)
	if len(sums) != 1 || sums[0].HeldMB != 2100 || sums[0].Name != "" || sums[0].User != "" || sums[0].Need != nil ||
		!strings.HasPrefix(sums[0].ID, "others") {
		t.Errorf("%+v", sums)
	}
}
