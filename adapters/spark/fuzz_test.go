package spark

import (
	"bytes"
	"net/url"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// FuzzLog checks that no event log, however damaged, makes a reader panic or a plan that is not valid.
func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1795366705755,"Stage Infos":[{"Stage ID":0,"Number of Tasks":3,"RDD Info":[{"RDD ID":1}],"Parent IDs":[]}]}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Number of Tasks":3,"Submission Time":1795366705756}}
{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":3,"Index":1,"Launch Time":1795366705800,"Executor ID":"0"}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":3,"Index":1,"Launch Time":1795366705800,"Finish Time":1795366705900,"Executor ID":"0"},"Task End Reason":{"Reason":"Success"}}
{"Event":"SparkListenerExecutorRemoved","Timestamp":1795366705950,"Executor ID":"0","Removed Reason":"x"}
`))
	f.Add([]byte(lz4Magic + "\x16\x05\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00hello"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := readLog(bytes.NewReader(b))
		if err != nil {
			return
		}
		r := l.Reader("")
		for _, at := range []dag.Instant{l.First, l.First + (l.Last-l.First)/2, l.Last} {
			if s, ok := r.At(at); ok {
				valid(t, s)
			}
		}
	})
}

// FuzzAnswers checks the same of what a driver answers.
func FuzzAnswers(f *testing.F) {
	f.Add("/api/v1/applications", `[{"id":"app-1","name":"x","attempts":[{"completed":false}]}]`,
		"/api/v1/applications/app-1/jobs",
		`[{"jobId":0,"stageIds":[0,1],"status":"RUNNING","submissionTime":"2026-11-22T16:58:25.723GMT"}]`,
		"/api/v1/applications/app-1/stages",
		`[{"stageId":0,"attemptId":0,"numTasks":4,"status":"ACTIVE","rddIds":[1]},{"stageId":1,"attemptId":0,"numTasks":2,"status":"PENDING","rddIds":[2]}]`)
	f.Add("/jobs/job/?id=0", `<div class="stage-metadata" stage-id="1"><div class="incoming-edge">1,2</div>`,
		"/api/v1/applications/app-1/stages/0/0/taskList",
		`[{"taskId":1,"index":0,"partitionId":9,"launchTime":"2026-11-22T16:58:26.723GMT","duration":5,"status":"SUCCESS","executorId":"0"}]`,
		"/api/v1/applications/app-1/allexecutors",
		`[{"id":"0","isActive":false,"maxTasks":2,"removeTime":"2026-11-22T16:58:26.723GMT"}]`)
	f.Add("/stages/", poolsHTML, "/api/v1/applications/app-1/environment",
		`{"sparkProperties":[["spark.scheduler.mode","FAIR"]]}`, "/api/v1/applications/app-1/stages",
		`[{"stageId":0,"attemptId":0,"numTasks":4,"status":"ACTIVE","schedulingPool":"ann"}]`)
	f.Fuzz(func(t *testing.T, u1, b1, u2, b2, u3, b3 string) {
		a := NewApp("")
		for i, w := range [][2]string{{u1, b1}, {u2, b2}, {u3, b3}} {
			u, err := url.Parse(w[0])
			if err != nil {
				continue
			}
			now := dag.Instant(1795366705755 + 1000*i)
			a.Take(&Answer{URL: u, At: now, Status: 200, Type: "application/json", Body: func() string { return w[1] }})
			if s, ok := a.Snapshot(now, i == 2); ok {
				valid(t, s)
			}
		}
	})
}

// valid checks the promises to other packages: a plan whose stages come after those that they read, and states that fit
// it.
func valid(t *testing.T, s *dag.Snapshot) {
	t.Helper()
	stages := s.Plan.Jobs[0].Stages
	if len(s.Jobs) != 1 || len(s.Jobs[0].Stages) != len(stages) {
		t.Fatalf("%d stages and %d states", len(stages), len(s.Jobs[0].Stages))
	}
	before := ""
	for i, p := range s.Plan.Cluster.Pools {
		if min(p.Weight, p.MinShare) < 0 || max(p.Weight, p.MinShare) > dag.MaxSlots || i > 0 && p.Name <= before {
			t.Fatalf("pool %+v comes after %q", p, before)
		}
		before = p.Name
	}
	names := map[string]bool{}
	for k := range stages {
		for _, e := range stages[k].After {
			if int(e.From) >= k {
				t.Fatalf("stage %d reads stage %d", k, e.From)
			}
		}
		if names[stages[k].Name] {
			t.Fatalf("two stages are called %q", stages[k].Name)
		}
		names[stages[k].Name] = true
		last := dag.Attempt{Task: -1}
		for _, a := range s.Jobs[0].Stages[k].Attempts {
			if a.Task < 0 || int(a.Task) >= stages[k].Tasks || a.Task < last.Task || a.Task == last.Task &&
				a.Number <= last.Number || a.Start > s.At {
				t.Fatalf("attempt %+v of a stage of %d tasks comes after %+v", a, stages[k].Tasks, last)
			}
			if int(a.Node) >= len(s.Nodes) {
				t.Fatalf("an attempt on node %d of %d", a.Node, len(s.Nodes))
			}
			last = a
		}
	}
}
