//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// env is an environment as a function, made of "name=value".
func env(all ...string) func(string) string {
	return func(name string) string {
		for _, v := range slices.Backward(all) {
			if n, value, _ := strings.Cut(v, "="); n == name {
				return value
			}
		}
		return ""
	}
}

func TestTasks(t *testing.T) {
	none := func() string { return "" }
	for _, c := range []struct {
		side side
		env  []string
		want string // format, reduces and why
	}{
		{mapSide, mapTask, `"\t" 1 true 3 ""`},
		{
			mapSide, append(mapTask, "stream_map_output_field_separator=.", "stream_num_map_output_key_fields=4"),
			`"." 4 true 3 ""`,
		},
		{
			mapSide, append(mapTask, "mapred_partitioner_class=org.apache.hadoop.mapred.lib.HashPartitioner"),
			`"\t" 1 true 3 ""`,
		},
		{mapSide, append(mapTask, "stream_num_map_output_key_fields=many"), `"\t" 1 true 3 ""`},
		{mapSide, append(mapTask, "mapreduce_job_reduces=0"), `"\t" 1 true 0 "no promises: the job has no reduces"`},
		{mapSide, append(mapTask, "mapreduce_job_reduces="), `"\t" 1 true 0 "no promises: a job of \"\" reduces"`},
		{
			mapSide, append(mapTask, "mapreduce_job_reduces=1000000"),
			`"\t" 1 true 1000000 "no promises: a job of \"1000000\" reduces"`,
		},
		{
			mapSide, append(mapTask, "mapred_combiner_class=org.apache.hadoop.streaming.PipeCombiner"),
			`"\t" 1 true 3 "no promises: a combiner, PipeCombiner, runs after the tap"`,
		},
		{
			mapSide, append(mapTask, "mapred_partitioner_class=org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner"),
			`"\t" 1 true 3 "no promises: the partitioner is KeyFieldBasedPartitioner, not HashPartitioner"`,
		},
		{
			mapSide, append(mapTask, "mapreduce_job_output_group_comparator_class=a.B"),
			`"\t" 1 true 3 "no promises: keys are grouped by B"`,
		},
		{
			mapSide, append(mapTask, "stream_map_output_reader_class=a.Typed\x1b[2J"),
			`"\t" 1 true 3 "no promises: the map's output is not text but Typed\\x1b[2J"`,
		},
		{
			mapSide, append(mapTask, "stream_map_streamprocessor="),
			`"\t" 1 true 3 "no promises: this is not a map of Hadoop Streaming"`,
		},
		{reduceSide, reduceTask, `"\t" 1 false 0 ""`},
		{reduceSide, append(reduceTask, "stream_num_map_output_key_fields=2"), `"\t" 2 false 0 ""`},
		{
			reduceSide, append(reduceTask, "stream_num_map_output_key_fields=2", "stream_map_output_field_separator=."),
			`"\t" 1 false 0 ""`,
		},
		{reduceSide, append(reduceTask, "stream_num_map_output_key_fields=2", "stream_map_output_field_separator=.",
			"stream_reduce_input_field_separator=."), `"." 2 false 0 ""`},
		{
			reduceSide, append(reduceTask, "stream_reduce_input_writer_class=a.Raw"),
			`"\t" 1 false 0 "groups are not measured: the reduce's input is not text but Raw"`,
		},
	} {
		got, err := readTask(c.side, env(c.env...), none)
		text := quoted(got.format.Separator) + " " + words(got.format.Fields, got.format.Return, got.reduces) + " " +
			quoted(got.why)
		if err != nil || text != c.want {
			t.Errorf("%v:\n got %s, %v\nwant %s", c.env[len(c.env)-1], text, err, c.want)
		}
	}
	if got, err := readTask(mapSide, env("mapred_task_id="+mapAttempt), none); err != nil ||
		got.attempt.Job != "job_1700000000000_0001" || got.attempt.Task != 4 {
		t.Errorf("by the old name: %+v, %v", got, err)
	}
	if got, err := readTask(reduceSide, env(), func() string { return reduceAttempt }); err != nil ||
		got.id != reduceAttempt || got.why != "" {
		t.Errorf("by a parent: %+v, %v", got, err)
	}
	if _, err := readTask(mapSide, env(reduceTask...), none); err == nil ||
		!strings.Contains(err.Error(), "side is map") {
		t.Errorf("on the wrong side: %v", err)
	}
	if _, err := readTask(mapSide, env(), none); err == nil {
		t.Error("a task out of nothing")
	}
	if _, err := readTask(mapSide, env("mapreduce_task_attempt_id=attempt_x"), none); err == nil {
		t.Error("a task of a strange name")
	}
	if why := note(strings.Repeat("ä", 200)); len(why) > 200 {
		t.Errorf("a note of %d bytes", len(why))
	}
}

// TestAncestors finds the id where Hadoop's own process has it: in its command line, some parents up.
func TestAncestors(t *testing.T) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	w := newWatcher(t)
	inner := tapped(t, "reduce", "cat")
	cmd := exec.Command("sh", append([]string{
		"-c", `id=$2; shift 2; sh -c '"$@"; exit $?' sh "$@"; exit $?`,
		"org.apache.hadoop.mapred.YarnChild", "127.0.0.1", reduceAttempt,
	}, inner.Args...)...)
	cmd.Env = append(inner.Env, w.env()...)
	if got := play(t, cmd, strings.NewReader("a\t1\n")); got.code != 0 || got.out != "a\t1\n" || len(w.got) != 1 ||
		w.got[0].Attempt != reduceAttempt {
		t.Errorf("%+v, %+v", got, w.got)
	}
}

func TestLogFolder(t *testing.T) {
	folder := t.TempDir()
	for dirs, want := range map[string]string{
		"": "", "relative": "", "/nowhere": "", folder: folder,
		"/nowhere, " + folder + ",/": folder, "file:" + folder: folder,
	} {
		if got := logFolder(env("LOG_DIRS=" + dirs)); got != want {
			t.Errorf("%q: %q, not %q", dirs, got, want)
		}
	}
}

func TestLookUp(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("bin", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{
		"mapper.py": 0o644, "bin/tool": 0o755, "bin/data": 0o644,
		"tool": 0o644,
	} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	searched := "/nowhere:" + must(filepath.Abs("bin"))(t)
	for _, c := range []struct {
		command string
		inTask  bool
		want    string
	}{
		{"tool", false, searched[len("/nowhere:"):] + "/tool"},
		{"tool", true, "./tool"}, // a file of the job
		{"mapper.py", true, "./mapper.py"},
		{"mapper.py", false, "mapper.py: command not found"},
		{"data", false, "data: command not found"},
		{"bin", true, "bin: command not found"},
		{"./none", true, "./none"}, // starting it returns the error
		{"", false, `"": command not found`},
	} {
		got, err := lookUp(c.command, searched, c.inTask)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, %v: %s, not %s", c.command, c.inTask, got, c.want)
		}
	}
	if info, _ := os.Stat("mapper.py"); info.Mode()&0o111 != 0o111 {
		t.Errorf("mapper.py is %v: Streaming makes its commands executable", info.Mode())
	}
}
