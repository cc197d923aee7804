package mapreduce

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		what, graph string
		ends        []string // of jobs a and b
		more        []string
		wait        time.Duration
		want        dag.State
	}{
		{"all done", "a: b:", []string{"SUCCEEDED", "SUCCEEDED"}, nil, 0, dag.Succeeded},
		{"one to come", "a:c b:c", []string{"SUCCEEDED", "SUCCEEDED"}, nil, 0, dag.Running},
		{"one never comes", "a:c b:c", []string{"SUCCEEDED", "SUCCEEDED"}, nil, 2 * time.Minute, dag.EndedUnconfirmed},
		{"what comes after a failure never comes", "a:c b:c", []string{"FAILED", "SUCCEEDED"}, nil, 0, dag.Failed},
		{"nor what comes after that", "a:c b: c:d", []string{"KILLED", "SUCCEEDED"}, nil, 0, dag.Killed},
		{"failed counts before killed", "a:c b:", []string{"KILLED", "FAILED"}, nil, 0, dag.Failed},
		{"a branch without a failure goes on", "a:c b:d", []string{"FAILED", "SUCCEEDED"}, nil, 0, dag.Running},
		{"for some time", "a:c b:d", []string{"FAILED", "SUCCEEDED"}, nil, 2 * time.Minute, dag.Failed},
		{
			"not if the script stops", "a:c b:d",
			[]string{"FAILED", "SUCCEEDED"},
			[]string{"stop.on.failure", "true"},
			0,
			dag.Failed,
		},
		{"a graph in a circle", "a:b b:a", []string{"SUCCEEDED", "SUCCEEDED"}, nil, 0, dag.Succeeded},
	} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512")
		l.conf("0001", "a", c.graph, c.more...)
		l.conf("0002", "b", c.graph, c.more...)
		l.runs("0001", 0, "RUNNING")
		l.runs("0002", 0, "RUNNING")
		src := NewSource(l, yarn.Target{})
		l.tick(t, src, 31*time.Second)
		l.apps("1 FINISHED UNDEFINED -1", "2 FINISHED UNDEFINED -1")
		l.ends("0001", c.ends[0])
		l.ends("0002", c.ends[1])
		s := l.tick(t, src, time.Second)
		if c.wait > 0 {
			if s.State != dag.Running {
				t.Errorf("%s: %v before its time", c.what, s.State)
			}
			s = l.tick(t, src, c.wait)
		}
		if s.State != c.want {
			t.Errorf("%s: %v, want %v", c.what, s.State, c.want)
		}
		if _, err := dag.NewGraph(s.Plan); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if j := s.Jobs[0]; j.State != dag.Succeeded && j.Diagnosis != "so it goes" {
			t.Errorf("%s: diagnosis %q", c.what, j.Diagnosis)
		}
	}
}

// TestSecondLaunch: a later batch of the same script is appended, after everything before it.
func TestSecondLaunch(t *testing.T) {
	l := newLab()
	l.apps("1 FINISHED SUCCEEDED -1", "2 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "", "pig.script.submitted.timestamp", "1795000000500")
	l.conf("0002", "a", "a:b", "pig.script.submitted.timestamp", "1795000001500")
	l.ends("0001", "SUCCEEDED")
	l.runs("0002", 0, "RUNNING")
	s := l.tick(t, NewSource(l, yarn.Target{}), 0)
	if len(s.Plan.Jobs) != 3 || !warned(s, dag.WarnSecondLaunch) || s.State != dag.Running {
		t.Fatalf("%+v %v", s.Plan.Jobs, s.Warnings)
	}
	for i, want := range []string{"a []", "a#2 [0]", "b [1]"} {
		if got := fmt.Sprint(s.Plan.Jobs[i].Node, " ", s.Plan.Jobs[i].After); got != want {
			t.Errorf("job %d is %s, want %s", i, got, want)
		}
	}
}

// TestPresumed: an application without responses yet counts as a job of the graph only if one is due.
func TestPresumed(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 0)
	l.apps("1 RUNNING UNDEFINED 512", "2 ACCEPTED UNDEFINED 0")
	if s := l.tick(t, src, time.Second); s.Jobs[1].State != dag.Blocked || len(s.Load) != 1 {
		t.Errorf("a still runs: %+v, load %v", s.Jobs[1], s.Load)
	}
	l.apps("1 FINISHED SUCCEEDED 0", "2 ACCEPTED UNDEFINED 0")
	l.ends("0001", "SUCCEEDED")
	l.tick(t, src, time.Second)
	s := l.tick(t, src, time.Second)
	if s.Jobs[1].ID != "job_1_0002" || s.Jobs[1].State != dag.Submitted || len(s.Load) != 0 {
		t.Errorf("a is done: %+v, load %v", s.Jobs[1], s.Load)
	}
	// Its conf shows that it is another script's.
	l.apps("1 FINISHED SUCCEEDED 0", "2 RUNNING UNDEFINED 512")
	l.conf("0002", "a", "a:b", "mapreduce.workflow.id", "pig_2")
	l.runs("0002", 0, "RUNNING")
	if s := l.tick(t, src, time.Second); s.Jobs[1].State != dag.Blocked || len(s.Load) != 1 || s.State != dag.Running {
		t.Errorf("it is another's: %+v, load %v", s.Jobs[1], s.Load)
	}
}

// TestUnseenJob: a job that came and went between two looks at what runs is found while the workflow seems idle.
func TestUnseenJob(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b b:c")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 40*time.Second)
	l.running = `{"apps":{}}`
	l.apps("1 FINISHED SUCCEEDED 0", "2 FINISHED SUCCEEDED 0")
	l.ends("0001", "SUCCEEDED")
	l.ends("0002", "SUCCEEDED")
	l.conf("0002", "b", "a:b b:c")
	var s *dag.Snapshot
	for range 3 + 1 {
		s = l.tick(t, src, time.Second)
	}
	if s.Jobs[1].State != dag.Succeeded || s.State != dag.Running {
		t.Errorf("%+v", s.Jobs)
	}
}

// TestSilentChosen: a job of the same script has ended, and its conf comes before that of the chosen one, whose master
// does not respond for a while, as after a failover.
func TestSilentChosen(t *testing.T) {
	for _, other := range []string{"2", "20"} {
		l := newLab()
		l.apps("1 ACCEPTED UNDEFINED 0")
		l.running = l.rm["apps"]
		l.apps("1 ACCEPTED UNDEFINED 0", other+" FINISHED SUCCEEDED -1")
		number := fmt.Sprintf("%04s", other)
		l.conf(number, "b", "a:c b:c")
		l.ends(number, "SUCCEEDED")
		src := NewSource(l, yarn.Target{ID: "job_1_0001"})
		for range 3 {
			s := l.tick(t, src, time.Second)
			if together := other == "2"; together != (len(s.Plan.Jobs) == 3) {
				t.Errorf("job %s: while the chosen one does not respond: %+v", other, s.Plan.Jobs)
			}
		}
		l.apps("1 RUNNING UNDEFINED 512")
		l.running = l.rm["apps"]
		l.conf("0001", "a", "a:c b:c")
		l.runs("0001", 0, "RUNNING")
		var s *dag.Snapshot
		for range 3 + 1 {
			s = l.tick(t, src, time.Second)
		}
		if len(s.Plan.Jobs) != 3 || s.Plan.Jobs[1].Node != "b" || s.Jobs[1].State != dag.Succeeded {
			t.Errorf("job %s: %+v %+v", other, s.Plan.Jobs, s.Jobs)
		}
	}
}

// TestStrangers: applications that come and go on a busy cluster leave nothing behind, and confs that fail are asked
// once a tick.
func TestStrangers(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, yarn.Target{ID: "job_1_0001"})
	for i := range 100 {
		list := []string{"1 RUNNING UNDEFINED 512"}
		for k := range 5 {
			list = append(list, fmt.Sprintf("%d RUNNING UNDEFINED 512", 2+5*i+k))
		}
		l.apps(list...)
		l.tick(t, src, time.Second)
	}
	apps := 0
	for i := range 502 {
		if src.view.Known(fmt.Sprintf("application_1_%04d", i)) != nil {
			apps++
		}
	}
	if apps == 0 || apps > 10 || len(src.jobs) > 10 {
		t.Errorf("%d applications and %d jobs are kept", apps, len(src.jobs))
	}
}

func TestTargets(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                 "",
		" application_1795222440184_0007 ": "application_1795222440184_0007",
		"job_1795222440184_0007":           "job_1795222440184_0007",
		"pig_c7a0f6a4-0b5c-4a4e-8a4c-1d8d4f0c4a2b":       "pig_c7a0f6a4-0b5c-4a4e-8a4c-1d8d4f0c4a2b",
		"hive_root_20261121_x":                           "hive_root_20261121_x",
		"task_1795222440184_0007_m_000003":               "application_1795222440184_0007",
		"attempt_1795222440184_0007_r_000003_1":          "application_1795222440184_0007",
		"appattempt_1795222440184_0007_000001":           "application_1795222440184_0007",
		"container_1795222440184_0007_01_000002":         "application_1795222440184_0007",
		"container_e17_1795222440184_0007_01_000002":     "application_1795222440184_0007",
		"http://rm:8088/cluster/app/application_1_2":     "application_1_2",
		"https://jhs:19890/jobhistory/job/job_1_2/tasks": "job_1_2",
	} {
		if got, err := yarn.TargetOf(typed, "alice"); err != nil || got.ID != want || (got.User == "alice") != (want == "") {
			t.Errorf("%q: %+v, %v; want %q", typed, got, err, want)
		}
	}
	for typed, want := range map[string]string{
		"application_7":           "is not an id",
		"job_1_2_m":               "is not an id",
		"http://rm:8088/cluster":  "names no application",
		strings.Repeat("x", 2000): "2000 characters",
		"a\x1b[31mb":              "is not an id of a workflow",
	} {
		if got, err := yarn.TargetOf(typed, ""); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %+v, %v; want %q", typed, got, err, want)
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
