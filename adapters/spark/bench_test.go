package spark

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// Of the application that benchmarks observe: one of its tasks ends, and the next one begins, every benchStep.
const (
	benchExecutors = 50
	benchCores     = 4
	benchStep      = 15 // ms
	benchStart     = 1_760_000_000_000
)

// benchLog is the event log of jobs of one stage each.
func benchLog(tb testing.TB, stages, tasks int) *Log {
	tb.Helper()
	var b bytes.Buffer
	add := func(kind, format string, args ...any) {
		fmt.Fprintf(&b, `{"Event":"SparkListener%s",`+format+"}\n", append([]any{kind}, args...)...)
	}
	const cores = benchExecutors * benchCores
	now := dag.Instant(benchStart)
	add("ApplicationStart", `"App Name":"bench","App ID":"app-1","Timestamp":%d`, now)
	for i := range benchExecutors {
		add("ExecutorAdded", `"Timestamp":%d,"Executor ID":"%d","Executor Info":{"Host":"n%d","Total Cores":%d}`,
			now, i, i, benchCores)
	}
	first := 0
	for n := range stages {
		each := tasks / stages
		stage := fmt.Sprintf(`{"Stage ID":%d,"Stage Name":"count at job.py:%d","Number of Tasks":%d,"RDD Info":[{"RDD ID":%d}],`+
			`"Submission Time":%d,"Completion Time":0}`, n, n, each, 4*n, now)
		add("JobStart", `"Job ID":%d,"Submission Time":%d,"Stage Infos":[%s]`, n, now, stage)
		add("StageSubmitted", `"Stage Info":%s`, stage)
		launched := make([]dag.Instant, each)
		task := func(i int, end dag.Instant) string {
			return fmt.Sprintf(`"Stage ID":%d,"Task Info":{"Task ID":%d,"Index":%d,"Launch Time":%d,"Executor ID":"%d","Finish Time":%d}`,
				n, first+i, i, launched[i], i%cores/benchCores, end)
		}
		for i := range each + min(each, cores) {
			now += benchStep
			if i >= min(each, cores) {
				add("TaskEnd", `%s,"Task End Reason":{"Reason":"Success"},"Task Metrics":{"Input Metrics":{"Records Read":1000}}`,
					task(i-min(each, cores), now))
			}
			if i < each {
				launched[i] = now
				add("TaskStart", "%s", task(i, 0))
			}
		}
		first += each
		add("StageCompleted", `"Stage Info":{"Stage ID":%d,"Stage Name":"count","Number of Tasks":%d,"Completion Time":%d}`,
			n, each, now)
		add("JobEnd", `"Job ID":%d,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}`, n, now)
	}
	log, err := readLog(&b)
	if err != nil {
		tb.Fatal(err)
	}
	return log
}

// BenchmarkSnapshot takes a snapshot after one task has ended, and another one begun, since the snapshot before.
func BenchmarkSnapshot(b *testing.B) {
	for _, of := range []struct{ stages, tasks int }{
		{1, 1000}, {1, 10_000}, {1, 100_000}, {20, 10_000}, {20, 100_000}, {1000, 100_000},
	} {
		log := benchLog(b, of.stages, of.tasks)
		b.Run(fmt.Sprintf("%dx%d", of.stages, of.tasks/of.stages), func(b *testing.B) {
			b.ReportAllocs()
			var r *Reader
			now := log.Last
			for b.Loop() {
				if now >= log.Last-benchCores*benchExecutors*benchStep {
					b.StopTimer()
					r = log.Reader("")
					now = log.Last - (log.Last-log.First)/4
					r.At(now)
					b.StartTimer()
				}
				now += benchStep
				r.At(now)
			}
		})
	}
}
