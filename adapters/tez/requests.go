package tez

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
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
