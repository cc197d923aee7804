//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// versions are the Hadoops that are tried: the last of the 2.x, and those of today. They differ in the JSON of their
// servers (facts/hadoop.md A1) and in the format of their history.
var versions = []string{"2.10.2", "3.3.6", "3.4.2", "3.5.0"}

// joinTiny is the paper's script with as few tasks as its three jobs can have: it is run once a version.
var joinTiny = []string{
	"join", "-p", "a=2x240x120", "-p", "b=1x160x80", "-p", "pace=25", "-p", "pace_out=60",
	"-p", "parallel_a=1", "-p", "parallel_b=1", "-p", "parallel=1",
}

// TestVersions watches the paper's script on each of them from the submission to the end, beside everybody who asks
// that cluster.
func TestVersions(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			l := up(t, "--with", "version="+version)
			l.isHadoop(version)
			pig := l.client("pig", append([]string{"pig"}, joinTiny...)...)
			id := l.awaitApp("join.pig").ID
			w := l.attach("attach", id)
			l.await("a master to ask", func() bool { return l.apps()[0].State == "RUNNING" })
			l.doctor()
			l.run("check", 0, "check", id)
			w.ends(0, "succeeded")
			pig.succeed()
			w.checkDAG(3)
			w.numberAtFirstCounters()
			w.noStepAtHandOver()
			w.totals()
			w.recordings(0)
			format := l.historyFormat()
			l.imported("history", l.truth(w.last().jobs()), l.historyFolder())
			w.summarize("Hadoop "+version+": the join", -1,
				"Pig 0.17; DAG, numbers, hand-over, end, totals, replay; `history add --out` of "+format+
					" history; `doctor`, `check`"+l.left())
		})
	}
}

// TestUber watches a job that runs inside its master: one task at a time, and no container but the master's.
func TestUber(t *testing.T) {
	for _, version := range []string{"2.10.2", "3.5.0"} {
		t.Run(version, func(t *testing.T) {
			l := up(t, "--with", "version="+version)
			job := l.client("sleep", "run", "org.apache.hadoop.mapreduce.SleepJob", "-D",
				"mapreduce.job.ubertask.enable=true",
				"-m", "3", "-r", "1", "-mt", "6000", "-rt", "6000", "-recordt", "500")
			w := l.attach("attach", l.awaitApp("Sleep job").ID)
			w.ends(0, "succeeded")
			job.succeed()
			w.totals()
			w.recordings(0)
			for _, f := range w.frames {
				for _, j := range f.Jobs {
					if n := j.Maps.Running + j.Reduces.Running; n > 1 {
						t.Errorf("%v: %d tasks of an uberized job run at once", f.At, n)
					}
				}
			}
			w.summarize("Hadoop "+version+": SleepJob inside its master", -1,
				"an uberized job's tasks run one by one; end, totals, replay")
		})
	}
}

// isHadoop checks that the servers have this version.
func (l *lab) isHadoop(version string) {
	l.t.Helper()
	var rm struct {
		ClusterInfo struct{ HadoopVersion string }
	}
	var jhs struct {
		HistoryInfo struct{ HadoopVersion string }
	}
	if !l.get(l.rm+"/ws/v1/cluster/info", &rm) || !l.get(l.jhs+"/ws/v1/history/info", &jhs) ||
		rm.ClusterInfo.HadoopVersion != version || jhs.HistoryInfo.HadoopVersion != version {
		l.t.Fatalf("the servers are Hadoop %q and %q, not %s", rm.ClusterInfo.HadoopVersion,
			jhs.HistoryInfo.HadoopVersion, version)
	}
}

// left lists the parts of Hadoop that the registry lacked in this version.
func (l *lab) left() string {
	missing := settings(l.hadoop("env"))["PARATIMER_MISSING"]
	if missing == "" {
		return ""
	}
	return "; not to be had here: " + strings.ReplaceAll(missing, " ", ", ")
}

// totals checks that the last frame has every task of every job done, as many as the history server reports.
func (w *watcher) totals() {
	l := w.lab
	l.t.Helper()
	for _, j := range w.last().Jobs {
		if j.ID == nil {
			l.t.Errorf("the last frame has no id for %s", j.Node)
			continue
		}
		var got struct {
			Job struct{ MapsTotal, ReducesTotal int }
		}
		if !l.get(l.jhs+"/ws/v1/history/mapreduce/jobs/"+*j.ID, &got) || got.Job.MapsTotal == 0 {
			l.t.Errorf("the history server has nothing of %s", *j.ID)
		}
		if j.Maps.Total == nil || j.Reduces.Total == nil || *j.Maps.Total != got.Job.MapsTotal ||
			*j.Reduces.Total != got.Job.ReducesTotal ||
			j.Maps.Done != got.Job.MapsTotal || j.Reduces.Done != got.Job.ReducesTotal {
			l.t.Errorf("%s: %d of %s maps and %d of %s reduces are done, want %d and %d as in the history server", *j.ID,
				j.Maps.Done, number(j.Maps.Total), j.Reduces.Done, number(j.Reduces.Total), got.Job.MapsTotal,
				got.Job.ReducesTotal)
		}
	}
}

func (l *lab) historyFolder() string { return filepath.Join(l.root, "run", "staging", "history") }

// historyFormat is the default format of the version's history; every file must have it.
func (l *lab) historyFormat() (format string) {
	l.t.Helper()
	l.must(filepath.WalkDir(l.historyFolder(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".jhist") {
			return err
		}
		b, err := os.ReadFile(path)
		line, _, _ := bytes.Cut(b, []byte("\n"))
		is := map[string]string{"Avro-Json": "text", "Avro-Binary": "binary"}[string(line)]
		if is == "" || format != "" && is != format {
			return fmt.Errorf("%s begins with %q", path, line)
		}
		format = is
		return err
	}))
	if format == "" {
		l.t.Fatalf("no history in %s", l.historyFolder())
	}
	return format
}
