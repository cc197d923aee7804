//go:build e2e

package e2e

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// spark is where a cluster of spark.sh is.
type spark struct {
	driver, history, master string // addresses; the driver's is that of the first application
	events                  string // the folder of the event logs
}

// upSpark starts a cluster of spark.sh, of a version or the usual one.
func upSpark(t *testing.T, version ...string) *lab {
	t.Helper()
	l := newLab(t, "a real Spark", "java", "javac", "python3", "curl")
	l.takeSpark(version...)
	return l
}

// takeSpark starts a cluster of spark.sh for a lab; options are those of its up.
func (l *lab) takeSpark(options ...string) {
	l.t.Helper()
	version := slices.DeleteFunc(slices.Clone(options), func(o string) bool { return strings.HasPrefix(o, "--") })
	// A machine without venv or without a registry is no fault of the program's.
	if out, err := exec.CommandContext(l.ctx, script("spark/spark.sh"), append([]string{"fetch"},
		version...)...).CombinedOutput(); err != nil {
		l.t.Skipf("SKIPPED: pyspark is not to be had, so nothing was tried against a real Spark: %s", out)
	}
	env := l.begin("spark/spark.sh", options...)
	l.spark = spark{
		driver: env["PARATIMER_SPARK"], history: env["PARATIMER_SPARK_HISTORY"],
		master: env["PARATIMER_SPARK_MASTER"], events: env["PARATIMER_SPARK_EVENTS"],
	}
}

// submit runs an application in the background and waits until its driver answers, be it that it is starting.
func (l *lab) submit(name string, args ...string) *process {
	l.t.Helper()
	p := l.application(name, args...)
	l.await("the driver of "+name, func() bool {
		select {
		case <-p.done:
			l.t.Fatalf("%s ended with exit code %d before its driver answered\n%s", name, p.exit, tail(p.stderr))
		default:
		}
		req, err := http.NewRequestWithContext(l.ctx, http.MethodGet, l.spark.driver+"/api/v1/applications", nil)
		l.must(err)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err == nil && resp.StatusCode == http.StatusOK
	})
	return p
}

// application runs an application in the background.
func (l *lab) application(name string, args ...string) *process {
	l.t.Helper()
	args = append([]string{"submit", "--name", name}, args...)
	l.t.Logf("spark.sh %s", strings.Join(args, " "))
	return l.start(name, exec.CommandContext(l.ctx, script("spark/spark.sh"), args...))
}

// attachSpark watches the application of the driver.
func (l *lab) attachSpark(name string, more ...string) *watcher {
	l.t.Helper()
	return l.attach(name, "", append([]string{"--spark", l.spark.driver, "--spark-history", l.spark.history}, more...)...)
}

// A sparkJob is a job as the history server reports it.
type sparkJob struct {
	JobID                          int
	Status, JobGroup               string
	SubmissionTime, CompletionTime string
}

// sparkTime reads an instant of Spark's web service.
func (l *lab) sparkTime(s string) time.Time {
	l.t.Helper()
	t, err := time.Parse("2006-01-02T15:04:05.000", strings.TrimSuffix(s, "GMT"))
	l.must(err)
	return t
}

// app is the application's id; that of a workflow may name a part of it.
func (w *watcher) app() string {
	id, _, _ := strings.Cut(deref(w.last().Workflow.ID), "/")
	return id
}

// sparkTruth is the time from the first submission of a job to the last end of one, by the history server; of a whole
// application to its own end, where that comes more than two seconds later: a driver on a busy machine may work on.
func (l *lab) sparkTruth(app string, of func(sparkJob) bool) float64 {
	l.t.Helper()
	url := l.spark.history + "/api/v1/applications/" + app
	var ended time.Time
	l.await("the end of "+app+" in the history server", func() bool {
		var one struct {
			Attempts []struct {
				AttemptID    string
				Completed    bool
				EndTimeEpoch int64
			}
		}
		if !l.get(url, &one) || len(one.Attempts) == 0 || !one.Attempts[0].Completed {
			return false
		}
		ended = time.UnixMilli(one.Attempts[0].EndTimeEpoch)
		if attempt := one.Attempts[0].AttemptID; attempt != "" { // on YARN, where the driver runs in a container
			url += "/" + attempt
		}
		return true
	})
	var jobs []sparkJob
	if !l.get(url+"/jobs", &jobs) {
		l.t.Fatalf("the history server has no jobs of %s", app)
	}
	var first, last time.Time
	for _, j := range jobs {
		if of != nil && !of(j) {
			continue
		}
		from, to := l.sparkTime(j.SubmissionTime), l.sparkTime(j.CompletionTime)
		if first.IsZero() || from.Before(first) {
			first = from
		}
		if to.After(last) {
			last = to
		}
	}
	if of == nil {
		last = l.lastExecution(url, last)
		if ended.Sub(last) > 2*time.Second {
			last = ended
		}
	}
	return last.Sub(first).Seconds()
}

// lastExecution is when the last SQL execution of an application ended, or the last job if that is later: a driver
// under load ends an execution some time after its last job.
func (l *lab) lastExecution(url string, last time.Time) time.Time {
	l.t.Helper()
	var executions []struct {
		SubmissionTime string
		Duration       int64
	}
	if !l.get(url+"/sql?details=false&length=1000", &executions) {
		return last // an application without SQL
	}
	for _, e := range executions {
		if end := l.sparkTime(e.SubmissionTime).Add(time.Duration(e.Duration) * time.Millisecond); end.After(last) {
			last = end
		}
	}
	return last
}

// wholeApplication has sparkTruth take all jobs and the end of the application.
var wholeApplication func(sparkJob) bool

// checkOutput checks the output of the watcher of a whole application: it is one of Spark, each stage has all its tasks
// at the end, some were seen running, its length is the history server's, and its tape and capture play to the same.
func (w *watcher) checkOutput(code int) (truth float64) {
	l := w.lab
	l.t.Helper()
	last := w.last()
	if last.Workflow.Engine != "Spark" {
		l.t.Errorf("the engine is %q", last.Workflow.Engine)
	}
	if len(last.Jobs) != 1 || len(last.Jobs[0].Stages) == 0 {
		l.t.Fatalf("the application is seen as %+v", last.Jobs)
	}
	for _, s := range last.Jobs[0].Stages {
		if code == 0 && (s.Total == nil || s.Done != *s.Total) {
			l.t.Errorf("at the end stage %s has %d of %s tasks done", s.Name, s.Done, number(s.Total))
		}
	}
	if !slices.ContainsFunc(w.frames, func(f frame) bool { return len(f.Jobs) == 1 && f.Jobs[0].running() > 0 }) {
		l.t.Error("no task was seen running")
	}
	if w.guesses() > len(w.frames)/2 {
		l.t.Errorf("%d of %d frames warn that edges are a guess", w.guesses(), len(w.frames))
	}
	truth = l.sparkTruth(w.app(), wholeApplication)
	if last.Elapsed == nil || math.Abs(*last.Elapsed-truth) > 0.5 {
		l.t.Errorf("the last frame's elapsed_seconds: got %s, want %.3f as in the history server", number(last.Elapsed), truth)
	}
	w.plays(code)
	return truth
}

// guesses counts the frames with guessed edges.
func (w *watcher) guesses() (n int) {
	for _, f := range w.frames {
		if f.warned("no_edges") {
			n++
		}
	}
	return n
}

// stages are the names of the stages in the last frame that have tasks.
func (w *watcher) stages() (names []string) {
	for _, s := range w.last().Jobs[0].Stages {
		if s.Total != nil && *s.Total > 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// edges counts those of the last frame.
func (w *watcher) edges() (n int) {
	for _, s := range w.last().Jobs[0].Stages {
		n += len(s.After)
	}
	return n
}

// eventLog is the event log of an application that has ended: a file, or a folder where it is rolling.
func (l *lab) eventLog(app string) string {
	l.t.Helper()
	var found string
	l.await("the event log of "+app, func() bool {
		names, err := filepath.Glob(filepath.Join(l.spark.events, "*"+app+"*"))
		l.must(err)
		names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, ".inprogress") })
		found = cmp.Or(append(names, "")[0])
		return found != ""
	})
	return found
}

// ofLog makes of the event log all that can be made of it, and returns a profile. Its run is as long as the history
// server reports.
func (w *watcher) ofLog(state string, truth float64) (profile string) {
	l := w.lab
	l.t.Helper()
	file := filepath.Join(l.dir, w.name+".eventlog") // the next cluster removes its own
	l.must(exec.CommandContext(l.ctx, "cp", "-r", l.eventLog(w.app()), file).Run())
	profile = filepath.Join(l.dir, w.name+".log-profile.yaml")
	l.run(w.name+"-log-learn", 0, "learn", "-o", profile, file)
	var all struct{ Runs []graded }
	l.must(json.Unmarshal(l.run(w.name+"-log-score", 0, "score", "--output", "json", file), &all))
	if len(all.Runs) != 1 || math.Abs(all.Runs[0].Total-truth) > 0.05 {
		l.t.Errorf("score of the event log: %+v, want a run of %.3f s", all.Runs, truth)
	}
	var got struct {
		Runs []struct {
			ID               string `json:"run_id"`
			Recording, State string
			TotalSeconds     float64 `json:"total_seconds"`
		}
	}
	l.must(json.Unmarshal(l.run(w.name+"-import", 0, "history", "add", file, "-o", filepath.Join(l.dir, w.name+"-tapes"),
		"--output", "json"), &got))
	if len(got.Runs) != 1 || got.Runs[0].ID != w.app() ||
		got.Runs[0].State != state || math.Abs(got.Runs[0].TotalSeconds-truth) > 0.05 {
		l.t.Errorf("recording of the event log: %+v, want one run of %s, %s after %.3f s", got, w.app(), state, truth)
	}
	code := 0
	if state != "succeeded" {
		code = 1
	}
	for _, run := range got.Runs {
		l.run(w.name+"-import-replay", code, "replay", "--output", "ndjson", run.Recording)
		_, frames := l.readFrames(filepath.Join(l.dir, w.name+"-import-replay.out"))
		if n := len(frames); n == 0 || frames[n-1].nodesOf() != w.last().nodesOf() {
			l.t.Errorf("the imported recording ends with the stages\n%s\nlive it was\n%s", frames[n-1].nodesOf(), w.last().nodesOf())
		}
	}
	return profile
}

// nodesOf are the stages of a frame that have tasks, with their tasks and what they read. A stage of Spark is named by
// its number: of the last ones a driver may show too little for a title before it closes.
func (f frame) nodesOf() string {
	var b strings.Builder
	number := func(name string) string {
		name, _, _ = strings.Cut(name, " · ")
		return name
	}
	for _, j := range f.Jobs {
		lines := make([]string, 0, len(j.Stages))
		for _, s := range j.Stages {
			if s.Total != nil && *s.Total > 0 {
				line := number(s.Name) + " " + strconv.Itoa(*s.Total) + " after"
				for _, after := range s.After {
					line += " " + number(after)
				}
				lines = append(lines, line+"\n")
			}
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, ""))
	}
	return b.String()
}

// foretold checks that with a profile nearly each tick gives a number.
func (w *watcher) foretold(of *score) {
	w.lab.t.Helper()
	if of.Mean == nil || of.None == nil || *of.None > 0.2 {
		w.lab.t.Errorf("with the profile of an earlier run too many ticks give no number: %v", of)
	}
}

// printed returns the stdout of a process.
func (p *process) printed() string {
	p.lab.t.Helper()
	b, err := os.ReadFile(p.stdout)
	p.lab.must(err)
	return strings.TrimSpace(string(b))
}
