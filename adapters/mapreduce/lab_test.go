package mapreduce

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A lab is a cluster with responses that a test writes. Others are 404.
type lab struct {
	now     dag.Instant
	rm      map[string]string // by path without query
	am, jhs map[string]string // by path below the job, e.g. "0001/tasks"
	err     error             // every request fails with it
	running string            // the list of running applications, where it is another one
	refused map[string]int    // paths of masters to the status that they get

	mu       sync.Mutex
	requests map[string]int // in this tick
}

const labStart = 1_795_000_000_000

func newLab() *lab {
	return &lab{
		now: labStart, rm: map[string]string{"metrics": `{"clusterMetrics":{"totalMB":3072,"activeNodes":1}}`},
		am: map[string]string{}, jhs: map[string]string{}, requests: map[string]int{},
	}
}

func (l *lab) Now() dag.Instant { return l.now }

func (l *lab) get(from map[string]string, path string) ([]byte, error) {
	if l.err != nil {
		return nil, l.err
	}
	path, query, _ := strings.Cut(path, "?")
	l.mu.Lock()
	l.requests[path]++
	l.mu.Unlock()
	if path == "apps" && l.running != "" && strings.Contains(query, "states=") {
		return []byte(l.running), nil
	}
	if b, ok := from[path]; ok {
		return []byte(b), nil
	}
	return nil, &rest.Error{URL: path, Status: http.StatusNotFound}
}

func (l *lab) RM(_ context.Context, path string) ([]byte, error) { return l.get(l.rm, path) }
func (l *lab) AM(_ context.Context, app, path string) ([]byte, error) {
	if status := l.refused[path]; status != 0 {
		return nil, &rest.Error{URL: path, Status: status}
	}
	l.mu.Lock()
	l.requests[path]++
	l.mu.Unlock()
	return l.get(l.am, strings.TrimPrefix(path, "jobs/job_1_"))
}

func (l *lab) JHS(_ context.Context, path string) ([]byte, error) {
	return l.get(l.jhs, strings.TrimPrefix(path, "mapreduce/jobs/job_1_"))
}

// apps sets the list: each "number state final MB", e.g. "1 RUNNING UNDEFINED 512".
func (l *lab) apps(list ...string) {
	var out []string
	for _, s := range list {
		var n, mb int
		var state, final string
		fmt.Sscanf(s, "%d %s %s %d", &n, &state, &final, &mb)
		finished := 0
		if state == "FINISHED" {
			finished = labStart + 20_000 + n
		}
		one := fmt.Sprintf(`{"finishedTime":%d,"id":"application_1_%04d","user":"alice","name":"PigLatin:q.pig","queue":"default","state":"%s","finalStatus":"%s","applicationType":"MAPREDUCE","startedTime":%d,"allocatedMB":%d,"runningContainers":%d}`,
			finished, n, state, final, labStart+1000*n, mb, mb/256)
		l.rm[fmt.Sprintf("apps/application_1_%04d", n)] = `{"app":` + one + `}`
		out = append(out, one)
	}
	l.rm["apps"] = `{"apps":{"app":[` + strings.Join(out, ",") + `]}}`
}

// conf sets a job's conf: its node, the graph as "a:b,c d:e", and further properties as name, value.
func (l *lab) conf(job, node, graph string, more ...string) {
	props := []string{
		`{"name":"mapreduce.workflow.id","value":"pig_1"}`,
		`{"name":"mapreduce.workflow.node.name","value":"` + node + `"}`,
	}
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

// runs sets the responses of a master: its maps' states, "SUCCEEDED RUNNING SCHEDULED", and attempt numbers from base
// on.
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
			attempts = fmt.Sprintf(
				`{"id":"%s","state":"%s","startTime":%d,"finishTime":%d,"progress":30,"nodeHttpAddress":"n1:8042"}`,
				attempt, state, labStart+5000, finish)
		}
		tasks = append(tasks, fmt.Sprintf(
			`{"id":"%s","state":"%s","startTime":%d,"finishTime":%d,"progress":30,"successfulAttempt":"%s"}`, task,
			state, labStart+5000, finish, success))
		l.am[job+"/tasks/"+task+"/attempts"] = `{"taskAttempts":{"taskAttempt":[` + attempts + `]}}`
		l.am[job+"/tasks/"+task+
			"/counters"] = `{"jobTaskCounters":{"taskCounterGroup":[{"counterGroupName":"x.TaskCounter","counter":[{"name":"MAP_INPUT_RECORDS","value":9}]}]}}`
	}
	l.am[job] = fmt.Sprintf(`{"job":{"startTime":%d,"state":"RUNNING","mapsTotal":%d,"reducesTotal":0}}`,
		labStart+4000+base, len(maps))
	l.am[job+"/tasks"] = `{"tasks":{"task":[` + strings.Join(tasks, ",") + `]}}`
}

// ends sets the responses of the history server.
func (l *lab) ends(job, state string) {
	l.jhs[job] = fmt.Sprintf(`{"job":{"submitTime":%d,"startTime":%d,"finishTime":%d,"state":"%s","mapsTotal":1,"reducesTotal":0,"diagnostics":"\nso it goes\n"}}`,
		labStart+1000, labStart+4000, labStart+30000, state)
	l.jhs[job+"/tasks"] = `{"tasks":{}}`
}

func (l *lab) tick(t *testing.T, src *Source, after time.Duration) *dag.Snapshot {
	t.Helper()
	l.now = l.now.Add(after)
	clear(l.requests)
	s, err := src.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for path, n := range l.requests {
		if n > 1 {
			t.Errorf("got %d requests of %s in a tick, want 1", n, path)
		}
	}
	return s
}

func mapStates(s *dag.Snapshot, job int) [5]int {
	var n [5]int
	for _, a := range s.Jobs[job].Stages[dag.Map].Attempts {
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

// newHub returns a hub of the lab, which the test refreshes.
func newHub(l *lab) *Hub { return HubOn(l, yarn.NewHub(l, nil)) }

// refresh does what the hub of all engines does in each round.
func refresh(t *testing.T, h *Hub) error {
	t.Helper()
	if err := h.Refresh(t.Context()); err != nil {
		return err
	}
	h.Update(t.Context())
	return nil
}
