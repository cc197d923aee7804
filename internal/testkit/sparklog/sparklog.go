// Package sparklog writes small event logs of Spark: an application's jobs, and the times at which its driver works
// alone.
package sparklog

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Begin is the start of the application, in milliseconds since the epoch. All durations count from it.
const Begin = 1_760_000_000_000

// ID is the id of the application.
const ID = "app-20251009085320-0000"

// A Log is an event log to which events are added.
type Log struct {
	cores, jobs, tasks int
	lines              []line
}

type line struct {
	at   time.Duration
	text []byte
}

// New returns the log of an application with one executor.
func New(cores int) *Log {
	l := &Log{cores: cores}
	l.add(0, "LogStart", `"Spark Version":"3.5.1"`)
	l.add(0, "ApplicationStart", `"App Name":"nightly","App ID":%q,"User":"me","Timestamp":%d`, ID, ms(0))
	l.add(0, "ExecutorAdded", `"Timestamp":%d,"Executor ID":"1","Executor Info":{"Host":"node1","Total Cores":%d}`, ms(0),
		cores)
	return l
}

func ms(at time.Duration) int64 { return Begin + at.Milliseconds() }

// add adds an event of Spark's core. Its name comes first, as in Spark's logs.
func (l *Log) add(at time.Duration, event, format string, args ...any) {
	text := fmt.Appendf(nil, `{"Event":"SparkListener`+event+`",`+format+"}\n", args...)
	l.lines = append(l.lines, line{at, text})
}

// Job adds a job of one stage with equally long tasks, and returns its end. sql is its SQL execution, -1 for none.
func (l *Log) Job(at, work time.Duration, tasks, sql int) time.Duration {
	const moment = 5 * time.Millisecond
	id, props := l.jobs, "{}"
	if l.jobs++; sql >= 0 {
		props = fmt.Sprintf(`{"spark.sql.execution.id":"%d"}`, sql)
	}
	info := fmt.Sprintf(`{"Stage ID":%[1]d,"Stage Attempt ID":0,"Stage Name":"count at job.py:%[1]d","Number of Tasks":%d,`+
		`"RDD Info":[{"RDD ID":%[1]d}],"Parent IDs":[],"Submission Time":%[3]d`, id, tasks, ms(at+moment))
	l.add(at, "JobStart", `"Job ID":%[1]d,"Submission Time":%d,"Stage Infos":[%s}],"Stage IDs":[%[1]d],"Properties":%[4]s`,
		id, ms(at), info, props)
	l.add(at+moment, "StageSubmitted", `"Stage Info":%s},"Properties":%s`, info, props)
	end := at
	for i := range tasks {
		from := at + 2*moment + time.Duration(i/l.cores)*work
		end = from + work
		task := fmt.Sprintf(`"Stage ID":%d,"Stage Attempt ID":0,"Task Info":{"Task ID":%d,"Index":%[3]d,"Partition ID":%[3]d,`+
			`"Launch Time":%d,"Executor ID":"1","Finish Time":`, id, l.tasks, i, ms(from))
		l.tasks++
		l.add(from, "TaskStart", `%s0}`, task)
		l.add(end, "TaskEnd", `%s%d},"Task End Reason":{"Reason":"Success"},"Task Metrics":{"Input Metrics":{"Records Read":1000}}`,
			task, ms(end))
	}
	l.add(end, "StageCompleted", `"Stage Info":%s,"Completion Time":%d}`, info, ms(end))
	l.add(end, "JobEnd", `"Job ID":%d,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}`, id, ms(end))
	return end
}

// Execution adds an SQL execution.
func (l *Log) Execution(id int, from, to time.Duration) {
	const name = `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecution`
	l.lines = append(l.lines, line{from, fmt.Appendf(nil, name+`Start","executionId":%[1]d,"description":"save %[1]d",`+
		`"time":%d,"physicalPlanDescription":"== Physical Plan ==\nExecute InsertIntoHadoopFsRelationCommand (1)\n"}`+"\n",
		id, ms(from))}, line{to, fmt.Appendf(nil, name+`End","executionId":%d,"time":%d}`+"\n", id, ms(to))})
}

// End adds the application's end.
func (l *Log) End(at time.Duration) { l.add(at, "ApplicationEnd", `"Timestamp":%d`, ms(at)) }

// Bytes returns the lines sorted by time.
func (l *Log) Bytes() []byte {
	lines := slices.Clone(l.lines)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	for _, line := range lines {
		out.Write(line.text)
	}
	return out.Bytes()
}
