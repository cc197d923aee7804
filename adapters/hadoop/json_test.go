package hadoop

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
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
	v, err := get[T](context.Background(), name, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func of[T any](t *testing.T, body string) T {
	t.Helper()
	v, err := get[T](context.Background(), "test", []byte(body), nil)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

func TestApps(t *testing.T) {
	for file, want := range map[string]int{
		"apps-2.10.2-none.json": 0, "apps-3.4.2-none.json": 0, "apps-2.10.2.json": 1, "apps-3.4.2.json": 2,
		"apps-3.5.0.json": 1,
	} {
		b := load[appsBody](t, file)
		if len(b.Apps.V.App) != want {
			t.Errorf("%s: %d applications, want %d", file, len(b.Apps.V.App), want)
		}
		for _, a := range b.Apps.V.App {
			if a.ID == "" || !a.Started.ok || a.State != "RUNNING" || !a.mapReduce() || a.ended() {
				t.Errorf("%s: %+v", file, a)
			}
		}
	}
	a := load[appsBody](t, "apps-3.4.2.json").Apps.V.App[0]
	if pending, am := a.memory(); am != 512 || pending != 0 || a.AllocatedMB.v != 512 ||
		a.job() != "job_1795222440184_0008" {
		t.Errorf("pending %d, master %d, %+v", pending, am, a)
	}
}

// Lists and numbers come in all shapes (docs/facts/hadoop.md A1).
func TestShapes(t *testing.T) {
	one := `{"id":"application_1_0001","startedTime":"17","progress":true,"name":7}`
	for _, body := range []string{
		`{"apps":{"app":[` + one + `]}}`, `{"apps":{"app":` + one + `}}`, `{"apps":{"app":[3,` + one + `,"x",null]}}`,
	} {
		var found *wireApp
		apps := of[appsBody](t, body).Apps.V.App
		for i := range apps {
			if apps[i].ID != "" {
				found = &apps[i]
			}
		}
		if found == nil || found.Started.v != 17 || found.Progress.ok || found.Name != "7" {
			t.Errorf("%s: %+v", body, found)
		}
	}
	for _, body := range []string{
		`{}`, `{"apps":null}`, `{"apps":""}`, `{"apps":{}}`, `{"apps":[]}`, `{"apps":{"app":null}}`,
		`{"apps":{"app":""}}`,
		`{"apps":{"app":{}}}`, `{"apps":{"app":[]}}`, `{"apps":7}`, `{"apps":{"app":true}}`, `[]`, `null`,
	} {
		var b appsBody
		_ = decode("apps", []byte(body), &b) // of another kind of value, an error is as good as nothing
		if n := len(b.Apps.V.App); n != 0 {
			t.Errorf("%s: %d applications", body, n)
		}
	}
	for _, body := range []string{``, `{`, `<html></html>`, `{"apps":{"app":[`} {
		if _, err := get[appsBody](context.Background(), "apps", []byte(body), nil); err == nil {
			t.Errorf("%q is taken for JSON", body)
		}
	}
}

func TestNumbers(t *testing.T) {
	for body, want := range map[string]float64{
		`1`: 1, `"1"`: 1, `1.5e3`: 1500, `" 7 "`: 7, `-1`: -1, `""`: math.NaN(), `null`: math.NaN(), `true`: math.NaN(),
		`{}`:  math.NaN(),
		`[1]`: math.NaN(), `"NaN"`: math.NaN(), `"Infinity"`: math.NaN(), `"1e999"`: math.NaN(),
	} {
		var n num
		if err := json.Unmarshal([]byte(body), &n); err != nil || !same(n.float(), want) {
			t.Errorf("%s: %v, %v", body, n.float(), err)
		}
	}
	huge, negative := num{1e300, true}, num{-5, true}
	if huge.count(10) != 10 || negative.count(10) != 0 || huge.instant().Known() || negative.instant().Known() ||
		huge.ratio() != 1 || negative.ratio() != 0 {
		t.Error("a number that lies gets through")
	}
}

func TestAttemptsAndTasks(t *testing.T) {
	failed := load[attemptsBody](t, "attempts-failed.json").Attempts.V.Attempt
	if len(failed) != 2 || failed[0].State != "FAILED" || failed[1].State != "STARTING" ||
		failed[1].Started.instant().Known() {
		t.Errorf("%+v", failed)
	}
	if got := firstLine(string(failed[0].Diagnostics)); got != "Container killed on request. Exit code is 137" {
		t.Errorf("diagnosis %q", got)
	}
	if n := len(load[attemptsBody](t, "attempts-none.json").Attempts.V.Attempt); n != 0 {
		t.Errorf("%d attempts of a task that has none", n)
	}
	// A list of one is an object in the history server of 3.5.0, and its progress an integer.
	jhs := load[attemptsBody](t, "jhs-attempts-3.5.0.json").Attempts.V.Attempt
	if len(jhs) != 1 || jhs[0].Progress.v != 100 || !jhs[0].CopyEnd.instant().Known() {
		t.Errorf("%+v", jhs)
	}
	if n := len(load[tasksBody](t, "jhs-tasks-3.5.0.json").Tasks.V.Task); n != 10 {
		t.Errorf("%d tasks", n)
	}
	if b := load[jobBody](t, "jhs-job.json").Job.V; b.State != "SUCCEEDED" || !b.Submitted.ok || b.Maps.v != 20 {
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
	want := &jobConf{
		workflow: "pig_e302f31d-2da2-469b-9944-0e14677057fb", name: "join.pig", node: "scope-39",
		launch:  "1795222627405",
		feature: "DISTINCT", alias: "b0,b1", input: []string{"/lab/data/j1/b"},
		masterMB: 512, limits: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5},
		noRecov: true, beat: time.Second, sleep: time.Second,
		after: map[string][]string{"scope-30": {"scope-48"}, "scope-39": {"scope-48"}},
		files: inputFiles{paths: []string{"/lab/data/j1/b"}},
	}
	if got := pig.conf(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// The history server of 3.5.0 gives numbers and booleans where others give strings.
	jhs := load[confBody](t, "conf-3.5.0-jhs.json")
	if c, l := jhs.conf(), jhs.conf().limits; c.masterMB != 512 ||
		l != (dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5}) {
		t.Errorf("%+v", l)
	}
}

func TestContainerSize(t *testing.T) {
	none := num{}
	for _, c := range []struct {
		asked num
		opts  string
		step  float64
		want  int
	}{
		{num{256, true}, "-Xmx160m", 256, 256},
		{num{300, true}, "", 256, 512},
		{none, "", 1024, 1024},
		{num{-1, true}, "-server -Xmx1600m -Dx=y", 512, 2048}, // 1600/0.8
		{none, "-Xmx2g", 1024, 3072},                          // 2560 rounded up
		{num{1e18, true}, "", 1, maxMB},
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
	if byID("application_1_9999", "application_1_10000") >= 0 || byID("application_1_0001", "application_2_0001") >= 0 {
		t.Error("ids are ordered by text")
	}
}

// queuesIn is a scheduler's answer with so many queues in each other; beside each there is an element of a wrong type.
func queuesIn(depth int) string {
	queue := `{"queueName":"deep"}`
	for range depth {
		queue = `{"queues":{"queue":[` + queue + `,5, "x"]}}`
	}
	return `{"scheduler":{"schedulerInfo":` + queue + `}}`
}

// TestNestedListsAreReadOnce: an element of a wrong type at each level does not double the work with each level.
func TestNestedListsAreReadOnce(t *testing.T) {
	t.Parallel()
	began := time.Now()
	var b schedulerBody
	if err := decode("scheduler", []byte(queuesIn(40)), &b); err != nil {
		t.Fatal(err)
	}
	if b.Scheduler.V.Info.V.find("deep") == nil {
		t.Error("the queue is lost")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%v", took)
	}
}

// TestNestedTooDeep: an answer that is nested without need is refused before it is decoded.
func TestNestedTooDeep(t *testing.T) {
	t.Parallel()
	var b schedulerBody
	if err := decode("scheduler", []byte(queuesIn(200)), &b); !errors.Is(err, rest.ErrTooBig) {
		t.Error(err)
	}
}
