package mapreduce

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// A simREST plays snapshots of a simulated run as Hadoop's REST services would report them, and counts requests.
type simREST struct {
	snap *dag.Snapshot
	plan *dag.Plan // the whole truth

	mu       sync.Mutex
	requests map[string]int // paths of this tick
	bytes    int            // of bodies since the beginning
}

func (r *simREST) Now() dag.Instant { return r.snap.At }

func appID(job int) string { return fmt.Sprintf("application_1795222440184_%04d", job+1) }
func simJob(job int) string {
	return strings.Replace(appID(job), "application", "job", 1)
}

func simTaskName(n int, k dag.StageIndex, index int) string {
	return strings.TrimPrefix(newTask(&job{id: simJob(n)}, k, int32(index)).path(), "/tasks/")
}

func (r *simREST) answer(path, body string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[path]++
	r.bytes += len(body)
	if body == "" {
		return nil, &rest.Error{URL: path, Status: http.StatusNotFound}
	}
	return []byte(body), nil
}

func (r *simREST) RM(_ context.Context, path string) ([]byte, error) {
	switch {
	case strings.HasPrefix(path, "apps?"):
		return r.answer("apps", r.apps(strings.Contains(path, "states=")))
	case strings.HasPrefix(path, "apps/"):
		for j := range r.snap.Jobs {
			if path == "apps/"+appID(j) {
				return r.answer(path, `{"app":`+r.app(j)+`}`)
			}
		}
	case path == "metrics":
		return r.answer(path, `{"clusterMetrics":{"totalMB":3072,"activeNodes":1,"lostNodes":0}}`)
	case path == "nodes":
		return r.answer(path, `{"nodes":{"node":[{"id":"n:1","nodeHTTPAddress":"n:2","state":"RUNNING","usedMemoryMB":0,"availMemoryMB":3072}]}}`)
	case path == "scheduler":
		return r.answer(path, `{"scheduler":{"schedulerInfo":{"type":"fifoScheduler"}}}`)
	}
	return r.answer(path, "")
}

func (r *simREST) apps(running bool) string {
	var list []string
	for j := range r.snap.Jobs {
		if st := r.snap.Jobs[j].State; st != dag.Blocked && !(running && st.Ended()) {
			list = append(list, r.app(j))
		}
	}
	return `{"apps":{"app":[` + strings.Join(list, ",") + `]}}`
}

func (r *simREST) app(j int) string {
	st := &r.snap.Jobs[j]
	state, final := "ACCEPTED", "UNDEFINED"
	switch {
	case st.State == dag.Running:
		state = "RUNNING"
	case st.State.Ended():
		state, final = "FINISHED", strings.ToUpper(st.State.String())
	}
	return fmt.Sprintf(`{"id":"%s","user":"alice","name":"PigLatin:q.pig","queue":"root.default","state":"%s","finalStatus":"%s",`+
		`"applicationType":"MAPREDUCE","startedTime":%d,"finishedTime":%d,"allocatedMB":512}`, appID(j), state, final,
		ms(st.Submitted), ms(st.Finished))
}

func ms(t dag.Instant) int64 {
	if !t.Known() {
		return 0
	}
	return int64(t)
}

func (r *simREST) AM(_ context.Context, app, path string) ([]byte, error) {
	for j := range r.snap.Jobs {
		if app != appID(j) {
			continue
		}
		if r.snap.Jobs[j].State != dag.Running {
			_, _ = r.answer(path, "")
			return nil, &rest.Error{URL: path, Status: http.StatusFound, Location: "http://jhs/jobhistory/job"}
		}
		return r.answer(path, r.job(j, strings.TrimPrefix(path, "jobs/"+simJob(j)), false))
	}
	return r.answer(path, "")
}

func (r *simREST) JHS(_ context.Context, path string) ([]byte, error) {
	for j := range r.snap.Jobs {
		if rest, ok := strings.CutPrefix(path, "mapreduce/jobs/"+simJob(j)); ok && r.snap.Jobs[j].State.Ended() {
			return r.answer("jhs "+path, r.job(j, rest, true))
		}
	}
	return r.answer("jhs "+path, "")
}

// job answers a path below a job.
func (r *simREST) job(j int, path string, over bool) string {
	switch {
	case path == "":
		return r.status(j)
	case path == "/conf":
		return r.conf(j)
	case path == "/tasks":
		return r.tasks(j)
	}
	var kind string
	var index int
	var rest string
	if n, _ := fmt.Sscanf(strings.TrimPrefix(path, "/tasks/task_"+strings.TrimPrefix(simJob(j), "job_")+"_"),
		"%1s_%d/%s", &kind, &index, &rest); n != 3 {
		return ""
	}
	k := dag.Map
	if kind == "r" {
		k = dag.Reduce
	}
	switch rest {
	case "attempts":
		return r.attempts(j, k, index)
	case "counters":
		return r.counters(j, k, index)
	}
	return ""
}

func (r *simREST) conf(j int) string {
	p := r.plan.Jobs[j]
	props := []string{
		`{"name":"mapreduce.workflow.id","value":"pig_1"}`,
		`{"name":"mapreduce.workflow.node.name","value":"` + p.Node + `"}`,
	}
	for from := range r.plan.Jobs {
		var to []string
		for k := range r.plan.Jobs {
			for _, a := range r.plan.Jobs[k].After {
				if a == from {
					to = append(to, r.plan.Jobs[k].Node)
				}
			}
		}
		if len(to) > 0 {
			props = append(props, fmt.Sprintf(`{"name":"mapreduce.workflow.adjacency.%s","value":"%s"}`,
				r.plan.Jobs[from].Node, strings.Join(to, ",")))
		}
	}
	return `{"conf":{"property":[` + strings.Join(props, ",") + `]}}`
}

func (r *simREST) status(j int) string {
	st, p := &r.snap.Jobs[j], r.plan.Jobs[j]
	var pending [2]int
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		states := r.states(j, k)
		for _, s := range states {
			if s.name == "SCHEDULED" {
				pending[k]++
			}
		}
	}
	return fmt.Sprintf(`{"job":{"submitTime":%d,"startTime":%d,"finishTime":%d,"id":"%s","state":"%s","mapsTotal":%d,"reducesTotal":%d,"mapsPending":%d,"reducesPending":%d}}`,
		ms(st.Submitted), ms(st.Started), ms(st.Finished), simJob(j), strings.ToUpper(st.State.String()),
		p.Stages[dag.Map].Tasks, p.Stages[dag.Reduce].Tasks, pending[0], pending[1])
}

// A simTask is a task's line in a list.
type simTask struct {
	name          string
	start, finish dag.Instant
	ratio         float64
	success       int32
}

func (r *simREST) states(j int, k dag.StageIndex) []simTask {
	out := make([]simTask, r.plan.Jobs[j].Stages[k].Tasks)
	for i := range out {
		out[i] = simTask{name: "SCHEDULED", success: -1, start: r.snap.Jobs[j].Started, finish: dag.NoInstant}
	}
	for _, a := range r.snap.Jobs[j].Stages[k].Attempts {
		t := &out[a.Task]
		switch a.State {
		case dag.AttemptRunning:
			*t = simTask{name: "RUNNING", start: a.Start, finish: dag.NoInstant, ratio: a.Ratio, success: -1}
		case dag.AttemptSucceeded:
			*t = simTask{name: "SUCCEEDED", start: a.Start, finish: a.End, ratio: 1, success: a.Number}
		}
	}
	return out
}

func (r *simREST) tasks(j int) string {
	var b strings.Builder
	b.WriteString(`{"tasks":{"task":[`)
	comma := ""
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		for i, t := range r.states(j, k) {
			success := ""
			if t.success >= 0 {
				success = (&dag.Attempt{Task: int32(i), Number: t.success}).Name(simJob(j), dag.MapReduceName(k))
			}
			ratio := t.ratio
			if math.IsNaN(ratio) {
				ratio = 0
			}
			fmt.Fprintf(&b, `%s{"startTime":%d,"finishTime":%d,"elapsedTime":18682,"progress":%.4f,"id":"%s","state":"%s","type":"%s","successfulAttempt":"%s","status":"map > map"}`,
				comma, ms(t.start), ms(t.finish), ratio*100, simTaskName(j, k, i), t.name,
				strings.ToUpper(dag.MapReduceName(k)), success)
			comma = ","
		}
	}
	b.WriteString(`]}}`)
	return b.String()
}

func (r *simREST) attempts(j int, k dag.StageIndex, index int) string {
	var list []string
	for _, a := range r.snap.Jobs[j].Stages[k].Attempts {
		if int(a.Task) != index {
			continue
		}
		ratio := a.Ratio
		if math.IsNaN(ratio) {
			ratio = 0
		}
		phases := ""
		if k == dag.Reduce {
			phases = fmt.Sprintf(
				`,"shuffleFinishTime":%d,"mergeFinishTime":%d,"elapsedShuffleTime":0,"elapsedMergeTime":0,"elapsedReduceTime":0`, ms(a.CopyEnd), ms(a.SortEnd))
		}
		list = append(list, fmt.Sprintf(
			`{"startTime":%d,"finishTime":%d,"elapsedTime":471,"progress":%.6f,"id":"%s","rack":"/default-rack","state":"%s","status":"map > map",`+
				`"nodeHttpAddress":"n:2","diagnostics":"","type":"%s","assignedContainerId":"container_1795222440184_0007_01_000005"%s}`,
			ms(a.Start), ms(a.End), ratio*100, a.Name(simJob(j), dag.MapReduceName(k)), strings.ToUpper(
				a.State.String()), strings.ToUpper(dag.MapReduceName(k)), phases))
	}
	return `{"taskAttempts":{"taskAttempt":[` + strings.Join(list, ",") + `]}}`
}

func (r *simREST) counters(j int, k dag.StageIndex, index int) string {
	var best *dag.Attempt
	all := r.snap.Jobs[j].Stages[k].Attempts
	for i := range all {
		if a := &all[i]; int(a.Task) == index && (a.State == dag.AttemptRunning || a.State == dag.AttemptSucceeded) {
			best = a
		}
	}
	id := fmt.Sprintf(`{"jobTaskCounters":{"id":"%s"`, simTaskName(j, k, index))
	if best == nil || !best.FirstReport.Known() {
		return id + `}}`
	}
	// As many counters as a real task has.
	pad := strings.Repeat(`{"name":"COMMITTED_HEAP_BYTES","value":167772160},`, 18)
	names := [4]string{"MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "REDUCE_INPUT_RECORDS", "REDUCE_OUTPUT_RECORDS"}
	work := 0
	if k == dag.Reduce {
		names[0], names[1], work = names[2], names[3], dag.Work
	}
	return fmt.Sprintf(`%s,"taskCounterGroup":[{"counterGroupName":"org.apache.hadoop.mapreduce.FileSystemCounter","counter":[{"name":"FILE_BYTES_READ","value":8260}]},`+
		`{"counterGroupName":"org.apache.hadoop.mapreduce.TaskCounter","counter":[%s{"name":"%s","value":%s},{"name":"%s","value":%s}]}]}}`,
		id, pad, names[0], count(best.Done[work]), names[1], count(best.Out))
}

func count(v float64) string {
	if math.IsNaN(v) {
		return "0"
	}
	return fmt.Sprintf("%.0f", v)
}

// naive returns the bytes of asking everything about every job that runs, without its conf.
func (r *simREST) naive() int {
	n := len(r.apps(false))
	for j := range r.snap.Jobs {
		if r.snap.Jobs[j].State != dag.Running {
			continue
		}
		n += len(r.status(j)) + len(r.tasks(j))
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			// One of each kind stands for all: their answers are as long as each other.
			last := int32(-1)
			size := 0
			for i, a := range r.snap.Jobs[j].Stages[k].Attempts {
				if a.Task == last {
					continue
				}
				if last = a.Task; i%200 == 0 {
					size = len(r.attempts(j, k, int(a.Task))) + len(r.counters(j, k, int(a.Task)))
				}
				n += size
			}
		}
	}
	return n
}
