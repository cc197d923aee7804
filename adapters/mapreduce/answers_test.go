package mapreduce

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// load decodes a body that a real Hadoop gave (testdata: copied from recordings, confs cut to the properties that are
// read).
func load[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := yarn.Read[T](context.Background(), name, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func of[T any](t *testing.T, body string) T {
	t.Helper()
	v, err := yarn.Read[T](context.Background(), "test", []byte(body), nil)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

func TestAttemptsAndTasks(t *testing.T) {
	failed := load[attemptsBody](t, "attempts-failed.json").Attempts.V.Attempt
	if len(failed) != 2 || failed[0].State != "FAILED" || failed[1].State != "STARTING" ||
		failed[1].Started.Instant().Known() {
		t.Errorf("%+v", failed)
	}
	if got := loose.FirstLine(string(failed[0].Diagnostics)); got != "Container killed on request. Exit code is 137" {
		t.Errorf("diagnosis %q", got)
	}
	if n := len(load[attemptsBody](t, "attempts-none.json").Attempts.V.Attempt); n != 0 {
		t.Errorf("%d attempts of a task that has none", n)
	}
	// A list of one is an object in the history server of 3.5.0, and its progress an integer.
	jhs := load[attemptsBody](t, "jhs-attempts-3.5.0.json").Attempts.V.Attempt
	if len(jhs) != 1 || jhs[0].Progress.V != 100 || !jhs[0].CopyEnd.Instant().Known() {
		t.Errorf("%+v", jhs)
	}
	if n := len(load[tasksBody](t, "jhs-tasks-3.5.0.json").Tasks.V.Task); n != 10 {
		t.Errorf("%d tasks", n)
	}
	if b := load[jobBody](t, "jhs-job.json").Job.V; b.State != "SUCCEEDED" || !b.Submitted.Known || b.Maps.V != 20 {
		t.Errorf("%+v", b)
	}
	if n := load[appAttemptsBody](t, "appattempts.json"); n.newest() != 2 {
		t.Errorf("newest attempt %d", n.newest())
	}
}

func TestCounters(t *testing.T) {
	m := load[countersBody](t, "counters-map.json")
	if c := m.counters(); !c.any || c.mapIn != 50 || c.mapOut != 49 || c.read != 8260 || !math.IsNaN(c.redIn) {
		t.Errorf("%+v", c)
	}
	r := load[countersBody](t, "counters-reduce.json")
	if c := r.counters(); c.redIn != 883 || c.redOut != 51 || c.shuffledMaps != 20 || c.shuffledB != 17780 {
		t.Errorf("%+v", c)
	}
	// Of file systems the one that read most counts, unless the input format knows.
	for format, want := range map[string]float64{"0": 900, "777": 777} {
		b := of[countersBody](t,
			`{"jobTaskCounters":{"taskCounterGroup":[{"counterGroupName":"x.FileSystemCounter","counter":[{"name":"FILE_BYTES_READ","value":5},
			{"name":"HDFS_BYTES_READ","value":900},{"name":"HDFS_BYTES_WRITTEN","value":9999}]},
			{"counterGroupName":"x.FileInputFormatCounter","counter":{"name":"BYTES_READ","value":"`+format+`"}}]}}`)
		if c := b.counters(); c.read != want {
			t.Errorf("input format %s: %v bytes read", format, c.read)
		}
	}
	none := load[countersBody](t, "counters-none.json")
	if c := none.counters(); c.any || !math.IsNaN(c.mapIn) {
		t.Errorf("%+v", c)
	}
	jhs := load[countersBody](t, "jhs-counters-3.5.0.json")
	if c := jhs.counters(); c.mapIn != 60 || c.mapOut != 80 {
		t.Errorf("%+v", c)
	}
}

func TestConf(t *testing.T) {
	pig := load[confBody](t, "conf-pig.json")
	want := &settings{Settings: Settings{
		Workflow: "pig_e302f31d-2da2-469b-9944-0e14677057fb", WorkflowName: "join.pig", Node: "scope-39",
		Launch:  "1795222627405",
		Feature: "DISTINCT", Alias: "b0,b1", Input: []string{"/lab/data/j1/b"},
		MasterMB: 512, Limits: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5},
		Overheads: dag.Overheads{Beat: time.Second, Report: 6 * time.Second, Wave: 2200 * time.Millisecond},
		After:     map[string][]string{"scope-30": {"scope-48"}, "scope-39": {"scope-48"}},
	}, files: inputFiles{paths: []string{"/lab/data/j1/b"}}, rerunsAll: true}
	if got := pig.conf(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// The history server of 3.5.0 gives numbers and booleans where others give strings.
	jhs := load[confBody](t, "conf-3.5.0-jhs.json")
	if c, l := jhs.conf(), jhs.conf().Limits; c.MasterMB != 512 ||
		l != (dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5}) {
		t.Errorf("%+v", l)
	}
}

func TestContainerSize(t *testing.T) {
	none := loose.Optional{}
	for _, c := range []struct {
		asked loose.Optional
		opts  string
		step  float64
		want  int
	}{
		{loose.Some(256), "-Xmx160m", 256, 256},
		{loose.Some(300), "", 256, 512},
		{none, "", 1024, 1024},
		{loose.Some(-1), "-server -Xmx1600m -Dx=y", 512, 2048}, // 1600/0.8
		{none, "-Xmx2g", 1024, 3072},                           // 2560 rounded up
		{loose.Some(1e18), "", 1, yarn.MaxMB},
	} {
		if got := container(c.asked, c.opts, 0.8, 1024, c.step); got != c.want {
			t.Errorf("%+v: %d MB", c, got)
		}
	}
}

func TestIDs(t *testing.T) {
	if k, i, n, ok := attemptID("attempt_1795222440184_0007_r_000003_1000"); k != dag.Reduce || i != 3 || n != 1000 ||
		!ok {
		t.Error(k, i, n, ok)
	}
	if k, i, ok := taskID("task_1326232085508_4_4_m_0"); ok {
		t.Error("the documentation's example is not an id", k, i)
	}
	for _, id := range []string{
		"", "task_1_2_x_0", "task_1_2_m_-1", "task_1_2_m_99999999999", "task_1_2_m_4194304",
		"attempt_1_2_m_0_-1", "attempt_1_2_m_0",
	} {
		if _, _, ok := taskID(id); ok {
			t.Errorf("%q is a task", id)
		}
		if _, _, _, ok := attemptID(id); ok {
			t.Errorf("%q is an attempt", id)
		}
	}
	if yarn.ByID("application_1_9999", "application_1_10000") >= 0 || yarn.ByID("application_1_0001", "application_2_0001") >= 0 {
		t.Error("ids are ordered by text")
	}
}
