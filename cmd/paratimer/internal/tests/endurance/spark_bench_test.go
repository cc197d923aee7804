package endurance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// BenchmarkSparkTick is a tick of an application of 100,000 tasks in 3,000 stages, from the requests to the frame. It
// was polled every 5 s from its start. The CPU time is without that of the driver, which is played in this process.
func BenchmarkSparkTick(b *testing.B) {
	const every = 5 * time.Second
	a := restsim.SparkLarge()
	for name, at := range map[string]time.Duration{
		"start": 2 * time.Minute, "widest": a.Widest(), "end": a.Ends() - 4*time.Minute,
	} {
		b.Run(name, func(b *testing.B) {
			now, served := restsim.SparkBegin, time.Duration(0)
			d := &restsim.SparkDriver{SparkApplication: a, Now: func() dag.Instant { return now }}
			client, err := yarn.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://driver:4040"}}},
				rest.Options{Now: d.Now, Transport: rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
					began := cpuTime(b)
					defer func() { served += cpuTime(b) - began }()
					return d.RoundTrip(r)
				})})
			if err != nil {
				b.Fatal(err)
			}
			defer client.Close()
			var out written
			w := watch.Watch{
				Source:     spark.NewSource(spark.AtAddress(client, "http://driver:4040", ""), ""),
				Estimators: follow.EstimatorSetOf(cost.Costs, follow.Battery{}, 0), Log: zerolog.Nop(),
				Sinks: []watch.Sink{view.NDJSON{Writer: &out}},
			}
			for ; now < restsim.SparkBegin.Add(at); now = now.Add(every) {
				if _, err := w.Source.Next(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			step := func() {
				now = now.Add(every)
				if _, err := w.Step(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			step()
			step()
			d.Counts()
			served = 0
			n, began := 0, cpuTime(b)
			b.ReportAllocs()
			for b.Loop() {
				n++
				step()
			}
			b.ReportMetric(float64(retained()>>20), "MB-live")
			b.ReportMetric((cpuTime(b)-began-served).Seconds()/float64(n), "cpu-s/op")
			_, bytes, _ := d.Counts()
			runtime.KeepAlive(w)
			b.ReportMetric(float64(bytes/n)/1024, "KB/op")
			b.ReportMetric(float64(d.Naive())*float64(n)/float64(bytes), "times-less")
		})
	}
}

// cpuTime returns the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkSparkAttach attaches a process to generated applications, which run faster than real ones, until they end.
// It reports the CPU time of a tick, what was resident after a half, at the end, and at most, and how many times more
// bytes all jobs, stages and tasks at each tick would be.
func BenchmarkSparkAttach(b *testing.B) {
	const newest = " --sql newest --session"
	for name, c := range map[string]struct {
		*restsim.SparkApplication
		speed int64
		args  string
	}{
		"100000 tasks":   {restsim.SparkLarge(), 10, "--every 500ms"},
		"stream":         {restsim.SparkStream(3600), 20, "--every 250ms"},
		"newest batch":   {restsim.SparkStream(3600), 20, "--every 250ms" + newest},
		"newest of 500":  {restsim.SparkNotebook(500), 50, "--every 100ms" + newest},
		"500 executions": {restsim.SparkNotebook(500), 50, "--every 100ms"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				began, dir := time.Now(), b.TempDir()
				d := &restsim.SparkDriver{SparkApplication: c.SparkApplication, Now: func() dag.Instant {
					return restsim.SparkBegin.Add(time.Second + time.Duration(c.speed*int64(time.Since(began))))
				}}
				s := httptest.NewServer(d)
				defer s.Close()
				args := "attach --plain --no-history --spark " + s.URL + " " + c.args
				cmd := session.Process(b, dir, strings.Fields(args)...)
				cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				for _, part := range []string{"MB-half", "MB-end"} {
					time.Sleep(c.Ends() / time.Duration(2*c.speed))
					b.ReportMetric(residentMB(b, cmd.Process.Pid), part)
				}
				_ = cmd.Process.Signal(syscall.SIGTERM)
				_ = cmd.Wait() // it was interrupted
				ticks, bytes, _ := d.Counts()
				cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				b.ReportMetric(cpu.Seconds()/float64(ticks), "cpu-s/tick")
				b.ReportMetric(float64(bytes/ticks)/1024, "KB/tick")
				b.ReportMetric(float64(ticks), "ticks")
				const instants = 100
				naive, now := 0, restsim.SparkBegin
				whole := &restsim.SparkDriver{
					SparkApplication: c.SparkApplication, Now: func() dag.Instant { return now },
				}
				for range instants {
					now = now.Add(c.Ends() / instants)
					naive += whole.Naive() / instants
				}
				b.ReportMetric(float64(naive)*float64(ticks)/float64(bytes), "times-less")
				b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "MB")
			}
		})
	}
}

// residentMB returns the resident memory of a process.
func residentMB(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		b.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / (1 << 20)
}
