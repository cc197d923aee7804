//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The Streaming job of TestErnest: a map copies 100 records in ten seconds, a reduce takes 5 ms a record. Machines are
// containers, which the job's own settings limit.
const (
	ernestWhole    = 24 // files of the whole input
	ernestMost     = 6  // files of a training run at most
	ernestMachines = 3
	ernestJob      = `PARATIMER_LAB='%s' '%s' stream -D mapreduce.job.name=train-{parts}-{machines} ` +
		`-D mapreduce.job.running.map.limit={machines} -D mapreduce.job.running.reduce.limit={machines} ` +
		`-D mapreduce.job.reduces={machines} -D mapreduce.job.reduce.slowstart.completedmaps=1.0 ` +
		`-input {parts}x100x60 -mapper 'python3 pace.py 100' -reducer 'python3 pace.py 5'`
	// ernestError is what the paper's predictions are off at most (§6.2: 12 to 20%).
	ernestError = 0.20
)

// A trained model has the fields of `paratimer ernest run` that the tests read.
type trained struct {
	Rows        int
	Training    struct{ Seconds float64 }
	Predictions []struct {
		Machines, Scale   float64
		Seconds           *float64
		LowSeconds        *float64 `json:"low_seconds"`
		HighSeconds       *float64 `json:"high_seconds"`
		TrainingWorkRatio *float64 `json:"training_work_ratio"`
	}
}

// TestErnest makes the training runs of a design on a real cluster, predicts the full run, and makes that one too.
func TestErnest(t *testing.T) {
	l := up(t)
	command := fmt.Sprintf(ernestJob, l.root, script("hadoop/hadoop.sh"))
	csv, at := filepath.Join(l.dir, "rows.csv"), fmt.Sprintf("%d,1", ernestMachines)
	output := l.run("train", 0, "ernest", "run", "--command", command, "--out", csv, "--at", at, "--force", "--timeout",
		"4m", "--output", "json",
		"--min-parts", "3", "--max-parts", fmt.Sprint(ernestMost), "--total-parts", fmt.Sprint(ernestWhole),
		"--set", "num-parts-interpolate=2",
		"--min-mcs", "1", "--max-mcs", fmt.Sprint(ernestMachines), "--cores-per-mc", "1", "--budget", "4")
	var model trained
	l.must(json.Unmarshal(output, &model))
	b, err := os.ReadFile(csv)
	l.must(err)
	t.Logf("%s\n%s", b, output)
	rows := parseRows(string(b))
	if len(model.Predictions) != 1 || model.Predictions[0].Seconds == nil || model.Predictions[0].LowSeconds == nil ||
		len(rows) < 5 {
		t.Fatal("no prediction, or too few rows")
	}
	p := model.Predictions[0]

	full := l.made("full", command, ernestMachines, ernestWhole)
	took := parseRows(full)[0][2]
	again := l.checkPrediction(*p.Seconds, took, rows[0], command)
	off := *p.Seconds/took - 1
	t.Logf("%s", l.run("predict", 0, "ernest", "predict", csv, "--at", at, "--force", "--ran",
		fmt.Sprintf("%s,%.3f", at, took)))
	l.rowsOfHistory(append(rows, parseRows(full)...))

	l.note(fmt.Sprintf("Ernest: %d training runs of Hadoop Streaming on 1 to %d containers, then the whole input",
		model.Rows, ernestMachines), took, fmt.Sprintf(
		"predicted %.0f s (%.0f – %.0f): %+.0f%%, where a guess without a model is off by %s; %d times the largest training input; "+
			"training took %.0f s, %.0f%% of the full run's machine time; a training run repeated at the end took %+.0f%%; job history gives the same rows",
		*p.Seconds, *p.LowSeconds, *p.HighSeconds, 100*off, guesses(rows, parseRows(full)[0]), ernestWhole/ernestMost,
		model.Training.Seconds, 100**p.TrainingWorkRatio, 100*again))
}

// checkPrediction checks a prediction. The cluster's speed may have changed: the training run of the first and cheapest
// row is repeated, and its relative change is returned and added to the bound.
func (l *lab) checkPrediction(predicted, took float64, row [3]float64, command string) (drift float64) {
	l.t.Helper()
	again := parseRows(l.made("again", command, int(row[0]), int(math.Round(row[1]*ernestWhole))))[0][2]
	drift = again/row[2] - 1
	off := predicted/took - 1
	l.t.Logf("predicted %.1f s, took %.1f s: %+.1f%%; the first training run took %.1f s, once more %.1f s", predicted,
		took, 100*off, row[2], again)
	if math.Abs(off) > ernestError+math.Abs(drift) {
		l.t.Errorf("the prediction is off by %+.0f%%, more than %.0f%% and the %.0f%% by which a run repeated differs",
			100*off, 100*ernestError, 100*math.Abs(drift))
	}
	return drift
}

// made makes one run and is its table.
func (l *lab) made(name, command string, machines, parts int) string {
	l.t.Helper()
	design, out := filepath.Join(l.dir, name+".json"), filepath.Join(l.dir, name+".csv")
	row := fmt.Sprintf(`{"total_parts":%d,"rows":[{"machines":%d,"scale":%g,"parts":%d}]}`, ernestWhole, machines,
		float64(parts)/ernestWhole, parts)
	l.must(os.WriteFile(design, []byte(row), 0o644))
	l.run(name, 0, "ernest", "run", "--command", command, "--design", design, "--out", out, "--timeout", "8m")
	b, err := os.ReadFile(out)
	l.must(err)
	if len(parseRows(string(b))) != 1 {
		l.t.Fatalf("%s: not one row:\n%s", out, b)
	}
	return string(b)
}

// parseRows are machines, scale and seconds of a table of `paratimer ernest`.
func parseRows(csv string) (rows [][3]float64) {
	for line := range strings.Lines(csv) {
		var r [3]float64
		if n, _ := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "%g %g %g", &r[0], &r[1], &r[2]); n == 3 {
			rows = append(rows, r)
		}
	}
	return rows
}

// recordedRows are the machines, scale and seconds that `paratimer ernest fit` reads from histories or event logs.
func (l *lab) recordedRows(path string) (rows [][3]float64) {
	l.t.Helper()
	var fitted struct {
		Runs []struct{ Machines, Scale, Seconds float64 }
	}
	l.must(json.Unmarshal(l.run("rows", 0, "ernest", "fit", path, "--output", "json"), &fitted))
	l.t.Logf("%+v", fitted.Runs)
	for _, r := range fitted.Runs {
		rows = append(rows, [3]float64{r.Machines, r.Scale, r.Seconds})
	}
	return rows
}

// rowsOfHistory checks that the cluster's job history lists the same runs: as many containers, as much input, and
// somewhat less time than their clients took.
func (l *lab) rowsOfHistory(timed [][3]float64) {
	l.t.Helper()
	seen := l.recordedRows(filepath.Join(l.root, "run", "staging", "history"))
	for _, r := range timed {
		if !slices.ContainsFunc(seen, func(s [3]float64) bool {
			return s[0] == r[0] && math.Abs(s[1]-r[1]) < 1e-9 && s[2] < r[2]
		}) {
			l.t.Errorf("no such run in the history: machines %v, scale %v, at most %v s", r[0], r[1], r[2])
		}
	}
}

// guesses are the errors of what can be guessed of the full run without a model: times in proportion to what a machine
// reads, and the same for scale alone.
func guesses(trained [][3]float64, full [3]float64) string {
	perMachine, byScale := 0.0, 0.0
	for _, r := range trained {
		perMachine += r[2] * r[0] / r[1] / float64(len(trained))
		byScale += r[2] / r[1] / float64(len(trained))
	}
	return fmt.Sprintf("scale/machines %+.0f%%, scale %+.0f%%", 100*(perMachine*full[1]/full[0]/full[2]-1),
		100*(byScale*full[1]/full[2]-1))
}
