package tez

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// questions are the requests about a DAG. They add the answers to its state. Each poll sends those in the table that
// can add something.
type questions struct {
	cluster Cluster
	st      *state
	app     yarn.App
	files   *files // of the newest master; nil before its container is known
	lines   lineReader

	now, before  dag.Instant // of this poll and of the previous one; before is NoInstant at first
	polls        int
	hasStatus    bool        // the master has returned the DAG in this poll
	hasVertices  bool        // likewise its vertices
	everAnswered bool        // the master has returned the DAG in any poll
	runsAnother  bool        // the master does not have the DAG, or no longer
	failedSince  dag.Instant // since when the master does not answer; NoInstant while it does
	failure      error

	backlog    []attemptKey  // unknown attempts to request
	mismatches map[int32]int // by vertex, consecutive polls in which the master's counts differed from the known tasks
	listedPoll map[int32]int // by vertex, the last poll that listed its tasks
}

// A question is a request that is sent if its answer can add to what is known.
type question struct {
	isDue func(*questions) bool
	ask   func(*questions, context.Context)
}

// The questions of a poll by priority: each one depends on the answers of those before it. The files come first
// because they have exact times, and the master is not queried for attempts that they describe.
var (
	fileQuestions = []question{
		{(*questions).needsSubmission, (*questions).readEarlierLog},
		{(*questions).needsHistory, (*questions).readHistory},
		{(*questions).hasLog, (*questions).readLog},
	}
	masterQuestions = []question{
		{(*questions).needsStatus, (*questions).askStatus},
		{func(q *questions) bool { return q.hasStatus }, (*questions).askVertices},
		{func(q *questions) bool { return q.hasVertices }, (*questions).askTasks},
		{func(q *questions) bool { return q.hasVertices }, (*questions).askAttempts},
	}
)

func (q *questions) ask(ctx context.Context, all []question) {
	for _, each := range all {
		if each.isDue(q) {
			each.ask(q, ctx)
		}
	}
}

// poll sends all questions that are due. If the master reports the end of the DAG, poll reads the files once more for
// newly written data.
func (q *questions) poll(ctx context.Context) {
	q.hasStatus, q.hasVertices = false, false
	q.ask(ctx, fileQuestions)
	q.ask(ctx, masterQuestions)
	if q.st.hasEnded() && q.st.final == "" {
		q.listFiles(ctx)
		q.ask(ctx, fileQuestions)
	}
}

// Each file is read as it grows: the plan from the history, everything else from the log.

// log returns the name of the DAG's log.
func (q *questions) log() string { return "syslog_" + q.st.id }

// hasFiles reports whether the list of files is known.
func (q *questions) hasFiles() bool { return q.files.areListed() }

// hasLog reports whether the master has a log of the DAG.
func (q *questions) hasLog() bool { return q.hasFiles() && q.files.sizes[q.log()] > 0 }

func (q *questions) needsSubmission() bool {
	return q.hasLog() && !q.st.submitted.Known() && numberOf(q.st.id) > 1
}

// readEarlierLog reads the log between the previous DAG and this one. It has the submission, which is written before
// the DAG has a log of its own.
func (q *questions) readEarlierLog(ctx context.Context) {
	n := numberOf(q.st.id)
	name := strings.TrimSuffix(q.log(), strconv.Itoa(n)) + strconv.Itoa(n-1) + "_post"
	q.files.read(ctx, name, "\n", q.line)
}

func (q *questions) needsHistory() bool {
	if q.hasLog() {
		return !q.st.hasPlan
	}
	return q.hasFiles() && q.app.Ended
}

func (q *questions) readHistory(ctx context.Context) {
	q.files.readHistories(ctx, q.record)
}

func (q *questions) readLog(ctx context.Context) { q.files.read(ctx, q.log(), "\n", q.line) }

func (q *questions) line(line string) {
	if e, ok := q.lines.read(line); ok {
		q.st.apply(&e, q.now)
	}
}

// record applies a record of the history. Records about other things are skipped before the JSON is parsed, because
// most are long. Invalid records, for example after lost bytes, are ignored.
func (q *questions) record(s string) {
	s = strings.TrimSpace(s)
	head := s[:min(len(s), 200)]
	if !strings.Contains(head, strings.TrimPrefix(q.st.id, "dag_")) && !strings.Contains(head, `"TEZ_APPLICATION`) {
		return
	}
	events, _ := recordEvents([]byte(s))
	for i := range events {
		q.st.apply(&events[i], q.now)
	}
}

// After failuresInRow failures in a row, the list of files is requested only every retryEach polls.
const (
	failuresInRow = 5
	retryEach     = 10
)

// listFiles lists the master's files.
func (q *questions) listFiles(ctx context.Context) {
	if f := q.files; f != nil && (f.failures < failuresInRow || q.polls%retryEach == 0) {
		f.list(ctx)
	}
}

// newQuestions returns questions without a DAG so far.
func newQuestions(c Cluster) *questions {
	return &questions{
		cluster: c, before: dag.NoInstant, failedSince: dag.NoInstant, mismatches: map[int32]int{},
		listedPoll: map[int32]int{},
	}
}

// watch sets the DAG.
func (q *questions) watch(st *state) { q.st, q.lines.dag = st, st.id }

// begin starts a poll. It reports whether the application has a new master.
func (q *questions) begin(app yarn.App, now, before dag.Instant) (hasNewMaster bool) {
	q.app, q.now, q.before = app, now, before
	known := q.files
	q.files = filesOf(q.cluster, &app, known)
	hasNewMaster = q.files != known
	q.runsAnother = q.runsAnother && !hasNewMaster
	return hasNewMaster
}

// get requests one of the master's lists and decodes the response. It records a failure.
func (q *questions) get(ctx context.Context, what, query string, limit int64, to any) bool {
	r := rest.Request{Path: "ws/v2/tez/" + what + "?dagID=" + strconv.Itoa(numberOf(q.st.id)) + query, Limit: limit}
	body, err := q.cluster.Proxy(ctx, q.app.ID, r)
	if err == nil {
		if err = json.Unmarshal(body, to); err != nil {
			err = fmt.Errorf("tez: the answer to %s is not what it should be: %w", what, err)
		}
	}
	if err == nil {
		return true
	}
	q.failure = err
	if !q.failedSince.Known() {
		q.failedSince = q.now
	}
	q.runsAnother = q.runsAnother || rest.Status(err) == http.StatusNotFound && q.everAnswered
	return false
}

// isRefused reports whether the master denies this user access.
func (q *questions) isRefused() bool { return isDenied(q.failure) }

func isDenied(err error) bool {
	st := rest.Status(err)
	return st == http.StatusUnauthorized || st == http.StatusForbidden
}

// needsStatus reports whether the master may have the DAG: it has a log, or the list of logs is unknown. A master that
// is queried for an unknown DAG writes an error with a stack trace.
func (q *questions) needsStatus() bool {
	return q.app.Running && !q.runsAnother && q.st.final == "" && (!q.hasFiles() || q.hasLog())
}

func (q *questions) askStatus(ctx context.Context) {
	var b dagBody
	if !q.get(ctx, "dagInfo", "", 0, &b) || string(b.DAG.ID) != q.st.id {
		return
	}
	q.hasStatus, q.everAnswered, q.failedSince, q.failure = true, true, dag.NoInstant, nil
	e := b.event()
	q.st.apply(&e, q.now)
}

func (q *questions) askVertices(ctx context.Context) {
	var b verticesBody
	if !q.get(ctx, "verticesInfo", "", rest.Middle, &b) {
		return
	}
	q.hasVertices = true
	end := newEvent(dagReported, q.st.id)
	end.status = q.st.reported
	for i := range b.Vertices {
		e := b.Vertices[i].event()
		q.st.apply(&e, q.now)
		end.end = max(end.end, e.end)
	}
	q.st.apply(&end, q.now)
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
func (q *questions) askAttempts(ctx context.Context) {
	limit := inPoll
	if q.st.hasEnded() {
		limit = atEnd
	}
	ended, running := q.open()
	keys := slices.Concat(q.backlog, ended, running)
	q.backlog = q.backlog[min(len(q.backlog), limit):]
	for part := range slices.Chunk(keys[:min(len(keys), limit)], inRequest) {
		ids := make([]string, len(part))
		for i, k := range part {
			ids[i] = k.short()
		}
		var b attemptsBody
		query := "&limit=" + strconv.Itoa(inRequest) + "&counters=" + taskCounters + "/" + counterNames + "&attemptID=" +
			strings.Join(ids, ",")
		if !q.get(ctx, "attemptsInfo", query, rest.Middle, &b) {
			return
		}
		for i := range b.Attempts {
			e := b.Attempts[i].event(orNow(q.before, q.now))
			q.st.apply(&e, q.now)
		}
	}
}

// open returns the ended attempts without final counters, and the running attempts.
func (q *questions) open() (ended, running []attemptKey) {
	for v, t := range q.st.tasks() {
		for i := range t.attempts {
			k := attemptKey{v.index, t.index, t.attempts[i].masterNumber}
			switch a := &t.attempts[i]; {
			case a.isRetired:
			case a.State == dag.AttemptRunning:
				running = append(running, k)
			case !a.hasFinalCounters && a.reportsAfterEnd < mostReportsAfterEnd:
				ended = append(ended, k)
			}
		}
	}
	if len(running) > inPoll { // take turns
		at := q.polls * inPoll % len(running)
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
func (q *questions) askTasks(ctx context.Context) {
	isReadable := q.hasLog() && q.files.lost(q.log()) == 0
	hasBacklog := len(q.backlog) > 0
	var list []string
	for _, v := range q.st.vertices {
		running, succeeded := v.counts()
		if v.running < 0 || running == v.running && succeeded == v.succeeded {
			delete(q.mismatches, v.index)
			continue
		}
		q.mismatches[v.index]++
		listed, wasListed := q.listedPoll[v.index]
		isSoon := isReadable && q.mismatches[v.index] < mayDiffer || wasListed && q.polls-listed < v.tasks/tasksEach
		if hasBacklog || !q.st.hasEnded() && isSoon {
			continue
		}
		q.listedPoll[v.index] = q.polls
		list = append(list, strconv.Itoa(int(v.index)))
	}
	for part := range slices.Chunk(list, inRequest) {
		var b tasksBody
		query := "&limit=" + strconv.Itoa(dag.MaxTasks) + "&vertexID=" + strings.Join(part, ",")
		if !q.get(ctx, "tasksInfo", query, rest.Long, &b) {
			return
		}
		for i := range b.Tasks {
			q.addUnknown(string(b.Tasks[i].ID), string(b.Tasks[i].Status))
		}
	}
}

// addUnknown applies an entry of a list of tasks. It adds the attempts to request to the backlog.
func (q *questions) addUnknown(id, status string) {
	k, ok := parseID(id, "task", q.st.id, 2)
	if !ok {
		return
	}
	v := q.st.vertexAt(k.vertex)
	newest, isRunning, hasSucceeded := int32(-1), false, false
	if t := v.table.Find(k.task); t != nil {
		q.st.loseOutputs(v, t, status, q.now)
		isRunning, hasSucceeded = t.has(dag.AttemptRunning), t.has(dag.AttemptSucceeded)
		for i := range t.attempts {
			if a := &t.attempts[i]; !a.isRetired {
				newest = max(newest, a.masterNumber)
			}
		}
	}
	if status == "RUNNING" && !isRunning || status == "SUCCEEDED" && !hasSucceeded {
		for k.number = 0; k.number <= newest+1 || int(k.number) <= min(v.ended, 3); k.number++ {
			q.backlog = append(q.backlog, k)
		}
	}
}
