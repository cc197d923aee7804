package live

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/examples"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A flaky source misses every seventh observation: it answers with an error, and with the snapshot the next time.
type flaky struct {
	watch.Source
	calls   int
	pending *dag.Snapshot
}

func (f *flaky) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s := f.pending; s != nil {
		f.pending = nil
		return s, nil
	}
	s, err := f.Source.Next(ctx)
	if f.calls++; err == nil && f.calls%7 == 0 {
		f.pending = s
		return nil, &dag.MissedError{At: s.At - 10, Err: errors.New("connection reset by peer")}
	}
	return s, err
}

// frames watches a source and returns its frames as NDJSON.
func frames(t *testing.T, src watch.Source) []byte {
	t.Helper()
	scenarios, err := follow.ParseBattery("all")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := watch.Watch{
		Source: src, Estimators: follow.EstimatorSetOf(cost.Costs, scenarios, 20),
		Sinks: []watch.Sink{view.NDJSON{Writer: &out}}, Bounds: session.Bounds, Log: zerolog.Nop(),
	}
	if _, err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestLiveEqualsReplay checks that a run watched live and the same run replayed from its tape give the same bytes,
// missed observations included.
func TestLiveEqualsReplay(t *testing.T) {
	t.Parallel()
	sources := map[string]func(t *testing.T) watch.Source{
		"simulated": func(t *testing.T) watch.Source {
			plan, err := planfile.Read(bytes.NewReader(examples.Paper), planfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			src, err := simulate.New(plan, simulate.Options{
				Seed: 7, Know: simulate.Nothing, Noise: 0.05, FailRate: 2,
				Every: 20 * time.Second,
			})
			if err != nil {
				t.Fatal(err)
			}
			return src
		},
		"join-1":   recorded("join-1"),
		"report-1": recorded("report-1"),
		"tapped":   tapped("quadratic-1"),
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			var recorded bytes.Buffer
			live := frames(t, recording.Tee(&flaky{Source: source(t)}, &recorded))
			reader, err := recording.NewReader(&recorded)
			if err != nil {
				t.Fatal(err)
			}
			replay := frames(t, reader)
			if n := bytes.Count(live, []byte("\n")); n < 20 || bytes.Count(live, []byte(`"code":"stale"`)) < n/10 {
				t.Fatalf("%d frames, %d of them stale: too few", n, bytes.Count(live, []byte(`"code":"stale"`)))
			}
			a, b := bytes.Split(live, []byte("\n")), bytes.Split(replay, []byte("\n"))
			for i := range min(len(a), len(b)) {
				if !bytes.Equal(a[i], b[i]) {
					t.Fatalf("frame %d:\n%s", i+1, Difference(a[i], b[i]))
				}
			}
			if len(a) != len(b) {
				t.Errorf("%d frames live, %d replayed", len(a)-1, len(b)-1)
			}
		})
	}
}

func recorded(name string) func(t *testing.T) watch.Source {
	return func(t *testing.T) watch.Source {
		path := fixtures.Recording(name + ".jsonl.zst")
		src, err := input.OpenRecording(path, recording.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
}
