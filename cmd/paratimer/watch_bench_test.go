package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/restsim"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// crowd is n runs of a plan on one cluster, begun one after the other within the time that went before now.
func crowd(t testing.TB, plan string, n int, now dag.Instant, before time.Duration) *restsim.Many {
	t.Helper()
	m := restsim.NewMany(now)
	for i := range n {
		p, err := planfile.ReadFile(plan, planfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Name = fmt.Sprintf("nightly_%d.pig", i)
		age := time.Duration(i) * before / time.Duration(n)
		run, err := simulate.New(p, simulate.Options{
			Seed: uint64(i), Noise: 0.2, Know: simulate.Nothing, Every: 3 * time.Second, Start: now.Add(-age) + dag.Instant(i%1000),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Add(context.Background(), run); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// serveCrowd plays a crowd over a socket, at the pace of the real clock times speed.
func serveCrowd(t testing.TB, m *restsim.Many, speed float64) string {
	t.Helper()
	from, began := m.Now(), time.Now()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ws/v1/cluster/metrics" {
			if err := m.Advance(r.Context(), from.Add(time.Duration(speed*float64(time.Since(began))))); err != nil {
				t.Error(err)
			}
		}
		m.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// BenchmarkWatch is what it costs to watch many workflows over real sockets, in a process of its own: CPU seconds for a
// second that is watched, and the most memory that the process has held, for each workflow.
//
// PARATIMER_SOAK is for how long; without it, four minutes: the budget of questions lets it see a thousand for the first time in about two.
func BenchmarkWatch(b *testing.B) {
	long := 4 * time.Minute
	if s := os.Getenv("PARATIMER_SOAK"); s != "" {
		var err error
		if long, err = time.ParseDuration(s); err != nil {
			b.Fatal(err)
		}
	}
	for _, n := range []int{100, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			dir := b.TempDir()
			rulesFile := filepath.Join(dir, "rules.yaml")
			text := "rules:\n  - {name: late, match: {name: \"nightly_*\"}, within: 20m}\n  - {name: still, no_progress: 10m}\n"
			if err := os.WriteFile(rulesFile, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				m := crowd(b, "testdata/nightly.yaml", n, dag.InstantOf(time.Now()), 10*time.Minute)
				url := serveCrowd(b, m, 1)
				cmd := exec.Command("paratimer", "watch", "--rules", rulesFile, "--rm", url, "--jhs", url, "--timeout", long.String(),
					"--no-history", "--output", "ndjson", "--log-level", "warn")
				cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
				var out, stderr lines
				cmd.Stdout, cmd.Stderr = &out, &stderr
				err := cmd.Run()
				if cmd.ProcessState.ExitCode() != exitTimeout {
					b.Fatalf("%v\n%s", err, stderr.head)
				}
				use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				cpu := time.Duration(use.Utime.Nano() + use.Stime.Nano())
				b.ReportMetric(cpu.Seconds()/long.Seconds(), "cpu-s/s")
				b.ReportMetric(float64(use.Maxrss)*1024/float64(n), "B/workflow")
				b.ReportMetric(float64(use.Maxrss)/1024, "MB")
				b.ReportMetric(float64(m.Requests())/long.Seconds(), "requests/s")
				b.ReportMetric(float64(out.n)/long.Seconds(), "frames/s")
				if out.n < n {
					b.Fatalf("%d frames of %d workflows\n%s", out.n, n, stderr.head)
				}
			}
		})
	}
}

// lines counts lines and keeps the first ones.
type lines struct {
	n    int
	head string
}

func (l *lines) Write(p []byte) (int, error) {
	l.n += strings.Count(string(p), "\n")
	if len(l.head) < 4000 {
		l.head += string(p[:min(len(p), 4000)])
	}
	return len(p), nil
}
