package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// A cluster runs by the bubble's clock.
type cluster struct {
	name  string
	open  func(t *testing.T) // before anything else
	start dag.Instant
	ended dag.Instant // the last change
	app   string      // the first application of the workflow
	serve func() server
}

// A server responds as of an instant.
type server struct {
	http.RoundTripper
	seek func(dag.Instant)
}

func recordedWorlds(t *testing.T) []*cluster {
	t.Helper()
	files, err := fixtures.Recordings("recordings")
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*cluster, len(files))
	for i, f := range files {
		w := &cluster{name: fixtures.Name(f)}
		all[i] = w
		w.open = func(t *testing.T) { w.read(t, f) }
	}
	return all
}

// read has the cluster play a recording. The workflow is the one that the capture adapter would choose.
func (w *cluster) read(t *testing.T, file string) {
	t.Helper()
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	src, err := engine.Replay(rec, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.ended = rec.Last
	w.serve = func() server {
		p := tez.NewPlayer(rec)
		return server{p, p.Seek}
	}
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if w.app == "" {
			w.start = s.At
		}
		for i := range s.Jobs {
			if id := s.Jobs[i].ID; id != "" && s.Jobs[i].Submitted == s.Origin() {
				w.app = "application" + id[len("job"):]
			}
		}
	}
}

const every = 3 * time.Second

// dated sets the date of each response to now.
type dated struct {
	next  http.RoundTripper
	start dag.Instant
	began time.Time
}

func (d dated) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(r)
	if err == nil {
		resp.Header.Set("Date", d.start.Add(time.Since(d.began)).Time().UTC().Format(http.TimeFormat))
	}
	return resp, err
}

// simulatedCluster runs a script of three jobs. No master fails.
func simulatedCluster(t *testing.T, seed uint64) *cluster {
	t.Helper()
	begin := dag.Instant(1_795_222_440_184)
	pipe := func(tuples, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(alpha)}
	}
	job := func(node string, maps, reduces int, after ...int) dag.Job {
		return dag.Job{
			Node: node, Name: "PigLatin:sim.pig", After: after, MasterMB: 512, MapReduce: dag.MapReduceLimits{
				MapMB: 256, ReduceMB: 256,
				SlowStart: 0.05, RampUp: 0.5,
			},
			Stages: dag.MapReduce(dag.Stage{
				Tasks: maps, Known: true, Pipelines: []dag.Pipeline{pipe(900, 20)},
				Out: dag.Uniform(900), Bytes: dag.Uniform(1e6),
			},
				dag.Stage{Tasks: reduces, Known: true, Pipelines: []dag.Pipeline{
					pipe(float64(maps), 0), pipe(0, 0),
					pipe(700, 20),
				}, Out: dag.Uniform(300), Bytes: dag.Uniform(1e5)}),
		}
	}
	plan := &dag.Plan{
		Name: "sim.pig", Cluster: dag.Cluster{
			Policy: dag.YARN, MemoryMB: 3072, Setup: 2 * time.Second,
			Nodes: []dag.Node{{Name: "n0:8042", MemoryMB: 3072}},
		},
		Overheads: dag.Overheads{
			Launch: 6 * time.Second, AMStart: 3 * time.Second, Finish: time.Second,
			AMHold: 5 * time.Second,
		},
		Jobs: []dag.Job{job("scope-1", 20, 6), job("scope-2", 7, 4), job("scope-3", 10, 6, 0, 1)},
	}
	w := &cluster{name: fmt.Sprint("simulated-", seed), start: begin}
	open := func() *restsim.Cluster {
		run, err := simulate.New(plan, simulate.Options{
			Seed: seed, Noise: 0.3, Know: simulate.Nothing,
			Every: time.Second, Start: begin,
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := restsim.New(context.Background(), run)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	w.open = func(t *testing.T) {
		c := open()
		for w.ended = begin; !c.Snapshot().State.Ended(); w.ended = w.ended.Add(time.Second) {
			if err := c.Advance(t.Context(), w.ended); err != nil {
				t.Fatal(err)
			}
		}
		w.app = "application" + c.Snapshot().Jobs[0].ID[len("job"):]
	}
	w.serve = func() server {
		c := open()
		return server{c, func(at dag.Instant) {
			if err := c.Advance(context.Background(), at); err != nil {
				t.Error(err)
			}
		}}
	}
	return w
}

// A watched run has the snapshots of a cluster.
type watched struct {
	run       []*dag.Snapshot
	missed    int
	done      map[Fault]int
	responses *responses
}

func (w watched) last() *dag.Snapshot { return w.run[len(w.run)-1] }

// watch observes a cluster to its workflow's end under a fault plan, in a bubble's time. Some minutes after the end
// there are no more faults.
func (w *cluster) watch(t *testing.T, plan FaultPlan) (out watched) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		below, began := w.serve(), time.Now()
		out.responses = newResponses(dated{below, w.start, began})
		bad := New(out.responses, plan)
		client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
			rest.Options{Transport: bad, Total: 2 * time.Second, MaxBody: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		src := mapreduce.NewSource(client, yarn.Target{ID: w.app})
		for n := 0; ; n++ {
			now := w.start.Add(time.Since(began))
			below.seek(now)
			if now > w.ended.Add(10*time.Minute) {
				bad.Clear()
			}
			if now > w.ended.Add(20*time.Minute) {
				t.Fatalf("not over %v after the end, %d snapshots", now.Sub(w.ended), len(out.run))
			}
			s, err := src.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				out.run = append(out.run, s)
			} else {
				out.missed++
			}
			time.Sleep(every - time.Since(began)%every)
		}
		out.done = bad.Done()
	})
	return out
}
