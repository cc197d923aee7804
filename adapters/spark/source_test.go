package spark

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// A fake is a driver with one stage of many tasks, which end one after the other.
type fake struct {
	tasks, done int
	now         dag.Instant
	down        bool
	slow        bool
	over        bool
	jobEnd      dag.Instant // 0: as soon as all tasks have ended
	failed      bool        // one task has failed too often
	partial     bool        // the history server has the application, and not its end
	keeps       int         // number of the newest tasks that it lists; 0: all
	bytes       int
	requests    []string
}

const fakeSlots = 4

func (f *fake) Now() dag.Instant { return f.now }

func (f *fake) stamp(at dag.Instant) string {
	return at.Time().Format("2006-01-02T15:04:05.000") + "GMT"
}

func (f *fake) Get(_ context.Context, path string) ([]byte, error) {
	if f.down {
		return nil, &rest.Error{URL: path, Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
	}
	if f.slow {
		return nil, &rest.Error{URL: path, Err: context.DeadlineExceeded}
	}
	b, err := f.answer(path)
	f.bytes += len(b)
	f.requests = append(f.requests, path)
	return b, err
}

func (f *fake) History(_ context.Context, path string) ([]byte, error) {
	if !f.over && !f.partial {
		return nil, &rest.Error{URL: path, Status: http.StatusNotFound}
	}
	return f.answer(path)
}

func (f *fake) answer(path string) ([]byte, error) {
	u, err := url.Parse(path)
	if err != nil {
		return nil, err
	}
	part := strings.TrimPrefix(u.Path, root+"/app-1/")
	status, stage := "RUNNING", "ACTIVE"
	end := ""
	switch {
	case f.done == f.tasks:
		status, stage, end = "SUCCEEDED", "COMPLETE", fmt.Sprintf(`,"completionTime":%q`, f.stamp(cmp.Or(f.jobEnd, f.now)))
	case f.failed:
		status, stage, end = "FAILED", "FAILED", fmt.Sprintf(`,"completionTime":%q`, f.stamp(f.now))
	}
	job := fmt.Sprintf(`{"jobId":0,"name":"count","stageIds":[0],"status":%q,"submissionTime":%q%s}`, status,
		f.stamp(1795366700000), end)
	of := fmt.Sprintf(`{"stageId":0,"attemptId":0,"status":%q,"name":"count","numTasks":%d,"numCompleteTasks":%d,"executorRunTime":%d,"rddIds":[1],"submissionTime":%q%s,"details":%q}`,
		stage, f.tasks, f.done, f.done*1000, f.stamp(1795366700000), end, strings.Repeat("x", 3000))
	switch {
	case u.Path == root, u.Path == root+"/app-1":
		return []byte(fmt.Sprintf(`[{"id":"app-1","name":"fake","attempts":[{"completed":%v,"endTime":%q}]}]`, f.over,
			f.stamp(f.now))), nil
	case part == "jobs" && u.Query().Get("status") == "running" && status != "RUNNING", part == "stages" &&
		u.RawQuery != "" && stage != "ACTIVE":
		return []byte("[]"), nil
	case part == "jobs":
		return []byte("[" + job + "]"), nil
	case part == "jobs/0":
		return []byte(job), nil
	case part == "stages":
		return []byte("[" + of + "]"), nil
	case part == "stages/0":
		return []byte("[" + of + "]"), nil
	case part == "allexecutors":
		return []byte(fmt.Sprintf(`[{"id":"0","isActive":true,"maxTasks":%d,"addTime":%q}]`, fakeSlots,
			f.stamp(1795366690000))), nil
	case part == "stages/0/0/taskList":
		return f.list(u.Query())
	case part == "environment":
		return []byte(`{"sparkProperties":[["spark.task.cpus","1"]]}`), nil
	}
	return nil, &rest.Error{URL: path, Status: http.StatusNotFound}
}

func (f *fake) list(q url.Values) ([]byte, error) {
	from, to := 0, min(f.done+fakeSlots, f.tasks)
	if f.keeps > 0 {
		from = max(0, to-f.keeps)
	}
	running := q.Get("status") == "RUNNING"
	if running {
		from = f.done
	}
	offset, _ := strconv.Atoi(q.Get("offset"))
	length, err := strconv.Atoi(q.Get("length"))
	if err != nil {
		length = 20
	}
	from = min(from+offset, to)
	to = min(to, from+length)
	rows := make([]map[string]any, 0, to-from)
	for i := from; i < to; i++ {
		row := map[string]any{
			"taskId": i, "index": i, "partitionId": i,
			"launchTime": f.stamp(1795366700000 + dag.Instant(i*250)), "executorId": "0", "status": "RUNNING",
			"executorLogs": strings.Repeat("y", 1600),
		}
		if i < f.done {
			row["status"], row["duration"] = "SUCCESS", 1000
		} else if i == f.done && f.failed {
			row["status"], row["duration"], row["errorMessage"] = "FAILED", 1000, "ValueError: a bad record"
		}
		rows = append(rows, row)
	}
	return json.Marshal(rows)
}

// TestSourcePolls checks that a stage of 10,000 tasks costs a hundredth of what its list of tasks would, round by
// round, that all of its tasks are known to have ended when it has, and that the history server's word ends the
// application.
func TestSourcePolls(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 10_000, now: 1795366700000}
	s := NewSource(f, "")
	naive := 0
	for _, done := range []int{0, 40, 80, 120, 5000, 5020, 9990} {
		f.done, f.now = done, f.now+10_000
		whole, err := f.list(url.Values{"length": {"100000"}})
		if err != nil {
			t.Fatal(err)
		}
		f.bytes, naive = 0, len(whole)
		snap, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := snap.Jobs[0].Stages[0].Succeeded(); got != done {
			t.Errorf("%d tasks are known to have succeeded, %d have", got, done)
		}
	}
	if f.bytes*100 > naive {
		t.Errorf("a round takes %d bytes, the list of tasks %d", f.bytes, naive)
	}
	f.done, f.now = f.tasks, f.now+10_000
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.down = true
	var missed *dag.MissedError
	if _, err := s.Next(t.Context()); !errors.As(err, &missed) {
		t.Errorf("a driver that has gone, and a history server that does not have the end yet: %v", err)
	}
	f.over = true
	snap, err := s.Next(t.Context())
	if err != nil || snap.State != dag.Succeeded || snap.Jobs[0].Stages[0].Succeeded() != f.tasks {
		t.Fatalf("the end: %v, %v", snap, err)
	}
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	for _, path := range f.requests {
		if strings.Contains(path, "kill") || strings.HasPrefix(path, "/stages") {
			t.Errorf("the driver got a request of %s", path)
		}
	}
}

// TestSourceLastFailure checks that the failure which ends an application is known, although its driver ends before
// the next request: the history server has the tasks that were still running.
func TestSourceLastFailure(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 8, done: 3, now: 1795366700000}
	s := NewSource(f, "app-1")
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.now, f.down, f.over, f.failed = f.now+2000, true, true, true
	snap, err := s.Next(t.Context())
	if err != nil || snap.State != dag.Failed {
		t.Fatalf("the end: %v, %v", snap, err)
	}
	for _, a := range snap.Jobs[0].Stages[0].Attempts {
		if a.Task == 3 && a.State == dag.AttemptFailed && a.Diagnosis == "ValueError: a bad record" {
			return
		}
	}
	t.Errorf("no attempt of task 3 has failed: %+v", snap.Jobs[0].Stages[0].Attempts)
}

// TestSourceEarly checks that an application that waits for its first container is watched before its driver is there,
// and that one which ends without ever having one ends as the cluster manager reports.
func TestSourceEarly(t *testing.T) {
	t.Parallel()
	for _, ends := range []dag.State{dag.Running, dag.Failed} {
		f := &fake{tasks: 8, now: 1795366700000, down: true}
		s := NewSource(f, "app-1")
		is := Listed{ID: "app-1", Name: "nightly", User: "ann", State: dag.Running}
		s.reportsEnd, s.manager = true, func(context.Context) (Listed, bool) { return is, true }
		for range giveUp + 2 {
			snap, err := s.Next(t.Context())
			if err != nil || snap.State != dag.Submitted || snap.Plan.Name != "nightly" || snap.User != "ann" {
				t.Fatalf("without a driver: %+v, %v", snap, err)
			}
			f.now += 10_000
		}
		if ends == dag.Running {
			f.down = false
		} else {
			is.State, is.Ended, is.Why = ends, f.now, "exit code 1"
		}
		var snap *dag.Snapshot
		var missed *dag.MissedError
		for range 1 + lastRounds {
			var err error
			if snap, err = s.Next(t.Context()); err == nil {
				break
			} else if !errors.As(err, &missed) {
				t.Fatal(err)
			}
			f.now += 10_000
		}
		if snap == nil || snap.State != ends || snap.Jobs[0].Diagnosis != is.Why {
			t.Errorf("then: %+v, want %v: %s", snap, ends, is.Why)
		}
	}
}

// TestSourceHistoryBehind checks that a history server which has read a part of what an application has written is
// requested again, although the cluster manager has the end.
func TestSourceHistoryBehind(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 8, done: 3, now: 1795366700000}
	s := NewSource(f, "app-1")
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.down, f.partial = true, true
	s.reportsEnd, s.manager = true, func(context.Context) (Listed, bool) {
		return Listed{ID: "app-1", State: dag.Succeeded, Ended: f.now}, true
	}
	for range 3 {
		f.now += 2000
		if snap, err := s.Next(t.Context()); err == nil {
			t.Fatalf("by what the history server has read so far it has ended: %v", snap.State)
		}
	}
	f.done, f.over = f.tasks, true
	if snap, err := s.Next(t.Context()); err != nil || snap.State != dag.Succeeded ||
		snap.Jobs[0].Stages[0].Succeeded() != f.tasks {
		t.Errorf("the end: %+v, %v", snap, err)
	}
}

// TestSourceSilent checks that a driver that does not respond in time does not count as ended, however often, but
// after ten minutes: its host may be lost.
func TestSourceSilent(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 8, done: 3, now: 1795366700000}
	s := NewSource(f, "app-1")
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.slow = true
	for range 59 {
		f.now += 10_000
		if _, err := s.Next(t.Context()); err == nil {
			t.Fatalf("a driver that is slow has ended at %v", f.now)
		}
	}
	f.slow, f.now = false, f.now+5000
	if snap, err := s.Next(t.Context()); err != nil || snap.State != dag.Running {
		t.Errorf("it answers again: %v, %v", snap, err)
	}
	f.slow, f.now = true, f.now.Add(silentFor)
	if snap, err := s.Next(t.Context()); err != nil || snap.State != dag.EndedUnconfirmed {
		t.Errorf("ten minutes later: %v, %v", snap, err)
	}
}

// TestSourceGone checks that an application without a reported end ends as unconfirmed.
func TestSourceGone(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 8, done: 3, now: 1795366700000}
	s := NewSource(f, "app-1")
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.down = true
	for range giveUp + 3 {
		if _, err := s.Next(t.Context()); err == nil {
			t.Fatal("a driver that has just gone has ended")
		}
		f.now += 2000
	}
	f.now = f.now.Add(writtenFor)
	snap, err := s.Next(t.Context())
	if err != nil || snap.State != dag.EndedUnconfirmed {
		t.Errorf("%v, %v", snap, err)
	}
}

// A briefly is a fake that has run a second job between two rounds.
type briefly struct {
	*fake
	came bool
}

func (b *briefly) Get(ctx context.Context, path string) ([]byte, error) {
	part, _, _ := strings.Cut(strings.TrimPrefix(path, root+"/app-1/"), "?")
	at := b.stamp(1795366700000)
	switch {
	case b.came && part == "jobs/1":
		return []byte(fmt.Sprintf(`{"jobId":1,"stageIds":[1],"status":"SUCCEEDED","submissionTime":%q,"completionTime":%q}`,
			at, at)), nil
	case b.came && part == "stages/1":
		return []byte(fmt.Sprintf(`[{"stageId":1,"attemptId":0,"status":"COMPLETE","name":"brief","numTasks":3,
			"numCompleteTasks":3,"rddIds":[7],"submissionTime":%q,"completionTime":%q}]`, at, at)), nil
	case part == "stages/1/0/taskList":
		return []byte("[]"), nil
	}
	return b.fake.Get(ctx, path)
}

// TestSourceBriefJob checks that a job that came and ended between two rounds is known, and requested once.
func TestSourceBriefJob(t *testing.T) {
	t.Parallel()
	b := &briefly{fake: &fake{tasks: 8, now: 1795366700000}}
	s := NewSource(b, "")
	for round := range 4 {
		b.came, b.now = round > 0, b.now+1000
		snap, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stages := snap.Plan.Jobs[0].Stages
		if b.came != (len(stages) == 2 && stages[1].Name == "brief [RDD 7]" && snap.Jobs[0].Stages[1].Succeeded() == 3) {
			t.Fatalf("round %d: the stages are %+v", round, stages)
		}
	}
	probes := 0
	for _, path := range b.requests {
		if path == root+"/app-1/jobs/1" || path == root+"/app-1/jobs/2" {
			probes++
		}
	}
	if probes != 4 { // once a round for the one after the last; the fake itself does not see the answer of the other
		t.Errorf("got %d requests of a job that does not exist: %q", probes, b.requests)
	}
}

// A halfway is a fake with a second stage in its job.
type halfway struct{ *fake }

func (h *halfway) Get(ctx context.Context, path string) ([]byte, error) {
	b, err := h.fake.Get(ctx, path)
	part, query, _ := strings.Cut(strings.TrimPrefix(path, root+"/app-1/"), "?")
	second := fmt.Sprintf(`{"stageId":1,"attemptId":0,"status":"ACTIVE","name":"last","numTasks":2,"rddIds":[7],"submissionTime":%q}`,
		h.stamp(h.now))
	switch {
	case part == "jobs", part == "jobs/0":
		return []byte(fmt.Sprintf(`[{"jobId":0,"stageIds":[0,1],"status":"RUNNING","submissionTime":%q}]`,
			h.stamp(1795366700000))), nil
	case part == "stages" && query != "" && h.done == h.tasks:
		return []byte("[" + second + "]"), nil
	case strings.HasPrefix(part, "stages/1"):
		return []byte("[]"), nil
	}
	return b, err
}

// TestSourceStageEnds checks that a stage which ends while its job goes on has no task left, although no list of its
// tasks showed how the last ones ended.
func TestSourceStageEnds(t *testing.T) {
	t.Parallel()
	h := &halfway{&fake{tasks: 500, now: 1795366700000}}
	s := NewSource(h, "")
	for _, done := range []int{0, 300, 500, 500} {
		h.done, h.now = done, h.now+1000
		snap, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := snap.Jobs[0].Stages[0].Succeeded(); got != done {
			t.Errorf("%d tasks are known to have succeeded, %d have", got, done)
		}
	}
	requests := 0
	for _, path := range h.requests {
		if strings.HasPrefix(path, root+"/app-1/stages/0?") {
			requests++
		}
	}
	if requests != 1 {
		t.Errorf("got %d requests of the stage that has ended, want 1", requests)
	}
}

// TestFewerTasks checks that a stage keeps what it has if a corrupt response has fewer tasks than before, and that no
// task lies beyond its end.
func TestFewerTasks(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 8, done: 6, now: 1795366700000}
	s := NewSource(f, "app-1")
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, fewer := range []string{"0", "2"} {
		body := `[{"stageId":0,"attemptId":0,"status":"ACTIVE","name":"count","numTasks":` + fewer + `,"numCompleteTasks":6}]`
		s.app.Take(&Answer{
			URL: &url.URL{Path: root + "/app-1/stages"}, At: f.now, Status: http.StatusOK, Type: "application/json",
			Body: func() string { return body },
		})
		snap, ok := s.app.Snapshot(f.now, false)
		if !ok {
			t.Fatal("no snapshot")
		}
		for _, a := range snap.Jobs[0].Stages[0].Attempts {
			if n := snap.Plan.Jobs[0].Stages[0].Tasks; int(a.Task) >= n {
				t.Errorf("numTasks %s: task %d of %d", fewer, a.Task, n)
			}
		}
	}
}
