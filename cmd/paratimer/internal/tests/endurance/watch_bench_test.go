package endurance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// wide is a script of 20 jobs, each of two that are before it, of 100,000 tasks of about 40 s on a cluster of its own
// that takes 2,000 at once.
func wide() *dag.Plan {
	const jobs, maps, reduces, width = 20, 4500, 500, 2000
	pipe := func(tuples, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(alpha)}
	}
	p := &dag.Plan{
		Name: "wide.pig",
		Cluster: dag.Cluster{
			Policy: dag.YARN, MemoryMB: 1024*width + 512*jobs, Setup: 2 * time.Second,
			Nodes: []dag.Node{{Name: "n0:8042", MemoryMB: 1024*width + 512*jobs}},
		},
		Overheads: dag.Overheads{
			Launch: 6 * time.Second, AMStart: 3 * time.Second, Finish: time.Second,
			AMHold: 5 * time.Second,
		},
	}
	for i := range jobs {
		j := dag.Job{
			Node: fmt.Sprintf("scope-%d", 10*i), Name: fmt.Sprintf("scope-%d", 10*i),
			MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 1024, ReduceMB: 1024, SlowStart: 0.05, RampUp: 0.5},
			Stages: dag.MapReduce(dag.Stage{
				Tasks: maps, Known: true, Pipelines: []dag.Pipeline{pipe(4000, 10)},
				Out: dag.Uniform(4000), Bytes: dag.Uniform(1e6),
			},
				dag.Stage{Tasks: reduces, Known: true, Pipelines: []dag.Pipeline{
					pipe(maps, 0), pipe(0, 0),
					pipe(36000, 1),
				}, Out: dag.Uniform(3000), Bytes: dag.Uniform(1e6)}),
		}
		if i >= 4 {
			j.After = []int{i - 4, i - 3}
		}
		p.Jobs = append(p.Jobs, j)
	}
	return p
}

// join puts a run of a plan on a cluster, begun ten minutes ago, and returns the id of its first application.
func join(t testing.TB, m *restsim.Cluster, p *dag.Plan) string {
	t.Helper()
	start := m.Now().Add(-10*time.Minute) + 1999
	run, err := simulate.New(p, simulate.Options{
		Seed: 1, Noise: 0.2, Know: simulate.Nothing, Every: 3 * time.Second,
		Start: start,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(context.Background(), run); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("application_%d_0001", start)
}

// soak is for how long a benchmark watches: PARATIMER_SOAK, else four minutes. The budget of questions lets a watch see
// a thousand workflows for the first time in about two.
func soak(b *testing.B) time.Duration {
	b.Helper()
	s := os.Getenv("PARATIMER_SOAK")
	if s == "" {
		return 4 * time.Minute
	}
	long, err := time.ParseDuration(s)
	if err != nil {
		b.Fatal(err)
	}
	return long
}

// watched runs a command of ours against a cluster for a time, and reports its cost: CPU seconds for a
// second that is watched, the most memory that the process has held, and questions a second, those of them that only
// the ResourceManager itself answers, and the most of all within a second. It returns how many frames it has written.
func watched(b *testing.B, dir, url string, a *restsim.Questions, command ...string) int {
	b.Helper()
	long := soak(b)
	cmd := exec.Command("paratimer", append(command, "--rm", url, "--jhs", url, "--timeout", long.String(),
		"--no-history", "--output", "ndjson", "--log-level", "warn")...)
	cmd.Env = append(session.Environ(b), "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
	var out, stderr lines
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != program.ExitTimeout {
		b.Fatalf("%v\n%s", err, stderr.head)
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := time.Duration(use.Utime.Nano() + use.Stime.Nano())
	b.ReportMetric(cpu.Seconds()/long.Seconds(), "cpu-s/s")
	b.ReportMetric(float64(use.Maxrss)/1024, "MB")
	b.ReportMetric(float64(out.n)/long.Seconds(), "frames/s")
	all, managers, most := a.Counts()
	b.ReportMetric(float64(all)/long.Seconds(), "requests/s")
	b.ReportMetric(float64(managers)/long.Seconds(), "rm-requests/s")
	b.ReportMetric(float64(most), "most-in-a-second")
	if stderr.head != "" {
		b.Logf("stderr began\n%s", stderr.head)
	}
	return out.n
}

// BenchmarkWatch measures the cost to watch many workflows over real sockets, in a process of its own; in the last one
// of them is a script of 100,000 tasks.
func BenchmarkWatch(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		wide bool
	}{{"100", 100, false}, {"1000", 1000, false}, {"1000 and 100000 tasks", 999, true}} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			rulesFile := filepath.Join(dir, "rules.yaml")
			text := "rules:\n  - {name: late, match: {name: \"*.pig\"}, within: 20m}\n  - {name: still, no_progress: 10m}\n"
			if err := os.WriteFile(rulesFile, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				m := restsim.Crowd(b, "testdata/nightly.yaml", c.n, dag.InstantOf(time.Now()), 10*time.Minute)
				if c.wide {
					join(b, m, wide())
				}
				a := &restsim.Questions{}
				if frames := watched(b, dir, restsim.ServeCounted(b, m, a, 1), a, "watch", "--rules", rulesFile); frames < c.n {
					b.Fatalf("%d frames of %d workflows", frames, c.n)
				}
			}
		})
	}
}

// BenchmarkAttach measures the cost to watch a script of 100,000 tasks alone, on a cluster of 1,000 applications.
func BenchmarkAttach(b *testing.B) {
	for b.Loop() {
		m := restsim.Crowd(b, "testdata/nightly.yaml", 999, dag.InstantOf(time.Now()), 10*time.Minute)
		id := join(b, m, wide())
		a := &restsim.Questions{}
		if frames := watched(b, b.TempDir(), restsim.ServeCounted(b, m, a, 1), a, "attach", id); frames < 10 {
			b.Fatalf("%d frames", frames)
		}
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
