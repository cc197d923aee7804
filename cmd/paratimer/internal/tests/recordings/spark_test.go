package recordings

import (
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// A sparkCluster is a driver behind a ResourceManager's proxy, and by itself, with a history server under /hs. It runs
// executions of SQL of one job each, one after the other, a new one every few rounds of questions, and is gone a while
// after the last one.
type sparkCluster struct {
	mu           sync.Mutex
	since        time.Time
	rounds, idle int
}

const (
	sparkApp        = "application_1795365508295_0001"
	sparkExecutions = 2
	sparkRounds     = 3 // of questions in an execution
)

// now is which execution runs.
func (s *sparkCluster) now() int { return max(0, s.rounds-1) / sparkRounds }

func (s *sparkCluster) hasEnded() bool { return s.now() > sparkExecutions || s.idle > 1 }

func (s *sparkCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	path := strings.TrimSuffix(r.URL.Path, "/")
	state, final := "RUNNING", "UNDEFINED"
	if s.hasEnded() {
		state, final = "FINISHED", "SUCCEEDED"
	}
	row := fmt.Sprintf(`{"id":%q,"name":"stream","user":"u","queue":"q","state":%q,"finalStatus":%q,"applicationType":"SPARK","startedTime":%d,"finishedTime":%d}`,
		sparkApp, state, final, s.since.UnixMilli(), s.since.UnixMilli()+9000)
	body, ok := "{}", true
	switch {
	case path == "/ws/v1/cluster/apps/"+sparkApp:
		body = `{"app":` + row + `}`
	case path == "/ws/v1/cluster/apps":
		if body = `{"apps":{"app":[` + row + `]}}`; strings.Contains(r.URL.RawQuery, "FINISHED") != s.hasEnded() {
			body = `{"apps":null}`
		}
	case strings.HasPrefix(path, "/hs/"):
		body, ok = s.answer(strings.TrimPrefix(path, "/hs"), r.URL.RawQuery, s.hasEnded())
	case strings.Contains(path, "/api/v1/"):
		path = strings.TrimPrefix(path, "/proxy/"+sparkApp)
		if path == "/api/v1/applications" {
			s.rounds++
		}
		if ok = !s.hasEnded(); ok {
			body, ok = s.answer(path, r.URL.RawQuery, false)
		}
	}
	if !ok {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write([]byte(body))
}

// answer is what a driver or a history server answers to a question; over is true if the application has ended.
func (s *sparkCluster) answer(path, query string, over bool) (body string, ok bool) {
	stamp := func(d time.Duration) string {
		return s.since.Add(d).UTC().Format("2006-01-02T15:04:05.000") + "GMT"
	}
	if path == "/api/v1/applications" || path == "/api/v1/applications/"+sparkApp {
		return fmt.Sprintf(`[{"id":%q,"name":"stream","attempts":[{"completed":%v,"startTime":%q,"endTime":%q}]}]`,
			sparkApp, over, stamp(0), stamp(9*time.Second)), true
	}
	kind, id, one := strings.Cut(strings.TrimPrefix(path, "/api/v1/applications/"+sparkApp+"/"), "/")
	if kind == "sql" && !one && s.now() >= sparkExecutions {
		s.idle++
	}
	var all []string
	for e := range min(s.now()+1, sparkExecutions) {
		if n, err := strconv.Atoi(strings.TrimSuffix(id, "/0/taskList")); one && (err != nil || n != e) {
			continue
		}
		ended := e < s.now() || over
		begin, end := stamp(time.Duration(e)*time.Second), ""
		status := map[bool]string{true: "SUCCEEDED", false: "RUNNING"}[ended]
		if ended {
			end = fmt.Sprintf(`,"completionTime":%q`, stamp(time.Duration(e)*time.Second+900*time.Millisecond))
		}
		switch {
		case strings.HasSuffix(id, "/taskList"):
			all = append(all, fmt.Sprintf(`{"taskId":%d,"index":0,"partitionId":0,"launchTime":%q,"duration":800,"executorId":"1","status":%q}`,
				e, begin, strings.Replace(status, "SUCCEEDED", "SUCCESS", 1)))
		case kind == "sql":
			all = append(all, fmt.Sprintf(`{"id":%d,"status":%q,"description":"batch %d","submissionTime":%q,"duration":900,"runningJobIds":[%d]}`,
				e, strings.Replace(status, "SUCCEEDED", "COMPLETED", 1), e, begin, e))
		case ended && strings.Contains(query, "status="):
		case kind == "jobs":
			all = append(all, fmt.Sprintf(`{"jobId":%d,"name":"save","stageIds":[%d],"status":%q,"submissionTime":%q%s}`,
				e, e, status, begin, end))
		case kind == "stages":
			all = append(all, fmt.Sprintf(`{"stageId":%d,"attemptId":0,"name":"save","numTasks":1,"numCompleteTasks":%d,"rddIds":[%d],"status":%q,"submissionTime":%q%s}`,
				e, len(end)/max(len(end), 1), e, map[bool]string{true: "COMPLETE", false: "ACTIVE"}[ended], begin, end))
		}
	}
	switch {
	case kind == "environment":
		return "{}", true
	case kind == "allexecutors":
		return `[{"id":"1","isActive":true,"maxTasks":2,"hostPort":"h:1","addTime":"` + stamp(0) + `"}]`, true
	case one && len(all) == 0:
		return "", false
	case one && !strings.HasSuffix(id, "/taskList") && kind != "stages":
		return all[0], true
	}
	return "[" + strings.Join(all, ",") + "]", true
}

// TestSparkSessionOnYARN watches executions of SQL of an application on YARN one after the other, to its end.
func TestSparkSessionOnYARN(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	server := httptest.NewServer(&sparkCluster{since: time.Now()})
	defer server.Close()
	code, out, stderr := session.Run(t, "attach", sparkApp, "--sql", "newest", "--session", "--rm", server.URL, "--jhs",
		server.URL, "--user", "u", "--every", "100ms", "--no-history")
	for e := range sparkExecutions {
		if !strings.Contains(out, fmt.Sprintf("batch %d", e)) {
			t.Errorf("execution %d was not watched", e)
		}
	}
	if n := strings.Count(out, "succeeded after"); code != program.ExitOK || n != sparkExecutions {
		t.Errorf("exit code %d, %d ends\n%s%s", code, n, out, stderr)
	}
}

// TestSparkOverTLS watches a driver and a history server with a certificate in ca-file, and sends no requests
// if it is untrusted.
func TestSparkOverTLS(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	cluster := &sparkCluster{since: time.Now()}
	server := httptest.NewTLSServer(cluster)
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{
		Type: "CERTIFICATE", Bytes: server.Certificate().Raw,
	}), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"attach", "--spark", server.URL, "--spark-history", server.URL + "/hs", "--every", "100ms", "--no-history",
	}
	code, out, stderr := session.Run(t, args...)
	if code != program.ExitBlind || !strings.Contains(stderr, "ca-file") || cluster.rounds > 0 {
		t.Errorf("with an untrusted server: exit code %d, %d rounds\n%s%s", code, cluster.rounds, out, stderr)
	}
	_, out, stderr = session.Run(t, "doctor", "--spark", server.URL, "--spark-history", server.URL+"/hs", "--set", "ca-file="+ca)
	if !strings.Contains(out, "ok    spark driver") {
		t.Errorf("doctor\n%s%s", out, stderr)
	}
	code, out, stderr = session.Run(t, append(args, "--set", "ca-file="+ca)...)
	if code != program.ExitOK || !strings.Contains(out, "succeeded after") || strings.Contains(out, "no history server") {
		t.Errorf("with ca-file: exit code %d\n%s%s", code, out, stderr)
	}
}

// TestSparkBehindGateways watches a driver and a history server that two gateways serve below paths of their own,
// with a user's password.
func TestSparkBehindGateways(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	cluster := &sparkCluster{since: time.Now()}
	var mu sync.Mutex
	requests := map[string]int{} // by service, requests that were let in
	gateway := func(service, behind string) *httptest.Server {
		path := "/gateway/default/" + service
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			below, found := strings.CutPrefix(r.URL.Path, path+"/")
			switch {
			case user != "ann" || password != "secret":
				w.Header().Set("WWW-Authenticate", `BASIC realm="application"`)
				w.WriteHeader(http.StatusUnauthorized)
			case !found:
				t.Errorf("%s: got a request of %s", service, r.URL.Path)
				w.WriteHeader(http.StatusNotFound)
			default:
				mu.Lock()
				requests[service]++
				mu.Unlock()
				r.URL.Path = behind + "/" + below
				cluster.ServeHTTP(w, r)
			}
		}))
		t.Cleanup(s.Close)
		return s
	}
	driver, history := gateway("spark", ""), gateway("sparkhistory", "/hs")
	dir := t.TempDir()
	ca, password := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "password")
	for name, text := range map[string][]byte{
		ca:       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: driver.Certificate().Raw}),
		password: []byte("secret\n"),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, stderr := session.Run(t, "attach", "--spark", driver.URL+"/gateway/default/spark", "--spark-history",
		history.URL+"/gateway/default/sparkhistory", "--every", "100ms", "--no-history", "--set", "ca-file="+ca, "--user", "ann",
		"--set", "password-file="+password)
	if code != program.ExitOK || !strings.Contains(out, "succeeded after") || requests["spark"] < 10 || requests["sparkhistory"] == 0 {
		t.Errorf("exit code %d; requests %v\n%s%s", code, requests, out, stderr)
	}
}

// TestSparkEnds checks exit codes and words for ends that are no success, by recordings of Spark 3.5.6. In one a task
// fails four times, and with it its stage and the application. In the other a driver is killed, and the history server
// never has the end.
func TestSparkEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code     int
		out, err string
	}{
		"aborted": {
			program.ExitFailed,
			"the application (app-20261124142314-0000) failed: stage 1: Job aborted due to stage failure: Task 2 in stage 1.0 failed 4 times, most recent failure: Lost task 2.3 in stage 1.0 (TID 16) (127.0.0.1 executor 1): ValueError: the third task has a bad record\n" +
				"failed after 32 seconds\n",
			"",
		},
		"driver-killed": {
			program.ExitBlind,
			"warning: not confirmed by a history server: the driver of app-20261124143557-0000 was last seen while 1 job ran, and its event log has no end\n" +
				"the application (app-20261124143557-0000) ended_unconfirmed\n" +
				"ended, unconfirmed after 13 seconds: the end of a job was not reported\n",
			"it is not known whether the query succeeded",
		},
	} {
		code, out, stderr := session.Run(t, "replay", "--plain", "../../adapters/spark/testdata/"+name+".jsonl.gz")
		lines := strings.SplitAfter(strings.TrimSuffix(c.out, "\n"), "\n")
		missing := slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(out, line) })
		last := lines[len(lines)-1] + "\n"
		if code != c.code || missing || !strings.HasSuffix(out, last) || !strings.Contains(stderr, c.err) {
			t.Errorf("%s: exit code %d, want %d\n%s\n%s", name, code, c.code, out[max(0, len(out)-800):], stderr)
		}
	}
}

// TestStatusUnknown checks that status exits as replay does if the end of a job is missing in an event log.
func TestStatusUnknown(t *testing.T) {
	t.Parallel()
	packed, err := os.Open("../../adapters/spark/testdata/aqe-3.eventlog.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(all), "\n")
	last := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "SparkListenerApplicationEnd") })
	log := filepath.Join(t.TempDir(), "eventlog")
	if err := os.WriteFile(log, []byte(strings.Join(append(lines[:60:60], lines[last]), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, stderr := session.Run(t, "status", log, "--no-history")
	if code != program.ExitBlind || !strings.Contains(out, "ended, unconfirmed") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
}

// TestSparkRefused checks the error for a user who may not see an application. The answer is one that a driver of
// Spark 3.5.6 gave.
func TestSparkRefused(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"servlet":"org.glassfish.jersey.servlet.ServletContainer-38401b60","message":"User %s is not authorized to access this page.","url":%q,"status":"403"}`,
			r.URL.Query().Get("user.name"), r.URL.Path)
	}))
	defer server.Close()
	const why = "User bob is not authorized to access this page."
	const do = "bob may not see the application: its owner can start it with spark.ui.view.acls=bob"
	code, out, stderr := session.Run(t, "attach", "--spark", server.URL, "--user", "bob", "--every", "100ms", "--no-history")
	if code != program.ExitBlind || !strings.Contains(stderr, why) || !strings.Contains(stderr, do) {
		t.Errorf("attach: exit code %d\n%s%s", code, out, stderr)
	}
	code, out, stderr = session.Run(t, "doctor", "--spark", server.URL, "--user", "bob")
	if code != program.ExitBlind || !strings.Contains(out, why) || !strings.Contains(out, do) {
		t.Errorf("doctor: exit code %d\n%s%s", code, out, stderr)
	}
}
