package jhist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// A jobTracker reads history files of the JobTracker of Hadoop 0.18 to 1.x. They have records such as
//
//	Job JOBID="job_201105251513_0147" LAUNCH_TIME="1306384550681" TOTAL_MAPS="2" TOTAL_REDUCES="2" .
//
// Values may have several lines. Since 0.19 the first record is Meta, a backslash escapes characters of values, and a
// record ends with a dot. Several files may follow each other, separated by lines such as !!FILE=name!! and the jobs'
// configurations.
type jobTracker struct {
	in      *bufio.Reader
	escaped bool
	ahead   string // a line that was read ahead
	isAhead bool
	cut     bool // the file ends within the last line
}

var trackerRecord = regexp.MustCompile(`^(Meta|Job|Task|MapAttempt|ReduceAttempt) [A-Z_]+="`)

// ofTracker reports whether head is the beginning of a JobTracker's history.
func ofTracker(head []byte) bool {
	s := strings.TrimLeft(string(head), "\f\r\n ")
	return strings.HasPrefix(s, `Meta VERSION="`) || strings.HasPrefix(s, `Job JOBID="`) ||
		strings.HasPrefix(s, "!!FILE=")
}

func (t *jobTracker) next(e *event) error {
	var between input.Streak
	var record strings.Builder
	for {
		l, err := t.line()
		switch {
		case errors.Is(err, io.EOF) && record.Len() > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		starts := trackerRecord.MatchString(l)
		switch {
		case record.Len() == 0 && !starts && t.cut && l != "":
			return io.ErrUnexpectedEOF
		case record.Len() == 0 && !starts:
			if l != "" && l[0] != '<' && !strings.HasPrefix(l, "!!FILE=") {
				return errBad
			}
			if err := between.Bad(); err != nil {
				return err
			}
			continue
		case record.Len() > 0 && starts: // the previous record has no end
			t.ahead, t.isAhead = l, true
			return errBad
		case record.Len()+len(l) > maxEvent:
			return fmt.Errorf("it is longer than %d bytes", maxEvent)
		}
		if record.Len() > 0 {
			record.WriteByte('\n')
		}
		record.WriteString(l)
		if strings.HasPrefix(l, "Meta ") {
			t.escaped = true
		}
		if t.escaped && strings.HasSuffix(l, `" .`) || !t.escaped && strings.HasSuffix(l, `"`) {
			return t.event(record.String(), e)
		}
	}
}

// line returns the next line, and io.EOF after the last one.
func (t *jobTracker) line() (string, error) {
	if t.isAhead {
		t.isAhead = false
		return t.ahead, nil
	}
	if t.cut {
		return "", io.EOF
	}
	l, err := line(t.in, maxEvent)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		t.cut, err = true, nil
	}
	return strings.Trim(l, " \f"), err // Rumen's collections have form feeds between files
}

// event converts a record to the corresponding event of Hadoop 0.21 and later.
func (t *jobTracker) event(record string, e *event) error {
	kind, fields, ok := t.parse(record)
	switch {
	case !ok && t.cut:
		return io.ErrUnexpectedEOF
	case !ok:
		return errBad
	}
	*e = eventOf(kind, fields)
	return nil
}

var (
	trackerJobEnds = map[string]string{"SUCCESS": "JOB_FINISHED", "FAILED": "JOB_FAILED", "KILLED": "JOB_KILLED"}
	trackerEnds    = map[string]string{"SUCCESS": "FINISHED", "FAILED": "FAILED", "KILLED": "KILLED"}
)

func eventOf(kind string, f map[string]string) (e event) {
	text := func(key string) str { return str(dag.Clean(f[key])) }
	number := func(key string) long {
		v, err := strconv.ParseInt(f[key], 10, 64)
		return long{v, err == nil}
	}
	e.body = body{
		Job: text("JOBID"), JobName: unionText(f["JOBNAME"]), User: text("USER"), Queue: text("JOB_QUEUE"),
		Submitted: number("SUBMIT_TIME"),
		Workflow:  text("WORKFLOW_ID"), Script: unionText(f["WORKFLOW_NAME"]), Node: text("WORKFLOW_NODE_NAME"),
		Adjacencies: unionText(f["WORKFLOW_ADJACENCIES"]),
		Launched:    number("LAUNCH_TIME"), Maps: number("TOTAL_MAPS"), Reduces: number("TOTAL_REDUCES"),
		Started: number("START_TIME"), Finished: number("FINISH_TIME"), Diagnostics: unionText(f["FAIL_REASON"]),
		Task: text("TASKID"), Attempt: text("TASK_ATTEMPT_ID"), Host: str(hostOf(string(text("HOSTNAME")))),
		CopyEnd: number("SHUFFLE_FINISHED"), SortEnd: number("SORT_FINISHED"), Error: unionText(f["ERROR"]),
		Counters: trackerCounters(f["COUNTERS"]),
	}
	b := &e.body
	if b.Tracker = b.Host; b.Tracker == "" {
		b.Tracker = str(hostOf(string(text("TRACKER_NAME"))))
	}
	switch kind {
	case "Job":
		switch _, named := f["JOBNAME"]; {
		case named:
			e.kind = "JOB_SUBMITTED"
		case b.Finished.ok:
			e.kind = trackerJobEnds[f["JOB_STATUS"]]
		case b.Maps.ok:
			e.kind = "JOB_INITED"
		case b.Launched.ok: // the JobTracker was restarted
			e.kind = "JOB_INFO_CHANGED"
		}
	case "Task":
		e.kind = taskTimed
		if f["TASK_STATUS"] == "SUCCESS" {
			e.kind = taskCounted
		}
	case "MapAttempt", "ReduceAttempt":
		of := strings.ToUpper(strings.TrimSuffix(kind, "Attempt"))
		switch end := trackerEnds[f["TASK_STATUS"]]; {
		case f["TASK_TYPE"] != "" && f["TASK_TYPE"] != of: // a set-up or clean-up task
		case end != "":
			e.kind = of + "_ATTEMPT_" + end
		case b.Started.ok:
			e.kind = of + "_ATTEMPT_STARTED"
		}
	}
	return e
}

// parse parses a record.
func (t *jobTracker) parse(record string) (kind string, fields map[string]string, ok bool) {
	kind, rest, _ := strings.Cut(record, " ")
	fields = map[string]string{}
	for {
		rest = strings.TrimLeft(rest, " \n")
		if rest == "" || rest == "." {
			return kind, fields, true
		}
		key, after, found := strings.Cut(rest, `="`)
		if !found || strings.ContainsAny(key, " \n") {
			return "", nil, false
		}
		value, after, closed := until(after, '"', t.escaped)
		if !closed {
			return "", nil, false
		}
		fields[key], rest = value, after
	}
}

// until returns the text before the first end, and the rest after it. If escaped is true, a backslash makes the next
// character part of the text.
func until(s string, end byte, escaped bool) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == end:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && escaped && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// hostOf returns the host of a TaskTracker's name (tracker_host:localhost/127.0.0.1:38958) or location (/rack/host).
func hostOf(s string) string {
	if s, ok := strings.CutPrefix(s, "tracker_"); ok {
		s, _, _ = strings.Cut(s, ":")
		return s
	}
	if strings.HasPrefix(s, "/") {
		return s[strings.LastIndexByte(s, '/')+1:]
	}
	s, _, _ = strings.Cut(s, "/")
	return s
}

// trackerCounters parses {(group)(its name)[(counter)(its name)(value)][...]}{...}, or for Hadoop 0.18
// Group name.Counter name:value,...
func trackerCounters(s string) (out counters) {
	if s != "" && s[0] != '{' {
		return plainCounters(s)
	}
	var group string
	var part []string
	for len(s) > 0 {
		c := s[0]
		s = s[1:]
		switch {
		case c == '(':
			text, rest, ok := until(s, ')', true)
			if !ok {
				return out
			}
			part, s = append(part, text), rest
		case c == '[' && group == "" && len(part) > 0:
			group, part = groupOf(part[0]), nil
		case c == ']' && len(part) == 3:
			if v, err := strconv.ParseInt(part[2], 10, 64); err == nil {
				out = append(out, mrjob.Counter{Group: group, Name: part[0], Value: float64(v)})
			}
			part = nil
		case c == '{':
			group, part = "", nil
		}
	}
	return out
}

// groupOf returns the current name of a group: TaskCounter for org.apache.hadoop.mapred.Task$Counter.
func groupOf(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.TrimSuffix(strings.ReplaceAll(name, "$", ""), "s")
}

// plainCounters parses the counters of Hadoop 0.18, which only have display names. Names in other groups may contain
// commas.
func plainCounters(s string) (out counters) {
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, ":")
		v, err := strconv.ParseInt(value, 10, 64)
		group, name, _ := strings.Cut(name, ".")
		group = map[string]string{"Map-Reduce Framework": "TaskCounter", "File Systems": "FileSystemCounter"}[group]
		if err != nil || group == "" {
			continue
		}
		name = strings.ToUpper(strings.ReplaceAll(name, " ", "_"))
		if group == "FileSystemCounter" {
			name = strings.Replace(name, "LOCAL_", "FILE_", 1)
		}
		out = append(out, mrjob.Counter{Group: group, Name: name, Value: float64(v)})
	}
	return out
}
