package recordings

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// On a real run one reduce of eight, with 39% of the bytes, works 64 s, the others 33 s and less; the run takes 78.9 s
// (JHS's answers in the recording). Reduce 4 ends last: it holds the end back until it ends.
func TestSkewOfARecording(t *testing.T) {
	t.Parallel()
	path := fixtures.Recording("skew-1.jsonl.zst")
	var out, errs bytes.Buffer
	if code := program.Run(t.Context(), []string{"paratimer", "report", "--skew", path, "--at", "40s", "--output", "json"}, session.Environ(t), nil,
		&out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var r runreport.SkewReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Skew) != 1 || r.Skew[0].Job != "scope-26" || r.Skew[0].Reduces != 8 || len(r.Skew[0].Worst) != 5 {
		t.Fatalf("%+v", r.Skew)
	}
	s, worst := r.Skew[0], r.Skew[0].Worst[0]
	if worst.Task != 4 || *worst.Attempt != "attempt_1795222440184_0010_r_000004_0" || *worst.ShareRatio < 0.38 ||
		*worst.ShareRatio > 0.40 ||
		worst.WorkSeconds < 58 || worst.WorkSeconds > 70 || *worst.EndSeconds < 74 || *worst.EndSeconds > 84 {
		t.Errorf("%+v", worst)
	}
	// The second longest ends at about 47 s.
	if d := *worst.DelaySeconds; d < 25 || d > 36 {
		t.Errorf("reduce 4 alone holds the end back by %v s", d)
	}
	if s.Skewed < 2 || s.DelaySeconds < *worst.DelaySeconds || s.Split != nil || s.Doubled != nil || s.KeysFrom > 1 {
		t.Errorf("%+v", s)
	}

	out.Reset()
	if code := program.Run(t.Context(), []string{"paratimer", "replay", path}, session.Environ(t), nil, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	if n := strings.Count(out.String(),
		"skew: reduces 4 and 5 of scope-26 have 58% of the bytes and hold the end back by "); n != 1 {
		t.Errorf("sent %d times in\n%s", n, &out)
	}
}

// Runs with even reduces print no line of skew.
func TestNoSkewInRecordings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"join-1", "wide-1", "cpu-1"} {
		var out, errs bytes.Buffer
		path := fixtures.Recording(name + ".jsonl.zst")
		if code := program.Run(t.Context(), []string{"paratimer", "replay", path}, session.Environ(t), nil, &out, &errs); code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, &errs)
		}
		if strings.Contains(out.String(), "skew") {
			t.Errorf("%s:\n%s", name, &out)
		}
	}
}

// A query that runs is looked at once or twice; one that has ended, or none, is no trouble of the command's.
func TestSkewOfAQueryThatRuns(t *testing.T) {
	t.Parallel()
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, out, errs := session.Run(t, "report", "--skew", "--rm", url, "--jhs", url, "--user", "alice", "--no-history")
	if code != program.ExitOK || !strings.HasPrefix(out, "join.pig after ") ||
		!strings.HasSuffix(out, "\ntoo early: there is no data yet on its reduces\n") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	code, _, errs = session.Run(t, "report", "--skew", "--rm", url, "--jhs", url, "--user", "bob", "--no-history")
	if code != program.ExitBlind || errs == "" {
		t.Errorf("without a query: exit code %d: %s", code, errs)
	}
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hangs.Close)
	code, _, errs = session.Run(t, "report", "--skew", "--rm", hangs.URL, "--user", "alice", "--timeout", "10ms")
	if code != program.ExitTimeout || !strings.Contains(errs, "the time limit has passed") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// A Spark application may have jobs before it has executors: that observation shows nothing, and the others do.
func TestSkewBeforeExecutors(t *testing.T) {
	t.Parallel()
	b := fixtures.Read(t, "../../adapters/spark/testdata/skew-3.jsonl.gz")
	var lines []string
	cut := 0
	for line := range strings.Lines(string(b)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if url, _ := r["url"].(string); strings.HasSuffix(url, "executors") && cut < 12 {
			r["body"] = "[]"
			cut++
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			line = string(b) + "\n"
		}
		lines = append(lines, line)
	}
	path := filepath.Join(t.TempDir(), "late.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := program.Run(t.Context(), []string{"paratimer", "report", "--skew", path}, session.Environ(t), nil, &out, &errs)
	if code != 0 || cut == 0 {
		t.Errorf("exit code %d, %d answers without executors: %s", code, cut, &errs)
	}
}

// TestSkewOfOtherEngines checks that skew names the tasks of a vertex of Tez and of a stage of Spark, which it does not
// call reduces.
func TestSkewOfOtherEngines(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"spark": "tasks 5 and 6 of Stage 1 · runJob at SparkHadoopWriter.scala:83 had 51% of the records and held the end back by",
		"tez":   "tasks 4 and 5 of scope-27 had 42% of the records and held the end back by",
	} {
		var out, errs bytes.Buffer
		path := "../../adapters/" + file + "/testdata/skew-3.jsonl.gz"
		code := program.Run(t.Context(), []string{"paratimer", "report", "--skew", path}, session.Environ(t), nil, &out, &errs)
		if text := out.String(); code != 0 || !strings.Contains(text, want) || strings.Contains(text, "reduce") {
			t.Errorf("%s: exit code %d: %s%s", file, code, &out, &errs)
		}
	}
}

// TestSkewOfFinishedRun checks that a finished run of Spark is shown as it was: the hot task of the recording worked
// 31 s on 36% of the records, the median one 4 s, and the run took 45 s.
func TestSkewOfFinishedRun(t *testing.T) {
	t.Parallel()
	const path = "../../adapters/spark/testdata/skew-3.eventlog.gz"
	for _, at := range [][]string{nil, {"--at", "100%"}} {
		args := append([]string{"report", "--skew", path, "--every", "1s"}, at...)
		code, out, errs := session.Run(t, append(args, "--output", "json")...)
		var r runreport.SkewReport
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != program.ExitOK || len(r.Skew) != 1 ||
			r.RemainingSeconds != nil {
			t.Fatalf("exit code %d: %s%s", code, out, errs)
		}
		s := &r.Skew[0]
		worst := &s.Worst[0]
		near := func(got, want float64) bool { return math.Abs(got-want) < 0.02*want }
		if worst.Task != 5 || !worst.Done || !near(float64(worst.WorkSeconds), 31) ||
			!near(float64(*worst.ShareRatio), 0.36) ||
			s.MedianSeconds.Duration().Round(time.Second) != 4*time.Second || s.Skewed != 2 {
			t.Errorf("%+v", s)
		}
		if s.DelaySeconds < 15 || s.DelaySeconds > 25 {
			t.Errorf("it held the end back by %v s", s.DelaySeconds)
		}
		_, text, _ := session.Run(t, args...)
		for _, want := range []string{
			"skew-3 took 46s\n", "had 51% of the records and held the end back by ", "with others",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
		if strings.Contains(text, " 0s") || strings.Contains(text, "left") {
			t.Error(text)
		}
	}
}
