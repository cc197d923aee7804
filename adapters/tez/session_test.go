package tez

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

const (
	firstQuery  = "root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272"
	secondQuery = "root_20261122165012_00000000-fc1b-4a54-afc5-a2a7709a6272"
	historyFile = "history.txt.appattempt_" + labID + "_000001"
)

// submitted writes DAG n of a session of Hive into the history of the lab's master.
func (l *lab) submitted(n int, query string) {
	id := fmt.Sprintf("dag_%s_%d", labID, n)
	l.files[historyFile] = fmt.Appendf(l.files[historyFile],
		`{"entity":"%s","entitytype":"TEZ_DAG_ID","events":[{"ts":%d,"eventtype":"DAG_SUBMITTED"}],"otherinfo":{"dagPlan":{"dagName":"report %d","dagContext":{"context":"HIVE","callerId":"%s_User:root","description":"select 1"},"vertices":[{"vertexName":"Map 1"}]}}}`+"\n\x01\n",
		id, l.now, n, query)
	l.files["syslog_"+id] = []byte("\n")
}

// finished writes that DAG n has ended.
func (l *lab) finished(n int) {
	l.files[historyFile] = fmt.Appendf(l.files[historyFile],
		`{"entity":"dag_%s_%d","entitytype":"TEZ_DAG_ID","events":[{"ts":%d,"eventtype":"DAG_FINISHED"}],"otherinfo":{"status":"SUCCEEDED"}}`+"\n\x01\n", labID, n, l.now)
}

func TestSession(t *testing.T) {
	t.Parallel()
	l := newLab(2, 1, 1000)
	l.submitted(1, firstQuery)
	app := yarn.App{ID: labApp, Type: "TEZ", Running: true, Node: "n0:8042", Container: "container_" + labID +
		"_01_000001"}
	s := newSession(l, labApp)
	see := func(want string) {
		t.Helper()
		dags, err := s.observe(t.Context(), &app)
		var got []string
		for _, d := range dags {
			got = append(got, fmt.Sprintf("%s %s %s %v", strings.TrimPrefix(d.id, "dag_"+labID), d.title.name, d.title.queryID,
				d.ended))
		}
		if is := strings.Join(got, ", "); is != want || err != nil {
			t.Errorf("%s, %v; want %s", is, err, want)
		}
	}
	see("_1 report 1 " + firstQuery + " false")
	l.finished(1)
	see("_1 report 1 " + firstQuery + " true")
	l.submitted(2, secondQuery)
	see("_1 report 1 " + firstQuery + " true, _2 report 2 " + secondQuery + " false")
	if l.requests["dagInfo"] > 0 {
		t.Error("the master was requested though its files suffice")
	}
	l.filesDenied = true
	s = newSession(l, labApp)
	see("_1   false")
	if l.requests["dagInfo"] != 1 {
		t.Errorf("got %d requests to the master", l.requests["dagInfo"])
	}
}

// TestQuery finds the DAG of a query of Hive in a session that has run others.
func TestQuery(t *testing.T) {
	t.Parallel()
	l := newLab(2, 1, 1000)
	l.submitted(1, firstQuery)
	l.submitted(2, secondQuery)
	for _, c := range []struct{ query, want string }{
		{firstQuery, labDAG}, {"hive_" + firstQuery, labDAG}, {secondQuery, strings.TrimSuffix(labDAG, "1") + "2"},
	} {
		if id, ok := resolved(t, l, c.query); id != c.want || !ok {
			t.Errorf("%s: %s, %v", c.query, id, ok)
		}
	}
	unknown := strings.Replace(firstQuery, "2026", "2025", 1)
	if id, ok := resolved(t, l, unknown); id != "hive_"+unknown || ok {
		t.Errorf("%s, %v", id, ok)
	}
	l.filesDenied, l.tags = true, firstQuery+",userid=null"
	if id, ok := resolved(t, l, firstQuery); id != labApp || !ok {
		t.Errorf("by its tag: %s, %v", id, ok)
	}
}

// resolved is Resolve with the applications of a lab.
func resolved(t *testing.T, l *lab, id string) (found string, ok bool) {
	t.Helper()
	over := yarn.NewOverview(l, nil)
	if err := over.Observe(t.Context()); err != nil {
		t.Fatal(err)
	}
	return Resolve(t.Context(), l, over.Listed(), id)
}

// TestAfter waits for the DAG that follows in a session.
func TestAfter(t *testing.T) {
	t.Parallel()
	l := newLab(1, 1, 1000)
	w := NewSource(l, yarn.Target{ID: labDAG})
	for i := 0; ; i++ {
		if s, err := w.Next(t.Context()); err != nil || i > 20 {
			t.Fatal(err)
		} else if s.State.Ended() {
			break
		}
		l.advance(1000)
	}
	check := func(want string, wantOver bool) {
		t.Helper()
		if id, over, err := w.After(t.Context()); id != want || over != wantOver || err != nil {
			t.Errorf("got %q, %v, %v; want %q, %v", id, over, err, want, wantOver)
		}
	}
	check("", false)
	l.submitted(2, secondQuery)
	second := strings.TrimSuffix(labDAG, "1") + "2"
	check(second, false)
	l.app = "FINISHED"
	w = NewSource(l, yarn.Target{ID: second})
	if _, over, err := w.After(t.Context()); !over || err != nil {
		t.Errorf("nothing was watched: %v, %v", over, err)
	}
}

// TestSessions lists the DAGs of a hub's applications, and observes one without listing applications again.
func TestSessions(t *testing.T) {
	t.Parallel()
	l := newLab(2, 1, 1000)
	l.submitted(1, firstQuery)
	hub := yarn.NewHub(l, nil)
	all := NewSessions(l, hub)
	if err := hub.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	see := func(workflow, title string) {
		t.Helper()
		got := all.Submitted()
		if len(got) != 1 || got[0].Workflow != workflow || got[0].Title != title || got[0].Read != (workflow != "") ||
			got[0].Engine != "Tez" {
			t.Errorf("%+v", got)
		}
	}
	see("", "")
	if err := all.Identify(t.Context(), labApp); err != nil {
		t.Fatal(err)
	}
	see(labDAG, "report 1")
	l.advance(500)
	before := l.requests["apps"]
	s, err := all.Source(labDAG).Next(t.Context())
	if err != nil || s.ID != labDAG || s.State == dag.Succeeded || l.requests["apps"] != before {
		t.Errorf("%+v, %v, the applications were listed %d times more", s, err, l.requests["apps"]-before)
	}
	l.finished(1)
	if err := all.Identify(t.Context(), labApp); err != nil {
		t.Fatal(err)
	}
	see("", "")
}

// TestDoctor checks which services could be used to observe a DAG.
func TestDoctor(t *testing.T) {
	t.Parallel()
	grades := func(l *lab) string {
		var out []string
		for _, c := range Doctor(t.Context(), l) {
			out = append(out, strings.TrimPrefix(c.Name, "tez ")+" "+string(c.Status))
		}
		return strings.Join(out, ", ")
	}
	l := newLab(2, 1, 1000)
	if got := grades(l); got != "tez ok, master ok, files ok, plan ok" {
		t.Error(got)
	}
	delete(l.files, historyFile)
	if got := grades(l); got != "tez ok, master ok, files ok, plan warn" {
		t.Error(got)
	}
	l.filesDenied = true
	if got := grades(l); got != "tez ok, master ok, files warn" {
		t.Error(got)
	}
	l.masterDown = true
	if got := grades(l); got != "tez ok, master fail, files warn" {
		t.Error(got)
	}
	l.app = "FINISHED"
	if got := grades(l); got != "" {
		t.Error(got)
	}
}
