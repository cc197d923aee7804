package tez

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

func line(t int64, path, body string) string {
	return fmt.Sprintf(`{"t":%d,"ms":2.5,"url":"http://rm:8088%s","status":200,"type":"application/json","body":%q}`+"\n", t, path, body)
}

// Which DAG is played, and the error if a recording does not have it.
func TestTezTarget(t *testing.T) {
	t.Parallel()
	apps := `{"apps":{"app":[{"id":"application_1_0002","name":"later","user":"bob","applicationType":"TEZ","startedTime":9000},` +
		`{"id":"application_1_0001","name":"HIVE-1","user":"alice","applicationType":"TEZ","startedTime":500}]}}`
	info := func(app, k string, status int) string {
		return fmt.Sprintf(`{"t":1000,"url":"http://rm:8088/proxy/%s/ws/v2/tez/dagInfo?dagID=%s","status":%d,"type":"application/json","body":"{}"}`+"\n", app, k, status)
	}
	rec, err := recording.ReadAnswers(strings.NewReader(line(1000, "/ws/v1/cluster/apps", apps) + info("application_1_0002", "1", 200) +
		info("application_1_0001", "10", 200) +
		info("application_1_0001", "2", 200) + info("application_1_0001", "1", 404) + info("application_1_0001/ui", "1",
		200)))
	if err != nil {
		t.Fatal(err)
	}
	for workflow, want := range map[string]string{
		"": "dag_1_0001_2", "application_1_0002": "dag_1_0002_1",
		"dag_1_0001_10": "dag_1_0001_10", "job_1_0001": "", "application_1_0003": "",
	} {
		if got, err := recordedDAG(rec, workflow); got != want || err != nil {
			t.Errorf("%q: %q, %v", workflow, got, err)
		}
	}
	if _, err := recordedDAG(rec, "dag_1_0001_1"); err == nil ||
		!strings.Contains(err.Error(), `dag_1_0001_2 "HIVE-1" of alice`) {
		t.Error(err)
	}
}

// TestNoDAG: an application without a DAG is waited for while it runs; the error after that describes it.
func TestNoDAG(t *testing.T) {
	t.Parallel()
	second := strings.TrimSuffix(labDAG, "1") + "2"
	for _, c := range []struct{ id, state, why string }{
		{labApp, "RUNNING", ""},
		{labApp, "FINISHED", labApp + " has ended, and no file of a DAG is left"},
		{second, "RUNNING", labApp + " runs, and has no " + second},
		{second, "FINISHED", labApp + " has ended, and no file of " + second + " is left"},
	} {
		l := newLab(1, 1, 1000)
		l.files, l.runsAnother, l.app = map[string][]byte{"syslog": []byte("x\n")}, true, c.state
		s, err := NewSource(l, yarn.Target{ID: c.id}).Next(t.Context())
		none, is := errors.AsType[*yarn.NoWorkflowError](err)
		switch {
		case c.why == "" && (err != nil || s.State != dag.Submitted):
			t.Errorf("%s %s: %v, %v", c.id, c.state, s, err)
		case c.why != "" && (!is || !strings.Contains(none.Error(), c.why)):
			t.Errorf("%s %s: %v", c.id, c.state, err)
		}
	}
}
