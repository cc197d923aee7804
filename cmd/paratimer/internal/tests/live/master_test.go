package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// aSparkRun is a recorded run of Spark.
const aSparkRun = "../../adapters/spark/testdata/skew-3.jsonl.gz"

// TestMaster finds the applications of a master of Spark's standalone mode: lists them, chooses one by its id, its name
// or a pattern, and watches all.
func TestMaster(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	master := ServeMaster(t, aSparkRun, 3, 30*time.Second)
	code, out, stderr := session.Run(t, "list", "--spark-master", master, "--output", "json")
	var listed struct {
		Applications []struct{ ID, Name, Engine, User, URL string }
	}
	if err := json.Unmarshal([]byte(out), &listed); err != nil || code != program.ExitOK {
		t.Fatalf("%d, %v, %s", code, err, stderr)
	}
	if all := listed.Applications; len(all) != 3 || all[0].ID != "app-2" || all[0].Name != "nightly_2" ||
		all[0].Engine != "Spark" || all[0].User != "ann" || !strings.HasPrefix(all[0].URL, "http://127.0.0.1:") {
		t.Errorf("listed: %s", out)
	}
	for args, want := range map[string]string{
		"status app-1":            "app-1) running",
		"status nightly_2":        "app-2) running",
		"check nightly_*":         "OK - skew", // the name that the driver reports
		"attach":                  "3 Spark applications at " + master + ": choose one by its id or name\n",
		"attach hourly":           "nothing runs that is called hourly at " + master + ". These run:\n",
		"check hourly":            "PARATIMER OK - nothing runs that is called hourly at " + master,
		"doctor":                  "3 drivers at " + master,
		"attach --timeout 1s app": "nothing runs that is called app at",
		"attach app-0 --timeout 2s --set capture=" + filepath.Join(t.TempDir(), "capture.jsonl"): "the time limit has passed",
		"attach --timeout 3s --spark " + master:                                                  "the page of a master (give it by --spark-master",
	} {
		args := append(strings.Fields(args), "--spark-master", master)
		if _, out, stderr := session.Run(t, args...); !strings.Contains(out+stderr, want) {
			t.Errorf("%v: no %q in\n%s%s", args, want, out, stderr)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	seen, mu := map[string]bool{}, sync.Mutex{}
	frames := &frameReader{t: t, each: func(f frame.Frame) {
		mu.Lock()
		defer mu.Unlock()
		if seen[*f.Workflow.ID] = true; len(seen) == 3 {
			cancel(command.ErrInterrupted)
		}
	}}
	var errs Output
	if code := program.Run(ctx, []string{
		"paratimer", "watch", "--spark-master", master, "--every", "100ms", "--output", "ndjson", "--listen", "0",
	}, session.Environ(t), strings.NewReader(""), frames, &errs); code != program.ExitInterrupted {
		t.Errorf("watch: exit code %d\n%s", code, errs.String())
	}
}

// TestDriverProxy watches a driver behind a proxy of Databricks' shape: below a path, and with a bearer token.
func TestDriverProxy(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	master := ServeMaster(t, aSparkRun, 1, 30*time.Second)
	_, out, _ := session.Run(t, "list", "--output", "json", "--spark-master", master)
	var listed struct{ Applications []struct{ URL string } }
	if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed.Applications) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	driver, err := url.Parse(listed.Applications[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	const base = "/driver-proxy-api/o/0/0123-456789-abcdefgh/40001"
	rewrite := func(r *httputil.ProxyRequest) { r.SetURL(driver) }
	forward := http.StripPrefix(base, &httputil.ReverseProxy{Rewrite: rewrite})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer dapi-0123" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("dapi-0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--token-file", token}, program.ExitOK, "running"},
		{nil, program.ExitBlind, "401"},
		{[]string{"--token-file", token, "--password-file", token}, program.ExitUsage, "log in in one way"},
	} {
		args := append([]string{"status", "--spark", proxy.URL + base + "/jobs/"}, c.args...)
		if code, out, stderr := session.Run(t, args...); code != c.code || !strings.Contains(out+stderr, c.want) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", c.args, code, c.code, c.want, out, stderr)
		}
	}
}

// BenchmarkMaster watches 50 applications of a master, in a process of its own, and reports its use of cores: those of
// a recorded run, and applications in which 500 tasks run.
func BenchmarkMaster(b *testing.B) {
	b.Setenv("XDG_STATE_HOME", b.TempDir())
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	began := time.Now()
	now := func() dag.Instant { return restsim.SparkBegin.Add(10*time.Minute + time.Since(began)) }
	for name, serve := range map[string]func() string{
		"recorded": func() string { return ServeMaster(b, aSparkRun, 50, 5*time.Second) },
		"500 tasks": func() string {
			return ServeDrivers(b, func() time.Time { return now().Time() }, 50, func(id string) http.Handler {
				return &restsim.SparkDriver{SparkApplication: restsim.Medium(id), Now: now}
			})
		},
	} {
		b.Run(name, func(b *testing.B) { benchmarkMaster(b, serve()) })
	}
}

func benchmarkMaster(b *testing.B, url string) {
	b.Helper()
	for b.Loop() {
		began := time.Now()
		cmd := session.Process(b, b.TempDir(), "watch", "--spark-master", url, "--listen", "0", "--output", "ndjson")
		var frames Output
		cmd.Stdout = &frames
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		time.Sleep(90 * time.Second) // on a busy machine it takes a while until all have been seen
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it was interrupted
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		for i := range 50 {
			if !strings.Contains(frames.String(), fmt.Sprintf(`"app-%d"`, i)) {
				b.Errorf("no frame of app-%d", i)
			}
		}
		b.ReportMetric(float64(strings.Count(frames.String(), "\n")), "frames")
		b.ReportMetric(used.Seconds()/time.Since(began).Seconds(), "cores")
		b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "MB")
	}
}
