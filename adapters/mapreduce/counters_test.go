package mapreduce

import (
	"fmt"
	"math"
	"os"
	"testing"

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

// The bodies are of a real cluster.
func TestUsageIn(t *testing.T) {
	for file, want := range map[string]string{
		"testdata/counters-map.json":    "{CPU:0.24 Read:NaN Written:NaN FileRead:8260 FileWritten:362725 Remote:NaN Shuffled:NaN}",
		"testdata/counters-reduce.json": "{CPU:0.26 Read:NaN Written:NaN FileRead:17666 FileWritten:381200 Remote:NaN Shuffled:17780}",
	} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		u, ok := UsageIn(b)
		if got := fmt.Sprintf("%+v", u); !ok || got != want {
			t.Errorf("%s\n is %s\nwant %s", file, got, want)
		}
	}
	for _, body := range []string{"", "{}", "<html>", `{"jobTaskCounters": 3}`} {
		if _, ok := UsageIn([]byte(body)); ok {
			t.Errorf("%q has counters", body)
		}
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
