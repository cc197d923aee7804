package restsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// script is two jobs and a third that joins them, on two nodes.
func script() *dag.Plan {
	one := bigJob(40, 8).Jobs[0]
	p := bigJob(40, 8)
	p.Name = "join.pig"
	p.Cluster.MemoryMB, p.Cluster.Nodes = 2*5120, []dag.Node{
		{Name: "n0:8042", MemoryMB: 5120},
		{Name: "n1:8042", MemoryMB: 5120},
	}
	p.Overheads.Wave, p.Overheads.Stagger = 2*time.Second, 200*time.Millisecond
	p.Jobs = dag.CloneJobs([]dag.Job{one, one, one})
	for i := range p.Jobs {
		p.Jobs[i].Node = fmt.Sprintf("scope-%d", 10*i+5)
	}
	p.Jobs[1].Stages[dag.Map].Tasks = 12
	p.Jobs[1].Stages[dag.Reduce].Tasks = 2
	p.Jobs[2].After = []int{0, 1}
	return p
}

// TestSourceSeesTheRun compares the snapshots of a source with the run, tick by tick.
func TestSourceSeesTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		plan *dag.Plan
		opt  simulate.Options
		end  dag.State
	}{
		"a plain job": {bigJob(60, 12), simulate.Options{Noise: 0.3}, dag.Succeeded},
		"a workflow":  {script(), simulate.Options{Noise: 0.3, Skew: 0.5}, dag.Succeeded},
		"failures": {script(), simulate.Options{Noise: 0.2, Fail: []simulate.Failure{
			{Job: "scope-5", Task: 3, After: 10 * time.Second}, {
				Job: "scope-25", Stage: dag.Reduce, Task: 1,
				After: 5 * time.Second,
			},
		}}, dag.Succeeded},
		"a lost node": {
			script(),
			simulate.Options{Lose: []simulate.LostNode{{Node: 1, At: 100 * time.Second, Detect: 15 * time.Second}}},
			dag.Succeeded,
		},
		"a job that fails": {script(), simulate.Options{
			MaxAttempts: 1,
			Fail:        []simulate.Failure{{Job: "scope-25", Task: 0, After: 9 * time.Second}},
		}, dag.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			c.opt.Every, c.opt.Seed, c.opt.Know = 2*time.Second, 3, simulate.Nothing
			cluster := play(t, c.plan, c.opt)
			src, _ := watcher(t, cluster, yarn.Target{})
			compared, last := 0, (*dag.Snapshot)(nil)
			watch(t, cluster, src, 2*time.Second, 2*time.Hour, func(got *dag.Snapshot, err error) {
				if _, ok := errors.AsType[*yarn.NoWorkflowError](err); ok {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got.At != cluster.Now() {
					t.Fatalf("at %d, the cluster's clock is %d", got.At, cluster.Now())
				}
				compared += compare(t, got, cluster.Snapshot())
				last = got
			})
			if last == nil || last.State != c.end || compared < 1000 {
				t.Fatalf("ended %+v after %d comparisons", last, compared)
			}
			truth := cluster.Snapshot()
			for i := range truth.Jobs {
				want := &truth.Jobs[i]
				if got := job0(last, truth.Plan.Jobs[i].Node, want.ID); want.State.Ended() &&
					(got == nil || got.Finished != want.Finished || got.Submitted != want.Submitted) {
					t.Errorf("job %d: %+v, want %+v", i, got, want)
				}
			}
		})
	}
}

// job0 finds a job by its node in the plan, of a plain job by its id.
func job0(s *dag.Snapshot, node, id string) *dag.JobState {
	for i := range s.Jobs {
		if s.Plan.Jobs[i].Node == node || id != "" && s.Jobs[i].ID == id {
			return &s.Jobs[i]
		}
	}
	return nil
}

// compare holds a source's snapshot against the run's and returns how many attempts it compared.
func compare(t *testing.T, got, want *dag.Snapshot) (n int) {
	t.Helper()
	if !slices.ContainsFunc(want.Jobs, func(j dag.JobState) bool { return j.State >= dag.Running }) {
		return 0 // until a master is up, the graph is unknown
	}
	if len(got.Jobs) != len(want.Jobs) {
		t.Fatalf("at %d: %d jobs, want %d", want.At, len(got.Jobs), len(want.Jobs))
	}
	for i := range want.Jobs {
		w := &want.Jobs[i]
		g := job0(got, want.Plan.Jobs[i].Node, w.ID)
		if g == nil || g.State != w.State {
			t.Fatalf("at %d, job %s: %+v, want state %v", want.At, want.Plan.Jobs[i].Node, g, w.State)
		}
		if w.State != dag.Running && !w.State.Ended() {
			continue
		}
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			have := g.Stages[k].Attempts
			for _, a := range w.Stages[k].Attempts {
				at, ok := slices.BinarySearchFunc(have, a, func(x, y dag.Attempt) int {
					return (int(x.Task)-int(y.Task))*1000 + int(x.Number) - int(y.Number)
				})
				if !ok {
					t.Fatalf("at %d: attempt %v %d_%d is missing", want.At, k, a.Task, a.Number)
				}
				b := have[at]
				n++
				ran := a.State == dag.AttemptRunning || a.State == dag.AttemptSucceeded
				if b.State != a.State || b.Start != a.Start || b.End != a.End || ran &&
					(b.CopyEnd != a.CopyEnd || b.SortEnd != a.SortEnd) {
					t.Fatalf("at %d, job %s %v:\ngot  %+v\nwant %+v", want.At, w.ID, k, b, a)
				}
				if a.State == dag.AttemptRunning && a.FirstReport.Known() &&
					(b.Done[0] != a.Done[0] || b.Out != a.Out && a.Out == a.Out) {
					t.Fatalf("at %d, job %s %v: done %v out %v\nwant %v, %v", want.At, w.ID, k, b.Done, b.Out, a.Done,
						a.Out)
				}
				if a.Node >= 0 && len(want.Nodes) > 0 && got.Nodes[b.Node].Name != want.Nodes[a.Node].Name {
					t.Fatalf("at %d: on node %s, want %s", want.At, got.Nodes[b.Node].Name, want.Nodes[a.Node].Name)
				}
			}
		}
	}
	return n
}

// under is a workflow under way.
func under(t *testing.T) *Cluster {
	t.Helper()
	c := play(t, script(), simulate.Options{Seed: 3})
	if err := c.Advance(context.Background(), start.Add(20*time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTargets: what a person may type finds the workflow.
func TestTargets(t *testing.T) {
	for typed, user := range map[string]string{
		"": "alice", "application_1795222440184_0002": "", "job_1795222440184_0001": "", "pig_simulated-3": "",
	} {
		cluster := under(t)
		target, err := yarn.TargetOf(typed, user)
		if err != nil {
			t.Fatal(err)
		}
		src, _ := watcher(t, cluster, target)
		if s, err := src.Next(context.Background()); err != nil || s.ID != "pig_simulated-3" || len(s.Jobs) != 3 {
			t.Errorf("%q: %+v, %v", typed, s, err)
		}
	}
	cluster := under(t)
	for _, target := range []yarn.Target{{User: "bob"}, {ID: "application_1795222440184_0009"}, {ID: "pig_other"}} {
		src, _ := watcher(t, cluster, target)
		if s, err := src.Next(context.Background()); err == nil {
			t.Errorf("%+v: found %+v", target, s)
		}
	}
}

// TestAnswersAreJSON sends requests over a real connection, and checks the responses of facts/hadoop.md A3 to A6.
func TestAnswersAreJSON(t *testing.T) {
	cluster := play(t, script(), simulate.Options{Seed: 3, Every: time.Second})
	s := httptest.NewServer(cluster)
	defer s.Close()
	ctx := context.Background()
	get := func(path string) (int, string, http.Header) {
		t.Helper()
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var b strings.Builder
		var v any
		if err := json.NewDecoder(io.TeeReader(resp.Body, &b)).Decode(&v); err != nil && resp.StatusCode == 200 {
			t.Errorf("%s: %v: %.200s", path, err, b.String())
		}
		return resp.StatusCode, b.String(), resp.Header
	}
	const am = "/proxy/application_1795222440184_0001/ws/v1/mapreduce/jobs/job_1795222440184_0001"
	const jhs = "/ws/v1/history/mapreduce/jobs/job_1795222440184_0001"
	if _, body, _ := get("/ws/v1/cluster/apps"); !strings.Contains(body, `"startedTime":1795222440184`) {
		t.Errorf("apps: %.300s", body)
	}
	if code, _, h := get(am); code != 302 || !strings.Contains(h.Get("Location"), "/cluster/app/") {
		t.Errorf("before the master is up: %d to %s", code, h.Get("Location"))
	}
	if err := cluster.Advance(ctx, start.Add(30*time.Second)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		am:            `"state":"RUNNING","mapsTotal":36,`,
		am + "/tasks": `"state":"SCHEDULED"`,
		am + "/tasks/task_1795222440184_0001_m_000000/attempts": `"state":"RUNNING"`,
		am + "/tasks/task_1795222440184_0001_m_000035/attempts": `{"taskAttempts":{}}`,
		am + "/tasks/task_1795222440184_0001_m_000000/counters": `"MAP_INPUT_RECORDS"`,
		am + "/tasks/task_1795222440184_0001_m_000035/counters": `{"jobTaskCounters":{"id":"task_1795222440184_0001_m_000035"}}`,
		am + "/conf":          `"mapreduce.workflow.adjacency.scope-5","value":"scope-25"`,
		am + "/counters":      `jobCounters`,
		"/ws/v1/cluster/info": `"haState":"ACTIVE"`, "/ws/v1/cluster/metrics": `"totalMB":10240`,
		"/ws/v1/cluster/nodes":                                           `"n1:8042"`,
		"/ws/v1/cluster/scheduler":                                       `capacityScheduler`,
		"/ws/v1/cluster/apps?states=RUNNING&user=alice":                  `application_1795222440184_0001`,
		"/ws/v1/cluster/apps?states=FINISHED":                            `{"apps":{}}`,
		"/ws/v1/cluster/apps/application_1795222440184_0001":             `"state":"RUNNING"`,
		"/ws/v1/cluster/apps/application_1795222440184_0001/appattempts": `"appattempt_1795222440184_0001_000001"`,
		"/ws/v1/history/info":                                            `3.4.2`,
	} {
		if code, body, h := get(path); code != 200 || !strings.Contains(body, want) ||
			!strings.HasPrefix(h.Get("Content-Type"), "application/json") || h.Get("Date") == "" {
			t.Errorf("%s: %d %.300s, want %s", path, code, body, want)
		}
	}
	for _, path := range []string{
		jhs, am + "/tasks/task_1795222440184_0001_m_000099/attempts", am + "/tasks/task_x/attempts", am + "/else",
		"/ws/v1/cluster/apps/application_1_0001", "/ws/v1/cluster/else",
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs", "/else",
	} {
		if code, body, _ := get(path); code != 404 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if err := cluster.Advance(ctx, start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if code, _, h := get(am + "/tasks"); code != 302 ||
		!strings.Contains(h.Get("Location"),
			"/jobhistory/job/job_1795222440184_0001/ws/v1/mapreduce/jobs/job_1795222440184_0001/tasks") {
		t.Errorf("after the end: %d to %s", code, h.Get("Location"))
	}
	for path, want := range map[string]string{
		jhs:            `"state":"SUCCEEDED","mapsTotal":36,"mapsCompleted":36`,
		jhs + "/tasks": `"successfulAttempt":"attempt_1795222440184_0001_m_000000_0"}`,
		jhs + "/tasks/task_1795222440184_0001_r_000000/attempts": `"mergeFinishTime":1`,
	} {
		if code, body, _ := get(path); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.500s, want %s", path, code, body, want)
		}
	}
	if err := cluster.Advance(ctx, start); err == nil {
		t.Error("time went back")
	}
	r := httptest.NewRecorder()
	if cluster.ServeHTTP(r, httptest.NewRequestWithContext(ctx, http.MethodPost, am, nil)); r.Code !=
		http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", r.Code)
	}
}
