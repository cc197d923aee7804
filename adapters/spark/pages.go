package spark

import (
	"cmp"
	"context"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// Three facts are not in the REST responses: which stage reads which and the operators in a stage are in the page of a
// job, the weights of pools in the page of all stages.

// The page of a job draws its stages and their RDDs as graphs in the DOT language. An edge from an RDD of one stage to
// an RDD of another is a shuffle.
var incoming = regexp.MustCompile(`<div class="incoming-edge">\s*(\d{1,9})\s*,\s*(\d{1,9})\s*</div>`)

// takePage applies the page of a job with known stages. It reports whether the page has the job's graph.
func (a *App) takePage(w *Answer, _ []string) bool {
	j := a.jobs[idIn(w.URL.Query().Get("id"))]
	if j == nil {
		return false
	}
	parts := strings.Split(w.Body(), `<div class="stage-metadata" stage-id="`)
	for _, of := range parts[1:] {
		number, graph, _ := strings.Cut(of, `"`)
		id := idIn(number)
		s := a.stages[id]
		if !slices.Contains(j.stages, s) {
			continue
		}
		s.scopesIn(graph)
		s.parents = []int{}
		for _, m := range incoming.FindAllStringSubmatch(graph, -1) {
			if p := j.writer(atoi(m[1]), id); p >= 0 && !slices.Contains(s.parents, p) {
				s.parents = append(s.parents, p)
			}
		}
		slices.Sort(s.parents)
	}
	a.planner.retitle()
	return len(parts) > 1
}

// inGraph matches a scope in the graph of a stage, and an RDD in it.
var inGraph = regexp.MustCompile(`subgraph cluster\w* \{\s*label=&quot;([^&]*)&quot;|(\d{1,9}) \[(?:labelType|id|label)`)

// scopesIn sets the scopes of a stage from its graph.
func (s *stage) scopesIn(graph string) {
	of, scope := map[int]string{}, ""
	for _, m := range inGraph.FindAllStringSubmatch(graph, mostScopes*10) {
		if m[2] == "" {
			scope = html.UnescapeString(m[1])
		} else {
			of[atoi(m[2])] = scope
		}
	}
	s.scope(of)
}

// writer returns the stage before reader with rdd as its last RDD, or else one that contains rdd; -1 if there is none.
func (j *job) writer(rdd, reader int) int {
	found := -1
	for _, s := range j.stages {
		switch at := slices.Index(s.rdds, rdd); {
		case s.id >= reader || at < 0:
		case at == len(s.rdds)-1:
			return s.id
		case found < 0:
			found = s.id
		}
	}
	return found
}

// poolsPage lists the pools of a FAIR scheduler. It requests one stage of each kind, because only the list of pools is
// read. Each pool has its own page too, but that page rejects names with characters that HTML escapes.
const poolsPage = "/stages/?activeStage.pageSize=1&pendingStage.pageSize=1&completedStage.pageSize=1" +
	"&skippedStage.pageSize=1&failedStage.pageSize=1"

// poolRow matches a row: name, minimal share, weight, active stages, running tasks, mode.
var poolRow = regexp.MustCompile(`poolname=[^<>]*>([^<>]*)</a>\s*</td>\s*<td>(-?\d{1,10})</td>\s*<td>(-?\d{1,10})</td>` +
	`\s*<td>\d+</td>\s*<td>\d+</td>\s*<td>(\w+)</td>`)

// poolTable matches the rest of the table of pools after its header.
var poolTable = regexp.MustCompile(`(?s)Minimum Share.*?Pool Weight.*?SchedulingMode(.*?)(?:</table>|\z)`)

// takePools applies the page of all stages, and reports whether it lists pools. Spark accepts any whole number as a
// weight. Pools with a negative weight are left out.
func (a *App) takePools(w *Answer, _ []string) bool {
	table := poolTable.FindStringSubmatch(w.Body())
	if table == nil {
		return false
	}
	found := poolRow.FindAllStringSubmatch(table[1], -1)
	for _, row := range found {
		name := dag.Clean(strings.TrimSpace(html.UnescapeString(row[1])))
		if weight := atoi(row[3]); weight >= 0 {
			a.pools[name] = dag.Pool{
				Name: name, Weight: min(weight, dag.MaxSlots), MinShare: max(0, min(atoi(row[2]), dag.MaxSlots)),
				Fair: strings.EqualFold(row[4], "FAIR"),
			}
		}
	}
	return len(found) > 0
}

// mostLocalLog bounds the event log that is read at the end of a run, in bytes, because a user waits for it.
const mostLocalLog = 256 << 20

// localLog returns the finished event log of the application, if it is on this machine; else nil.
func (a *App) localLog() *Log {
	u, err := url.Parse(cmp.Or(a.conf["spark.eventLog.dir"], "/tmp/spark-events"))
	if err != nil || u.Scheme != "" && u.Scheme != "file" || u.Host != "" || !filepath.IsAbs(u.Path) ||
		!plainName(a.id) || !a.conf.on("spark.eventLog.enabled") {
		return nil
	}
	id := a.id
	if plainName(a.turn) {
		id += "_" + a.turn
	}
	for _, file := range []string{id, id + ".zstd", id + ".lz4", id + ".gz", "eventlog_v2_" + id + "/appstatus_" + id} {
		info, err := os.Stat(filepath.Join(u.Path, file))
		if err != nil || !info.Mode().IsRegular() || info.Size() > mostLocalLog {
			continue
		}
		name, _, _ := strings.Cut(file, "/")
		logs, _ := FindLogs(context.Background(), os.DirFS(u.Path), name) // an unreadable file is no log
		for _, f := range logs {
			if l, err := f.Open(); err == nil && l.Ended && l.id == a.id {
				return l
			}
		}
	}
	return nil
}

// plainName reports whether an id is a valid file name.
func plainName(id string) bool {
	return id != "" && id == filepath.Base(id) && !strings.HasPrefix(id, ".") && !strings.Contains(id, "\\")
}

// readLocalLog applies the end of the application from its event log, if the log is on this machine.
func (a *App) readLocalLog() {
	l := a.localLog()
	if l == nil {
		return
	}
	for i := range l.events {
		switch e := &l.events[i]; e.kind.name {
		case "JobStart":
			if a.jobs[idOf(e.more.JobID)] == nil {
				e.kind.apply(a, e)
			}
		case "JobEnd", "StageCompleted", "TaskEnd", "SQLExecutionEnd", "ApplicationEnd":
			e.kind.apply(a, e)
		}
	}
	a.historyHasEnd = true
	for _, s := range a.stages {
		for _, t := range s.tries {
			t.complete = min(t.complete, t.tasks)
		}
	}
}
