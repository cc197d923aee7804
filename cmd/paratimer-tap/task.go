//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/lines"
)

// A task describes the task attempt that the tap belongs to, from the environment. Hadoop Streaming passes every
// property of the job to its command there, with "_" for characters other than letters and digits.
type task struct {
	id      string
	attempt tap.Attempt
	reduces int
	format  lines.Format
	// why is the reason why nothing can be measured, in the words of a batch's note; "" if there is none.
	why string
}

// A side is the kind of command that the tap wraps.
type side string

const (
	mapSide    side = "map"
	reduceSide side = "reduce"
)

// readTask reads the task from the environment. If the environment has no attempt id, as in Pig's STREAM, ancestors
// returns the id that a parent process got. An error means that the tap is not in a task of its side.
func readTask(s side, get func(string) string, ancestors func() string) (task, error) {
	t := task{id: first(get, "mapreduce_task_attempt_id", "mapred_task_id")}
	if t.id == "" {
		t.id = ancestors()
	}
	if t.id == "" {
		return t, fmt.Errorf("this is not a task of Hadoop (mapreduce_task_attempt_id is not set)")
	}
	var err error
	if t.attempt, err = tap.ParseAttempt(t.id); err != nil {
		return t, err
	}
	if t.attempt.Reduce != (s == reduceSide) {
		// The combiner is a reduce command that runs in a map.
		return t, fmt.Errorf("the tap's side is %s, but the task is %s", s, t.id)
	}
	if s == mapSide {
		t.mapOutput(get)
	} else {
		t.reduceInput(get)
	}
	return t, nil
}

// The classes with which Streaming reads and writes text, and the partitioners that the tap supports.
const (
	textReader    = "org.apache.hadoop.streaming.io.TextOutputReader"
	textWriter    = "org.apache.hadoop.streaming.io.TextInputWriter"
	hash          = "org.apache.hadoop.mapred.lib.HashPartitioner"
	hashMapReduce = "org.apache.hadoop.mapreduce.lib.partition.HashPartitioner"
)

// mapOutput reads how the map's output will be partitioned. The tap sees the output before the combiner and the
// partitioner. If these are unknown classes, it makes no profile.
func (t *task) mapOutput(get func(string) string) {
	t.format = mapFormat(get)
	t.format.Return = true
	reader := first(get, "stream_map_output_reader_class")
	combiner := first(get, "mapred_combiner_class", "mapreduce_job_combine_class")
	partitioner := first(get, "mapred_partitioner_class", "mapreduce_job_partitioner_class")
	comparator := first(get, "mapreduce_job_output_group_comparator_class", "mapred_output_value_groupfn_class")
	reduces := first(get, "mapreduce_job_reduces", "mapred_reduce_tasks")
	t.reduces, _ = strconv.Atoi(reduces)
	switch {
	case first(get, "stream_map_streamprocessor") == "":
		t.unprofiled("this is not a map of Hadoop Streaming")
	case reduces == "0":
		t.unprofiled("the job has no reduces")
	case t.reduces < 1 || t.reduces > tap.MaxReduces:
		t.unprofiled(fmt.Sprintf("a job of %q reduces", reduces))
	case reader != "" && reader != textReader:
		t.unprofiled("the map's output is not text but " + class(reader))
	case combiner != "":
		t.unprofiled("a combiner, " + class(combiner) + ", runs after the tap")
	case partitioner != "" && partitioner != hash && partitioner != hashMapReduce:
		t.unprofiled("the partitioner is " + class(partitioner) + ", not HashPartitioner")
	case comparator != "":
		t.unprofiled("keys are grouped by " + class(comparator))
	case len(t.format.Separator) == 0:
		t.unprofiled("the separator of fields is empty")
	}
}

// reduceInput reads how groups are separated. A group's key is the map's key, followed by the reduce's separator.
func (t *task) reduceInput(get func(string) string) {
	t.format = lines.Format{Separator: []byte(cmp.Or(first(get, "stream_reduce_input_field_separator"), "\t")), Fields: 1}
	if m := mapFormat(get); string(m.Separator) == string(t.format.Separator) {
		t.format.Fields = m.Fields
	}
	if writer := first(get, "stream_reduce_input_writer_class"); writer != "" && writer != textWriter {
		t.why = "groups are not measured: the reduce's input is not text but " + class(writer)
	}
}

func mapFormat(get func(string) string) lines.Format {
	fields, err := strconv.Atoi(first(get, "stream_num_map_output_key_fields"))
	if err != nil {
		fields = 1
	}
	return lines.Format{Separator: []byte(cmp.Or(get("stream_map_output_field_separator"), "\t")), Fields: fields}
}

func (t *task) unprofiled(why string) { t.why = note("no promises: " + why) }

// note converts a text to printable ASCII of a batch's maximal length.
func note(text string) string {
	text = strconv.QuoteToASCII(text)
	text = strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
	return text[:min(len(text), tap.MaxNote)]
}

// class returns the last part of a Java class's name.
func class(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func first(get func(string) string, names ...string) string {
	for _, n := range names {
		if v := strings.TrimSpace(get(n)); v != "" {
			return v
		}
	}
	return ""
}

// logFolder returns the folder with the container's logs, which YARN preserves; "" if there is none.
func logFolder(get func(string) string) string {
	for folder := range strings.SplitSeq(get("LOG_DIRS"), ",") {
		folder = strings.TrimPrefix(strings.TrimSpace(folder), "file:")
		if info, err := os.Stat(folder); err == nil && info.IsDir() && path.IsAbs(folder) {
			return folder
		}
	}
	return ""
}
