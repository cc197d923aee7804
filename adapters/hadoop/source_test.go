package hadoop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A lab is a cluster whose answers a test writes. What it does not hold is 404.
type lab struct {
	now     dag.Instant
	rm      map[string]string // by path without query
	am, jhs map[string]string // by path below the job, e.g. "0001/tasks"
	dead    error             // every question gets it
	running string            // the list of running applications, where it is another one

	mu    sync.Mutex
	asked map[string]int // in this tick
}

const labStart = 1_795_000_000_000

func newLab() *lab {
	return &lab{now: labStart, rm: map[string]string{"metrics": `{"clusterMetrics":{"totalMB":3072,"activeNodes":1}}`}, am: map[string]string{}, jhs: map[string]string{}, asked: map[string]int{}}
}

func (l *lab) Now() dag.Instant { return l.now }

func (l *lab) get(from map[string]string, path string) ([]byte, error) {
	if l.dead != nil {
		return nil, l.dead
	}
	path, query, _ := strings.Cut(path, "?")
	l.mu.Lock()
	l.asked[path]++
	l.mu.Unlock()
	if path == "apps" && l.running != "" && strings.Contains(query, "states=") {
		return []byte(l.running), nil
	}
	if b, ok := from[path]; ok {
		return []byte(b), nil
	}
	return nil, &Error{URL: path, Status: http.StatusNotFound}
}

func (l *lab) RM(_ context.Context, path string) ([]byte, error) { return l.get(l.rm, path) }
func (l *lab) AM(_ context.Context, app, path string) ([]byte, error) {
	return l.get(l.am, strings.TrimPrefix(path, "jobs/job_1_"))
}
func (l *lab) JHS(_ context.Context, path string) ([]byte, error) {
	return l.get(l.jhs, strings.TrimPrefix(path, "mapreduce/jobs/job_1_"))
}

// apps sets the list: each "number state final held", e.g. "1 RUNNING UNDEFINED 512".
func (l *lab) apps(list ...string) {
	var out []string
	for _, s := range list {
		var n, held int
		var state, final string
		fmt.Sscanf(s, "%d %s %s %d", &n, &state, &final, &held)
		finished := 0
		if state == "FINISHED" {
			finished = labStart + 20_000 + n
		}
		one := fmt.Sprintf(`{"finishedTime":%d,"id":"application_1_%04d","user":"alice","name":"PigLatin:q.pig","queue":"default","state":"%s","finalStatus":"%s","applicationType":"MAPREDUCE","startedTime":%d,"allocatedMB":%d,"runningContainers":%d}`,
			finished, n, state, final, labStart+1000*n, held, held/256)
		l.rm[fmt.Sprintf("apps/application_1_%04d", n)] = `{"app":` + one + `}`
		out = append(out, one)
	}
	l.rm["apps"] = `{"apps":{"app":[` + strings.Join(out, ",") + `]}}`
}

// conf sets a job's conf: its node, the graph as "a:b,c d:e", and further properties as name, value.
func (l *lab) conf(job, node, graph string, more ...string) {
	props := []string{`{"name":"mapreduce.workflow.id","value":"pig_1"}`, `{"name":"mapreduce.workflow.node.name","value":"` + node + `"}`}
	for _, e := range strings.Fields(graph) {
		from, to, _ := strings.Cut(e, ":")
		props = append(props, fmt.Sprintf(`{"name":"mapreduce.workflow.adjacency.%s","value":"%s"}`, from, to))
	}
	for i := 0; i+1 < len(more); i += 2 {
		props = append(props, fmt.Sprintf(`{"name":"%s","value":"%s"}`, more[i], more[i+1]))
	}
	l.am[job+"/conf"] = `{"conf":{"property":[` + strings.Join(props, ",") + `]}}`
	l.jhs[job+"/conf"] = l.am[job+"/conf"]
}

// runs sets what a master says: its maps' states, "SUCCEEDED RUNNING SCHEDULED", and attempt numbers from base on.
func (l *lab) runs(job string, base int, maps ...string) {
	var tasks []string
	for i, state := range maps {
		task := fmt.Sprintf("task_1_%s_m_%06d", job, i)
		attempt := fmt.Sprintf("attempt_1_%s_m_%06d_%d", job, i, base)
		success, finish, attempts := "", 0, ""
		switch state {
		case "SUCCEEDED":
			success, finish = attempt, labStart+9000
		}
		if state != "SCHEDULED" {
			attempts = fmt.Sprintf(`{"id":"%s","state":"%s","startTime":%d,"finishTime":%d,"progress":30,"nodeHttpAddress":"n1:8042"}`, attempt, state, labStart+5000, finish)
		}
		tasks = append(tasks, fmt.Sprintf(`{"id":"%s","state":"%s","startTime":%d,"finishTime":%d,"progress":30,"successfulAttempt":"%s"}`, task, state, labStart+5000, finish, success))
		l.am[job+"/tasks/"+task+"/attempts"] = `{"taskAttempts":{"taskAttempt":[` + attempts + `]}}`
		l.am[job+"/tasks/"+task+"/counters"] = `{"jobTaskCounters":{"taskCounterGroup":[{"counterGroupName":"x.TaskCounter","counter":[{"name":"MAP_INPUT_RECORDS","value":9}]}]}}`
	}
	l.am[job] = fmt.Sprintf(`{"job":{"startTime":%d,"state":"RUNNING","mapsTotal":%d,"reducesTotal":0}}`, labStart+4000+base, len(maps))
	l.am[job+"/tasks"] = `{"tasks":{"task":[` + strings.Join(tasks, ",") + `]}}`
}

// ends sets what the history server says.
func (l *lab) ends(job, state string) {
	l.jhs[job] = fmt.Sprintf(`{"job":{"submitTime":%d,"startTime":%d,"finishTime":%d,"state":"%s","mapsTotal":1,"reducesTotal":0,"diagnostics":"\nso it goes\n"}}`,
		labStart+1000, labStart+4000, labStart+30000, state)
	l.jhs[job+"/tasks"] = `{"tasks":{}}`
}

func (l *lab) tick(t *testing.T, src *Source, after time.Duration) *dag.Snapshot {
	t.Helper()
	l.now = l.now.Add(after)
	clear(l.asked)
	s, err := src.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for path, n := range l.asked {
		if n > 1 {
			t.Errorf("%s was asked %d times in a tick", path, n)
		}
	}
	return s
}

func mapStates(s *dag.Snapshot, job int) [5]int {
	var n [5]int
	for _, a := range s.Jobs[job].Map.Attempts {
		n[a.State]++
	}
	return n
}

func warned(s *dag.Snapshot, code string) bool {
	for _, w := range s.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestNothingToWatch(t *testing.T) {
	l := newLab()
	l.apps("1 FINISHED SUCCEEDED -1")
	for _, target := range []Target{{}, {User: "bob"}, {ID: "application_1_0009"}, {ID: "pig_x"}} {
		var none *NoWorkflowError
		if _, err := NewSource(l, target).Next(context.Background()); !errors.As(err, &none) || none.Apps != 1 {
			t.Errorf("%+v: %v", target, err)
		}
	}
}

func TestChoice(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512", "3 FINISHED SUCCEEDED -1")
	l.conf("0001", "a", "a:b")
	l.conf("0002", "x", "", "mapreduce.workflow.id", "pig_2")
	l.runs("0001", 0, "RUNNING")
	l.runs("0002", 0, "RUNNING")
	for _, c := range []struct {
		target Target
		want   string
	}{
		{Target{}, "pig_2"}, {Target{User: "alice"}, "pig_2"}, {Target{ID: "application_1_0001"}, "pig_1"},
		{Target{ID: "job_1_0001"}, "pig_1"}, {Target{ID: "pig_1"}, "pig_1"},
	} {
		s := l.tick(t, NewSource(l, c.target), 0)
		if s.ID != c.want || len(s.Load) != 1 {
			t.Errorf("%+v: %s, load %+v", c.target, s.ID, s.Load)
		}
	}
}

// TestComesLater: while there is nothing to watch, questions that failed are asked again.
func TestComesLater(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	src := NewSource(l, Target{ID: "pig_1"})
	var none *NoWorkflowError
	if _, err := src.Next(context.Background()); !errors.As(err, &none) {
		t.Fatal(err)
	}
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	if s := l.tick(t, src, time.Second); s.ID != "pig_1" || len(s.Jobs) != 2 {
		t.Errorf("%s, %d jobs", s.ID, len(s.Jobs))
	}
}

func TestPlainJob(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.am["0001/conf"] = `{"conf":{"property":[{"name":"mapreduce.map.memory.mb","value":"512"}]}}`
	l.runs("0001", 0, "RUNNING")
	s := l.tick(t, NewSource(l, Target{}), 0)
	if s.ID != "job_1_0001" || len(s.Jobs) != 1 || s.Plan.Jobs[0].Map.Tasks != 1 || s.Plan.Jobs[0].Limits.MapMB != 1024 {
		t.Errorf("%s %+v", s.ID, s.Plan.Jobs)
	}
}

// TestMasterRestarts: a new attempt number takes work back, but what the new master recovered stays.
func TestMasterRestarts(t *testing.T) {
	for _, recovers := range []bool{false, true} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 1024")
		more := []string{"pig.output.committer.recovery.support", "false"}
		if recovers {
			more = nil
		}
		l.conf("0001", "a", "", more...)
		l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
		src := NewSource(l, Target{})
		if s := l.tick(t, src, 10*time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || s.Jobs[0].Attempt != 1 {
			t.Fatalf("%v %+v", mapStates(s, 0), s.Jobs[0])
		}
		l.apps("1 ACCEPTED UNDEFINED 0")
		l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":[{"id":1},{"id":2}]}}`
		s := l.tick(t, src, time.Second)
		want := [5]int{0, 0, 0, 0, 2}
		if recovers {
			want = [5]int{0, 0, 1, 0, 1}
		}
		if mapStates(s, 0) != want || s.Jobs[0].Attempt != 2 || s.Jobs[0].State != dag.Submitted || !warned(s, dag.WarnMasterRestarted) {
			t.Errorf("recovers %v: %v %+v %v", recovers, mapStates(s, 0), s.Jobs[0], s.Warnings)
		}
		l.apps("1 RUNNING UNDEFINED 1024")
		l.runs("0001", 1000, "RUNNING", "SCHEDULED", "SCHEDULED")
		if recovers {
			l.runs("0001", 0, "SUCCEEDED", "SCHEDULED", "SCHEDULED")
			want = [5]int{0, 0, 1, 0, 1}
		} else {
			want = [5]int{0, 1, 0, 0, 2}
		}
		if s := l.tick(t, src, 5*time.Second); mapStates(s, 0) != want || s.State != dag.Running {
			t.Errorf("recovers %v: %v", recovers, mapStates(s, 0))
		}
	}
}

// TestMasterRestartsUnseen: between two polls the master died and came again.
func TestMasterRestartsUnseen(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	src := NewSource(l, Target{})
	l.tick(t, src, 10*time.Second)
	l.runs("0001", 1000, "SCHEDULED", "RUNNING", "SCHEDULED")
	s := l.tick(t, src, 10*time.Second)
	if mapStates(s, 0) != [5]int{0, 1, 0, 0, 2} || s.Jobs[0].Attempt != 2 {
		t.Errorf("%v %+v", mapStates(s, 0), s.Jobs[0])
	}
}

// TestFailover: another ResourceManager takes over; nothing is lost (facts E0).
func TestFailover(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	src := NewSource(l, Target{})
	l.tick(t, src, 0)
	l.dead = &Error{URL: "http://rm1", Text: "connection refused"}
	for range 3 {
		l.now = l.now.Add(4 * time.Second)
		var missed *dag.MissedError
		if _, err := src.Next(context.Background()); !errors.As(err, &missed) || missed.At != l.now {
			t.Fatalf("%v", err)
		}
	}
	l.dead = nil
	l.apps("1 ACCEPTED UNDEFINED 0")
	l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":{"id":1}}}`
	s := l.tick(t, src, time.Second)
	if mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || s.Jobs[0].State != dag.Running {
		t.Errorf("%v %+v", mapStates(s, 0), s.Jobs[0])
	}
	l.apps("1 RUNNING UNDEFINED 1024")
	if s = l.tick(t, src, time.Second); mapStates(s, 0) != [5]int{0, 1, 1, 0, 0} || warned(s, dag.WarnMasterRestarted) {
		t.Errorf("%v %v", mapStates(s, 0), s.Warnings)
	}
}

// TestSilentHistory: until the history server answers a job is running; then, in the end, the ResourceManager's word counts.
func TestSilentHistory(t *testing.T) {
	for final, want := range map[string]dag.State{"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed, "UNDEFINED": dag.Failed} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 1024")
		l.conf("0001", "a", "")
		l.runs("0001", 0, "RUNNING")
		wait, last := time.Minute, false
		if want == dag.Killed {
			wait = time.Second
		}
		src := NewSource(l, Target{Final: func() bool { return last }})
		l.tick(t, src, 10*time.Second)
		l.apps("1 FINISHED " + final + " 512")
		if s := l.tick(t, src, time.Second); s.State != dag.Running || len(s.Warnings) != 0 {
			t.Errorf("%v %v", s.State, s.Warnings)
		}
		if s := l.tick(t, src, 20*time.Second); s.State != dag.Running || !warned(s, dag.WarnObservation) {
			t.Errorf("%v %v", s.State, s.Warnings)
		}
		last = want == dag.Killed // no later observation will know more
		if s := l.tick(t, src, wait); s.State != want || s.Jobs[0].Finished != labStart+20_001 {
			t.Errorf("%s: %v, finished %v", final, s.State, s.Jobs[0].Finished)
		}
		if _, err := src.Next(context.Background()); err != io.EOF {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestForgotten: the ResourceManager lost its memory, the history server did not.
func TestForgotten(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, Target{})
	l.tick(t, src, 0)
	l.apps()
	delete(l.rm, "apps/application_1_0001")
	l.ends("0001", "SUCCEEDED")
	if s := l.tick(t, src, time.Second); s.State != dag.Succeeded {
		t.Errorf("%v", s.State)
	}
}

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
		{"not if the script stops", "a:c b:d", []string{"FAILED", "SUCCEEDED"}, []string{"stop.on.failure", "true"}, 0, dag.Failed},
		{"a graph in a circle", "a:b b:a", []string{"SUCCEEDED", "SUCCEEDED"}, nil, 0, dag.Succeeded},
	} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512")
		l.conf("0001", "a", c.graph, c.more...)
		l.conf("0002", "b", c.graph, c.more...)
		l.runs("0001", 0, "RUNNING")
		l.runs("0002", 0, "RUNNING")
		src := NewSource(l, Target{})
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
	s := l.tick(t, NewSource(l, Target{}), 0)
	if len(s.Plan.Jobs) != 3 || !warned(s, dag.WarnSecondLaunch) || s.State != dag.Running {
		t.Fatalf("%+v %v", s.Plan.Jobs, s.Warnings)
	}
	for i, want := range []string{"a []", "a#2 [0]", "b [1]"} {
		if got := fmt.Sprint(s.Plan.Jobs[i].Node, " ", s.Plan.Jobs[i].After); got != want {
			t.Errorf("job %d is %s, want %s", i, got, want)
		}
	}
}

// TestLyingMaster: progress beyond 100 %, counters that fall, numbers without end: no panic, nothing impossible.
func TestLyingMaster(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b b:c c:a")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, Target{})
	l.tick(t, src, 0)
	l.am["0001"] = `{"job":{"state":"RUNNING","mapsTotal":1e300,"reducesTotal":-4}}`
	l.am["0001/tasks"] = strings.ReplaceAll(l.am["0001/tasks"], `"progress":30`, `"progress":300`)
	path := "0001/tasks/task_1_0001_m_000000/"
	l.am[path+"attempts"] = strings.ReplaceAll(l.am[path+"attempts"], `"progress":30`, `"progress":-7e9`)
	l.am[path+"counters"] = strings.ReplaceAll(l.am[path+"counters"], `"value":9`, `"value":3`)
	s := l.tick(t, src, time.Second)
	a := s.Jobs[0].Map.Attempts[0]
	if a.Done[0] != 3 || a.Ratio != 0 || a.Total[0] < 3 || s.Plan.Jobs[0].Map.Tasks != maxTasks || s.Plan.Jobs[0].Reduce.Tasks != 0 {
		t.Errorf("%+v, %d tasks", a, s.Plan.Jobs[0].Map.Tasks)
	}
	if !math.IsNaN(a.Out) {
		t.Errorf("output %v without a counter", a.Out)
	}
}

// TestPresumed: an application that cannot be asked yet is taken for a job of the graph only if one is due.
func TestPresumed(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, Target{})
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
	// Its conf says that it is another script's.
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
	src := NewSource(l, Target{})
	l.tick(t, src, 40*time.Second)
	l.running = `{"apps":{}}`
	l.apps("1 FINISHED SUCCEEDED 0", "2 FINISHED SUCCEEDED 0")
	l.ends("0001", "SUCCEEDED")
	l.ends("0002", "SUCCEEDED")
	l.conf("0002", "b", "a:b b:c")
	var s *dag.Snapshot
	for range allEach + 1 {
		s = l.tick(t, src, time.Second)
	}
	if s.Jobs[1].State != dag.Succeeded || s.State != dag.Running {
		t.Errorf("%+v", s.Jobs)
	}
}

// TestStrangers: applications that come and go on a busy cluster leave nothing behind, and confs that fail are asked once a tick.
func TestStrangers(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b")
	l.runs("0001", 0, "RUNNING")
	src := NewSource(l, Target{ID: "job_1_0001"})
	for i := range 100 {
		list := []string{"1 RUNNING UNDEFINED 512"}
		for k := range 5 {
			list = append(list, fmt.Sprintf("%d RUNNING UNDEFINED 512", 2+5*i+k))
		}
		l.apps(list...)
		l.tick(t, src, time.Second)
	}
	if len(src.apps) > 10 || len(src.jobs) > 10 {
		t.Errorf("%d applications and %d jobs are remembered", len(src.apps), len(src.jobs))
	}
}

// TestLoad: what others hold, whether they stand before us, and what their queues are guaranteed.
func TestLoad(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 2048", "2 RUNNING UNDEFINED 512", "3 ACCEPTED UNDEFINED 0", "4 FINISHED SUCCEEDED -1", "5 FINISHED SUCCEEDED 512")
	other := func(n int) (string, string) {
		id := fmt.Sprintf(`"id":"application_1_%04d","user":"alice","name":"PigLatin:q.pig","queue":"default"`, n)
		return id, strings.NewReplacer("alice", "bob", "default", "root.b", "PigLatin:q.pig", "spark").Replace(id)
	}
	for _, n := range []int{1, 3, 4, 5} {
		from, to := other(n)
		l.rm["apps"] = strings.ReplaceAll(l.rm["apps"], from, to)
	}
	l.rm["apps"] = strings.Replace(l.rm["apps"], `"id":"application_1_0001"`, `"progress":25,"resourceInfo":{"resourceUsagesByPartition":[{"pending":{"memory":768},"amUsed":{"memory":512}}]},"id":"application_1_0001"`, 1)
	l.rm["scheduler"] = `{"scheduler":{"schedulerInfo":{"queues":{"queue":[{"queueName":"default","absoluteCapacity":60,"absoluteMaxCapacity":100},{"queueName":"b","absoluteCapacity":40,"absoluteMaxCapacity":100}]}}}}`
	l.conf("0002", "a", "")
	l.runs("0002", 0, "RUNNING")
	src := NewSource(l, Target{User: "alice"})
	s := l.tick(t, src, 0)
	want := []dag.Load{
		{ID: "application_1_0001", Before: true, Submitted: labStart + 1000, Queue: "root.b", HeldMB: 2048, PendingMB: 768, AMMB: 512, ShareMB: 1229, Progress: 0.25, Until: dag.NoInstant},
		{ID: "application_1_0003", Submitted: labStart + 3000, Queue: "root.b", ShareMB: 1229, Progress: math.NaN(), Until: dag.NoInstant},
		{ID: "application_1_0005", Submitted: labStart + 5000, Queue: "root.b", HeldMB: 512, ShareMB: 1229, Progress: math.NaN(), Until: dag.NoInstant},
	}
	if fmt.Sprint(s.Load) != fmt.Sprint(want) || !warned(s, dag.WarnOtherLoad) {
		t.Errorf("got  %+v\nwant %+v", s.Load, want)
	}
	if again := l.tick(t, src, time.Second); again.Plan != s.Plan {
		t.Error("the plan is another one, though nothing has changed")
	}
}
