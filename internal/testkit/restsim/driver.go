package restsim

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/dag"
)

//go:embed answers.txt
var sparkAnswers string

// row returns a part of answers, completed. Most parts were recorded from Spark 3.5.6.
func row(part int, args ...any) string {
	return fmt.Sprintf(parts[part], args...)
}

var parts = strings.Split(sparkAnswers, "\n----\n")

const (
	application = iota
	environment
	jobRow
	stageRow
	callStack
	taskRow
	executorRow
	sqlRow
	jobGraph
	planText
)

// SparkBegin is when an application begins.
const SparkBegin dag.Instant = 1_795_800_000_000

// A SparkDriver serves the REST API of an application, and the pages of its jobs. It is an http.Handler, and an
// http.RoundTripper that needs no network.
type SparkDriver struct {
	*SparkApplication
	Now func() dag.Instant

	mu    sync.Mutex
	ticks int
	bytes map[string]int // of bodies, by path without numbers
}

// Counts returns how often the list of applications was requested, which begins each poll, and the bytes of all bodies,
// unpacked, also by path. It clears the counts.
func (d *SparkDriver) Counts() (ticks, all int, by map[string]int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ticks, by, d.ticks, d.bytes = d.ticks, d.bytes, 0, nil
	for n := range maps.Values(by) {
		all += n
	}
	return ticks, all, by
}

// Naive returns the bytes of all jobs, stages and lists of tasks now.
func (d *SparkDriver) Naive() (n int) {
	now := d.at()
	for i := range d.jobs {
		n += len(d.jobRow(i, now))
	}
	for i := range d.stages {
		if s := &d.stages[i]; s.job.from <= now {
			n += len(d.stageRow(i, now)) + started(s, now)*len(d.taskRow(s, 0, now))
		}
	}
	return n
}

// RoundTrip serves a request without a network.
func (d *SparkDriver) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

var digits = regexp.MustCompile(`\d+`)

// ServeHTTP serves a request.
func (d *SparkDriver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, isAPI := strings.CutPrefix(r.URL.Path, "/api/v1/applications")
	path = strings.TrimPrefix(path, "/"+d.ID)
	body, kind := "", "application/json"
	if id, err := strconv.Atoi(r.URL.Query().Get("id")); isAPI {
		body = d.answer(path, r.URL.Query())
	} else if kind = "text/html;charset=utf-8"; path == "/jobs/job/" && err == nil && d.listsJob(d.at(), "")(id) {
		body = d.jobPage(id)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Date", d.Now().Time().Format(http.TimeFormat))
	if body == "" {
		w.WriteHeader(http.StatusNotFound)
	}
	d.mu.Lock()
	if d.bytes == nil {
		d.bytes = map[string]int{}
	}
	if isAPI && path == "" {
		d.ticks++
	}
	d.bytes[strings.TrimSuffix(digits.ReplaceAllString(path, "N")+"?"+r.URL.Query().Get("status"), "?")] += len(body)
	d.mu.Unlock()
	_, _ = w.Write([]byte(body))
}

// answer returns the response to a request for a path below the application's; "" if there is none.
func (d *SparkDriver) answer(path string, q url.Values) string {
	names := strings.Split(strings.Trim(path, "/"), "/")
	number := func(i int) int {
		if i < len(names) {
			if n, err := strconv.Atoi(names[i]); err == nil {
				return n
			}
		}
		return -1
	}
	now := d.at()
	switch {
	case path == "":
		return list([]string{row(application, d.ID, stamp(0), now, int64(SparkBegin))})
	case path == "/environment":
		return row(environment, cmp.Or(d.Retained, 1000), strings.Repeat("x", 80_000))
	case path == "/allexecutors":
		return d.executors()
	case path == "/jobs":
		return list(d.rows(len(d.jobs), d.listsJob(now, q.Get("status")), now, d.jobRow))
	case names[0] == "jobs" && d.listsJob(now, "")(number(1)):
		return d.jobRow(number(1), now)
	case path == "/stages":
		return list(d.rows(len(d.stages), d.listsStage(now, q["status"]), now, d.stageRow))
	case names[0] == "stages" && len(names) == 2 && d.listsStage(now, nil)(number(1)):
		return list([]string{d.stageRow(number(1), now)})
	case names[0] == "stages" && names[len(names)-1] == "taskList":
		return d.tasks(number(1), q.Get("offset"), q.Get("length"), q.Get("status"), now)
	case path == "/sql":
		rows := d.rows(len(d.sql), d.listsSQL(now), now, d.sqlRow(q.Get("planDescription") == "true"))
		return page(rows, q.Get("offset"), q.Get("length"))
	case names[0] == "sql" && d.listsSQL(now)(number(1)):
		return d.sqlRow(q.Get("planDescription") != "false")(number(1), now)
	}
	return ""
}

// at returns the milliseconds since the begin.
func (d *SparkDriver) at() int { return int(d.Now() - SparkBegin) }

func stamp(ms int) string {
	return SparkBegin.Add(time.Duration(ms)*time.Millisecond).Time().UTC().Format("2006-01-02T15:04:05.000") + "GMT"
}

func list(rows []string) string { return "[ " + strings.Join(rows, ", ") + " ]" }

// page returns a part of a list. The default length is 20.
func page(rows []string, offset, length string) string {
	from, _ := strconv.Atoi(offset)
	n, err := strconv.Atoi(length)
	if err != nil {
		n = 20
	}
	rows = rows[min(from, len(rows)):]
	return list(rows[:min(n, len(rows))])
}

func (d *SparkDriver) rows(n int, lists func(int) bool, now int, of func(i, now int) string) (out []string) {
	for i := range n {
		if lists(i) {
			out = append(out, of(i, now))
		}
	}
	return out
}

// retains returns a function that reports whether the driver has the i-th of n objects, of which seen have begun.
func (d *SparkDriver) retains(n, seen int) func(i int) bool {
	return func(i int) bool { return i >= max(0, seen-cmp.Or(d.Retained, 1000)) && i < min(n, seen) }
}

func (d *SparkDriver) listsJob(now int, status string) func(i int) bool {
	has := d.retains(len(d.jobs), sort.Search(len(d.jobs), func(i int) bool { return d.jobs[i].from > now }))
	return func(i int) bool {
		return has(i) && (status == "" || strings.EqualFold(status, d.jobs[i].status(now)))
	}
}

func (d *SparkDriver) listsStage(now int, statuses []string) func(i int) bool {
	has := d.retains(len(d.stages), sort.Search(len(d.stages), func(i int) bool { return d.stages[i].job.from > now }))
	return func(i int) bool {
		return has(i) && (len(statuses) == 0 || slices.Contains(statuses, strings.ToLower(d.stages[i].status(now))))
	}
}

func (d *SparkDriver) listsSQL(now int) func(i int) bool {
	return d.retains(len(d.sql), sort.Search(len(d.sql), func(i int) bool { return d.jobs[d.sql[i]].from > now }))
}

func (j *sparkJob) status(now int) string {
	if now >= j.to {
		return "SUCCEEDED"
	}
	return "RUNNING"
}

func (s *stage) status(now int) string {
	switch {
	case now < s.from:
		return "PENDING"
	case now < s.to:
		return "ACTIVE"
	}
	return "COMPLETE"
}

// started returns how many tasks of a stage have started.
func started(s *stage, now int) int {
	return sort.Search(len(s.starts), func(i int) bool { return int(s.starts[i]) > now })
}

// ended returns how many tasks of a stage have ended.
func ended(s *stage, now int) (n int) {
	for _, end := range s.ends {
		if int(end) <= now {
			n++
		}
	}
	return n
}

func (d *SparkDriver) jobRow(i, now int) string {
	j := &d.jobs[i]
	var ids []string
	for k := range j.Tasks {
		ids = append(ids, strconv.Itoa(j.first+k))
	}
	end, tasks, done := "", 0, 0
	for k := range j.Tasks {
		s := &d.stages[j.first+k]
		tasks, done = tasks+len(s.ends), done+ended(s, now)
	}
	if now >= j.to {
		end = fmt.Sprintf("\n  \"completionTime\" : %q,", stamp(j.to))
	}
	return row(jobRow, i, stamp(j.from), end, strings.Join(ids, ", "), j.status(now), tasks, done)
}

func (d *SparkDriver) stageRow(i, now int) string {
	s := &d.stages[i]
	times, done := "", ended(s, now)
	if now >= s.from {
		times = fmt.Sprintf("\n  \"submissionTime\" : %q,", stamp(s.from))
	}
	if now >= s.to {
		times += fmt.Sprintf("\n  \"completionTime\" : %q,", stamp(s.to))
	}
	details := parts[callStack]
	if s.job.sql >= 0 {
		details = "org.apache.spark.sql.Dataset.collect(Dataset.scala:3585)\\n" + details
	}
	written := done * 1000
	if i == s.job.first+len(s.job.Tasks)-1 {
		written = 0
	}
	return row(stageRow, s.status(now), i, len(s.ends), started(s, now)-done, done, times,
		done*int(s.job.Work.Milliseconds()), written, details, 4*i+2, 4*i, 4*i+1)
}

func (d *SparkDriver) tasks(i int, offset, length, status string, now int) string {
	var rows []string
	if i >= 0 && d.listsStage(now, nil)(i) {
		s := &d.stages[i]
		from, _ := strconv.Atoi(offset)
		most, err := strconv.Atoi(length)
		if err != nil {
			most = 20
		}
		for t := range started(s, now) {
			if status == "RUNNING" && int(s.ends[t]) <= now {
				continue
			}
			if from--; from < 0 && len(rows) < most {
				rows = append(rows, d.taskRow(s, t, now))
			}
		}
	}
	return list(rows)
}

func (d *SparkDriver) taskRow(s *stage, t, now int) string {
	node := (s.first + t) % d.Executors
	start, end := int(s.starts[t]), int(s.ends[t])
	status, duration, records := "SUCCESS", end-start, 1000
	if now < end {
		status, duration = "RUNNING", min(10, now-start)
		records = 1000 * (now - start) / (end - start)
	}
	return row(taskRow, s.first+t, t, stamp(start), duration, node, status, records, d.ID)
}

func (d *SparkDriver) executors() string {
	var rows []string
	for i := range d.Executors {
		rows = append(rows, row(executorRow, i, d.Cores, stamp(-1000), d.ID))
	}
	return list(rows)
}

func (d *SparkDriver) sqlRow(plan bool) func(i, now int) string {
	return func(i, now int) string {
		j := &d.jobs[d.sql[i]]
		text, status, runs, done := "", "RUNNING", strconv.Itoa(d.sql[i]), ""
		if plan {
			text = parts[planText]
		}
		if now >= j.to {
			status, runs, done = "COMPLETED", "", runs
		}
		return row(sqlRow, i, status, text, stamp(j.from), min(now, j.to)-j.from, runs, done)
	}
}

func (d *SparkDriver) jobPage(id int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<html><!--%s-->", strings.Repeat("x", 24_000))
	j := &d.jobs[id]
	for k := range j.Tasks {
		i, scope := j.first+k, fmt.Sprintf("WholeStageCodegen (%d)", k+1)
		b.WriteString(row(jobGraph, i, 4*i, 4*i+1, 4*i+2, scope))
		for p := range k {
			if k == len(j.Tasks)-1 {
				fmt.Fprintf(&b, `<div class="incoming-edge">%d,%d</div>`, 4*(j.first+p)+2, 4*i)
			}
		}
		b.WriteString("</div>")
	}
	return b.String()
}
