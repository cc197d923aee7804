package tez

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
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
	ID, Status text

	Progress number
	Counters map[string]map[string]number // by group and name
}

// logsBody is a NodeManager's list of a container's log files: one object, or a list of them for several locations.
type logsBody struct {
	ContainerLogsInfo rest.List[struct {
		ContainerLogInfo rest.List[struct {
			FileName text
			FileSize number
		}]
	}]
}

// sizes returns the files' sizes in bytes by name.
func (b *logsBody) sizes() map[string]int64 {
	out := map[string]int64{}
	for _, l := range b.ContainerLogsInfo {
		for _, f := range l.ContainerLogInfo {
			if f.FileSize >= 1 && f.FileSize < 1<<53 {
				out[string(f.FileName)] = int64(f.FileSize)
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

// poll sends the requests that can add to the state. The files come first because they have exact times, and the
// master is not queried for attempts that they describe. If the master reports the end of the DAG, poll reads the files
// once more for newly written data. A master that is queried for an unknown DAG writes an error with a stack trace, so
// it is only queried if it has a log of the DAG, or if the list of logs is unknown.
func (s *Source) poll(ctx context.Context) {
	s.readFiles(ctx)
	mayHaveIt := s.app.Running && !s.runsAnother && !s.st.final.Ended() && (s.files.sizes == nil || s.hasLog())
	if mayHaveIt && s.askStatus(ctx) && s.askVertices(ctx) {
		s.askTasks(ctx)
		s.askAttempts(ctx)
	}
	if s.st.hasEnded() && !s.st.final.Ended() {
		s.listFiles(ctx)
		s.readFiles(ctx)
	}
}

// log returns the name of the DAG's log.
func (s *Source) log() string { return "syslog_" + s.st.id }

// hasLog reports whether the master has a log of the DAG.
func (s *Source) hasLog() bool { return s.files.sizes[s.log()] > 0 }

// After failuresInRow failures in a row, the list of files is requested only every retryEach polls.
const (
	failuresInRow = 5
	retryEach     = 10
)

// listFiles lists the master's files.
func (s *Source) listFiles(ctx context.Context) {
	if s.files.failures < failuresInRow || s.polls%retryEach == 1 {
		s.files.list(ctx)
	}
}

// readFiles reads what is new in the master's files: the plan from the history, everything else from the log.
func (s *Source) readFiles(ctx context.Context) {
	line := func(line string) { s.lines.read(line, s.now) }
	if s.hasLog() && !s.st.hasPlan || !s.hasLog() && s.app.Ended {
		s.files.readHistories(ctx, s.record)
	}
	if !s.hasLog() {
		return
	}
	if n := numberOf(s.st.id); !s.st.submitted.Known() && n > 1 {
		// The submission is written before the DAG has a log of its own, into that of the time after the DAG before.
		s.files.read(ctx, fmt.Sprintf("syslog_%s%d_post", s.prefix, n-1), line)
	}
	s.files.read(ctx, s.log(), line)
}

// record applies a record of the history. Records about other things are skipped before the JSON is parsed, because
// most are long. Invalid records, for example after lost bytes, are ignored.
func (s *Source) record(text string) {
	text = strings.TrimSpace(text)
	head := text[:min(len(text), 200)]
	if !strings.Contains(head, strings.TrimPrefix(s.st.id, "dag_")) && !strings.Contains(head, `"TEZ_APPLICATION`) {
		return
	}
	events, _ := recordEvents([]byte(text))
	for i := range events {
		s.st.apply(&events[i], s.now)
	}
}

// ask requests one of the master's lists. It records a failure.
func ask[T any](ctx context.Context, s *Source, what, query string, limit int64) (b T, ok bool) {
	b, err := request[T](ctx, s.session, numberOf(s.st.id), what, query, limit)
	if err != nil {
		s.failure, s.failedSince = err, dag.FirstKnown(s.failedSince, s.now)
		s.runsAnother = s.runsAnother || rest.Status(err) == http.StatusNotFound && s.st.reported != ""
	}
	return b, err == nil
}

func (s *Source) askStatus(ctx context.Context) bool {
	b, ok := ask[statusBody](ctx, s, "dagInfo", "", 0)
	if !ok || string(b.DAG.ID) != s.st.id {
		return false
	}
	s.failedSince, s.failure = dag.NoInstant, nil
	s.st.reported = string(b.DAG.Status)
	return true
}

func (s *Source) askVertices(ctx context.Context) bool {
	b, ok := ask[struct{ Vertices rest.List[wireVertex] }](ctx, s, "verticesInfo", "", rest.Middle)
	end := dag.NoInstant
	for i := range b.Vertices {
		s.st.reportVertex(&b.Vertices[i])
		end = max(end, b.Vertices[i].FinishTime.Instant())
	}
	if s.st.hasEnded() {
		s.st.finished = dag.FirstKnown(s.st.finished, end)
	}
	return ok
}

// inRequest bounds the attempts of one request, inPoll those of one poll, and atEnd those of one poll after the end of
// the DAG.
const (
	inRequest = 90
	inPoll    = 10 * inRequest
	atEnd     = 10 * inPoll
)

// askAttempts requests attempts by priority: unknown ones, those that have ended without final counters, running ones.
// Unknown attempts beyond the limit are kept for the next poll.
func (s *Source) askAttempts(ctx context.Context) {
	limit := inPoll
	if s.st.hasEnded() {
		limit = atEnd
	}
	ended, running := s.open()
	ids := slices.Concat(s.backlog, ended, running)
	s.backlog = s.backlog[min(len(s.backlog), limit):]
	for part := range slices.Chunk(ids[:min(len(ids), limit)], inRequest) {
		query := fmt.Sprintf("&limit=%d&counters=%s/%s&attemptID=%s",
			inRequest, taskCounters, counterNames, strings.Join(part, ","))
		b, ok := ask[struct{ Attempts rest.List[wireAttempt] }](ctx, s, "attemptsInfo", query, rest.Middle)
		if !ok {
			return
		}
		for i := range b.Attempts {
			s.st.report(&b.Attempts[i], dag.FirstKnown(s.before, s.now), s.now)
		}
	}
}

// open returns the ended attempts without final counters, and the running attempts.
func (s *Source) open() (ended, running []string) {
	for v, t := range s.st.tasks() {
		for i := range t.attempts {
			a := &t.attempts[i]
			switch {
			case a.masterNumber == retired:
			case a.State == dag.AttemptRunning:
				running = append(running, attemptKey{v.index, a.Task, a.masterNumber}.short())
			case a.reportsLeft > 0:
				ended = append(ended, attemptKey{v.index, a.Task, a.masterNumber}.short())
			}
		}
	}
	if len(running) > inPoll { // take turns
		at := s.polls * inPoll % len(running)
		running = append(running[at:], running[:at]...)
	}
	return ended, running
}

// mayDiffer bounds the polls in a row in which the log and the master's counts may differ: they do for a moment at
// each start and end of a task.
const mayDiffer = 3

// tasksEach is the mean number of a vertex' tasks that are listed per poll if its tasks are not in the log.
const tasksEach = 1_000

// askTasks lists the tasks of vertices with counts that differ from the known tasks. It adds the attempts to request to
// the backlog.
func (s *Source) askTasks(ctx context.Context) {
	isReadable := s.hasLog() && s.files.progressOf(s.log()).lost == 0
	hasBacklog := len(s.backlog) > 0
	var list []string
	for _, v := range s.st.vertices {
		running, succeeded := v.counts()
		if v.running < 0 || running == v.running && succeeded == v.succeeded {
			v.mismatches = 0
			continue
		}
		v.mismatches++
		isSoon := isReadable && v.mismatches < mayDiffer || v.listed > 0 && s.polls-v.listed < v.tasks/tasksEach
		if hasBacklog || !s.st.hasEnded() && isSoon {
			continue
		}
		v.listed = s.polls
		list = append(list, strconv.Itoa(int(v.index)))
	}
	for part := range slices.Chunk(list, inRequest) {
		query := fmt.Sprintf("&limit=%d&vertexID=%s", dag.MaxTasks, strings.Join(part, ","))
		b, ok := ask[struct {
			Tasks rest.List[struct{ ID, Status text }]
		}](ctx, s, "tasksInfo", query, rest.Long)
		if !ok {
			return
		}
		for _, t := range b.Tasks {
			s.addUnknown(string(t.ID), string(t.Status))
		}
	}
}

// addUnknown applies an entry of a list of tasks. It adds the attempts to request to the backlog.
func (s *Source) addUnknown(id, status string) {
	k, ok := parseID(id, "task", s.st.id, 2)
	if !ok {
		return
	}
	v := s.st.vertexAt(k.vertex)
	newest, isRunning, hasSucceeded := int32(-1), false, false
	if t := v.table.Find(k.task); t != nil {
		v.loseOutputs(t, status, s.now)
		isRunning, hasSucceeded = t.has(dag.AttemptRunning), t.has(dag.AttemptSucceeded)
		for i := range t.attempts {
			newest = max(newest, t.attempts[i].masterNumber)
		}
	}
	if status == "RUNNING" && !isRunning || status == "SUCCEEDED" && !hasSucceeded {
		for k.number = 0; k.number <= newest+1 || int(k.number) <= min(v.ended, 3); k.number++ {
			s.backlog = append(s.backlog, k.short())
		}
	}
}

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
