package spark

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A webSpark is a driver, and maybe a history server, behind a client, in virtual time. Its application has one job
// from second 1 to 19.3: a stage of 16 tasks of 3 s on 4 cores, then one of 8. It ends at second 21.5.
type webSpark struct {
	began    time.Time     // of the bubble of the test
	from     time.Duration // of the application's start: when the test begins
	starting time.Duration // until then the driver answers by its page for that
	skew     time.Duration // of the Date headers
	exit     time.Duration // the driver closes; 0: at 21.5 s
	cut      bool          // and from then on a proxy cuts the connections
	fails    bool          // the job fails
	noTime   bool          // the driver does not report its own time, as that of Spark 3.5 does not
	history  func(w *webSpark) (status int, body string)
	conf     string // more settings
}

const (
	webID    = "app-20251009085320-0000"
	webStart = dag.Instant(1760000000000)
	jobEnd   = 19300 * time.Millisecond
	webEnd   = 21500 * time.Millisecond
)

var webStages = [...]struct {
	name       string
	tasks      int
	start, end time.Duration
}{
	{"map at job.py:1", 16, time.Second, 13 * time.Second},
	{"count at job.py:2", 8, 13200 * time.Millisecond, 19200 * time.Millisecond},
}

// now is the time since the start of the application.
func (w *webSpark) now() time.Duration { return w.from + time.Since(w.began) }

func (w *webSpark) clock() time.Time { return webStart.Add(w.now()).Time() }

func webStamp(at time.Duration) string {
	return webStart.Add(at).Time().UTC().Format("2006-01-02T15:04:05.000") + "GMT"
}

// refusal is the error of a connection to a port on which nothing listens.
func refusal() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("connect: %w", syscall.ECONNREFUSED)}
}

func (w *webSpark) RoundTrip(r *http.Request) (*http.Response, error) {
	end := webEnd
	if w.exit > 0 {
		end = w.exit
	}
	status, kind := http.StatusOK, "application/json"
	var body string
	switch {
	case r.URL.Host == "history":
		if w.history == nil {
			return nil, refusal()
		}
		status, body = w.history(w)
	case w.now() >= end && w.cut:
		return nil, io.ErrUnexpectedEOF
	case w.now() >= end:
		return nil, refusal()
	case w.now() < w.starting:
		kind, body = "text/html", "<html>Spark is starting up. Please wait a while until it's ready.</html>"
	default:
		status, kind, body = w.answer(r)
	}
	return &http.Response{
		StatusCode: status, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r, Header: http.Header{
			"Content-Type": {kind}, "Date": {w.clock().Add(w.skew).UTC().Format(http.TimeFormat)},
		},
	}, nil
}

func (w *webSpark) applications(completed bool) string {
	duration, end := w.now().Milliseconds(), "1969-12-31T23:59:59.999GMT"
	if w.noTime {
		duration = 0
	}
	if completed {
		end = webStamp(webEnd)
	}
	return fmt.Sprintf(`{"id":%q,"name":"nightly","attempts":[{"startTime":%q,"endTime":%q,"duration":%d,"sparkUser":"me",
		"completed":%v,"appSparkVersion":"3.5.6"}]}`, webID, webStamp(0), end, duration, completed)
}

func (w *webSpark) answer(r *http.Request) (status int, kind, body string) {
	page := func(v any) (int, string, string) {
		b, err := json.Marshal(v)
		if err != nil {
			return http.StatusInternalServerError, "text/plain", err.Error()
		}
		return http.StatusOK, "application/json", string(b)
	}
	if strings.TrimSuffix(r.URL.Path, "/") == "/jobs/job" {
		return http.StatusOK, "text/html", `<div class="stage-metadata" stage-id="0"></div>
			<div class="stage-metadata" stage-id="1"><div class="incoming-edge">0,1</div></div>`
	}
	if r.URL.Path == root {
		return http.StatusOK, "application/json", "[" + w.applications(false) + "]"
	}
	begun := w.now() >= time.Second
	q := r.URL.Query()
	listed := func(status string) bool {
		return len(q["status"]) == 0 || strings.Contains(strings.ToUpper(strings.Join(q["status"], " ")), status)
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, root+"/"+webID+"/"), "/")
	switch {
	case parts[0] == "jobs" && len(parts) == 1:
		all := []any{}
		if job := w.job(); begun && listed(job["status"].(string)) { //nolint:forcetypeassert // it is one
			all = append(all, job)
		}
		return page(all)
	case parts[0] == "jobs" && parts[1] == "0" && begun:
		return page(w.job())
	case parts[0] == "stages" && len(parts) <= 2:
		all := []any{}
		for i := range webStages {
			s := w.stage(i)
			requested := len(parts) == 1 || parts[1] == strconv.Itoa(i)
			if begun && requested && listed(s["status"].(string)) { //nolint:forcetypeassert // it is one
				all = append(all, s)
			}
		}
		return page(all)
	case parts[0] == "stages" && len(parts) == 4:
		i, _ := strconv.Atoi(parts[1])
		from, _ := strconv.Atoi(q.Get("offset"))
		all := w.tasks(i, q.Get("status"))
		return page(all[min(from, len(all)):])
	case parts[0] == "allexecutors":
		return page([]any{map[string]any{
			"id": "1", "hostPort": "node1:1", "isActive": true, "totalCores": 4, "maxTasks": 4,
			"addTime": webStamp(500 * time.Millisecond),
		}})
	case parts[0] == "environment":
		return http.StatusOK, "application/json", `{"sparkProperties":[["spark.master","spark://m:7077"]` + w.conf + `]}`
	case parts[0] == "sql":
		return page([]any{})
	}
	return http.StatusNotFound, "application/json", `{"message":"not found"}`
}

func (w *webSpark) job() map[string]any {
	job := map[string]any{
		"jobId": 0, "name": "count at job.py:2", "submissionTime": webStamp(time.Second), "stageIds": []int{0, 1},
		"status": "RUNNING",
	}
	if w.now() > jobEnd {
		if job["status"], job["completionTime"] = "SUCCEEDED", webStamp(jobEnd); w.fails {
			job["status"] = "FAILED"
		}
	}
	return job
}

func (w *webSpark) stage(i int) map[string]any {
	s := &webStages[i]
	complete := 0
	for _, t := range w.tasks(i, "") {
		if t["status"] == "SUCCESS" {
			complete++
		}
	}
	out := map[string]any{
		"status": "PENDING", "stageId": i, "attemptId": 0, "numTasks": s.tasks, "numCompleteTasks": complete,
		"name": s.name, "rddIds": []int{i}, "executorRunTime": complete * 3000, "schedulingPool": "default",
	}
	if w.now() >= s.start {
		out["status"], out["submissionTime"] = "ACTIVE", webStamp(s.start)
	}
	if w.now() >= s.end {
		out["status"], out["completionTime"] = "COMPLETE", webStamp(s.end)
	}
	return out
}

func (w *webSpark) tasks(i int, status string) []map[string]any {
	out := []map[string]any{}
	for n := range webStages[i].tasks {
		launch := webStages[i].start + time.Duration(n/4)*3*time.Second
		if launch > w.now() {
			break
		}
		t := map[string]any{
			"taskId": i*16 + n, "index": n, "partitionId": n, "launchTime": webStamp(launch), "executorId": "1",
			"status": "RUNNING",
		}
		if launch+3*time.Second <= w.now() {
			t["status"], t["duration"] = "SUCCESS", 3000
		}
		if status == "" || t["status"] == status {
			out = append(out, t)
		}
	}
	return out
}

// source is one of the application, through a real client, in a bubble of time.
func (w *webSpark) source(t *testing.T, history string) *Source {
	t.Helper()
	w.began = time.Now()
	client, err := yarn.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://driver:4040"}}, Web: []string{"http://history"}},
		rest.Options{Transport: w, Clock: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return NewSource(AtAddress(client, "http://driver:4040", history), "").Peek()
}

// watch observes at an interval to the end, and returns the snapshots.
func (w *webSpark) watch(t *testing.T, s *Source, every time.Duration) (out []*dag.Snapshot) {
	t.Helper()
	for range 3000 {
		snap, err := s.Next(t.Context())
		switch {
		case errors.Is(err, io.EOF):
			return out
		case err == nil:
			out = append(out, snap)
		case !errors.As(err, new(*dag.MissedError)):
			t.Fatal(err)
		}
		time.Sleep(every)
	}
	t.Fatalf("it has not ended after %v", w.now())
	return nil
}
