package tez

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/dag"
)

// The master's web service returns all values as text, and counters as numbers. A value of the wrong type is unknown,
// never an error.

type (
	number = loose.Number
	text   = loose.Text
)

type dagBody struct {
	DAG struct {
		ID     text
		Status text
	}
}

func (b *dagBody) event() event {
	e := newEvent(dagReported, string(b.DAG.ID))
	e.status = string(b.DAG.Status)
	return e
}

type verticesBody struct {
	Vertices []wireVertex
}

type wireVertex struct {
	ID                 text
	TotalTasks         number
	RunningTasks       number
	SucceededTasks     number
	FailedTaskAttempts number
	KilledTaskAttempts number
	InitTime           number
	FinishTime         number
}

func (w *wireVertex) event() event {
	e := newEvent(vertexReported, string(w.ID))
	if w.TotalTasks >= 0 && w.TotalTasks <= dag.MaxTasks {
		e.tasks = w.TotalTasks.Count(dag.MaxTasks)
	}
	e.running, e.succeeded = w.RunningTasks.Count(dag.MaxTasks), w.SucceededTasks.Count(dag.MaxTasks)
	e.ended = w.FailedTaskAttempts.Count(dag.MaxTasks) + w.KilledTaskAttempts.Count(dag.MaxTasks)
	e.start, e.end = w.InitTime.Instant(), w.FinishTime.Instant()
	return e
}

type tasksBody struct {
	Tasks []struct {
		ID     text
		Status text
	}
}

type attemptsBody struct {
	Attempts []wireAttempt
}

type wireAttempt struct {
	ID       text
	Status   text
	Progress number
	Counters map[string]map[string]number
}

// event returns the event of an entry. before is the time of the previous poll.
func (w *wireAttempt) event(before dag.Instant) event {
	e := newEvent(attemptReported, string(w.ID))
	e.status, e.progress, e.start = string(w.Status), float64(w.Progress), before
	e.counters = countersOf(w.Counters[taskCounters])
	return e
}

// logsBody is a NodeManager's list of a container's log files: one object, or a list of them for several locations.
type logsBody struct {
	Info json.RawMessage `json:"containerLogsInfo"`
}

type wireLogs struct {
	Files []struct {
		Name text   `json:"fileName"`
		Size number `json:"fileSize"`
	} `json:"containerLogInfo"`
}

// sizes returns the files' sizes in bytes by name.
func (b *logsBody) sizes() map[string]int64 {
	list := b.Info
	if len(list) > 0 && list[0] == '{' {
		list = slices.Concat([]byte("["), list, []byte("]"))
	}
	var all []wireLogs
	_ = json.Unmarshal(list, &all) // an invalid list has no files
	out := map[string]int64{}
	for _, l := range all {
		for _, f := range l.Files {
			if f.Size >= 1 && f.Size < 1<<53 {
				out[string(f.Name)] = int64(f.Size)
			}
		}
	}
	return out
}

// The requested counters. All are in one group.
const taskCounters = "org.apache.tez.common.counters.TaskCounter"

var counterNames = strings.Join([]string{
	"INPUT_RECORDS_PROCESSED", "REDUCE_INPUT_RECORDS", "OUTPUT_RECORDS",
	"INPUT_SPLIT_LENGTH_BYTES", "SHUFFLE_BYTES_DECOMPRESSED",
	"NUM_SHUFFLED_INPUTS", "SHUFFLE_PHASE_TIME", "MERGE_PHASE_TIME",
}, ",")

// An attemptKey identifies an attempt or, without its number, a task of the DAG.
type attemptKey struct{ vertex, task, number int32 }

// Bounds of a master's responses.
const (
	mostVertices = 2_000
	mostNumbers  = 1_000 // attempts of a task
)

// parseID parses the id of an attempt (parts 3), a task (2) or a vertex (1) of DAG id.
func parseID(s, kind, id string, parts int) (k attemptKey, ok bool) {
	rest, ok := strings.CutPrefix(s, kind+"_"+strings.TrimPrefix(id, "dag_")+"_")
	if !ok {
		return k, false
	}
	to := [...]*int32{&k.vertex, &k.task, &k.number}
	most := [...]int64{mostVertices, dag.MaxTasks, mostNumbers}
	fields := strings.Split(rest, "_")
	if len(fields) != parts {
		return k, false
	}
	for i, f := range fields {
		n, err := strconv.ParseInt(f, 10, 32)
		if err != nil || n < 0 || n >= most[i] {
			return k, false
		}
		*to[i] = int32(n)
	}
	return k, true
}

// short returns the attempt's id as requests of the web service need it.
func (k attemptKey) short() string {
	return strconv.Itoa(int(k.vertex)) + "_" + strconv.Itoa(int(k.task)) + "_" + strconv.Itoa(int(k.number))
}

// numberOf returns a DAG's number in its session, from 1.
func numberOf(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:])
	return n
}

// dagsOf returns the beginning of the ids of an application's DAGs.
func dagsOf(app string) string { return "dag_" + strings.TrimPrefix(app, "application_") + "_" }

// containerID matches the id of a container, such as container_e17_1795366040025_0001_02_000001.
var containerID = regexp.MustCompile(`^container_(?:e\d+_)?(\d+_\d+)_(\d{2,4})_\d{6,}$`)

// masterOf returns the application of a container, and the number of the master that started it or that it runs. They
// are "" and 0 for other ids.
func masterOf(container string) (app string, number int) {
	m := containerID.FindStringSubmatch(container)
	if m == nil {
		return "", 0
	}
	number, _ = strconv.Atoi(m[2])
	return m[1], number
}

// isLaterMaster reports whether a container belongs to a later master of the same application than another container.
func isLaterMaster(container, than string) bool {
	app, number := masterOf(container)
	other, before := masterOf(than)
	return app == other && number > before
}
