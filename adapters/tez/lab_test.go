package tez

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

const (
	labID  = "1795366040025_0007"
	labApp = "application_" + labID
	labDAG = "dag_" + labID + "_1"
	labLog = "syslog_" + labDAG
)

// A lab is a cluster with one DAG of one vertex: tasks of the same length, of which width run at once, each in a
// container of its own at first and then in the one that its predecessor leaves. It counts the bytes of what it
// answers.
type lab struct {
	now         dag.Instant
	tasks       int
	width       int
	length      int64 // ms
	app         string
	master      int    // that runs
	node        string // state of its node; "" is RUNNING
	tags        string
	diag        string
	runsAnother bool // its master does not have the DAG
	masterDown  bool // its master does not answer
	allDenied   bool // its master denies access, and the ResourceManager does not report where it runs
	filesDenied bool // its NodeManager denies access
	nodeDown    bool // its NodeManager cannot be reached
	files       map[string][]byte
	wrote       dag.Instant       // up to when the log is written
	status      string            // of the DAG; "" is by its tasks
	bodies      map[string]string // of the master's lists, where they are not by the tasks
	mu          sync.Mutex        // of requests and bytes
	requests    map[string]int
	bytes       map[string]int
}

const labStart dag.Instant = 1_795_366_064_646

func newLab(tasks, width int, length int64) *lab {
	l := &lab{
		now: labStart, tasks: tasks, width: width, length: length, app: "RUNNING", master: 1, files: map[string][]byte{},
		wrote: labStart, requests: map[string]int{}, bytes: map[string]int{},
	}
	l.log("DAG_SUBMITTED", "dagID=%s, submitTime=%d, queueName=root.default", labDAG, labStart)
	l.files["history.txt.appattempt_"+labID+"_000001"] = fmt.Appendf(nil,
		`{"entity":"tez_%s","entitytype":"TEZ_APPLICATION","otherinfo":{"config":{"tez.task.resource.memory.mb":"256"}}}`+"\n\x01\n"+
			`{"entity":"%s","entitytype":"TEZ_DAG_ID","events":[{"ts":%d,"eventtype":"DAG_SUBMITTED"}],"otherinfo":{"dagPlan":{"dagName":"count","vertices":[{"vertexName":"Map 1","processorClass":"p"}]}}}`+"\n\x01\n",
		labApp, labDAG, labStart)
	return l
}

func (l *lab) log(event, format string, args ...any) {
	l.files[labLog] = fmt.Appendf(l.files[labLog],
		"2026-11-22 16:48:12,033 [INFO] [Dispatcher thread {Central}] |HistoryEventHandler.criticalEvents|: [HISTORY][DAG:"+labDAG+"][Event:"+event+"]: "+format+"\n", args...)
}

// times of a task.
func (l *lab) times(task int) (start, end dag.Instant) {
	start = labStart + 3000 + dag.Instant(int64(task/l.width)*l.length)
	return start, start + dag.Instant(l.length)
}

// advance lets time pass and the master write.
func (l *lab) advance(ms int64) {
	l.now += dag.Instant(ms)
	in := func(at dag.Instant) bool { return at > l.wrote && at <= l.now }
	for t := range l.tasks {
		if start, end := l.times(t); !in(start) && !in(end) {
			continue
		}
		start, end := l.times(t)
		id := fmt.Sprintf("attempt_%s_1_00_%06d_0", labID, t)
		if in(start) {
			l.log("TASK_ATTEMPT_STARTED",
				"vertexName=Map 1, taskAttemptId=%s, startTime=%d, containerId=container_%s_01_%06d, nodeId=n0:41749",
				id, start, labID, 2+t%l.width)
		}
		if in(end) {
			l.log("TASK_ATTEMPT_FINISHED",
				"vertexName=Map 1, taskAttemptId=%s, creationTime=%d, allocationTime=%d, startTime=%d, finishTime=%d, timeTaken=1, status=SUCCEEDED, diagnostics=", id, labStart, start-10, start, end)
			l.log("TASK_FINISHED",
				"vertexName=Map 1, taskId=x, startTime=%d, finishTime=%d, status=SUCCEEDED, successfulAttemptID=%s, diagnostics=, counters=Counters: 22, File System Counters, FILE_BYTES_READ=2400, %s, %s", start, end, id, taskCounters, strings.Join(labCounters(t), ", "))
			// what else is written of a task
			l.files[labLog] = append(l.files[labLog], strings.Repeat("x", 2000)+"\n"...)
			if t == l.tasks-1 {
				l.log("DAG_FINISHED",
					"dagId=%s, startTime=%d, finishTime=%d, timeTaken=1, status=SUCCEEDED, diagnostics=, counters=Counters: 57", labDAG, labStart, end)
			}
		}
	}
	l.wrote = l.now
}

// labCounters are as many as a task of Tez has.
func labCounters(t int) []string {
	out := []string{
		"INPUT_RECORDS_PROCESSED=140", fmt.Sprintf("INPUT_SPLIT_LENGTH_BYTES=%d", 2000+t),
		"OUTPUT_RECORDS=70",
	}
	for i := range 25 {
		out = append(out, fmt.Sprintf("SOME_OTHER_COUNTER_%02d=123456", i))
	}
	return out
}

func (l *lab) Now() dag.Instant { return l.now }

func (l *lab) give(what, body string, err error) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests[what]++
	l.bytes[what] += len(body)
	if err != nil {
		return nil, err
	}
	return []byte(body), nil
}

func (l *lab) RM(_ context.Context, path string) ([]byte, error) {
	what, _, _ := strings.Cut(path, "?")
	body := "{}"
	app := fmt.Sprintf(`{"id":"%s","user":"alice","name":"count","queue":"default","state":"%s","finalStatus":"UNDEFINED","applicationType":"TEZ","applicationTags":%q,"startedTime":%d,"allocatedMB":1024,"diagnostics":%q,"amHostHttpAddress":"n0:8042","amContainerLogs":"http://n0:8042/node/containerlogs/container_%s_%02d_000001/alice"}`, labApp, l.app, l.tags, labStart-2000, l.diag, labID, l.master)
	if l.allDenied {
		app, _, _ = strings.Cut(app, `,"allocatedMB"`)
		app += fmt.Sprintf(`,"diagnostics":%q}`, l.diag)
	}
	switch what {
	case "apps":
		body = `{"apps":{"app":[` + app + `]}}`
	case "apps/" + labApp:
		body = `{"app":` + app + `}`
	case "metrics":
		body = `{"clusterMetrics":{"totalMB":1048576,"allocatedMB":1024,"activeNodes":1}}`
		if l.node != "" {
			body = `{"clusterMetrics":{"totalMB":0,"allocatedMB":0,"activeNodes":0,"lostNodes":1}}`
		}
	case "nodes":
		body = `{"nodes":{"node":[{"id":"n0:41749","nodeHTTPAddress":"n0:8042","state":"` +
			cmp.Or(l.node, "RUNNING") + `","availMemoryMB":1048576}]}}`
	case "scheduler":
		body = `{"scheduler":{"schedulerInfo":{"queueName":"root"}}}`
	}
	return l.give(strings.ReplaceAll(what, "apps/"+labApp, "rm"), body, nil)
}

func (l *lab) AM(context.Context, string, string) ([]byte, error) { return nil, http.ErrNotSupported }

func (l *lab) JHS(context.Context, string) ([]byte, error) { return nil, http.ErrNotSupported }

func (l *lab) attempt(t int, all bool) string {
	start, end := l.times(t)
	if start > l.now {
		return ""
	}
	status, counters := "RUNNING", labCounters(t)
	if end <= l.now {
		status = "SUCCEEDED"
	}
	if !all {
		counters = counters[:3]
	}
	return fmt.Sprintf(`{"counters":{"%s":{"%s}},"progress":"0.5","id":"attempt_%s_1_00_%06d_0","status":"%s"}`,
		taskCounters, strings.ReplaceAll(strings.Join(counters, `,"`), "=", `":`), labID, t, status)
}

func (l *lab) Proxy(_ context.Context, _ string, r rest.Request) ([]byte, error) {
	path := r.Path
	what, query, _ := strings.Cut(strings.TrimPrefix(path, "ws/v2/tez/"), "?")
	if l.masterDown {
		return l.give(what, "", &rest.Error{URL: path, Text: "connection refused"})
	}
	if l.allDenied {
		return l.give(what, "", &rest.Error{URL: path, Status: 401, Text: "Access denied for user: bob"})
	}
	if l.runsAnother {
		return l.give(what, "", &rest.Error{URL: path, Status: 404, Text: "Not current Dag: 1"})
	}
	q, _ := url.ParseQuery(query)
	running, done := 0, 0
	for t := range l.tasks {
		switch start, end := l.times(t); {
		case end <= l.now:
			done++
		case start <= l.now:
			running++
		}
	}
	status := "RUNNING"
	if done == l.tasks {
		status = "SUCCEEDED"
	}
	if l.status != "" {
		status = l.status
	}
	body := ""
	switch what {
	case "dagInfo":
		body = fmt.Sprintf(`{"dag":{"progress":"0.5","id":"%s","status":"%s"}}`, labDAG, status)
	case "verticesInfo":
		body = fmt.Sprintf(`{"vertices":[{"id":"vertex_%s_1_00","status":"RUNNING","totalTasks":"%d","runningTasks":"%d","succeededTasks":"%d","failedTaskAttempts":"0","killedTaskAttempts":"0","initTime":"%d","startTime":"%d","finishTime":"0"}]}`,
			labID, l.tasks, running, done, labStart+100, labStart+100)
	case "tasksInfo":
		var rows []string
		for t := range l.tasks {
			status := "SCHEDULED"
			switch start, end := l.times(t); {
			case end <= l.now:
				status = "SUCCEEDED"
			case start <= l.now:
				status = "RUNNING"
			}
			rows = append(rows, fmt.Sprintf(`{"progress":"0.0","id":"task_%s_1_00_%06d","status":"%s"}`, labID, t,
				status))
		}
		body = `{"tasks":[` + strings.Join(rows, ",") + `]}`
	case "attemptsInfo":
		var rows []string
		for id := range strings.SplitSeq(q.Get("attemptID"), ",") {
			parts := strings.Split(id, "_")
			t, _ := strconv.Atoi(parts[1])
			if row := l.attempt(t, q.Get("counters") == "*"); row != "" && t < l.tasks && parts[2] == "0" {
				rows = append(rows, row)
			}
		}
		body = `{"attempts":[` + strings.Join(rows, ",") + `]}`
	}
	if other, is := l.bodies[what]; is {
		body = other
	}
	return l.give(what, body, nil)
}

func (l *lab) NM(_ context.Context, _, path string) ([]byte, error) {
	if l.nodeDown {
		return l.give("logs", "", &rest.Error{URL: path, Text: "connection refused"})
	}
	if l.filesDenied {
		return l.give("logs", "", &rest.Error{URL: path, Status: 403, Text: "no view rights"})
	}
	_, name, _ := strings.Cut(path, "/logs/")
	if name == "" {
		var files []map[string]string
		for name, text := range l.files {
			files = append(files, map[string]string{"fileName": name, "fileSize": strconv.Itoa(len(text))})
		}
		b, _ := json.Marshal(map[string]any{"containerLogsInfo": map[string]any{"containerLogInfo": files}})
		return l.give("list", string(b), nil)
	}
	name, query, _ := strings.Cut(name, "?size=")
	text := l.files[name]
	size, _ := strconv.Atoi(query)
	part := text
	if size < 0 {
		part = text[max(0, len(text)+size):]
	} else if size > 0 {
		part = text[:min(size, len(text))]
	}
	return l.give(strings.SplitN(name, ".", 2)[0],
		fmt.Sprintf("Container: c on n0:41749\nLogType:%s\nLogLength:%d\nLogContents:\n%sEnd of LogType:%s.\n****\n",
			name, len(text), part, name), nil)
}

// naive is the response to the crudest watcher in this tick: all tasks, and of each its attempt with all
// counters.
func (l *lab) naive() (bytes int) {
	c := newLab(l.tasks, l.width, l.length)
	c.now = l.now
	for _, what := range []string{"dagInfo", "verticesInfo", "tasksInfo"} {
		b, _ := c.Proxy(context.Background(), "", rest.Request{Path: "ws/v2/tez/" + what + "?"})
		bytes += len(b)
	}
	for t := range l.tasks {
		bytes += len(l.attempt(t, true))
	}
	return bytes
}

// limited records the limits of requests to a master.
type limited struct {
	*lab
	limits map[string]int64
}

func (l *limited) Proxy(ctx context.Context, app string, r rest.Request) ([]byte, error) {
	what, _, _ := strings.Cut(r.Path, "?")
	l.limits[what] = r.Limit
	return l.lab.Proxy(ctx, app, r)
}
