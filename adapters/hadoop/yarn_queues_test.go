package hadoop

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

func TestQueues(t *testing.T) {
	b := load[schedulerBody](t, "scheduler-3.4.2.json")
	root := b.Scheduler.V.Info.V
	// Queue a has 60 % and may have all; its users twice its share.
	if q := root.find("root.a"); q == nil || q.limitMB(3072) != 0 {
		t.Errorf("queue a: %+v", q)
	}
	if q := root.find("b"); q == nil || q.Absolute.v != 40 {
		t.Errorf("queue b: %+v", q)
	}
	if q := root.find("root.c"); q != nil {
		t.Errorf("queue c: %+v", q)
	}
	old := load[schedulerBody](t, "scheduler-2.10.2.json")
	if q := old.Scheduler.V.Info.V.find("default"); q == nil || q.limitMB(3072) != 0 {
		t.Errorf("2.10.2: %+v", q)
	}
	half := wireQueue{Absolute: num{30, true}, Max: num{100, true}, Factor: num{1, true}}
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

// TestQueueStates: what real schedulers said of their queues, on a cluster of 3072 MB.
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
		Absolute: num{60, true}, Max: num{70, true}, Factor: num{0.5, true}, Least: num{25, true},
		Order: "fair",
	}
	want := dag.QueueState{Name: "a", ShareMB: 6000, MaxMB: 7000, UserMB: 3000, UserRatio: 0.25, Order: dag.OrderFair}
	if got := limited.state("a", 10000); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	unlimited := wireQueue{Absolute: num{60, true}, Max: num{100, true}, Factor: num{-1, true}}
	if got := unlimited.state("a", 10000); got != (dag.QueueState{Name: "a", ShareMB: 6000}) {
		t.Errorf("without limits: %+v", got)
	}
}

// TestQueuesOfOneName: leaves of one name below different parents are told apart by their paths.
func TestQueuesOfOneName(t *testing.T) {
	root := of[schedulerBody](t,
		`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root","queuePath":"root","queues":{"queue":[
		{"queueName":"dev","queuePath":"root.dev","queues":{"queue":[{"queueName":"etl","queuePath":"root.dev.etl","absoluteCapacity":10}]}},
		{"queueName":"prod","queuePath":"root.prod","queues":{"queue":{"queueName":"etl","queuePath":"root.prod.etl","absoluteCapacity":90}}}]}}}}`).Scheduler.V.Info.V
	for name, want := range map[string]float64{"root.prod.etl": 90, "prod.etl": 90, "root.dev.etl": 10, "etl": 10} {
		if q := root.find(name); q == nil || q.Absolute.v != want {
			t.Errorf("%s: %+v, want the one of %v %%", name, q, want)
		}
	}
	for _, name := range []string{"", "prod", "root.prod", "root.test.etl", "tl"} {
		if q := root.find(name); q != nil {
			t.Errorf("%q: %+v", name, q)
		}
	}
}

// TestVersions reads what masters and history servers of several Hadoops said of the same script (testdata: our own
// live runs).
func TestVersions(t *testing.T) {
	for _, version := range []string{"2.10.2"} {
		am, over := load[jobBody](t, "am-job-"+version+".json").Job.V,
			load[jobBody](t, "jhs-job-"+version+".json").Job.V
		if am.State != "RUNNING" || am.Finished.instant().Known() || !am.Started.instant().Known() || am.Maps.v != 3 ||
			am.Reduces.v != 2 || am.MapsDone.v != 3 {
			t.Errorf("%s: the master says %+v", version, am)
		}
		if over.State != "SUCCEEDED" || !over.Submitted.instant().Known() || !(over.Submitted.v < over.Started.v &&
			over.Started.v < over.Finished.v) || !over.ReducesDone.ok {
			t.Errorf("%s: the history server says %+v", version, over)
		}
		for _, from := range []string{"am", "jhs"} {
			all := load[attemptsBody](t, from+"-attempts-reduce-"+version+".json").Attempts.V.Attempt
			if len(all) != 1 {
				t.Errorf("%s, %s: %d attempts, want one", version, from, len(all))
				continue
			}
			a := all[0]
			if kind, _, number, ok := attemptID(string(a.ID)); !ok || kind != dag.Reduce || number != 0 {
				t.Errorf("%s, %s: attempt %q", version, from, a.ID)
			}
			if a.State != "SUCCEEDED" || a.Node == "" || a.Progress.ratio() != 1 ||
				!(a.Started.v < a.CopyEnd.v && a.CopyEnd.v <= a.SortEnd.v && a.SortEnd.v <= a.Finished.v) {
				t.Errorf("%s, %s: %+v", version, from, a)
			}
		}
		body := load[countersBody](t, "am-counters-reduce-"+version+".json")
		if c := body.counters(); !(c.redIn > 0) || !(c.redOut > 0) || !(c.shuffledB > 0) || !(c.shuffledMaps > 0) {
			t.Errorf("%s: counters %+v", version, c)
		}
	}
}

// TestOddReduces: before MAPREDUCE-7133 a list of reduce attempts named a schema's type beside their own.
func TestOddReduces(t *testing.T) {
	const fields = `"id":"attempt_1_0001_r_000000_0","state":"RUNNING","type":"REDUCE","shuffleFinishTime":7`
	for _, body := range []string{
		`{"taskAttempts":{"taskAttempt":[{"type":"reduceTaskAttemptInfo",` + fields + `}]}}`,
		`{"taskAttempts":{"taskAttempt":[{"@xsi.type":"reduceTaskAttemptInfo",` + fields + `}]}}`,
		`{"taskAttempts":{"taskAttempt":{"@type":"reduceTaskAttemptInfo","@xmlns.xsi":"http://www.w3.org/2001/XMLSchema-instance",` + fields + `}}}`,
	} {
		if all := of[attemptsBody](t, body).Attempts.V.Attempt; len(all) != 1 || all[0].State != "RUNNING" ||
			all[0].CopyEnd.v != 7 {
			t.Errorf("%s: %+v", body, all)
		}
	}
}
