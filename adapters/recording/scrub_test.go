package recording

import (
	"strings"
	"testing"
)

func TestScrubLog(t *testing.T) {
	t.Parallel()
	const head = "Container: c\nLogLength:400\nLogContents:\n"
	history := head + `{"entitytype":"TEZ_APPLICATION","otherinfo":{"config":{"javax.jdo.option.ConnectionPassword":"hunter2","fs.s3a.secret.key":"a\"hunter2","tez.task.resource.memory.mb":"256"}}}` + "\x01" +
		`{"otherinfo":{"dagPlan":{"dagName":"x","dagInfo":"{\"description\":\"hunter2\"}","dagContext":{"description":"select a where b = 'hunter2' and c = \"hunter2\" -- d"},` +
		`"vertices":[{"vertexName":"v","userPayloadAsText":"{\"desc\":\"a0\",\"config\":{\"my.password\":\"hunter2\",\"y\":\"1\"}}"}]}}}` + "\x01" + `{"config":{"x.passwd":"hunter2`
	const path = "/ws/v1/node/containers/c/logs/"
	got := scrubBody(path+"history.txt.appattempt_1", []byte(history))
	if len(got) != len(history) || strings.Contains(got, "hunter2") {
		t.Errorf("%d bytes of %d: %s", len(got), len(history), got)
	}
	for _, kept := range []string{
		head, `"tez.task.resource.memory.mb":"256"`, `"vertexName":"v"`,
		`select a where b = 'XXXXXXX' and c = \"XXXXXXX\" -- d`, `\"desc\":\"a0\"`, `"dagName":"x"`,
	} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is lost: %s", kept, got)
		}
	}
	rest := head + `ter2","tez.x":"1"}`
	if got := scrubBody(path+"history.txt.appattempt_1", []byte(rest)); got != head+`XXXX","tez.x":"1"}` {
		t.Error(got)
	}
	log := "GET http://alice:hunter2@nn/x?user.name=hunter2&y=1\nsome.token=hunter2, b\n"
	if got := scrubBody(path+"syslog", []byte(log)); len(got) != len(log) || strings.Contains(got, "hunter2") ||
		!strings.Contains(got, "&y=1") {
		t.Error(got)
	}
}

// Hive names a query's DAG by its text, cut in the middle, where a literal may have begun.
func TestScrubNames(t *testing.T) {
	t.Parallel()
	const path = "/ws/v1/node/containers/c/logs/"
	for _, name := range []string{
		"select a from b......nter2hunter2' and d = 1(Stage-1)", "select a where b = 'hunter2hu......and d = 1 (Stage-12)",
		"select 'hunter2' from b (Stage-1)", "select a from b......where c = 'hunter2' (Stage-1)",
	} {
		for file, text := range map[string]string{
			"history.txt.appattempt_1": `{"primaryfilters":{"dagName":"` + name + `","queueName":"q"},"otherinfo":{"dagPlan":{"dagName":"` + name + `","vertices":[]}}}` + "\x01",
			"syslog_dag_1_1_1":         "2026-11-24 14:33:20,000 [INFO] [x] |app.DAGAppMaster|: Running DAG: " + name + ", callerContext={ context=HIVE }\n2026 next: line\n",
		} {
			got := scrubBody(path+file, []byte(text))
			if len(got) != len(text) || strings.Contains(got, "nter2") || !strings.Contains(got, "select ") ||
				strings.Contains(text, "next: line") && !strings.Contains(got, "next: line") {
				t.Errorf("%s: %s", file, got)
			}
		}
	}
}
