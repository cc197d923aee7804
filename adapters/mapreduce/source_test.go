package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

func TestNothingToWatch(t *testing.T) {
	l := newLab()
	l.apps("1 FINISHED SUCCEEDED -1")
	for _, target := range []yarn.Target{{}, {User: "bob"}, {ID: "application_1_0009"}, {ID: "pig_x"}} {
		var none *yarn.NoWorkflowError
		if _, err := NewSource(l, target).Next(context.Background()); !errors.As(err, &none) || none.Apps != 1 {
			t.Errorf("%+v: %v", target, err)
		}
	}
}

func TestChoice(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512", "3 FINISHED SUCCEEDED -1")
	l.conf("0001", "a", "a:b")
	l.conf("0002", "x", "", "mapreduce.workflow.id", "pig_2")
	l.runs("0001", 0, "RUNNING")
	l.runs("0002", 0, "RUNNING")
	for _, c := range []struct {
		target yarn.Target
		want   string
	}{
		{yarn.Target{}, "pig_2"},
		{yarn.Target{User: "alice"}, "pig_2"},
		{yarn.Target{ID: "application_1_0001"}, "pig_1"},
		{yarn.Target{ID: "job_1_0001"}, "pig_1"},
		{yarn.Target{ID: "pig_1"}, "pig_1"},
	} {
		s := l.tick(t, NewSource(l, c.target), 0)
		if s.ID != c.want || len(s.Load) != 1 {
			t.Errorf("%+v: %s, load %+v", c.target, s.ID, s.Load)
		}
	}
}

// TestComesLater: while there is nothing to watch, failed requests are repeated.
func TestComesLater(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	src := NewSource(l, yarn.Target{ID: "pig_1"})
	var none *yarn.NoWorkflowError
	if _, err := src.Next(context.Background()); !errors.As(err, &none) {
		t.Fatal(err)
	}
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	if s := l.tick(t, src, time.Second); s.ID != "pig_1" || len(s.Jobs) != 2 {
		t.Errorf("%s, %d jobs", s.ID, len(s.Jobs))
	}
}

func TestPlainJob(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.am["0001/conf"] = `{"conf":{"property":[{"name":"mapreduce.map.memory.mb","value":"512"}]}}`
	l.runs("0001", 0, "RUNNING")
	s := l.tick(t, NewSource(l, yarn.Target{}), 0)
	if s.ID != "job_1_0001" || len(s.Jobs) != 1 || s.Plan.Jobs[0].Stages[dag.Map].Tasks != 1 ||
		s.Plan.Jobs[0].MapReduce.MapMB != 1024 {
		t.Errorf("%s %+v", s.ID, s.Plan.Jobs)
	}
}

// TestMasterRestarts: a new attempt number takes work back, but what the new master recovered stays.
func TestMasterRestarts(t *testing.T) {
	for _, recovers := range []bool{false, true} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 1024")
		more := []string{"pig.output.committer.recovery.support", "false"}
		if recovers {
			more = nil
		}
		l.conf("0001", "a", "", more...)
		l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
		src := NewSource(l, yarn.Target{})
		if s := l.tick(t, src, 10*time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || s.Jobs[0].Attempt != 1 {
			t.Fatalf("%v %+v", mapStates(s, 0), s.Jobs[0])
		}
		l.apps("1 ACCEPTED UNDEFINED 0")
		l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":[{"id":1},{"id":2}]}}`
		s := l.tick(t, src, time.Second)
		want := [5]int{0, 0, 0, 0, 2}
		if recovers {
			want = [5]int{0, 0, 1, 0, 1}
		}
		if mapStates(s, 0) != want || s.Jobs[0].Attempt != 2 || s.Jobs[0].State != dag.Submitted ||
			!warned(s, dag.WarnMasterRestarted) {
			t.Errorf("recovers %v: %v %+v %v", recovers, mapStates(s, 0), s.Jobs[0], s.Warnings)
		}
		l.apps("1 RUNNING UNDEFINED 1024")
		l.runs("0001", 1000, "RUNNING", "SCHEDULED", "SCHEDULED")
		if recovers {
			l.runs("0001", 0, "SUCCEEDED", "SCHEDULED", "SCHEDULED")
			want = [5]int{0, 0, 1, 0, 1}
		} else {
			want = [5]int{0, 1, 0, 0, 2}
		}
		if s := l.tick(t, src, 5*time.Second); mapStates(s, 0) != want || s.State != dag.Running {
			t.Errorf("recovers %v: %v", recovers, mapStates(s, 0))
		}
	}
}

// TestMasterRestartsUnseen: between two polls the master failed and restarted.
func TestMasterRestartsUnseen(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 10*time.Second)
	l.runs("0001", 1000, "SCHEDULED", "RUNNING", "SCHEDULED")
	l.tick(t, src, 10*time.Second) // the number of an attempt shows it
	s := l.tick(t, src, time.Second)
	if mapStates(s, 0) != [5]int{0, 1, 0, 0, 2} || s.Jobs[0].Attempt != 2 {
		t.Errorf("%v %+v", mapStates(s, 0), s.Jobs[0])
	}
}

// TestFailover: another ResourceManager takes over; nothing is lost (facts/hadoop.md E0).
func TestFailover(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 0)
	l.err = &rest.Error{URL: "http://rm1", Text: "connection refused"}
	for range 3 {
		l.now = l.now.Add(4 * time.Second)
		var missed *dag.MissedError
		if _, err := src.Next(context.Background()); !errors.As(err, &missed) || missed.At != l.now {
			t.Fatalf("%v", err)
		}
	}
	l.err = nil
	l.apps("1 ACCEPTED UNDEFINED 0")
	l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":{"id":1}}}`
	s := l.tick(t, src, time.Second)
	if mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || s.Jobs[0].State != dag.Running {
		t.Errorf("%v %+v", mapStates(s, 0), s.Jobs[0])
	}
	l.apps("1 RUNNING UNDEFINED 1024")
	if s = l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || warned(s, dag.WarnMasterRestarted) {
		t.Errorf("%v %v", mapStates(s, 0), s.Warnings)
	}
}

// TestSilentHistory: until the history server answers a job is running; then, in the end, the ResourceManager's word
// counts.
func TestSilentHistory(t *testing.T) {
	for final, want := range map[string]dag.State{
		"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed,
		"KILLED": dag.Killed, "UNDEFINED": dag.EndedUnconfirmed,
	} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 1024")
		l.conf("0001", "a", "")
		l.runs("0001", 0, "RUNNING")
		wait, last := time.Minute, false
		if want == dag.Killed {
			wait = time.Second
		}
		src := NewSource(l, yarn.Target{Final: func() bool { return last }})
		l.tick(t, src, 10*time.Second)
		l.apps("1 FINISHED " + final + " 512")
		if s := l.tick(t, src, time.Second); s.State != dag.Running || len(s.Warnings) != 0 {
			t.Errorf("%v %v", s.State, s.Warnings)
		}
		if s := l.tick(t, src, 20*time.Second); s.State != dag.Running || !warned(s, dag.WarnObservation) {
			t.Errorf("%v %v", s.State, s.Warnings)
		}
		last = want == dag.Killed // no later observation will show more
		if s := l.tick(t, src, wait); s.State != want || s.Jobs[0].Finished != labStart+20_001 {
			t.Errorf("%s: %v, finished %v", final, s.State, s.Jobs[0].Finished)
		}
		if _, err := src.Next(context.Background()); err != io.EOF {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestForgotten: the ResourceManager lost its memory, the history server did not.
func TestForgotten(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 0)
	l.apps()
	delete(l.rm, "apps/application_1_0001")
	l.ends("0001", "SUCCEEDED")
	if s := l.tick(t, src, time.Second); s.State != dag.Succeeded {
		t.Errorf("%v", s.State)
	}
}

// TestLyingMaster: progress beyond 100%, counters that fall, numbers
// without end: no panic.
func TestLyingMaster(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b b:c c:a")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 0)
	l.am["0001"] = `{"job":{"state":"RUNNING","mapsTotal":1e300,"reducesTotal":-4}}`
	l.am["0001/tasks"] = strings.ReplaceAll(l.am["0001/tasks"], `"progress":30`, `"progress":300`)
	path := "0001/tasks/task_1_0001_m_000000/"
	l.am[path+"attempts"] = strings.ReplaceAll(l.am[path+"attempts"], `"progress":30`, `"progress":-7e9`)
	l.am[path+"counters"] = strings.ReplaceAll(l.am[path+"counters"], `"value":9`, `"value":3`)
	s := l.tick(t, src, time.Second)
	a := s.Jobs[0].Stages[dag.Map].Attempts[0]
	if a.Done[0] != 3 || a.Ratio != 0 || a.Total[0] < 9 || s.Plan.Jobs[0].Stages[dag.Map].Tasks != fewTasks ||
		s.Plan.Jobs[0].Stages[dag.Reduce].Tasks != 0 {
		t.Errorf("%+v, %d tasks", a, s.Plan.Jobs[0].Stages[dag.Map].Tasks)
	}
	if !math.IsNaN(a.Out) {
		t.Errorf("output %v without a counter", a.Out)
	}
}

// TestLoad: what others hold, whether they stand before us, and what their queues are guaranteed.
func TestLoad(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 2048", "2 RUNNING UNDEFINED 512", "3 ACCEPTED UNDEFINED 0", "4 FINISHED SUCCEEDED -1",
		"5 FINISHED SUCCEEDED 512")
	other := func(n int) (string, string) {
		id := fmt.Sprintf(`"id":"application_1_%04d","user":"alice","name":"PigLatin:q.pig","queue":"default"`, n)
		return id, strings.NewReplacer("alice", "bob", "default", "root.b", "PigLatin:q.pig", "spark").Replace(id)
	}
	for _, n := range []int{1, 3, 4, 5} {
		from, to := other(n)
		l.rm["apps"] = strings.ReplaceAll(l.rm["apps"], from, to)
	}
	l.rm["apps"] = strings.Replace(l.rm["apps"], `"id":"application_1_0001"`,
		`"progress":25,"resourceInfo":{"resourceUsagesByPartition":[{"pending":{"memory":768},"amUsed":{"memory":512}}]},"id":"application_1_0001"`, 1)
	l.rm["scheduler"] = `{"scheduler":{"schedulerInfo":{"queues":{"queue":[{"queueName":"default","absoluteCapacity":60,"absoluteMaxCapacity":100},{"queueName":"b","absoluteCapacity":40,"absoluteMaxCapacity":100}]}}}}`
	l.conf("0002", "a", "")
	l.runs("0002", 0, "RUNNING")
	src := NewSource(l, yarn.Target{User: "alice"})
	s := l.tick(t, src, 0)
	want := []dag.Load{
		{
			ID: "application_1_0001", Name: "spark", User: "bob", Before: true, Submitted: labStart + 1000,
			Queue: "root.b", HeldMB: 2048, PendingMB: 768, MasterMB: 512, ShareMB: 1229, Progress: 0.25,
			Until: dag.NoInstant,
		},
		{
			ID: "application_1_0003", Name: "spark", User: "bob", Submitted: labStart + 3000, Queue: "root.b",
			ShareMB: 1229, Progress: math.NaN(), Until: dag.NoInstant,
		},
		{
			ID: "application_1_0005", Name: "spark", User: "bob", Submitted: labStart + 5000, Queue: "root.b", HeldMB: 512,
			ShareMB: 1229, Progress: math.NaN(), Until: dag.NoInstant,
		},
	}
	if fmt.Sprint(s.Load) != fmt.Sprint(want) || !warned(s, dag.WarnOtherLoad) {
		t.Errorf("got  %+v\nwant %+v", s.Load, want)
	}
	queues := []dag.QueueState{{Name: "default", ShareMB: 1843}, {Name: "root.b", ShareMB: 1229}}
	if !slices.Equal(s.Queues, queues) || s.QueueNamed(s.Load[0].Queue) == nil || s.QueueNamed(s.Queue) == nil {
		t.Errorf("queues %+v, want %+v", s.Queues, queues)
	}
	again := l.tick(t, src, time.Second)
	if again.Plan != s.Plan {
		t.Error("the plan is another one, though nothing has changed")
	}
	if &again.Queues[0] != &s.Queues[0] {
		t.Error("the queues are another list, though nothing has changed")
	}
}

// TestSnapshotsShareWhatStays checks that a snapshot shares the phases that have not changed with the one before, and
// that no later observation changes a snapshot.
func TestSnapshotsShareWhatStays(t *testing.T) {
	var before *dag.Snapshot
	var text string
	shared := map[string]int{}
	watch(t, query(20, 8), simulate.Options{Seed: 1, Every: 5 * time.Second}, func(_ *simREST, got *dag.Snapshot) {
		if before != nil && fmt.Sprintf("%+v", before.Jobs) != text {
			t.Errorf("the snapshot at %d has changed since", before.At)
		}
		for i := range got.Jobs {
			if before == nil || i >= len(before.Jobs) || before.Jobs[i].ID != got.Jobs[i].ID {
				break
			}
			for k := range got.Jobs[i].Stages {
				if p := &got.Jobs[i].Stages[k]; len(p.Attempts) > 0 &&
					dag.SameAttempts(p.Attempts, before.Jobs[i].Stages[k].Attempts) {
					shared[got.Jobs[i].ID]++
				}
			}
		}
		before, text = got, fmt.Sprintf("%+v", got.Jobs)
	})
	if len(shared) < 2 {
		t.Errorf("phases of %d jobs are shared", len(shared))
	}
}
