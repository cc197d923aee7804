package tez_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A truth is the real course of a recorded DAG, by an independent reading of its master's history and log. Times are
// milliseconds from its submission.
type truth struct {
	file, id   string
	name       string
	state      dag.State
	submitted  dag.Instant
	finished   int64
	vertices   int
	edges      int
	tasks      int
	attempts   int // that ran
	failed     int
	containers int
	first      int64 // start of the first attempt
	last       int64 // end of the last one
	starts     int64 // sum of all attempts' starts; 0 where the recording has lost some
	ends       int64
	done, out  float64 // records that all tasks read, a broadcast table not counted, and wrote
}

var truths = []truth{
	{
		"skew-3", "dag_1795367695478_0001_1", "skew.pig", dag.Succeeded, 1795367702384, 59963, 2, 1, 18, 18, 0, 6, 3334,
		59936, 207506, 446026, 2600, 2600,
	},
	{
		"hivebad-1", "dag_1795361928404_0007_1", "report-1", dag.Failed, 1795363327232, 8566, 6, 5, 19, 0, 0, 0, 0, 0, 0,
		0, 0, 0,
	},
	{
		"join-3", "dag_1795366040025_0001_1", "join.pig", dag.Succeeded, 1795366064646, 75939, 5, 4, 43, 43, 0, 6, 3784,
		75906, 1079135, 1483990, 10186, 7046,
	},
	{
		"hive-3", "dag_1795366040025_0002_1", "report-3", dag.Succeeded, 1795366161719, 83314, 6, 5, 43, 43, 0, 9, 5605,
		83310, 1331176, 1845548, 10733, 6953,
	},
	{
		"hive-3", "dag_1795366040025_0002_2", "mapjoin-3", dag.Succeeded, 1795366245876, 21147, 4, 3, 29, 29, 0, 0, 127,
		21146, 225319, 368293, 3951, 1431,
	},
	{
		"session-3", "dag_1795367695478_0002_1", "session.pig", dag.Succeeded, 1795367776753, 21341, 2, 1, 21, 21, 0, 6,
		2377, 21315, 243418, 342807, 5040, 2523,
	},
	{
		"session-3", "dag_1795367695478_0002_2", "session.pig #2", dag.Succeeded, 1795367799536, 24673, 2, 1, 13, 13, 0, 0,
		122, 24658, 42468, 158783, 2520, 2280,
	},
	{
		"join-1", "dag_1795361928404_0006_1", "join.pig", dag.Succeeded, 1795363040788, 111788, 5, 4, 37, 37, 0, 6, 32574,
		111416, 2382256, 2807851, 9161, 6380,
	},
	{
		"hive-1", "dag_1795361928404_0013_1", "report-1", dag.Succeeded, 1795365005796, 121572, 6, 5, 39, 39, 0, 9, 19311,
		121567, 2257676, 2887023, 9655, 6295,
	},
	{
		"session-1", "dag_1795361928404_0005_1", "session.pig", dag.Succeeded, 1795362808319, 54912, 2, 1, 17, 17, 0, 6,
		24422, 54645, 677507, 828607, 4480, 2243,
	},
	{
		"session-1", "dag_1795361928404_0005_2", "session.pig #2", dag.Succeeded, 1795362870500, 55829, 2, 1, 11, 11, 0, 0,
		907, 55632, 234508, 429331, 2240, 2062,
	},
	{
		"skew-1", "dag_1795361928404_0002_1", "skew.pig", dag.Succeeded, 1795362295639, 121400, 2, 1, 16, 16, 0, 6, 28318,
		120865, 0, 0, 2560, 2560,
	},
	{
		"failure-1", "dag_1795361928404_0004_1", "join.pig", dag.Succeeded, 1795362562230, 124261, 5, 4, 37, 38, 1, 7,
		36859, 123750, 0, 0, 9161, 6380,
	},
	{
		"amlost-1", "dag_1795361928404_0014_1", "join.pig", dag.Running, 1795365226037, 0, 5, 4, 37, 37, 0, 0, 13854, 0, 0,
		0, 0, 0,
	},
}

// open reads a recording out of testdata, or of the folders of recordings beside the project.
func open(t *testing.T, name string) *recording.Answers {
	t.Helper()
	folders := append([]string{"testdata", "../../../shared/recordings-tez"},
		filepath.SplitList(os.Getenv("PARATIMER_RECORDINGS"))...)
	for _, folder := range folders {
		path := filepath.Join(folder, name+".jsonl.gz")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	t.Skipf("no recording %s in %v", name, folders)
	return nil
}

type source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// play plays a source to its end and checks what holds of each snapshot.
func play(t *testing.T, src source) []*dag.Snapshot {
	t.Helper()
	var all []*dag.Snapshot
	for {
		s, err := src.Next(t.Context())
		var none *yarn.NoWorkflowError
		var cut *recording.CutOffError
		switch {
		case errors.As(err, &none):
			continue
		case errors.Is(err, io.EOF), errors.As(err, &cut):
			return all
		case err != nil:
			t.Fatal(err)
		}
		check(t, s)
		if n := len(all); n > 0 && all[n-1].Plan.Jobs[0].Stages[0].Name != "vertex" &&
			len(s.Jobs[0].Stages) != len(all[n-1].Jobs[0].Stages) {
			t.Fatalf("at %d: %d stages, were %d", s.At, len(s.Jobs[0].Stages), len(all[n-1].Jobs[0].Stages))
		}
		all = append(all, s)
	}
}

func check(t *testing.T, s *dag.Snapshot) {
	t.Helper()
	if err := dag.Validate(s.Plan); err != nil {
		t.Errorf("at %d: %v", s.At, err)
	}
	running := map[int32]string{}
	for k := range s.Jobs[0].Stages {
		stage := &s.Plan.Jobs[0].Stages[k]
		for _, a := range s.Jobs[0].Stages[k].Attempts {
			name := fmt.Sprintf("at %d: %s task %d attempt %d", s.At-s.Jobs[0].Submitted, stage.Name, a.Task, a.Number)
			if stage.Known && int(a.Task) >= stage.Tasks {
				t.Errorf("%s: of %d tasks", name, stage.Tasks)
			}
			if a.Start > s.At || a.End > s.At || a.End.Known() != (a.State != dag.AttemptRunning) || a.Last.At > s.At {
				t.Errorf("%s: %+v", name, a)
			}
			if a.State == dag.AttemptRunning && a.Slot >= 0 {
				if running[a.Slot] != "" {
					t.Errorf("%s: its container %d runs %s", name, a.Slot, running[a.Slot])
				}
				running[a.Slot] = name
			}
		}
	}
}

// brief lists the recordings that -short replays: the quickest ones with a DAG that fails, one whose keys are uneven,
// and a session.
var brief = []string{"hivebad-1", "skew-3", "session-3"}

func TestRecordings(t *testing.T) {
	t.Parallel()
	for _, c := range truths {
		if testing.Short() && !slices.Contains(brief, c.file) {
			continue
		}
		t.Run(c.file+" "+c.id, func(t *testing.T) {
			t.Parallel()
			rec := open(t, c.file)
			src, err := engine.Replay(rec, recording.Options{Workflow: c.id})
			if err != nil {
				t.Fatal(err)
			}
			all := play(t, src)
			c.compare(t, all)
		})
	}
}

func (c *truth) compare(t *testing.T, all []*dag.Snapshot) {
	t.Helper()
	if len(all) == 0 {
		t.Fatal("no snapshot")
	}
	last := all[len(all)-1]
	j, p := &last.Jobs[0], last.Plan
	got := truth{
		file: c.file, id: last.ID, name: p.Name, state: last.State, submitted: j.Submitted,
		vertices: len(p.Jobs[0].Stages), tasks: p.Jobs[0].Tasks(),
	}
	if j.Finished.Known() {
		got.finished = int64(j.Finished - j.Submitted)
	}
	slots := map[int32]bool{}
	for k := range j.Stages {
		got.edges += len(p.Jobs[0].Stages[k].After)
		for _, a := range j.Stages[k].Attempts {
			start, end := int64(a.Start-j.Submitted), int64(a.End-j.Submitted)
			if got.attempts == 0 || start < got.first {
				got.first = start
			}
			got.attempts++
			got.last = max(got.last, end)
			got.starts, got.ends = got.starts+start, got.ends+end
			slots[a.Slot] = true
			if a.State == dag.AttemptFailed {
				got.failed++
			}
			if a.State == dag.AttemptSucceeded {
				got.done, got.out = got.done+a.Done[0], got.out+a.Out
			}
		}
	}
	if got.containers = len(slots); c.containers == 0 {
		got.containers = 0
	}
	if c.starts == 0 { // times of some attempts are those at which they were seen
		got.starts, got.ends = 0, 0
	}
	if c.finished == 0 {
		got.last, got.done, got.out = 0, 0, 0
	}
	if got != *c {
		t.Errorf("got\n%+v, want\n%+v", got, *c)
	}
}

// A denied cluster refuses the files that match.
type denied struct {
	*yarn.Client
	refuses  func(path string) bool
	requests map[string]int
}

func (d *denied) NM(ctx context.Context, node, path string) ([]byte, error) {
	if d.refuses(path) {
		return nil, &rest.Error{URL: path, Status: http.StatusForbidden, Text: "no view rights"}
	}
	return d.Client.NM(ctx, node, path)
}

func (d *denied) Proxy(ctx context.Context, app string, r rest.Request) ([]byte, error) {
	what, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "ws/v2/tez/"), "?")
	d.requests[what]++
	return d.Client.Proxy(ctx, app, r)
}

// A stepped source plays a recording second by second.
type stepped struct {
	*tez.Source
	player *recording.Player
	until  dag.Instant
}

func (s *stepped) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.player.Now() > s.until {
		return nil, io.EOF
	}
	s.player.Seek(s.player.Now() + 1000)
	return s.Source.Next(ctx)
}

func without(t *testing.T, rec *recording.Answers, id string, refuses func(path string) bool) (*stepped, *denied) {
	t.Helper()
	p := tez.NewPlayer(rec)
	client, err := yarn.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://localhost:8088"}}}, rest.Options{
		Transport: p,
		Now:       p.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	d := &denied{client, refuses, map[string]int{}}
	return &stepped{tez.NewSource(d, yarn.Target{ID: id, Made: p.Made}), p, rec.Last}, d
}

func warned(s *dag.Snapshot, code string) bool {
	return slices.ContainsFunc(s.Warnings, func(w dag.Warning) bool { return w.Code == code })
}

// If the files of the master are refused, only its web service responds: of tasks everything but where they ran, times
// to a second, no names or edges.
func TestWithoutLogs(t *testing.T) {
	t.Parallel()
	c := truths[0]
	src, counted := without(t, open(t, c.file), c.id, func(string) bool { return true })
	all := play(t, src)
	last := all[len(all)-1]
	j := &last.Jobs[0]
	if last.State != c.state || len(j.Stages) != c.vertices || last.Plan.Jobs[0].Tasks() != c.tasks ||
		last.Plan.Name != c.name || len(last.Plan.Jobs[0].Stages[1].After) != 0 {
		t.Errorf("%v, plan %+v", last.State, last.Plan)
	}
	n, done := 0, 0.0
	for k := range j.Stages {
		n += j.Stages[k].Succeeded()
		for _, a := range j.Stages[k].Attempts {
			done += a.Done[0]
			if a.Slot != -1 || a.Node != -1 || !a.Start.Known() || a.Start > a.End {
				t.Errorf("%+v", a)
			}
		}
	}
	if n != c.tasks || done != c.done || !warned(all[1], dag.WarnNoEdges) {
		t.Errorf("%d tasks, %v records", n, done)
	}
	if counted.requests["tasksInfo"] > len(all)*2/3 { // only where something has changed
		t.Errorf("got requests %v in %d ticks, want tasks in two thirds of them at most", counted.requests, len(all))
	}
}

// Where another history service is set there is no history file: the log has names, edges and memory as well.
func TestWithoutHistory(t *testing.T) {
	t.Parallel()
	some := truths[2:5]
	if testing.Short() {
		some = some[2:]
	}
	for _, c := range some {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			rec := open(t, c.file)
			with, counted := without(t, rec, c.id, func(string) bool { return false })
			is := play(t, with)
			src, _ := without(t, rec, c.id, func(path string) bool { return strings.Contains(path, "history.txt") })
			got := play(t, src)
			want, have := is[len(is)-1], got[len(got)-1]
			if !reflect.DeepEqual(dag.Bare(want.Plan.Jobs[0].Stages), dag.Bare(have.Plan.Jobs[0].Stages)) {
				t.Errorf("%+v, want %+v", dag.Bare(have.Plan.Jobs[0].Stages), dag.Bare(want.Plan.Jobs[0].Stages))
			}
			if want.Plan.Name != have.Plan.Name || !warned(got[len(got)-2], dag.WarnNoEdges) ||
				warned(is[len(is)-2], dag.WarnNoEdges) {
				t.Errorf("%q, warned %v", have.Plan.Name, have.Warnings)
			}
			if counted.requests["tasksInfo"] > 0 {
				t.Errorf("got requests %v, want none of tasks, which the log has", counted.requests)
			}
		})
	}
}

// A master that has come again without the DAG does not end it.
func TestMasterLost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a long recording")
	}
	rec := open(t, "amlost-1")
	src, err := engine.Replay(rec, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := play(t, src)
	last := all[len(all)-1]
	if last.State != dag.Running || last.Jobs[0].Attempt != 2 || !warned(last, dag.WarnMasterRestarted) ||
		!warned(last, dag.WarnObservation) {
		t.Errorf("%v, attempt %d, %v", last.State, last.Jobs[0].Attempt, last.Warnings)
	}
	if n := last.Jobs[0].Stages[4].Running(); n != 0 {
		t.Errorf("%d run", n)
	}
}

// closer is a buffer that is written as a file is.
type closer struct{ bytes.Buffer }

func (c *closer) Close() error { return nil }

// The responses that a source gets, recorded without secrets, replay as the same snapshots.
func TestCaptured(t *testing.T) {
	t.Parallel()
	c := truths[0]
	if testing.Short() {
		c = truths[1]
	}
	rec := open(t, c.file)
	p := tez.NewPlayer(rec)
	var file closer
	w := recording.NewWriter(&file, p.Now)
	client, err := yarn.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://localhost:8088"}}}, rest.Options{
		Transport: p,
		Now:       p.Now, Tap: w.Layer,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := play(t, &stepped{tez.NewSource(client, yarn.Target{ID: c.id, Made: p.Made}), p, rec.Last})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := recording.ReadAnswers(&file)
	if err != nil {
		t.Fatal(err)
	}
	src, err := engine.Replay(again, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := play(t, src)
	c.compare(t, got)
	is, was := got[len(got)-1], want[len(want)-1]
	if len(got) < len(want)-1 || !reflect.DeepEqual(is.Plan.Jobs[0], was.Plan.Jobs[0]) {
		t.Errorf("%d snapshots, were %d: %+v, was %+v", len(got), len(want), is.Jobs[0], was.Jobs[0])
	}
}
