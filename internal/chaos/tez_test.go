package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A tezCluster is a cluster that runs one DAG.
type tezCluster struct {
	name  string
	id    string
	start dag.Instant
	ended dag.Instant
	serve func(t *testing.T) server
}

// recordedTez plays the recording that stands beside the source.
func recordedTez(t *testing.T) *tezCluster {
	t.Helper()
	const file = "../../adapters/tez/testdata/skew-3.jsonl.gz"
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	return &tezCluster{
		name: "skew-3", id: "dag_1795367695478_0001_1", start: 1795367702384 + 1000, ended: rec.Last,
		serve: func(*testing.T) server {
			p := tez.NewPlayer(rec)
			return server{p, p.Seek}
		},
	}
}

// TestChaosTez: under every fault plan a DAG is observed to the same end, with the same totals, and no work counts as
// lost on the way.
func TestChaosTez(t *testing.T) {
	worlds := []*tezCluster{recordedTez(t)}
	for i, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			calm := w.watch(t, FaultPlan{})
			if last := calm[len(calm)-1]; last.State != dag.Succeeded || len(last.Jobs[0].Stages) < 2 {
				t.Fatalf("without faults it ends %v", last.State)
			}
			plausibleTez(t, calm)
			eachSeed(t, i, len(worlds), func(t *testing.T, plan FaultPlan) {
				got := w.watch(t, plan)
				plausibleTez(t, got)
				last, end := got[len(got)-1], calm[len(calm)-1]
				if last.State != end.State || last.Plan.Name != end.Plan.Name ||
					len(last.Jobs[0].Stages) != len(end.Jobs[0].Stages) {
					t.Errorf("%v: it ended %v, else %v", plan, last.State, end.State)
				}
				if plan.Rate >= 0.5 {
					return // without a response for two minutes after the end the files are not read
				}
				if is, was := tezTotals(last), tezTotals(end); is != was {
					t.Errorf("%v\n is %s\nwas %s", plan, is, was)
				}
				// an old answer about the vertices may be all there is
				if off := last.Jobs[0].Finished.Sub(end.Jobs[0].Finished); off.Abs() > every {
					t.Errorf("%v: it ended %v later", plan, off)
				}
			})
		})
	}
}

// watch sees a DAG to its end under a fault plan, in a bubble's time.
func (w *tezCluster) watch(t *testing.T, plan FaultPlan) (out []*dag.Snapshot) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		below, began := w.serve(t), time.Now()
		bad := New(dated{below, w.start, began}, plan)
		client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://localhost:8088"}}, JHS: "http://jhs:19888"},
			rest.Options{Transport: bad, Total: 2 * time.Second, MaxBody: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		src := tez.NewSource(client, yarn.Target{ID: w.id})
		for {
			now := w.start.Add(time.Since(began))
			below.seek(min(now, w.ended))
			if now > w.ended.Add(10*time.Minute) {
				bad.Clear()
			}
			if now > w.ended.Add(30*time.Minute) {
				t.Fatalf("not over %v after the end, %d snapshots", now.Sub(w.ended), len(out))
			}
			s, err := src.Next(context.Background())
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				out = append(out, s)
			}
			time.Sleep(every - time.Since(began)%every)
		}
	})
	return out
}

// plausibleTez holds each snapshot against the one before: time goes on, what has succeeded stays so, no attempt is
// lost, numbers are of tasks that there are.
func plausibleTez(t *testing.T, run []*dag.Snapshot) {
	t.Helper()
	before := map[string]int{}
	for i, s := range run {
		if t.Failed() {
			return
		}
		if i > 0 && s.At < run[i-1].At {
			t.Errorf("at %v after %v", s.At, run[i-1].At)
		}
		if s.State.Ended() != (i == len(run)-1) {
			t.Errorf("snapshot %d of %d: %v", i, len(run), s.State)
		}
		// before the first answer of metrics
		if err := dag.Validate(s.Plan); err != nil && s.Plan.Cluster.MemoryMB > 0 {
			t.Errorf("at %v: %v", s.At, err)
		}
		for k := range s.Jobs[0].Stages {
			name, st := s.Plan.Jobs[0].Stages[k].Name, &s.Jobs[0].Stages[k]
			if n := st.Succeeded(); n < before[name] || s.Plan.Jobs[0].Stages[k].Known &&
				n > s.Plan.Jobs[0].Stages[k].Tasks {
				t.Errorf("at %v: %d of %s have succeeded, were %d", s.At, n, name, before[name])
			} else {
				before[name] = n
			}
			for _, a := range st.Attempts {
				if a.State == dag.AttemptFailed || a.State == dag.AttemptKilled {
					t.Errorf("at %v: %s %d is %v: it never was", s.At, name, a.Task, a.State)
				}
			}
		}
	}
}

// tezTotals is the outcome of a DAG.
func tezTotals(s *dag.Snapshot) string {
	out := fmt.Sprintf("%v;", s.State)
	for k := range s.Jobs[0].Stages {
		read, wrote := 0.0, 0.0
		for _, a := range s.Jobs[0].Stages[k].Attempts {
			if !math.IsNaN(a.Done[0]) {
				read += a.Done[0]
			}
			if !math.IsNaN(a.Out) {
				wrote += a.Out
			}
		}
		out += fmt.Sprintf(" %s %d, read %v, wrote %v;", s.Plan.Jobs[0].Stages[k].Name, s.Jobs[0].Stages[k].Succeeded(),
			read, wrote)
	}
	return out
}
