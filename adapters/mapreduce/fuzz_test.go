package mapreduce

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// fuzz observes whatever body in a place.
func fuzz(f *testing.F, p place) {
	for _, b := range p.bodies(f) {
		f.Add(string(b))
	}
	for _, s := range []string{
		`{}`, `null`, `""`, `[]`, `<html>`, `{"job":{"mapsTotal":9e99}}`,
		`{"tasks":{"task":{"id":"task_1_0001_m_4194303"}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) { observed(t, p, body) })
}

// bodies are the recorded ones.
func (p place) bodies(f *testing.F) [][]byte {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", p.seeds))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds %s: %v", p.seeds, err)
	}
	all := make([][]byte, len(files))
	for i, file := range files {
		if all[i], err = os.ReadFile(file); err != nil {
			f.Fatal(err)
		}
	}
	return all
}

// observed puts a body in its place, in an otherwise healthy lab, and observes two ticks: no panic, no snapshot that
// breaks the rules of dag.
func observed(t *testing.T, p place, body string) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512", "2 FINISHED SUCCEEDED -1")
	l.conf("0001", "a", "a:b")
	l.conf("0002", "b", "a:b")
	l.runs("0001", 0, "RUNNING", "SCHEDULED", "SUCCEEDED")
	l.ends("0002", "SUCCEEDED")
	l.rm["nodes"] = `{"nodes":{"node":[{"id":"n1:1","nodeHTTPAddress":"n1:8042","state":"RUNNING","availMemoryMB":3072}]}}`
	src := NewSource(l, yarn.Target{})
	for tick := range 3 {
		if tick == 1 {
			p.set(l, body)
		}
		l.now = l.now.Add(10 * time.Second)
		s, err := src.Next(context.Background())
		if err != nil {
			var missed *dag.MissedError
			var none *yarn.NoWorkflowError
			if !errors.As(err, &missed) && !errors.As(err, &none) {
				return // the end
			}
			continue
		}
		check(t, s)
	}
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
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			last := int32(-1)
			for _, a := range s.Jobs[i].Stages[k].Attempts {
				if a.Task < last || a.Ratio < 0 || a.Ratio > 1 || a.Done[0] < 0 || math.IsInf(a.Total[0], 0) ||
					int(a.Node) >= len(s.Nodes) {
					t.Fatalf("%+v after task %d", a, last)
				}
				last = a.Task
			}
		}
	}
}

// A place is where a body goes: the files that hold such bodies, and how a lab comes to answer with one.
type place struct {
	seeds string
	set   func(l *lab, body string)
}

var (
	inApps    = place{"../../yarn/testdata/apps-*.json", func(l *lab, body string) { l.rm["apps"] = body }}
	inApp     = place{"../../yarn/testdata/apps-*.json", func(l *lab, body string) { l.apps(); l.rm["apps/application_1_0001"] = body }}
	inMetrics = place{"../../yarn/testdata/metrics-*.json", func(l *lab, body string) { l.rm["metrics"] = body }}
	inNodes   = place{"../../yarn/testdata/nodes-*.json", func(l *lab, body string) {
		l.rm["nodes"] = body
		l.rm["metrics"] = `{"clusterMetrics":{"totalMB":1024,"activeNodes":0,"lostNodes":1}}`
	}}
	inScheduler   = place{"../../yarn/testdata/scheduler-*.json", func(l *lab, body string) { l.rm["scheduler"] = body }}
	inAppAttempts = place{"appattempts.json", func(l *lab, body string) {
		l.apps("1 ACCEPTED UNDEFINED 0")
		l.rm["apps/application_1_0001/appattempts"] = body
	}}
	inJob        = place{"*-job.json", func(l *lab, body string) { l.am["0001"] = body }}
	inHistoryJob = place{"*-job.json", func(l *lab, body string) {
		l.apps("1 FINISHED SUCCEEDED 0")
		l.jhs["0001"] = body
	}}
	inTasks        = place{"*-tasks*.json", func(l *lab, body string) { l.am["0001/tasks"] = body }}
	inHistoryTasks = place{"*-tasks*.json", func(l *lab, body string) {
		l.apps("1 FINISHED SUCCEEDED 0")
		l.ends("0001", "SUCCEEDED")
		l.jhs["0001/tasks"] = body
	}}
	inAttempts = place{"*attempts-*.json", func(l *lab, body string) {
		l.am["0001/tasks/task_1_0001_m_000000/attempts"] = body
	}}
	inCounters = place{"*counters-*.json", func(l *lab, body string) {
		l.am["0001/tasks/task_1_0001_m_000000/counters"] = body
	}}
	inConf = place{"conf-*.json", func(l *lab, body string) {
		l.apps("1 RUNNING UNDEFINED 512", "2 FINISHED SUCCEEDED -1", "3 RUNNING UNDEFINED 512")
		l.am["0003/conf"] = body
	}}
)

func FuzzApps(f *testing.F) { fuzz(f, inApps) }

func FuzzApp(f *testing.F) { fuzz(f, inApp) }

func FuzzMetrics(f *testing.F) { fuzz(f, inMetrics) }

func FuzzNodes(f *testing.F) { fuzz(f, inNodes) }

func FuzzScheduler(f *testing.F) { fuzz(f, inScheduler) }

func FuzzAppAttempts(f *testing.F) { fuzz(f, inAppAttempts) }

func FuzzJob(f *testing.F) { fuzz(f, inJob) }

func FuzzHistoryJob(f *testing.F) { fuzz(f, inHistoryJob) }

func FuzzTasks(f *testing.F) { fuzz(f, inTasks) }

func FuzzHistoryTasks(f *testing.F) { fuzz(f, inHistoryTasks) }

func FuzzAttempts(f *testing.F) { fuzz(f, inAttempts) }

func FuzzCounters(f *testing.F) { fuzz(f, inCounters) }

func FuzzConf(f *testing.F) { fuzz(f, inConf) }

// FuzzDamagedBodies damages recorded bodies, each in each of its places.
func FuzzDamagedBodies(f *testing.F) {
	var bodies [][]byte
	var places []place
	for _, p := range []place{
		inApps, inApp, inMetrics, inNodes, inScheduler, inAppAttempts, inJob, inHistoryJob, inTasks, inHistoryTasks,
		inAttempts, inCounters, inConf,
	} {
		for _, b := range p.bodies(f) {
			bodies, places = append(bodies, b), append(places, p)
		}
	}
	fixtures.FuzzDamaged(f, bodies, func(t *testing.T, which int, body []byte) {
		observed(t, places[which], string(body))
	})
}
