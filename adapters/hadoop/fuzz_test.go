package hadoop

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// fuzz puts a body in the place that set chooses, in an otherwise healthy lab, and observes two ticks: no panic, no snapshot that
// breaks the rules of dag.
func fuzz(f *testing.F, seeds string, set func(l *lab, body string)) {
	files, err := filepath.Glob(filepath.Join("testdata", seeds))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds %s: %v", seeds, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	for _, s := range []string{`{}`, `null`, `""`, `[]`, `<html>`, `{"job":{"mapsTotal":9e99}}`, `{"tasks":{"task":{"id":"task_1_0001_m_4194303"}}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 512", "2 FINISHED SUCCEEDED -1")
		l.conf("0001", "a", "a:b")
		l.conf("0002", "b", "a:b")
		l.runs("0001", 0, "RUNNING", "SCHEDULED", "SUCCEEDED")
		l.ends("0002", "SUCCEEDED")
		l.rm["nodes"] = `{"nodes":{"node":[{"id":"n1:1","nodeHTTPAddress":"n1:8042","state":"RUNNING","availMemoryMB":3072}]}}`
		src := NewSource(l, Target{})
		for tick := range 3 {
			if tick == 1 {
				set(l, body)
			}
			l.now = l.now.Add(10 * time.Second)
			s, err := src.Next(context.Background())
			if err != nil {
				var missed *dag.MissedError
				var none *NoWorkflowError
				if !errors.As(err, &missed) && !errors.As(err, &none) {
					return // the end
				}
				continue
			}
			check(t, s)
		}
	})
}

func check(t *testing.T, s *dag.Snapshot) {
	t.Helper()
	if _, err := dag.NewGraph(s.Plan); err != nil {
		t.Fatal(err)
	}
	if len(s.Jobs) != len(s.Plan.Jobs) {
		t.Fatalf("%d states of %d jobs", len(s.Jobs), len(s.Plan.Jobs))
	}
	for i := range s.Jobs {
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			last := int32(-1)
			for _, a := range s.Jobs[i].Phase(k).Attempts {
				if a.Task < last || a.Ratio < 0 || a.Ratio > 1 || a.Done[0] < 0 || math.IsInf(a.Total[0], 0) || int(a.Node) >= len(s.Nodes) {
					t.Fatalf("%+v after task %d", a, last)
				}
				last = a.Task
			}
		}
	}
}

func FuzzApps(f *testing.F) {
	fuzz(f, "apps-*.json", func(l *lab, body string) { l.rm["apps"] = body })
}

func FuzzApp(f *testing.F) {
	fuzz(f, "apps-*.json", func(l *lab, body string) { l.apps(); l.rm["apps/application_1_0001"] = body })
}

func FuzzMetrics(f *testing.F) {
	fuzz(f, "metrics-*.json", func(l *lab, body string) { l.rm["metrics"] = body })
}

func FuzzNodes(f *testing.F) {
	fuzz(f, "nodes-*.json", func(l *lab, body string) {
		l.rm["nodes"] = body
		l.rm["metrics"] = `{"clusterMetrics":{"totalMB":1024,"activeNodes":0,"lostNodes":1}}`
	})
}

func FuzzScheduler(f *testing.F) {
	fuzz(f, "scheduler-*.json", func(l *lab, body string) { l.rm["scheduler"] = body })
}

func FuzzAppAttempts(f *testing.F) {
	fuzz(f, "appattempts.json", func(l *lab, body string) {
		l.apps("1 ACCEPTED UNDEFINED 0")
		l.rm["apps/application_1_0001/appattempts"] = body
	})
}

func FuzzJob(f *testing.F) {
	fuzz(f, "*-job.json", func(l *lab, body string) { l.am["0001"] = body })
}

func FuzzHistoryJob(f *testing.F) {
	fuzz(f, "*-job.json", func(l *lab, body string) { l.apps("1 FINISHED SUCCEEDED 0"); l.jhs["0001"] = body })
}

func FuzzTasks(f *testing.F) {
	fuzz(f, "*-tasks*.json", func(l *lab, body string) { l.am["0001/tasks"] = body })
}

func FuzzHistoryTasks(f *testing.F) {
	fuzz(f, "*-tasks*.json", func(l *lab, body string) {
		l.apps("1 FINISHED SUCCEEDED 0")
		l.ends("0001", "SUCCEEDED")
		l.jhs["0001/tasks"] = body
	})
}

func FuzzAttempts(f *testing.F) {
	fuzz(f, "*attempts-*.json", func(l *lab, body string) { l.am["0001/tasks/task_1_0001_m_000000/attempts"] = body })
}

func FuzzCounters(f *testing.F) {
	fuzz(f, "*counters-*.json", func(l *lab, body string) { l.am["0001/tasks/task_1_0001_m_000000/counters"] = body })
}

func FuzzConf(f *testing.F) {
	fuzz(f, "conf-*.json", func(l *lab, body string) {
		l.apps("1 RUNNING UNDEFINED 512", "2 FINISHED SUCCEEDED -1", "3 RUNNING UNDEFINED 512")
		l.am["0003/conf"] = body
	})
}
