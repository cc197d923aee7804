package endurance

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/metrics"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// retained returns the bytes on the heap after garbage collection.
func retained() uint64 {
	runtime.GC()
	runtime.GC() // what had a finalizer, and pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// checkRetained checks that the heap after hours 6 and 12 exceeds that after hour 1 by at most half of it, or 4 MB.
func checkRetained(t *testing.T, afterHour map[int]uint64) {
	t.Helper()
	t.Logf("retained after hours 1, 6, 12: %d, %d, %d KB", afterHour[1]>>10, afterHour[6]>>10, afterHour[12]>>10)
	for _, hour := range []int{6, 12} {
		if afterHour[1] == 0 || afterHour[hour] == 0 || afterHour[hour] > afterHour[1]+max(afterHour[1]/2, 4<<20) {
			t.Errorf("after hour %d: got %d bytes retained, after the first hour %d", hour, afterHour[hour], afterHour[1])
		}
	}
}

// written counts what goes to a file that is not read.
type written struct{ n int64 }

func (w *written) Write(p []byte) (int, error) { w.n += int64(len(p)); return len(p), nil }
func (w *written) Close() error                { return nil }

// overnight is one job of 60 maps that take two hours each, ten at a time.
func overnight() *dag.Plan {
	pipe := dag.Pipeline{Tuples: dag.Uniform(72_000), Alpha: dag.Uniform(100)}
	return &dag.Plan{
		Name: "overnight.pig",
		Cluster: dag.Cluster{
			Policy: dag.YARN, MemoryMB: 10_752,
			Nodes: []dag.Node{{Name: "n0:8042", MemoryMB: 10_752}},
		},
		Jobs: []dag.Job{{
			Node: "scope-1", Name: "scope-1", MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 1024, ReduceMB: 1024},
			Stages: dag.MapReduce(dag.Stage{Tasks: 60, Known: true, Pipelines: []dag.Pipeline{pipe}},
				dag.Stage{Known: true}),
		}},
	}
}

// TestTwelveHoursAttached: a query of more than twelve hours is watched with all options of attach, its log moved away
// each hour. The heap does not grow, and no line of the log is lost.
func TestTwelveHoursAttached(t *testing.T) {
	every := time.Duration(fixtures.Long(120, 30)) * time.Second
	ctx, dir, start := t.Context(), t.TempDir(), dag.Instant(1_795_222_440_184)
	m := restsim.Empty(start)
	run, err := simulate.New(overnight(), simulate.Options{
		Seed: 1, Noise: 0.1, Know: simulate.Nothing, Every: every,
		Start: start,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(ctx, run); err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return m.Now().Time() }
	var raw, taped, frames written
	rec := recording.NewWriter(&raw, m.Now)
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
		rest.Options{Transport: rec.Layer(m), Now: m.Now})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.log")
	out, err := command.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	log := zerolog.New(out)
	store, err := state.Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	remembered := &history.Recorder{Store: store, Log: log}
	source := remembered.Source(recording.Tee(mapreduce.NewSource(client, yarn.Target{}), recording.Compress(&taped)))
	meter := metrics.New(metrics.Options{Every: every, Now: clock})
	sinks := notify.New(notify.Config{
		Inline: true, Now: clock, Log: log,
		Sinks: []*notify.Sink{notify.DryRun(notify.NoTarget, io.Discard)},
	}).Watch(nil)
	defer sinks.Close()
	scenarios, err := follow.ParseBattery("all")
	if err != nil {
		t.Fatal(err)
	}
	stepper := watch.Watch{
		Source:     source,
		Estimators: follow.EstimatorSetOf(cost.Costs, scenarios, fixtures.Long(20, 64)),
		Sinks:      []watch.Sink{meter, remembered, view.NDJSON{Writer: &frames}},
		Bounds:     session.Bounds, Recall: sinks.Recall, Keep: sinks.Keep, Over: remembered.Over, Every: every, Log: log,
	}
	kept, ticks := map[int]uint64{}, 0
	for hour := range 12 {
		for range int(time.Hour / every) {
			if err := m.Advance(ctx, m.Now().Add(every)); err != nil {
				t.Fatal(err)
			}
			if over, err := stepper.Step(ctx); over || err != nil {
				t.Fatalf("in hour %d: %v", hour+1, err)
			}
			ticks++
			log.Info().Int("tick", ticks).Msg("observed")
		}
		kept[hour+1] = retained()
		if err := os.Rename(path, fmt.Sprintf("%s.%02d", path, hour)); err != nil {
			t.Fatal(err)
		}
	}
	checkRetained(t, kept)
	t.Logf("bytes a tick: observations %d, ndjson %d, answers %d", taped.n/int64(ticks), frames.n/int64(ticks),
		raw.n/int64(ticks))
	files, err := filepath.Glob(path + ".*")
	if err != nil || len(files) != 12 {
		t.Fatalf("%v, %v", files, err)
	}
	lines := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(b, []byte(`"observed"`))
	}
	if lines != ticks {
		t.Errorf("%d of %d lines are in the log", lines, ticks)
	}
	runtime.KeepAlive(stepper)
}
