package live

import (
	"context"
	"encoding/json"
	"fmt"
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
)

// aSparkRun is a recorded run of Spark.
const aSparkRun = "../../adapters/spark/testdata/skew-3.jsonl.gz"

// TestMaster finds the applications of a master of Spark's standalone mode: lists them, chooses one by its id, its name
// or a pattern, and watches all.
func TestMaster(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := session.ServeMaster(t, aSparkRun, 3, 30*time.Second)
	code, out, stderr := session.Run(t, "list", "--spark-master", url, "--output", "json")
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
		"attach":                  "3 applications of Spark at " + url + ": choose one by its id or name\n",
		"attach hourly":           "nothing runs that is called hourly at " + url + ". These run:\n",
		"check hourly":            "PARATIMER OK - nothing runs that is called hourly at " + url,
		"doctor":                  "choose one",
		"attach --timeout 1s app": "nothing runs that is called app at",
		"attach app-0 --timeout 2s --set capture=" + filepath.Join(t.TempDir(), "capture.jsonl"): "the time limit has passed",
		"attach --timeout 3s --spark " + url:                                                     "the page of a master (give it by --spark-master",
	} {
		args := append(strings.Fields(args), "--spark-master", url)
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
	var errs session.Output
	if code := program.Run(ctx, []string{
		"paratimer", "watch", "--spark-master", url, "--every", "100ms", "--output", "ndjson", "--listen", "0",
	}, session.Environ(t), strings.NewReader(""), frames, &errs); code != program.ExitInterrupted {
		t.Errorf("watch: exit code %d\n%s", code, errs.String())
	}
}

// BenchmarkMaster watches 50 applications of a master, in a process of its own, and reports its use of cores.
func BenchmarkMaster(b *testing.B) {
	b.Setenv("XDG_STATE_HOME", b.TempDir())
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	url := session.ServeMaster(b, aSparkRun, 50, 5*time.Second)
	for b.Loop() {
		began := time.Now()
		cmd := session.Process(b, b.TempDir(), "watch", "--spark-master", url, "--listen", "0", "--output", "ndjson")
		var frames session.Output
		cmd.Stdout = &frames
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		time.Sleep(35 * time.Second) // the recording goes on
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
	}
}
