package tez

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// The master's web service returns all values as text, and counters as numbers.

type wireVertex struct {
	ID                                                                               text
	TotalTasks, RunningTasks, SucceededTasks, FailedTaskAttempts, KilledTaskAttempts number
	InitTime, FinishTime                                                             number
}

type wireAttempt struct {
	ID       text
	Status   text
	Progress number
	Counters map[string]map[string]number // by group and name
}

// logsBody is a NodeManager's list of a container's log files: one object, or a list of them for several locations.
type logsBody struct {
	Info rest.List[struct {
		Files rest.List[struct {
			Name text   `json:"fileName"`
			Size number `json:"fileSize"`
		}] `json:"containerLogInfo"`
	}] `json:"containerLogsInfo"`
}

// sizes returns the files' sizes in bytes by name.
func (b *logsBody) sizes() map[string]int64 {
	out := map[string]int64{}
	for _, l := range b.Info {
		for _, f := range l.Files {
			if f.Size >= 1 && f.Size < 1<<53 {
				out[string(f.Name)] = int64(f.Size)
			}
		}
	}
	return out
}

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
	fields := strings.Split(rest, "_")
	if !ok || len(fields) != parts {
		return k, false
	}
	to := [...]*int32{&k.vertex, &k.task, &k.number}
	most := [...]int64{mostVertices, dag.MaxTasks, mostNumbers}
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
func (k attemptKey) short() string { return fmt.Sprintf("%d_%d_%d", k.vertex, k.task, k.number) }

var (
	dagID = regexp.MustCompile(`^dag_(\d+_\d+)_(\d{1,9})$`)
	// containerID matches the id of a container, such as container_e17_1795366040025_0001_02_000001.
	containerID = regexp.MustCompile(`^container_(?:e\d+_)?(\d+_\d+)_(\d{2,4})_\d{6,}$`)
)

// IsDAG reports whether a text is a DAG's id, and returns the id of its application.
func IsDAG(id string) (app string, ok bool) {
	if m := dagID.FindStringSubmatch(id); m != nil {
		return "application_" + m[1], true
	}
	return "", false
}

// numberOf returns a DAG's number in its session, from 1.
func numberOf(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:])
	return n
}

// dagsOf returns the beginning of the ids of an application's DAGs.
func dagsOf(app string) string { return "dag_" + strings.TrimPrefix(app, "application_") + "_" }

// masterOf returns the application of a container, and the number of the master that started it or that it runs. They
// are "" and 0 for other ids.
func masterOf(container string) (app string, number int) {
	if m := containerID.FindStringSubmatch(container); m != nil {
		app = m[1]
		number, _ = strconv.Atoi(m[2])
	}
	return app, number
}

// isLaterMaster reports whether a container belongs to a later master of the same application than another container.
func isLaterMaster(container, than string) bool {
	app, number := masterOf(container)
	other, before := masterOf(than)
	return app == other && number > before
}
