//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A tezRun is a DAG as the log of its master reports it.
type tezRun struct {
	status  string
	seconds float64        // from the submission to the end
	tasks   map[string]int // that have succeeded, by the vertex' name
	failed  int            // attempts
}

var (
	dagSubmitted   = regexp.MustCompile(`Event:DAG_SUBMITTED\]: dagID=(dag_\w+), submitTime=(\d+)`)
	dagFinished    = regexp.MustCompile(`Event:DAG_FINISHED\]: dagId=(dag_\w+), .*?finishTime=(\d+), .*?status=(\w+)`)
	vertexFinished = regexp.MustCompile(
		`\[DAG:(dag_\w+)\]\[Event:VERTEX_FINISHED\]: vertexName=(.*?), vertexId=.* numSucceededTasks=(\d+)`)
	attemptFailed = regexp.MustCompile(`\[DAG:(dag_\w+)\]\[Event:TASK_ATTEMPT_FINISHED\]: .*, status=FAILED`)
)

// masterLogs are the files of an application's masters that the name matches, oldest master first.
func (l *lab) masterLogs(app, name string) []string {
	l.t.Helper()
	files, err := filepath.Glob(filepath.Join(l.root, "run", "node*", "containers", app, "*", name))
	l.must(err)
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Dir(a), filepath.Dir(b)) })
	return files
}

// appOf is the application of a DAG.
func appOf(id string) string {
	parts := strings.Split(id, "_")
	return "application_" + strings.Join(parts[1:len(parts)-1], "_")
}

// tezTruth waits for the end of a DAG in its master's log and returns what is written there.
func (l *lab) tezTruth(id string) (r tezRun) {
	l.t.Helper()
	l.await("the end of "+id+" in its master's log", func() bool {
		submitted := 0.0
		r = tezRun{tasks: map[string]int{}}
		for _, file := range l.masterLogs(appOf(id), "syslog*") {
			b, err := os.ReadFile(file)
			l.must(err)
			for line := range strings.Lines(string(b)) {
				if m := dagSubmitted.FindStringSubmatch(line); m != nil && m[1] == id {
					submitted, _ = strconv.ParseFloat(m[2], 64)
				}
				if m := vertexFinished.FindStringSubmatch(line); m != nil && m[1] == id {
					r.tasks[m[2]], _ = strconv.Atoi(m[3])
				}
				if m := attemptFailed.FindStringSubmatch(line); m != nil && m[1] == id {
					r.failed++
				}
				if m := dagFinished.FindStringSubmatch(line); m != nil && m[1] == id {
					r.seconds, _ = strconv.ParseFloat(m[2], 64)
					r.status = strings.ToLower(m[3])
				}
			}
		}
		r.seconds = (r.seconds - submitted) / 1000
		return r.status != "" && submitted > 0
	})
	return r
}

// awaitDAG waits until an application runs its DAG of this number, and returns the DAG's id.
func (l *lab) awaitDAG(a app, number int) (id string) {
	l.t.Helper()
	id = strings.Replace(a.ID, "application_", "dag_", 1) + "_" + strconv.Itoa(number)
	l.await(id, func() bool { return len(l.masterLogs(a.ID, "syslog_"+id)) > 0 })
	return id
}

// awaitHive waits for the session of Hive's client, until it has a DAG: a client may give up a session whose master was
// slow to start, and open another one.
func (l *lab) awaitHive() (found app) {
	l.t.Helper()
	l.await("Hive's session", func() bool {
		for _, a := range l.apps() {
			if strings.HasPrefix(a.Name, "HIVE-") && a.FinalStatus == "UNDEFINED" &&
				len(l.masterLogs(a.ID, "syslog_dag_*_1")) > 0 {
				found = a
			}
		}
		return found.ID != ""
	})
	return found
}

// awaitRecords waits until the first attempt of a task of the first DAG has read so many records. The vertex is the
// first one with that many tasks. It returns the attempt as fault.sh names it: 1_00_000002_0.
func (l *lab) awaitRecords(a app, tasks, task int, records float64) string {
	l.t.Helper()
	rest := l.rm + "/proxy/" + a.ID + "/ws/v2/tez/"
	vertex := -1
	l.await(fmt.Sprintf("a vertex of %d tasks", tasks), func() bool {
		var got struct {
			Vertices []struct{ ID, TotalTasks string }
		}
		l.get(rest+"verticesInfo?dagID=1", &got)
		for _, v := range got.Vertices {
			if v.TotalTasks == strconv.Itoa(tasks) && vertex < 0 {
				vertex, _ = strconv.Atoi(v.ID[strings.LastIndexByte(v.ID, '_')+1:])
			}
		}
		return vertex >= 0
	})
	l.await(fmt.Sprintf("%v records in task %d of vertex %d", records, task, vertex), func() bool {
		var got struct {
			Attempts []struct {
				Counters map[string]map[string]float64
			}
		}
		const group = "org.apache.tez.common.counters.TaskCounter"
		l.get(fmt.Sprintf("%sattemptsInfo?dagID=1&attemptID=%d_%d_0&counters=%s", rest, vertex, task, group), &got)
		return len(got.Attempts) == 1 && got.Attempts[0].Counters[group]["INPUT_RECORDS_PROCESSED"] >= records
	})
	return fmt.Sprintf("1_%02d_%06d_0", vertex, task)
}

// dag is the id of the watcher's DAG, "" where it watched none.
func (w *watcher) dag() string {
	if id := deref(w.last().Workflow.ID); strings.HasPrefix(id, "dag_") {
		return id
	}
	return ""
}

// part is the watcher as if it had watched one DAG of a session alone. A session has no tape.
func (w *watcher) part(id string) *watcher {
	w.lab.t.Helper()
	p := *w
	p.process = &process{lab: w.lab, name: w.name + id[strings.LastIndexByte(id, '_'):], stderr: w.stderr}
	p.frames = slices.DeleteFunc(slices.Clone(w.frames), func(f frame) bool { return deref(f.Workflow.ID) != id })
	if len(p.frames) == 0 {
		w.lab.t.Fatalf("%s has no frame of %s", w.name, id)
	}
	return &p
}

// shape are the edges of the last frame, as "FROM > TO KIND", sorted.
func (f frame) shape() (edges []string) {
	for _, j := range f.Jobs {
		for _, s := range j.Stages {
			for i, from := range s.After {
				kind := ""
				if i < len(s.Edges) {
					kind = s.Edges[i]
				}
				edges = append(edges, from+" > "+s.Name+" "+kind)
			}
		}
	}
	slices.Sort(edges)
	return edges
}

// ofTez compares the reports of a watcher about a DAG with its master's log: how it ended and how long it took, its
// edges where they are given, and for one that succeeded its tasks. Its tape and its capture must play to the same.
func (w *watcher) ofTez(code int, shape ...string) tezRun {
	l := w.lab
	l.t.Helper()
	last := w.last()
	if last.Workflow.Engine != "Tez" || len(last.Jobs) != 1 {
		l.t.Fatalf("%s: the engine is %q, the jobs are %+v", w.name, last.Workflow.Engine, last.Jobs)
	}
	truth := l.tezTruth(w.dag())
	if truth.status != last.Workflow.State {
		l.t.Errorf("%s: the last frame: got %s, want %s as in the master's log", w.name, last.Workflow.State, truth.status)
	}
	if last.Elapsed == nil || math.Abs(*last.Elapsed-truth.seconds) > 0.5 {
		l.t.Errorf("%s: the last frame's elapsed_seconds: got %s, want %.3f as in the master's log", w.name,
			number(last.Elapsed), truth.seconds)
	}
	if is := last.shape(); shape != nil && !slices.Equal(is, shape) {
		l.t.Errorf("%s: the edges are\n%s\nwant\n%s", w.name, strings.Join(is, "\n"), strings.Join(shape, "\n"))
	}
	for _, s := range last.Jobs[0].Stages {
		if code == 0 && (s.Total == nil || s.Done != *s.Total || s.Done != truth.tasks[s.Name] || s.Running > 0) {
			l.t.Errorf("%s: at the end vertex %s has %d of %s tasks done and %d running, want %d done as in the master's log",
				w.name, s.Name, s.Done, number(s.Total), s.Running, truth.tasks[s.Name])
		}
	}
	if !slices.ContainsFunc(w.frames, func(f frame) bool { return len(f.Jobs) == 1 && f.Jobs[0].running() > 0 }) {
		l.t.Errorf("%s: no task was seen running", w.name)
	}
	w.plays(code)
	return truth
}

// addTezRow scores a DAG without a profile and with the one that it was watched with, else with its own, and adds the
// row. shown is the index of the first frame that shows the fault, -1 for none.
func (w *watcher) addTezRow(scenario string, shown int, checked string) {
	w.lab.t.Helper()
	bare := w.score("bare")
	flags := w.replayFlags
	if len(flags) == 0 {
		flags, checked = []string{"--profile", w.learn()}, checked+"; the profile is the run's own"
	}
	known := w.score("profile", flags...)
	after := ""
	if shown >= 0 {
		after = w.errors(w.frames[shown:]).String()
	}
	w.lab.addRow(scenario, bare, &known, after, checked+"; replay, score")
}

// learnTezJoin runs the small join alone where no test before has, so that there is the profile of an earlier run.
func (l *lab) learnTezJoin() string {
	l.t.Helper()
	if profiles["join.pig on Tez"] == "" {
		pig := l.client("pig-alone", append([]string{"pig"}, joinSmall...)...)
		w := l.attach("alone", l.awaitApp("join.pig").ID)
		w.ends(0, "succeeded")
		pig.succeed()
		profiles["join.pig on Tez"] = w.learn()
		l.await("the end of the session", func() bool { return len(l.ours("join.pig")) == 0 })
	}
	return profiles["join.pig on Tez"]
}

// frameThat is the index of the first frame that is so, from an instant on; the test fails where none is.
func (w *watcher) frameThat(what string, since time.Time, so func(frame) bool) int {
	w.lab.t.Helper()
	for i, f := range w.frames {
		if f.At != nil && !f.At.Before(since) && so(f) {
			return i
		}
	}
	w.lab.t.Errorf("%s: no frame %s", w.name, what)
	return -1
}
