//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/measure"
)

// A task describes the task attempt that the tap belongs to, from the environment. Hadoop Streaming passes every
// property of the job to its command there, with "_" for characters other than letters and digits.
type task struct {
	id      string
	attempt tap.Attempt
	reduces int
	format  measure.Format
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
	t.format = measure.Format{Separator: []byte(cmp.Or(first(get, "stream_reduce_input_field_separator"), "\t")), Fields: 1}
	if m := mapFormat(get); string(m.Separator) == string(t.format.Separator) {
		t.format.Fields = m.Fields
	}
	if writer := first(get, "stream_reduce_input_writer_class"); writer != "" && writer != textWriter {
		t.why = "groups are not measured: the reduce's input is not text but " + class(writer)
	}
}

func mapFormat(get func(string) string) measure.Format {
	fields, err := strconv.Atoi(first(get, "stream_num_map_output_key_fields"))
	if err != nil {
		fields = 1
	}
	return measure.Format{Separator: []byte(cmp.Or(get("stream_map_output_field_separator"), "\t")), Fields: fields}
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

// A job is one command with a tap around it.
type job struct {
	options options
	task    task
	path    string
	care    care
}

// run runs the command and returns its exit code. An error means that it could not be started.
func (j *job) run() (int, error) {
	switch {
	case j.task.why != "":
		return j.plain()
	case j.options.side == mapSide:
		return j.mapSide()
	}
	return j.reduceSide()
}

// start starts the command, and forwards signals to it.
func (j *job) start(in, out *os.File) (*os.Process, error) {
	caught := make(chan os.Signal, 64) // caught before the start, so that none is lost; ignored ones stay ignored
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			signal.Notify(caught, s)
		}
	}
	p, err := start(j.path, j.options.command, []*os.File{in, out, os.Stderr})
	if err == nil {
		go func() { // tasks have no terminal, which would send its signals to both
			for s := range caught {
				_ = p.Signal(s)
			}
		}()
	}
	return p, err
}

// wait returns the command's exit code.
func wait(p *os.Process) int {
	s, err := p.Wait()
	if err != nil {
		say("the command's exit code is unknown: " + err.Error())
		return notRunnable
	}
	return exitCode(s)
}

// rounds starts to send the batches that take returns.
func (j *job) rounds(take func() (tap.Batch, bool), full func() bool) *Rounds {
	return startRounds(newPost(j.options, j.task, say), j.options.every, take, full)
}

func nothing() (tap.Batch, bool) { return tap.Batch{}, false }

// plain runs the command on the tap's own descriptors, and reports at its end why nothing was measured.
func (j *job) plain() (int, error) {
	p, err := j.start(os.Stdin, os.Stdout)
	if err != nil {
		return 0, err
	}
	rounds := j.rounds(nothing, nil)
	leave(0)
	leave(1)
	code := wait(p)
	rounds.End(tap.Batch{Note: j.task.why})
	return code, nil
}

// mapSide runs the command and measures its output.
func (j *job) mapSide() (int, error) {
	r, w, err := pipe()
	if err != nil {
		say("nothing is measured: " + err.Error())
		return j.plain()
	}
	theirs := os.NewFile(uintptr(w), "output")
	p, err := j.start(os.Stdin, theirs)
	_ = theirs.Close()
	if err != nil {
		return 0, err
	}
	rounds := j.rounds(nothing, nil)
	leave(0)
	meter := measure.NewMapOutput(measure.Params{
		Format: j.task.format, Reduces: j.task.reduces, Lambda: j.options.lambda, Show: j.options.show,
	})
	copied := make(chan error)
	whole := false
	go func() {
		var err error
		whole, err = copyOutput(r, 1, func(piece []byte) { j.care.do(func() { meter.Feed(piece) }) })
		// Closing both descriptors shows the command that the reader has gone, and the reader that no data follows.
		_ = unix.Close(r)
		leave(1)
		copied <- err
	}()
	code := wait(p)
	if err := <-copied; err != nil {
		// The command itself would have got this error.
		if err != unix.EPIPE { //nolint:errorlint // a system call's error is a number
			say("write error: " + err.Error())
			if code == 128+int(unix.SIGPIPE) {
				code = 1
			}
		}
	}
	b := tap.Batch{}
	if whole && (code == 0 || os.Getenv("stream_non_zero_exit_is_failure") == "false") {
		j.care.do(func() {
			if b.Map = meter.End(); b.Map == nil {
				b.Note = fmt.Sprintf("no promises: a key is longer than %d bytes", measure.MaxLine)
			}
		})
	}
	if fault := j.care.note(); fault != "" {
		b.Map, b.Note = nil, fault
	}
	rounds.End(b)
	return code, nil
}

// reduceSide runs the command and measures when it takes its input.
func (j *job) reduceSide() (int, error) {
	r, w, err := pipe()
	if err != nil {
		say("nothing is measured: " + err.Error())
		return j.plain()
	}
	meter := measure.NewGroups(j.task.format, j.options.show, measure.DefaultLimits())
	feeder, err := newFeeder(0, w, meter, j.care.do)
	if err != nil {
		_, _ = unix.Close(r), unix.Close(w)
		say("nothing is measured: " + err.Error())
		return j.plain()
	}
	theirs := os.NewFile(uintptr(r), "input")
	p, err := j.start(theirs, os.Stdout)
	_ = theirs.Close()
	if err != nil {
		return 0, err
	}
	leave(1)
	take := func() (b tap.Batch, any bool) {
		j.care.do(func() { b.Points, b.Open = meter.Take(feeder.Now()) })
		return b, len(b.Points) > 0 || b.Open != nil
	}
	rounds := j.rounds(take, meter.Full)
	fed := make(chan time.Duration)
	go func() {
		isWhole := feeder.Run()
		// The writer of the input then sees that the command reads no more.
		leave(0)
		if isWhole {
			fed <- feeder.Now()
		}
		close(fed)
	}()
	code := wait(p)
	ended, all := <-fed
	now := feeder.Now()
	j.care.do(func() { meter.End(now) })
	b, _ := take()
	b.Note = j.care.note()
	switch {
	case b.Note != "":
	case feeder.coarse:
		b.Note = "groups are measured by 64 KiB: the pipe could not be narrowed"
	case all && now-ended > now/2 && now-ended > 10*time.Second:
		b.Note = note(fmt.Sprintf("%.0f of %.0f s came after the end of the input: no group has them",
			(now - ended).Seconds(), now.Seconds()))
	}
	rounds.End(b)
	return code, nil
}

// care isolates faults of the measuring from the copying.
type care struct {
	off atomic.Pointer[string] // why measuring has stopped; nil while it works
}

// do calls measure, unless an earlier call has panicked.
func (c *care) do(measure func()) {
	if c.off.Load() != nil {
		return
	}
	defer func() {
		if fault := recover(); fault != nil {
			why := note(fmt.Sprintf("nothing is measured: a fault of the tap: %v", fault))
			if c.off.CompareAndSwap(nil, &why) {
				say(why + "; the command is not affected")
			}
		}
	}()
	measure()
}

// note returns the reason why measuring has stopped, or "".
func (c *care) note() string {
	if why := c.off.Load(); why != nil {
		return *why
	}
	return ""
}
