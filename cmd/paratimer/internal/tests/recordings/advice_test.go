package recordings

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/estimators/cost"
)

// slow returns the path of an event log of a slow application.
func slow(name string) string {
	return filepath.Join("..", "..", "testdata", "recordings-slow", name+".eventlog.gz")
}

// reportOf returns the report of a recording.
func reportOf(t *testing.T, path string) *runreport.Report {
	t.Helper()
	var out, errs bytes.Buffer
	args := []string{"paratimer", "report", path, "--output", "json", "--out", "-"}
	if code := program.Run(t.Context(), args, session.Environ(t), nil, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	r := &runreport.Report{}
	if err := json.Unmarshal(out.Bytes(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAdvice checks which rule explains each of the applications that were made slow on purpose, and what the remedy
// saves by replay: at least low and at most high seconds, of a run of the given length; none if the replay misses the
// run, or has no copies.
func TestAdvice(t *testing.T) {
	t.Parallel()
	spark := filepath.Join("..", "..", "adapters", "spark", "testdata")
	for _, c := range []struct {
		path, rule, want string
		low, high        float64
	}{
		{filepath.Join(spark, "skew-3.eventlog.gz"), "skew", "had 51% of the records", 15, 25},
		{filepath.Join(spark, "skew-3.jsonl.gz"), "skew", "had 51% of the records", 15, 25},
		{filepath.Join(spark, "fetch-3.jsonl.gz"), "executor_lost", "1 lost node", 0, 0},
		{slow("spill"), "spill", "spilled 429 MB to disk", 1, 5},
		{slow("gc"), "gc", "Garbage collection was 39% of the time", 1, 2},
		{slow("toofew"), "few_partitions", "only 1 task of Stage 0 · count at app.py:34 for 2 cores", 35, 42}, // half of 49 s and of 28 s
		{slow("toomany"), "many_partitions", "took 43ms each", 2, 6},                                          // 12 s of start-up on 2 cores
		{slow("fewcores"), "few_cores", "2 cores worked 99% of the time", 28, 33},                             // half of 65 s
		{slow("slownode"), "slow_node", "executor 1", 4, 10},
		{slow("smallfiles"), "small_files", "360 tasks", 50, 74},
		{slow("driverpause"), "driver", "while the driver worked alone", 17, 20}, // three pauses of 6 s
		{slow("speculation"), "speculation", "2 speculative attempts", 0, 0},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			t.Parallel()
			r := reportOf(t, c.path)
			a := r.Glance.Advice
			if a == nil || a.Rule != c.rule || !strings.Contains(r.Glance.Diagnosis, c.want) ||
				!strings.Contains(r.Glance.Diagnosis, a.Help) {
				t.Fatalf("%s: %+v", r.Glance.Diagnosis, a)
			}
			if a.GainSeconds == nil != (c.high == 0) ||
				a.GainSeconds != nil && (float64(*a.GainSeconds) < c.low || float64(*a.GainSeconds) > c.high) {
				t.Errorf("%s", r.Glance.Diagnosis)
			}
		})
	}
}

// TestSkewOfAFinishedApplication checks that the skew of a finished run is that of the run: its log has a task of 31 s
// with 36% of the records beside a median one of 4 s.
func TestSkewOfAFinishedApplication(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"skew-3.eventlog.gz", "skew-3.jsonl.gz"} {
		code, out, errs := session.Run(t, "report", "--skew", filepath.Join("..", "..", "adapters", "spark", "testdata", name))
		worst := regexp.MustCompile(`(?m)^ +5 +31s +1.55 k records +36% +1\ds$`)
		if code != 0 || !strings.Contains(out, "skew-3 took 46s") || !worst.MatchString(out) ||
			!strings.Contains(out, "median 4s") {
			t.Errorf("%s: %d %s\n%s", name, code, errs, out)
		}
	}
}

// TestStageTimes checks that the parts of the longest tasks add up to their length, and that the parts of all tasks
// show what the run was made for.
func TestStageTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		part  string
		least float64 // share of the time of all tasks of a stage
	}{"gc": {"gc", 0.35}, "toomany": {"scheduler_delay", 0.3}, "spill": {"off_cpu", 0.35}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, most := reportOf(t, slow(name)), 0.0
			for _, s := range r.StageTimes {
				sum, all, of := 0.0, 0.0, 0.0
				for _, p := range s.TimeParts {
					sum, all = sum+float64(p.Seconds), all+float64(p.AllSeconds)
					if p.Name == c.part {
						of = float64(p.AllSeconds)
					}
				}
				if d := sum - float64(s.LongestSeconds); d < -0.01 || d > 0.01 || s.OnPathSeconds <= 0 {
					t.Errorf("%+v: the parts add up to %v", s, sum)
				}
				most = max(most, of/all)
			}
			if most < c.least {
				t.Errorf("%s is at most %v of a stage's time", c.part, most)
			}
			if name == "spill" && r.StageTimes[1].SpilledBytes < 4e8 {
				t.Errorf("%+v", r.StageTimes[1])
			}
		})
	}
}

// soFar makes a report of each fifth frame.
type soFar struct {
	t       *testing.T
	g       *runreport.Collector
	tasks   int // with counters, in the newest report
	advised int // reports with an advice before the end
}

func (s *soFar) Show(frame.Tick) error {
	if s.g.Seen()%5 != 1 {
		return nil
	}
	r, err := s.g.Report()
	if err != nil {
		s.t.Fatal(err)
	}
	tasks := 0
	for _, v := range r.StageTimes {
		tasks += v.Tasks
	}
	s.tasks = max(s.tasks, tasks)
	if a := r.Glance.Advice; a != nil && !r.Workflow.State.Ended() {
		if s.advised++; strings.Contains(r.Glance.Diagnosis, "would have") {
			s.t.Errorf("a running application: %s", r.Glance.Diagnosis)
		}
	}
	if err := runreport.Of(r, "", time.UTC).HTML(io.Discard); err != nil {
		s.t.Error(err)
	}
	return nil
}

// TestAdviceSoFar checks that the reports of an application that runs show the tasks that have ended, from the driver's
// answers, and what lengthens it.
func TestAdviceSoFar(t *testing.T) {
	t.Parallel()
	s := &soFar{t: t, g: &runreport.Collector{From: "fetch-3", Model: cost.Costs}}
	replay(t, filepath.Join("..", "..", "adapters", "spark", "testdata", "fetch-3.jsonl.gz"), s.g, s)
	if s.tasks < 30 || s.advised == 0 {
		t.Errorf("%d of 37 tasks have counters, and %d reports an advice", s.tasks, s.advised)
	}
}
