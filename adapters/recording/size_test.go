package recording

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
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
			Stages: dag.MapReduce(dag.Stage{
				Known: true, Tasks: 70_000 / share,
				Pipelines: []dag.Pipeline{pipe(100_000, 0.35)}, Out: dag.Uniform(90_000), Bytes: dag.Uniform(1e8),
			},
				dag.Stage{
					Known: true, Tasks: 30_000 / share, Pipelines: []dag.Pipeline{
						pipe(50_000, 0.1), pipe(50_000, 0.05),
						pipe(50_000, 0.5),
					},
					Out: dag.Uniform(1000), Bytes: dag.Uniform(5e7),
				}),
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

// A query of 100,000 tasks of different lengths watched for an hour at 5 s stays below 50 MB, unzipped, and a tenth of
// it below a tenth. A wave of equal tasks takes a few bytes a tick, however wide it is.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("an hour of 100,000 tasks takes seconds")
	}
	part := fixtures.Long(10, 1)
	for _, c := range []struct {
		name  string
		share int
		opt   simulate.Options
		limit int
	}{
		{"noise", part, simulate.Options{Seed: 1, Noise: 0.2, FailRate: 0.1, Know: simulate.Nothing}, 50e6 / part},
		{"uniform", 10, simulate.Options{}, 300e3},
	} {
		var w counter
		file := Compress(&w)
		tee := Tee(large(t, c.share, c.opt), file)
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
		t.Logf("%s: %.2f MB in %d writes for %v", c.name, float64(w.bytes)/1e6, w.lines, last.At.Sub(last.Origin()))
		if w.bytes > c.limit {
			t.Errorf("%s: %d bytes, more than %d", c.name, w.bytes, c.limit)
		}
	}
}

// A query of 60 tasks watched for an hour at 3 s takes less than 1 MB.
func TestSizeOfSmall(t *testing.T) {
	t.Parallel()
	pipe := dag.Pipeline{Tuples: dag.Uniform(1e6), Alpha: dag.Uniform(0.4)}
	stage := func(tasks, pipes int) dag.Stage {
		s := dag.Stage{Known: true, Tasks: tasks, Out: dag.Uniform(9e5), Bytes: dag.Uniform(1e8)}
		for range pipes {
			s.Pipelines = append(s.Pipelines, pipe)
		}
		return s
	}
	src, err := simulate.New(&dag.Plan{
		Cluster: dag.Cluster{MapSlots: 8, ReduceSlots: 8, SlotsPerNode: 2, Setup: time.Second},
		Jobs:    []dag.Job{{Node: "j1", Stages: dag.MapReduce(stage(48, 1), stage(12, 3))}},
	}, simulate.Options{Seed: 1, Noise: 0.2, FailRate: 1, Every: 3 * time.Second, Know: simulate.Nothing})
	if err != nil {
		t.Fatal(err)
	}
	var w counter
	ticks := 0
	for tee := Tee(src, Compress(&w)); ; ticks++ {
		if _, err := tee.Next(context.Background()); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	const hour = 1200
	t.Logf("%d bytes in %d observations", w.bytes, ticks)
	if ticks < hour || w.bytes*hour/ticks > 1e6 {
		t.Errorf("%d bytes in %d observations of 3 s", w.bytes, ticks)
	}
}

// growing is a job whose reduces finish so many points each, which are key groups, while it is watched 200 times.
type growing struct{ ticks int }

const reduces, points = 10, 10_000

func (g *growing) Next(context.Context) (*dag.Snapshot, error) {
	const start, ticks = dag.Instant(1_795_222_440_184), 200
	if g.ticks++; g.ticks > ticks {
		return nil, io.EOF
	}
	at := start + dag.Instant(5000*g.ticks)
	groups := &dag.Groups{Origin: dag.GroupsTapped, Maps: 20, Reduces: make([]dag.ReduceGroups, reduces)}
	for i := range groups.Reduces {
		r := dag.NoReduceGroups()
		r.Bytes, r.Implicit, r.Attempt = 1e9, 9e8, 0
		for n := range points * g.ticks / ticks {
			hash := uint64(n+1) * uint64(i+1) * 0x9e3779b97f4a7c15
			r.Done = append(r.Done, dag.GroupPoint{
				At: start + dag.Instant(5000*ticks/points*n), Bytes: float64(60 + hash>>52),
				Took: time.Duration(hash >> 38), Count: 1,
			})
		}
		for n := range 1000 {
			r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: float64(100*n + i), Count: 1})
		}
		groups.Reduces[i] = r
	}
	return &dag.Snapshot{
		Plan: &dag.Plan{Jobs: []dag.Job{{Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}}, At: at,
		Stale: dag.NoInstant, Jobs: []dag.JobState{{
			ID: "job_1795222440184_0001", Groups: groups,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}, nil
}

// A point of a key group takes some 27 bytes, whole lines included. Profiles that do not change are not repeated.
func TestGroupsSize(t *testing.T) {
	var w counter
	tee := Tee(&growing{}, Compress(&w))
	for {
		s, err := tee.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(s.Warnings) > 0 {
			t.Fatal(err, s.Warnings)
		}
	}
	perPoint := float64(w.bytes) / (reduces * points)
	t.Logf("%.1f bytes a point", perPoint)
	if perPoint > 30 {
		t.Errorf("%.1f bytes a point, more than 30", perPoint)
	}
}
