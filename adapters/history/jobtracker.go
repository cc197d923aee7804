package history

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mrjob"
)

// trackerEvents reads history files of the JobTracker of Hadoop 0.18 to 1.x. They have records such as
//
//	Job JOBID="job_201105251513_0147" LAUNCH_TIME="1306384550681" TOTAL_MAPS="2" TOTAL_REDUCES="2" .
//
// Values may have several lines. Since 0.19 the first record is Meta, a backslash escapes characters of values, and a
// record ends with a dot. Several files may follow each other, separated by lines such as !!FILE=name!! and the jobs'
// configurations.
type trackerEvents struct {
	in      *bufio.Reader
	escaped bool
	ahead   string // the first line of the next record, if it was read already
	cut     bool   // the file ends within the last line
}

var trackerRecord = regexp.MustCompile(`^(Meta|Job|Task|MapAttempt|ReduceAttempt) [A-Z_]+="`)

func (t *trackerEvents) next(e *event) error {
	record, err := t.record()
	if err != nil {
		return err
	}
	if kind, fields, ok := t.parse(record); ok {
		*e = trackerEvent(kind, fields)
		return nil
	}
	if t.cut {
		return io.ErrUnexpectedEOF
	}
	return errBad
}

// record returns the lines of the next record.
func (t *trackerEvents) record() (string, error) {
	var between input.Streak
	var record strings.Builder
	for {
		l, err := t.line()
		starts, inside := trackerRecord.MatchString(l), record.Len() > 0
		switch {
		case errors.Is(err, io.EOF) && inside, err == nil && !inside && !starts && t.cut && l != "":
			return "", io.ErrUnexpectedEOF
		case err != nil:
			return "", err
		case !inside && !starts:
			if l != "" && l[0] != '<' && !strings.HasPrefix(l, "!!FILE=") {
				return "", errBad
			}
			if err := between.Bad(); err != nil {
				return "", err
			}
			continue
		case inside && starts: // the previous record has no end
			t.ahead = l
			return "", errBad
		case record.Len()+len(l) > maxEvent:
			return "", fmt.Errorf("it is longer than %d bytes", maxEvent)
		case inside:
			record.WriteByte('\n')
		}
		record.WriteString(l)
		t.escaped = t.escaped || strings.HasPrefix(l, "Meta ")
		if t.escaped && strings.HasSuffix(l, `" .`) || !t.escaped && strings.HasSuffix(l, `"`) {
			return record.String(), nil
		}
	}
}

// line returns the next line, and io.EOF after the last one.
func (t *trackerEvents) line() (l string, err error) {
	switch {
	case t.ahead != "":
		l, t.ahead = t.ahead, ""
		return l, nil
	case t.cut:
		return "", io.EOF
	}
	l, err = line(t.in, maxEvent)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		t.cut, err = true, nil
	}
	return strings.Trim(l, " \f"), err // Rumen's collections have form feeds between files
}

// trackerNames are the names of a JobTracker's fields that differ from those of events in more than underscores. Nodes
// have no port, because the ends of attempts have none.
var trackerNames = map[string]string{
	"USER": "userName", "JOB_QUEUE": "jobQueueName", "TASK_ATTEMPT_ID": "attemptId", "FAIL_REASON": "diagnostics",
	"SHUFFLE_FINISHED": "shuffleFinishTime", "SORT_FINISHED": "sortFinishTime", "HTTP_PORT": "ignored",
}

// parse parses a record. The names of fields become those of events.
func (t *trackerEvents) parse(record string) (kind string, fields map[string]string, ok bool) {
	kind, rest, _ := strings.Cut(record, " ")
	fields = map[string]string{}
	for {
		rest = strings.TrimLeft(rest, " \n")
		if rest == "" || rest == "." {
			return kind, fields, true
		}
		key, after, found := strings.Cut(rest, `="`)
		value, after, closed := until(after, '"', t.escaped)
		if !found || !closed || strings.ContainsAny(key, " \n") {
			return "", nil, false
		}
		fields[cmp.Or(trackerNames[key], strings.ReplaceAll(key, "_", ""))], rest = value, after
	}
}

var trackerEnds = map[string]string{"SUCCESS": "FINISHED", "FAILED": "FAILED", "KILLED": "KILLED"}

// trackerEvent converts a record to the corresponding event of Hadoop 0.21 and later.
func trackerEvent(kind string, fields map[string]string) (e event) {
	b, _ := json.Marshal(fields) // texts have a JSON form
	_ = json.Unmarshal(b, &e)    // any value has an event
	e.Host = hostOf(e.Host)
	e.Tracker = cmp.Or(e.Host, hostOf(e.Tracker))
	_, named := fields["JOBNAME"]
	of := strings.ToUpper(strings.TrimSuffix(kind, "Attempt"))
	switch end := trackerEnds[fields["TASKSTATUS"]]; {
	case kind == "Task":
		e.kind = taskRecord
	case kind == "Job" && named:
		e.kind = "JOB_SUBMITTED"
	case kind == "Job" && e.Finished.Known:
		e.kind = "JOB_" + trackerEnds[fields["JOBSTATUS"]]
	case kind == "Job" && e.Maps.Known:
		e.kind = "JOB_INITED"
	case kind == "Job" && e.Launched.Known: // the JobTracker was restarted
		e.kind = "JOB_INFO_CHANGED"
	case cmp.Or(fields["TASKTYPE"], of) != of: // a set-up or clean-up task
	case end != "":
		e.kind = of + "_ATTEMPT_" + end
	case e.Started.Known:
		e.kind = of + "_ATTEMPT_STARTED"
	}
	return e
}

// trackerCounters parses {(group)(its name)[(counter)(its name)(value)][...]}{...}. Backslashes escape brackets in the
// names. Hadoop 0.18 writes Group name.Counter name:value,... with display names only; names in the other groups may
// contain commas.
func trackerCounters(s string) (out counters) {
	add := func(group, name, value string) {
		if v, err := strconv.ParseInt(value, 10, 64); err == nil && group != "" {
			out = append(out, mrjob.Counter{Group: group, Name: name, Value: float64(v)})
		}
	}
	for _, group := range strings.Split(s, "{(")[1:] {
		name, rest, _ := until(group, ')', true)
		// The group's current name is TaskCounter for org.apache.hadoop.mapred.Task$Counter.
		name = strings.TrimSuffix(strings.ReplaceAll(name[strings.LastIndexByte(name, '.')+1:], "$", ""), "s")
		for _, c := range strings.Split(rest, "[(")[1:] {
			counter, rest, _ := until(c, ')', true)
			value, _, _ := strings.Cut(rest[strings.LastIndexByte(rest, '(')+1:], ")")
			add(name, counter, value)
		}
	}
	if strings.HasPrefix(s, "{") {
		return out
	}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, ":")
		switch group, name, _ := strings.Cut(strings.ToUpper(strings.ReplaceAll(name, " ", "_")), "."); group {
		case "MAP-REDUCE_FRAMEWORK":
			add("TaskCounter", name, value)
		case "FILE_SYSTEMS":
			add("FileSystemCounter", strings.Replace(name, "LOCAL_", "FILE_", 1), value)
		}
	}
	return out
}
