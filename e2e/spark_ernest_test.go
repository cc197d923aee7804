//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A job on executors of one core each: 24 files of 30 records, and as many records in 12 groups.
const sparkTrained = `PARATIMER_LAB='%s' '%s' submit --name train-{parts}-{machines} --conf spark.executor.cores=1 ` +
	`--conf spark.cores.max={machines} rdd group {parts}x30x60 100 12`

// TestSparkErnest makes training runs of an application on one to three executors, and predicts all of its input on
// four: by the times of the commands, and by the event logs, in which starting the application is left out.
func TestSparkErnest(t *testing.T) {
	l := upSpark(t)
	command := fmt.Sprintf(sparkTrained, l.root, script("spark/spark.sh"))
	csv := filepath.Join(l.dir, "rows.csv")
	var model, ofLogs trained
	l.must(json.Unmarshal(l.run("train", 0, "ernest", "run", "--command", command, "--out", csv, "--at", "4,1", "--force",
		"--timeout", "4m", "--log", filepath.Join(l.dir, "train.log"), "--output", "json",
		"--min-parts", "3", "--max-parts", "6", "--total-parts", fmt.Sprint(ernestWhole), "--set", "num-parts-interpolate=2",
		"--min-mcs", "1", "--max-mcs", "3", "--cores-per-mc", "1", "--budget", "4"), &model))
	trainedLogs := l.eventLogs()
	small := l.appOf("two", command, 2, trainedLogs)
	smallest := l.appOf("one", command, 1, append(trainedLogs, small))
	b, err := os.ReadFile(csv)
	l.must(err)
	rows := parseRows(string(b))
	t.Logf("%s", b)
	// The largest input of a training run is the scale 1 of the logs.
	most := slices.MaxFunc(rows, func(a, b [3]float64) int { return int(1000 * (a[1] - b[1])) })[1]
	l.must(json.Unmarshal(l.run("fit", 0, append([]string{
		"ernest", "fit", "--force", "--output", "json", "--at", fmt.Sprintf("4,%g", 1/most),
	}, trainedLogs...)...), &ofLogs))
	if len(model.Predictions) != 1 || model.Predictions[0].Seconds == nil || len(ofLogs.Predictions) != 1 ||
		ofLogs.Predictions[0].Seconds == nil || ofLogs.Rows != len(rows) {
		t.Fatalf("no prediction: %+v, %+v of %d runs", model, ofLogs, len(rows))
	}
	took := parseRows(l.made("full", command, 4, ernestWhole))[0][2]
	large := l.newLog(append(trainedLogs, small, smallest))
	row := l.recordedRows(large)
	if len(row) != 1 || row[0][0] != 4 {
		t.Fatalf("the event log of the whole run gives the rows %v", row)
	}
	byTime, byLog := *model.Predictions[0].Seconds, *ofLogs.Predictions[0].Seconds
	drift := l.checkPrediction(byTime, took, rows[0], command)
	if off := byLog/row[0][2] - 1; off > ernestError+max(drift, -drift) || -off > ernestError+max(drift, -drift) {
		t.Errorf("by event logs %.1f s are predicted, and it takes %.1f s", byLog, row[0][2])
	}
	twice := l.compareWhatIf("2x", small, row[0][2], drift)
	fourfold := l.compareWhatIf("4x", smallest, row[0][2], drift)
	l.note(fmt.Sprintf("Ernest on Spark: %d training runs on 1 to 3 executors, then the whole input on 4", len(rows)), took,
		fmt.Sprintf("predicted %.0f s (%+.0f%%) by the commands' times; by event logs %.0f s of %.0f s (%+.0f%%); %s; %s; a training run repeated at the end took %+.0f%%",
			byTime, 100*(byTime/took-1), byLog, row[0][2], 100*(byLog/row[0][2]-1), twice, fourfold, 100*drift))
}

// appOf runs the whole input on some executors, and returns the new event log.
func (l *lab) appOf(name, command string, machines int, before []string) string {
	l.t.Helper()
	l.made(name, command, machines, ernestWhole)
	return l.newLog(before)
}

// newLog is the event log that is none of those before.
func (l *lab) newLog(before []string) string {
	l.t.Helper()
	logs := slices.DeleteFunc(l.eventLogs(), func(log string) bool { return slices.Contains(before, log) })
	if len(logs) != 1 {
		l.t.Fatalf("the new event logs are %v", logs)
	}
	return logs[0]
}

// compareWhatIf compares the answer of whatif about more slots with the length of a real run, and returns the error as
// text. A repeated run differed by drift.
func (l *lab) compareWhatIf(slots, log string, took, drift float64) string {
	l.t.Helper()
	var got struct {
		Changes []struct {
			TotalSeconds *float64 `json:"total_seconds"`
		}
	}
	l.must(json.Unmarshal(l.run("whatif-"+slots, 0, "whatif", log, "--slots", slots, "--output", "json"), &got))
	if len(got.Changes) != 1 || got.Changes[0].TotalSeconds == nil {
		l.t.Fatalf("whatif --slots %s of %s has no answer: %+v", slots, log, got)
	}
	off := *got.Changes[0].TotalSeconds/took - 1
	if math.Abs(off) > ernestError+math.Abs(drift) {
		l.t.Errorf("whatif --slots %s of %s is off by %v of %.1f s", slots, log, off, took)
	}
	return fmt.Sprintf("`whatif --slots %s`: %+.0f%%", slots, 100*off)
}

// eventLogs are those of the applications that have ended.
func (l *lab) eventLogs() (ended []string) {
	l.t.Helper()
	l.await("the end of the event logs", func() bool {
		all, err := filepath.Glob(filepath.Join(l.spark.events, "*"))
		l.must(err)
		ended = slices.DeleteFunc(all, func(name string) bool { return filepath.Ext(name) == ".inprogress" })
		running, err := filepath.Glob(filepath.Join(l.spark.events, "*.inprogress"))
		l.must(err)
		return len(running) == 0
	})
	return ended
}
