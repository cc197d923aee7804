package mapreduce

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestHiveQuery: the stages of a query are one workflow, though each job has a name of its own; what the query says is
// not repeated.
func TestHiveQuery(t *testing.T) {
	l := newLab()
	hive := []string{
		"mapreduce.workflow.id", "hive_q1", "mapreduce.workflow.name",
		`\n-- nightly\nselect *\nfrom t where p = 'hunter2'`, "hive.exec.parallel", "false",
	}
	query := func(stages ...string) {
		l.apps(stages...)
		for path, body := range l.rm {
			for i := range stages {
				n := i + 1
				body = strings.Replace(body, `"name":"PigLatin:q.pig"`,
					fmt.Sprintf(`"name":"select * from t where p = 'hunter2'(Stage-%d)"`, n), 1)
				if strings.HasPrefix(path, "apps/") {
					body = strings.Replace(body, "(Stage-1)", "(Stage-"+strings.TrimLeft(path[len(path)-1:], "0")+")",
						1)
				}
			}
			l.rm[path] = body
		}
	}
	query("1 FINISHED SUCCEEDED -1", "2 RUNNING UNDEFINED 512")
	l.conf("0001", "Stage-1", "Stage-1:Stage-2 Stage-2:Stage-0", hive...)
	l.conf("0002", "Stage-2", "Stage-1:Stage-2 Stage-2:Stage-0", hive...)
	l.ends("0001", "SUCCEEDED")
	l.runs("0002", 0, "RUNNING")
	src := NewSource(l, yarn.Target{})
	s := l.tick(t, src, 0)
	for range 3 {
		s = l.tick(t, src, time.Second)
	}
	if len(s.Plan.Jobs) != 2 || s.Jobs[0].State != dag.Succeeded || s.Jobs[1].State != dag.Running ||
		s.ID != "hive_q1" || s.Plan.Name != "select *" {
		t.Fatalf("%+v\n%+v %q", s.Plan, s.Jobs, s.ID)
	}
	if text := fmt.Sprintf("%+v", s); strings.Contains(text, "hunter2") {
		t.Errorf("what the query compares with is repeated: %s", text)
	}
	if got := s.Plan.Jobs[1].Name; got != "select * from t where p = '…' (Stage-2)" {
		t.Errorf("the job's name is %q", got)
	}
	query("1 FINISHED SUCCEEDED -1", "2 FINISHED SUCCEEDED -1")
	l.ends("0002", "SUCCEEDED")
	if s = l.tick(t, src, time.Second); s.State != dag.Succeeded {
		t.Errorf("at the end the query is %s", s.State)
	}
}
