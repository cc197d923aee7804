// Package sparklog writes small event logs of Spark: an application's jobs, and the times at which its driver works
// alone.
package sparklog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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

type object = map[string]any

// New returns the log of an application with one executor.
func New(cores int) *Log {
	l := &Log{cores: cores}
	l.add(0, "SparkListenerLogStart", object{"Spark Version": "3.5.1"})
	l.add(0, "SparkListenerApplicationStart", object{"App Name": "nightly", "App ID": ID, "User": "me", "Timestamp": ms(0)})
	l.add(0, "SparkListenerExecutorAdded", object{
		"Timestamp": ms(0), "Executor ID": "1", "Executor Info": object{"Host": "node1", "Total Cores": cores},
	})
	return l
}

func ms(at time.Duration) int64 { return Begin + at.Milliseconds() }

func (l *Log) add(at time.Duration, event string, e object) {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	// The event's name comes first, as in Spark's logs.
	l.lines = append(l.lines, line{at, append(fmt.Appendf(nil, `{"Event":%q,`, event), b[1:]...)})
}

// Job adds a job of one stage with equally long tasks, and returns its end. sql is its SQL execution, -1 for none.
func (l *Log) Job(at, work time.Duration, tasks, sql int) time.Duration {
	const moment = 5 * time.Millisecond
	id, props := l.jobs, object{}
	if l.jobs++; sql >= 0 {
		props["spark.sql.execution.id"] = strconv.Itoa(sql)
	}
	info := object{
		"Stage ID": id, "Stage Attempt ID": 0, "Stage Name": fmt.Sprintf("count at job.py:%d", id),
		"Number of Tasks": tasks, "RDD Info": []object{{"RDD ID": id}}, "Parent IDs": []int{},
		"Submission Time": ms(at + moment),
	}
	l.add(at, "SparkListenerJobStart", object{
		"Job ID": id, "Submission Time": ms(at), "Stage Infos": []object{info}, "Stage IDs": []int{id}, "Properties": props,
	})
	l.add(at+moment, "SparkListenerStageSubmitted", object{"Stage Info": info, "Properties": props})
	end := at
	for i := range tasks {
		from := at + 2*moment + time.Duration(i/l.cores)*work
		end = from + work
		task := object{
			"Task ID": l.tasks, "Index": i, "Partition ID": i, "Launch Time": ms(from), "Executor ID": "1", "Finish Time": 0,
		}
		l.tasks++
		l.add(from, "SparkListenerTaskStart", object{"Stage ID": id, "Stage Attempt ID": 0, "Task Info": task})
		task["Finish Time"] = ms(end)
		l.add(end, "SparkListenerTaskEnd", object{
			"Stage ID": id, "Stage Attempt ID": 0, "Task End Reason": object{"Reason": "Success"}, "Task Info": task,
			"Task Metrics": object{"Input Metrics": object{"Records Read": 1000}},
		})
	}
	info["Completion Time"] = ms(end)
	l.add(end, "SparkListenerStageCompleted", object{"Stage Info": info})
	l.add(end, "SparkListenerJobEnd", object{
		"Job ID": id, "Completion Time": ms(end), "Job Result": object{"Result": "JobSucceeded"},
	})
	return end
}

// Execution adds an SQL execution.
func (l *Log) Execution(id int, from, to time.Duration) {
	const of = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
	l.add(from, of+"Start", object{
		"executionId": id, "description": fmt.Sprintf("save %d", id), "time": ms(from),
		"physicalPlanDescription": "== Physical Plan ==\nExecute InsertIntoHadoopFsRelationCommand (1)\n",
	})
	l.add(to, of+"End", object{"executionId": id, "time": ms(to)})
}

// End adds the application's end.
func (l *Log) End(at time.Duration) {
	l.add(at, "SparkListenerApplicationEnd", object{"Timestamp": ms(at)})
}

// Bytes returns the lines sorted by time.
func (l *Log) Bytes() []byte {
	lines := slices.Clone(l.lines)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	for _, line := range lines {
		out = append(append(out, line.text...), '\n')
	}
	return out
}
