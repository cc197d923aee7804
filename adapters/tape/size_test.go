package tape

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// large is 100,000 tasks that keep 1,000 map slots and 1,000 reduce slots busy for an hour; or some of them.
func large(t testing.TB, share int, o simulate.Options) Source {
	t.Helper()
	pipe := func(n, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(n), Alpha: dag.Uniform(alpha)}
	}
	o.Start = 1_795_222_440_184
	src, err := simulate.New(&dag.Plan{
		Name:    "large",
		Cluster: dag.Cluster{MapSlots: 1000, ReduceSlots: 1000, SlotsPerNode: 4, Setup: time.Second},
		Jobs: []dag.Job{{
			Node: "j1",
			Map:  dag.Phase{Known: true, Tasks: 70_000 / share, Pipelines: []dag.Pipeline{pipe(100_000, 0.35)}, Out: dag.Uniform(90_000), Bytes: dag.Uniform(1e8)},
			Reduce: dag.Phase{
				Known: true, Tasks: 30_000 / share, Pipelines: []dag.Pipeline{pipe(50_000, 0.1), pipe(50_000, 0.05), pipe(50_000, 0.5)},
				Out: dag.Uniform(1000), Bytes: dag.Uniform(5e7),
			},
		}},
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

type counter struct{ bytes, lines int }

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += len(b)
	c.lines++
	return len(b), nil
}

// A query of 100,000 tasks of different lengths watched for an hour at 5 s stays below 50 MB, unzipped. A wave of equal tasks
// takes a few bytes a tick, however wide it is.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("an hour of 100,000 tasks takes seconds")
	}
	for _, c := range []struct {
		name  string
		share int
		opt   simulate.Options
		limit int
	}{
		{"noise", 1, simulate.Options{Seed: 1, Noise: 0.2, FailRate: 0.1, Know: simulate.Nothing}, 50e6},
		{"uniform", 10, simulate.Options{}, 300e3},
	} {
		var w counter
		tee := Tee(large(t, c.share, c.opt), &w)
		var last *dag.Snapshot
		for {
			s, err := tee.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			last = s
		}
		if last.State != dag.Succeeded || len(last.Warnings) > 0 {
			t.Fatalf("%s: the run ends %v, %v", c.name, last.State, last.Warnings)
		}
		t.Logf("%s: %.1f MB in %d lines for %v", c.name, float64(w.bytes)/1e6, w.lines, last.At.Sub(last.Origin()))
		if w.bytes > c.limit {
			t.Errorf("%s: %d bytes, more than %d", c.name, w.bytes, c.limit)
		}
	}
}
