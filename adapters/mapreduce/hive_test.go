package mapreduce

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestHiveConf reads what Hive 2.3.9 itself gave the first job of a query (testdata: our own live run on Hadoop
// 2.10.2).
func TestHiveConf(t *testing.T) {
	body := load[confBody](t, "conf-hive.json")
	c := body.conf()
	if c.Workflow != "hive_root_20261122075408_4e29a39a-44a7-47dd-8bed-d1d1e124c915" ||
		c.WorkflowName != "select x.n, count(*)" || c.Node != "Stage-1" || c.Parallel {
		t.Errorf("%+v", c)
	}
	var order []string
	for _, n := range graphOf([]*job{{app: "application_1_0001", id: "job_1_0001", conf: c}}).nodes {
		order = append(order, n.label)
	}
	if got := strings.Join(order, " "); got != "Stage-1 Stage-5 Stage-2 Stage-3 Stage-4" {
		t.Errorf("the stages are %s", got)
	}
	if got := hive.JobTitle("select x.n, count(*)\nfrom (select k, c...x.n(Stage-1)"); got != "select x.n, count(*) (Stage-1)" {
		t.Errorf("the job is called %q", got)
	}
}

// TestStages: stages that need no job, and the order in which Hive runs the others.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		what, graph string
		jobs        string // the stages that are submitted, in that order
		parallel    bool
		want        string
	}{
		{"two that are joined, one after the other", "1:2 3:2 2:4", "1", false, "1[] 3[0] 2[0 1] 4[2]"},
		{"the order in which they came counts", "1:2 3:2 2:4", "3", false, "3[] 1[0] 2[0 1] 4[2]"},
		{"at once", "1:2 3:2 2:4", "1", true, "1[] 3[] 2[0 1] 4[2]"},
		{"what moves the result is not a job", "1:0 0:2", "1", false, "1[]"},
		{"unless it is one", "1:0 0:2", "1 0", false, "1[] 0[0]"},
		{"a first Stage-0 is one", "0:1", "0", false, "0[] 1[0]"},
		{"what was passed is not a job", "1:7 7:3 3:2", "1 2", false, "1[] 2[0]"},
		{"one of which the graph does not tell", "1:2", "1 5", false, "1[] 5[0] 2[0 1]"},
		{"a circle", "1:2 2:1", "1 2", false, "1[] 2[0]"},
	} {
		after := map[string][]string{}
		for _, e := range strings.Fields(c.graph) {
			from, to, _ := strings.Cut(e, ":")
			after["Stage-"+from] = append(after["Stage-"+from], "Stage-"+to)
		}
		var jobs []*job
		for i, n := range strings.Fields(c.jobs) {
			id := fmt.Sprintf("job_1_%04d", i+1)
			jobs = append(jobs, &job{app: id, id: id, conf: &settings{Settings: Settings{
				Workflow: "hive_q", Node: "Stage-" + n,
				After: after, Parallel: c.parallel,
			}}})
		}
		var got []string
		g := graphOf(jobs)
		if g.parallel != c.parallel {
			t.Errorf("%s: parallel %v", c.what, g.parallel)
		}
		for _, n := range g.nodes {
			if n.after == nil {
				n.after = []int{}
			}
			got = append(got, strings.TrimPrefix(n.label, "Stage-")+fmt.Sprint(n.after))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.what, text, c.want)
		}
	}
}

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
