package spark

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// TestUnitOfLog checks that an execution of SQL is played with the jobs of its own, and ends when it does: a moment
// before its application.
func TestUnitOfLog(t *testing.T) {
	t.Parallel()
	l, err := openLog(filepath.Join("testdata", "aqe-3.eventlog.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if l.Holds("/sql/2") || l.Holds("/group/a") || l.Holds("app-1/sql/3") || !l.Holds("/sql/3") || !l.Holds(l.ID()) {
		t.Error("the log has a wrong set of units")
	}
	whole, _ := l.Reader("").At(l.Last)
	unit, ok := l.Reader("/sql/3").At(l.Last)
	if !ok || unit.State != dag.Succeeded || unit.ID != l.ID()+"/sql/3" || unit.Plan.Name == whole.Plan.Name {
		t.Fatalf("%+v", unit)
	}
	early := whole.Jobs[0].Finished - unit.Jobs[0].Finished
	if early < 0 || early > 1000 || len(unit.Jobs[0].Stages) != len(whole.Jobs[0].Stages) {
		t.Errorf("it ends at %v with %d stages, the application at %v with %d", unit.Jobs[0].Finished,
			len(unit.Jobs[0].Stages), whole.Jobs[0].Finished, len(whole.Jobs[0].Stages))
	}
	if _, ok := l.Reader("/sql/2").At(l.Last); ok {
		t.Error("an execution that has run no job has a plan")
	}
}

// A notebook is a driver that goes on when its jobs have ended: job 0 is of group a, job 1 of group b and of the
// execution 7.
type notebook struct {
	now      dag.Instant
	ended    int // jobs that have ended
	more     bool
	down     bool
	requests []string
}

func (n *notebook) Now() dag.Instant { return n.now }

func (n *notebook) History(_ context.Context, path string) ([]byte, error) {
	return nil, errors.New(path)
}

func (n *notebook) Get(_ context.Context, path string) ([]byte, error) {
	if n.down {
		return nil, &rest.Error{URL: path, Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
	}
	n.requests = append(n.requests, path)
	part, query, _ := strings.Cut(strings.TrimPrefix(path, root+"/nb/"), "?")
	job := func(id int, group string) string {
		state, end := "RUNNING", ""
		if n.ended > id {
			state, end = "SUCCEEDED", `,"completionTime":"2026-11-22T15:30:20.000GMT"`
		}
		return fmt.Sprintf(`{"jobId":%d,"name":"x","stageIds":[%d],"jobGroup":%q,"status":%q%s,
			"submissionTime":"2026-11-22T15:30:0%d.000GMT"}`, id, id, group, state, end, id)
	}
	stage := func(id int) string {
		state := "ACTIVE"
		if n.ended > id {
			state = "COMPLETE"
		}
		return fmt.Sprintf(`{"stageId":%d,"attemptId":0,"status":%q,"name":"s","numTasks":2,"rddIds":[%d]}`, id, state,
			40+id)
	}
	sql := `{"id":7,"status":"RUNNING","description":"SELECT 1","runningJobIds":[1],"submissionTime":"2026-11-22T15:30:00.000GMT"}`
	if n.ended > 1 {
		sql = strings.NewReplacer("RUNNING", "COMPLETED", "running", "success").Replace(sql)
	}
	switch {
	case path == root:
		return []byte(`[{"id":"nb","name":"notebook","attempts":[{"completed":false}]}]`), nil
	case part == "jobs":
		return []byte("[" + job(0, "a") + "," + job(1, "b") + "]"), nil
	case part == "stages":
		return []byte("[" + stage(0) + "," + stage(1) + "]"), nil
	case part == "jobs/0", part == "jobs/1":
		return []byte(job(int(part[5]-'0'), string("ab"[part[5]-'0']))), nil
	case part == "stages/0", part == "stages/1":
		return []byte("[" + stage(int(part[7]-'0')) + "]"), nil
	case part == "sql" && n.more:
		return []byte(`[` + sql + `,{"id":9,"status":"RUNNING"},{"id":8,"status":"COMPLETED"}]`), nil
	case part == "sql":
		return []byte("[" + sql + "]"), nil
	case part == "sql/7":
		return []byte(sql), nil
	case part == "environment":
		return []byte(`{"sparkProperties":[["spark.scheduler.mode","FAIR"]]}`), nil
	case part == "allexecutors", strings.HasSuffix(part, "/taskList") && query != "":
		return []byte("[]"), nil
	}
	return nil, &rest.Error{URL: path, Status: http.StatusNotFound}
}

// TestUnitLive checks that a group ends some time after its last job, that an execution ends when the driver reports
// it, and that no tasks of other jobs are requested.
func TestUnitLive(t *testing.T) {
	t.Parallel()
	begin := dag.Instant(time.Date(2026, 11, 22, 15, 30, 10, 0, time.UTC).UnixMilli())
	for _, c := range []struct {
		id, flow, name string
		foreign        string // stages that are not its own
		job            int
	}{
		{"nb/group/a", "nb/group/a", "a", "stages/1/", 0},
		{"/sql/newest", "nb/sql/7", "SELECT 1", "stages/0/", 1},
		{"nb/sql/7", "nb/sql/7", "SELECT 1", "stages/0/", 1},
	} {
		n := &notebook{now: begin}
		s := NewSource(n, c.id)
		next := func() *dag.Snapshot {
			t.Helper()
			snap, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return snap
		}
		snap := next()
		if snap.ID != c.flow || snap.Plan.Name != c.name || snap.State != dag.Running || len(snap.Jobs[0].Stages) != 1 {
			t.Errorf("%s: %+v %+v", c.id, snap, snap.Plan)
		}
		if got := snap.Plan.Jobs[0].Stages[0].Name; got != "s [RDD 0]" {
			t.Errorf("%s: a stage is called %q, by an id that changes from run to run", c.id, got)
		}
		n.ended, n.now = c.job+1, begin+11_000
		if snap = next(); c.job == 0 && snap.State != dag.Running {
			t.Errorf("%s: a second after its last job it is %v", c.id, snap.State)
		}
		if n.now += 20_000; !snap.State.Ended() {
			snap = next()
		}
		if snap.State != dag.Succeeded || snap.Jobs[0].Finished != begin+10_000 {
			t.Errorf("%s: %v at %v", c.id, snap.State, snap.Jobs[0].Finished)
		}
		for _, path := range n.requests {
			if strings.Contains(path, c.foreign) {
				t.Errorf("%s: the driver got a request of %s", c.id, path)
			}
		}
	}
}

// TestAfter checks that the execution that runs after one that has ended is found, and that a driver that has gone ends
// the search.
func TestAfter(t *testing.T) {
	t.Parallel()
	n := &notebook{now: dag.Instant(time.Date(2026, 11, 22, 15, 30, 10, 0, time.UTC).UnixMilli()), ended: 2}
	s := NewSource(n, "nb/sql/7")
	if snap, err := s.Next(t.Context()); err != nil || !snap.State.Ended() {
		t.Fatalf("%+v, %v", snap, err)
	}
	if id, over, err := s.After(t.Context()); id != "" || over || err != nil {
		t.Errorf("nothing has come: %q, %v, %v", id, over, err)
	}
	n.more = true
	if id, over, err := s.After(t.Context()); id != "nb/sql/9" || over || err != nil {
		t.Errorf("execution 9 runs: %q, %v, %v", id, over, err)
	}
	n.down = true
	for i := range giveUp {
		if _, over, err := s.After(t.Context()); over != (i == giveUp-1) || over != (err == nil) {
			t.Errorf("round %d after the driver's end: got %v, %v", i, over, err)
		}
	}
}

// TestBatchName checks that each batch of a stream has the stream's name, so that a batch teaches the next one.
func TestBatchName(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		"SELECT 1\\n FROM t": `SELECT 1\n FROM t`, "counts\\nid = 6a\\nrunId = 93\\nbatch = 4": "counts",
		"id = 6a\\nrunId = 93\\nbatch = 4": "nightly", "": "nightly",
	} {
		a := NewApp("app-1/sql/7")
		a.name = "nightly"
		if !took(a, 0, "sql", `[{"id":7,"status":"RUNNING","description":"`+description+`"}]`) || a.flowName() != want {
			t.Errorf("%q is called %q, want %q", description, a.flowName(), want)
		}
	}
}

// TestCheckID checks which ids of units are understood.
func TestCheckID(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		"": true, "app-1": true, "/sql/3": true, "a/sql/newest": true, "a/group/x y/z": true, "/sql/x": false,
		"/sql/": false, "/sql/-1": false, IDOf("a", "3", "g"): false,
	} {
		if err := CheckID(id); (err == nil) != ok {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestSourceNoUnit checks that a watcher of a job group that never comes reports what it waits for, and ends with the
// driver.
func TestSourceNoUnit(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 4, now: 1795366700000}
	s := NewSource(f, IDOf("app-1", "", "nope"))
	snap, err := s.Next(t.Context())
	if err != nil || len(snap.Warnings) != 1 ||
		!strings.Contains(snap.Warnings[0].Text, `waiting: app-1 has no job group "nope"`) {
		t.Fatalf("while it waits: %+v, %v", snap, err)
	}
	f.down = true
	for range 20 {
		f.now += 10_000
		_, err = s.Next(t.Context())
		if _, missed := errors.AsType[*dag.MissedError](err); !missed {
			break
		}
	}
	if _, none := errors.AsType[*NoUnitError](err); !none {
		t.Errorf("after the driver's end: got %v", err)
	}
}

// TestNoUnitWords checks the error for a unit that does not exist, and the units that it lists.
func TestNoUnitWords(t *testing.T) {
	t.Parallel()
	for unit, want := range map[string]string{
		"/group/nope": `spark: app-1 has no job group "nope"; it has "a", "b"`,
		"/sql/99":     "spark: app-1 has no execution 99 of SQL; it has 0, 1, 2, 3, 4 and 1 other",
	} {
		a := NewApp("app-1" + unit)
		took(a, 0, "jobs", `[{"jobId":0,"jobGroup":"a"},{"jobId":1,"jobGroup":"b"},{"jobId":2,"jobGroup":"a"}]`)
		took(a, 0, "sql", `[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]`)
		if err := a.Missing(); err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
