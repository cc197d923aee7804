package mapreduce

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

func TestUsageOf(t *testing.T) {
	const files = "org.apache.hadoop.mapreduce.FileSystemCounter"
	u := UsageOf([]Counter{
		{files, "FILE_BYTES_READ", 1},
		{files, "FILE_BYTES_WRITTEN", 2},
		{files, "HDFS_BYTES_READ", 4},
		{files, "HDFS_BYTES_WRITTEN", 8},
		{files, "S3A_BYTES_READ", 16},
		{files, "S3A_BYTES_WRITTEN", 32},
		{files, "FILE_READ_OPS", 1e9},
		{"mine", "X_BYTES_READ", 1e9},
		{"org.apache.hadoop.mapreduce.TaskCounter", "CPU_MILLISECONDS", 1230},
		{"org.apache.hadoop.mapreduce.TaskCounter", "REDUCE_SHUFFLE_BYTES", 64},
	})
	if want := (Usage{CPU: 1.23, Read: 4, Written: 8, FileRead: 1, FileWritten: 2, Remote: 48, Shuffled: 64}); u !=
		want {
		t.Errorf("%+v, want %+v", u, want)
	}
	u = UsageOf([]Counter{{"TaskCounter", "CPU_MILLISECONDS", -1}})
	for i, v := range []float64{u.CPU, u.Read, u.Written, u.FileRead, u.FileWritten, u.Remote, u.Shuffled} {
		if !math.IsNaN(v) {
			t.Errorf("value %d is %v though nothing was reported", i, v)
		}
	}
}

func file(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func counted(t *testing.T, body string) Counts {
	t.Helper()
	all, err := Counters("test", []byte(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	return CountsOf(all)
}

func TestCounters(t *testing.T) {
	if c := counted(t, file(t, "counters-map.json")); !c.Reported || c.MapIn != 50 || c.MapOut != 49 ||
		c.Read != 8260 || !math.IsNaN(c.ReduceIn) {
		t.Errorf("%+v", c)
	}
	if c := counted(t, file(t, "counters-reduce.json")); c.ReduceIn != 883 || c.ReduceOut != 51 || c.Copied != 20 || c.Shuffled != 17780 {
		t.Errorf("%+v", c)
	}
	// Of file systems the one that read most counts, unless the input format decides.
	for format, want := range map[string]float64{"0": 900, "777": 777} {
		c := counted(t,
			`{"jobTaskCounters":{"taskCounterGroup":[{"counterGroupName":"x.FileSystemCounter","counter":[{"name":"FILE_BYTES_READ","value":5},
			{"name":"HDFS_BYTES_READ","value":900},{"name":"HDFS_BYTES_WRITTEN","value":9999}]},
			{"counterGroupName":"x.FileInputFormatCounter","counter":{"name":"BYTES_READ","value":"`+format+`"}}]}}`)
		if c.Read != want {
			t.Errorf("input format %s: %v bytes read", format, c.Read)
		}
	}
	if c := counted(t, file(t, "counters-none.json")); c.Reported || !math.IsNaN(c.MapIn) {
		t.Errorf("%+v", c)
	}
	if c := counted(t, file(t, "jhs-counters-3.5.0.json")); c.MapIn != 60 || c.MapOut != 80 {
		t.Errorf("%+v", c)
	}
}

// The bodies are of a real cluster.
func TestUsageIn(t *testing.T) {
	for name, want := range map[string]string{
		"counters-map.json":    "{CPU:0.24 Read:NaN Written:NaN FileRead:8260 FileWritten:362725 Remote:NaN Shuffled:NaN}",
		"counters-reduce.json": "{CPU:0.26 Read:NaN Written:NaN FileRead:17666 FileWritten:381200 Remote:NaN Shuffled:17780}",
	} {
		all, err := Counters("test", []byte(file(t, name)), nil)
		if got := fmt.Sprintf("%+v", UsageOf(all)); err != nil || got != want {
			t.Errorf("%s\n is %s\nwant %s", name, got, want)
		}
	}
	for _, body := range []string{"", "{}", "<html>", `{"jobTaskCounters": 3}`} {
		if all, _ := Counters("test", []byte(body), nil); len(all) > 0 {
			t.Errorf("%q has counters", body)
		}
	}
}

// The bodies are of masters of several Hadoops.
func TestCountersOfVersions(t *testing.T) {
	for _, version := range []string{"2.10.2"} {
		c := counted(t, file(t, "am-counters-reduce-"+version+".json"))
		if !(c.ReduceIn > 0) || !(c.ReduceOut > 0) || !(c.Shuffled > 0) || !(c.Copied > 0) {
			t.Errorf("%s: counters %+v", version, c)
		}
	}
}

// TestManyShortCounters: an answer may not have many short lists that take much more memory than their text together.
// What is allocated includes what decoding discards.
func TestManyShortCounters(t *testing.T) {
	repeated := func(element string, n int) string {
		return "[" + strings.Repeat(element+",", n-1) + element + "]"
	}
	text := []byte(`{"jobTaskCounters":{"taskCounterGroup":` + repeated(`{"counter":`+repeated(`{}`, 1000)+`}`, 300) + `}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Counters("test", text, nil)
	runtime.ReadMemStats(&after)
	most := uint64(8 * rest.Lists(len(text)))
	if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, rest.ErrTooBig) || n > most {
		t.Errorf("%d bytes make %d: %v", len(text), n, err)
	}
}

func TestTaskOf(t *testing.T) {
	if job, kind, task, ok := TaskOf("task_179_0010_r_000003"); job != "job_179_0010" || kind != dag.Reduce ||
		task != 3 || !ok {
		t.Error(job, kind, task, ok)
	}
	if _, _, _, ok := TaskOf("task_1_x"); ok {
		t.Error("task_1_x is a task")
	}
}

func TestIDs(t *testing.T) {
	if k, i, n, ok := AttemptOf("attempt_1795222440184_0007_r_000003_1000"); k != dag.Reduce || i != 3 || n != 1000 ||
		!ok {
		t.Error(k, i, n, ok)
	}
	if _, k, i, ok := TaskOf("task_1326232085508_4_4_m_0"); ok {
		t.Error("the documentation's example is not an id", k, i)
	}
	for _, id := range []string{
		"", "task_1_2_x_0", "task_1_2_m_-1", "task_1_2_m_99999999999", "task_1_2_m_4194304",
		"attempt_1_2_m_0_-1", "attempt_1_2_m_0",
	} {
		if _, _, _, ok := TaskOf(id); ok {
			t.Errorf("%q is a task", id)
		}
		if _, _, _, ok := AttemptOf(id); ok {
			t.Errorf("%q is an attempt", id)
		}
	}
	if yarn.ByID("application_1_9999", "application_1_10000") >= 0 || yarn.ByID("application_1_0001", "application_2_0001") >= 0 {
		t.Error("ids are ordered by text")
	}
}
