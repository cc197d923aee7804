package yarn

import (
	"strconv"
	"testing"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// TestInventedNodes: a job's master may name a new node in each answer. What is kept of them is bounded, and one beyond
// the bound is no node. One source's master names none to another source.
func TestInventedNodes(t *testing.T) {
	hub := NewHub(nil, nil)
	o := hub.OnlyOverview(nil)
	for i := range mostNodes {
		o.NodeIndex(strconv.Itoa(i))
	}
	o.showNodes()
	if i := o.NodeIndex("one more"); i != -1 || len(o.nodes) != mostNodes || len(hub.nodes.index) != mostNodes {
		t.Errorf("node %d of %d", i, len(o.nodes))
	}
	if i := o.NodeIndex("7"); i != 7 {
		t.Errorf("a node that is known is %d", i)
	}
	if hub.nodes.list([]wireNode{{ID: "two more"}}, 1); len(hub.nodes.nodes) != mostNodes {
		t.Error("a listed node beyond the bound has an index")
	}
	hub = NewHub(nil, nil)
	if i := hub.Overview(nil).NodeIndex("n1:8042"); i != -1 || len(hub.nodes.nodes) != 0 {
		t.Errorf("one of several sources has added node %d", i)
	}
}

func TestQueues(t *testing.T) {
	b := load[schedulerBody](t, "scheduler-3.4.2.json")
	root := b.Scheduler.V.Info.V
	// Queue a has 60% and may have all; its users twice its share.
	if q := root.find("root.a"); q == nil || q.limitMB(3072) != 0 {
		t.Errorf("queue a: %+v", q)
	}
	if q := root.find("b"); q == nil || q.AbsoluteCapacity.V != 40 {
		t.Errorf("queue b: %+v", q)
	}
	if q := root.find("root.c"); q != nil {
		t.Errorf("queue c: %+v", q)
	}
	old := load[schedulerBody](t, "scheduler-2.10.2.json")
	if q := old.Scheduler.V.Info.V.find("default"); q == nil || q.limitMB(3072) != 0 {
		t.Errorf("2.10.2: %+v", q)
	}
	half := wireQueue{
		AbsoluteCapacity: input.Some(30), AbsoluteMaxCapacity: input.Some(100), UserLimitFactor: input.Some(1),
	}
	if mb := half.limitMB(10000); mb != 3000 {
		t.Errorf("a user may have %d MB", mb)
	}
	fair := of[schedulerBody](t,
		`{"scheduler":{"schedulerInfo":{"type":"fairScheduler","rootQueue":{"queueName":"root","childQueues":{"queue":
		[{"queueName":"root.x","maxResources":{"memory":4096,"vCores":4}},{"queueName":"root.y"}]}}}}}`)
	if q := fair.Scheduler.V.Info.V.find("root.x"); q == nil || q.limitMB(8192) != 4096 {
		t.Errorf("fair scheduler: %+v", q)
	}
}

// TestQueueStates checks the states of queues of real schedulers, on a cluster of 3072 MB.
func TestQueueStates(t *testing.T) {
	for _, c := range []struct {
		file, queue string
		want        dag.QueueState
	}{
		{"scheduler-3.4.2.json", "root.a", dag.QueueState{ShareMB: 1843, MastersMB: 2560, UserRatio: 1}},
		{"scheduler-preempt-3.4.2.json", "root.b", dag.QueueState{
			ShareMB: 1229, MastersMB: 2560, UserRatio: 1,
			Preempted: true,
		}},
		{"scheduler-2.10.2.json", "default", dag.QueueState{ShareMB: 3072, MastersMB: 2560, UserRatio: 1}},
		{"scheduler-fair-3.4.2.json", "root.a", dag.QueueState{ShareMB: 1843, MastersMB: 2458, Order: dag.OrderFair}},
	} {
		b := load[schedulerBody](t, c.file)
		q := b.Scheduler.V.Info.V.find(c.queue)
		if q == nil {
			t.Errorf("%s: no queue %s", c.file, c.queue)
			continue
		}
		if c.want.Name = c.queue; q.state(c.queue, 3072) != c.want {
			t.Errorf("%s: %+v, want %+v", c.file, q.state(c.queue, 3072), c.want)
		}
	}
	limited := wireQueue{
		AbsoluteCapacity: input.Some(60), AbsoluteMaxCapacity: input.Some(70), UserLimitFactor: input.Some(0.5),
		UserLimit:          input.Some(25),
		OrderingPolicyInfo: "fair",
	}
	want := dag.QueueState{Name: "a", ShareMB: 6000, MaxMB: 7000, UserMB: 3000, UserRatio: 0.25, Order: dag.OrderFair}
	if got := limited.state("a", 10000); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	unlimited := wireQueue{
		AbsoluteCapacity: input.Some(60), AbsoluteMaxCapacity: input.Some(100), UserLimitFactor: input.Some(-1),
	}
	if got := unlimited.state("a", 10000); got != (dag.QueueState{Name: "a", ShareMB: 6000}) {
		t.Errorf("without limits: %+v", got)
	}
}

// TestQueuesOfOneName: leaves of one name below different parents differ by their paths.
func TestQueuesOfOneName(t *testing.T) {
	root := of[schedulerBody](t,
		`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root","queuePath":"root","queues":{"queue":[
		{"queueName":"dev","queuePath":"root.dev","queues":{"queue":[{"queueName":"etl","queuePath":"root.dev.etl","absoluteCapacity":10}]}},
		{"queueName":"prod","queuePath":"root.prod","queues":{"queue":{"queueName":"etl","queuePath":"root.prod.etl","absoluteCapacity":90}}}]}}}}`).Scheduler.V.Info.V
	for name, want := range map[string]float64{"root.prod.etl": 90, "prod.etl": 90, "root.dev.etl": 10, "etl": 10} {
		if q := root.find(name); q == nil || q.AbsoluteCapacity.V != want {
			t.Errorf("%s: %+v, want the one of %v%%", name, q, want)
		}
	}
	for _, name := range []string{"", "prod", "root.prod", "root.test.etl", "tl"} {
		if q := root.find(name); q != nil {
			t.Errorf("%q: %+v", name, q)
		}
	}
}
