package tez

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
)

func line(t int64, path, body string) string {
	return fmt.Sprintf(`{"t":%d,"ms":2.5,"url":"http://rm:8088%s","status":200,"type":"application/json","body":%q}`+"\n", t, path, body)
}

// Which DAG is played, and what is said where a recording does not hold it.
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
