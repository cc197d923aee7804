package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A sparkCluster is a driver that runs one application, and a history server that has it afterwards.
type sparkCluster struct {
	name            string
	file            string
	driver, history string // addresses in the recording
}

func sparkWorlds() []*sparkCluster {
	const folder = "../../adapters/spark/testdata/"
	return []*sparkCluster{
		{name: "skew-3", file: folder + "skew-3.jsonl.gz", driver: "127.0.0.1:14050", history: "127.0.0.1:18480"},
		{name: "fetch-3", file: folder + "fetch-3.jsonl.gz", driver: "127.0.0.1:14052", history: "127.0.0.1:18480"},
	}
}

// TestChaosSpark: under every fault plan an application is seen to the same end, with the same totals, and on the way
// nothing that has ended runs again.
func TestChaosSpark(t *testing.T) {
	worlds := sparkWorlds()
	for i, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			calm := w.watch(t, FaultPlan{})
			if last := calm[len(calm)-1]; last.State != dag.Succeeded || len(last.Jobs[0].Stages) < 2 {
				t.Fatalf("without faults it ends %v", last.State)
			}
			plausibleSpark(t, calm)
			eachSeed(t, i, len(worlds), func(t *testing.T, plan FaultPlan) {
				got := w.watch(t, plan)
				plausibleSpark(t, got)
				last, end := got[len(got)-1], calm[len(calm)-1]
				// Where answers of the history server are old or none for long, the end may be unknown.
				if last.State != end.State && (last.State != dag.EndedUnconfirmed || plan.Rate < 0.2) {
					t.Errorf("%v: it ended %v, else %v", plan, last.State, end.State)
				}
				if last.Plan.Name != end.Plan.Name {
					t.Errorf("%v: it is called %q, else %q", plan, last.Plan.Name, end.Plan.Name)
				}
				if is, was := sparkTotals(last), sparkTotals(end); plan.Rate < 0.1 && is != was {
					t.Errorf("%v\n is %s\nwas %s", plan, is, was)
				}
			})
		})
	}
}

// watch sees an application to its end under a fault plan, in a bubble's time.
func (w *sparkCluster) watch(t *testing.T, plan FaultPlan) (out []*dag.Snapshot) {
	t.Helper()
	player := openSpark(t, w.file, w.driver, w.history)
	start := dag.Instant(player.all[sparkDriver+"/api/v1/applications"][0].At)
	ended := player.last[sparkDriver]
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		bad := New(dated{player, start, began}, plan)
		client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}},
			rest.Options{Transport: bad, Total: 2 * time.Second, MaxBody: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		src := spark.NewSource(spark.AtAddress(client.Client, "http://"+sparkDriver, "http://"+sparkHistory), "")
		for {
			now := start.Add(time.Since(began))
			player.seek(now)
			if now > ended.Add(10*time.Minute) {
				bad.Clear()
			}
			if now > ended.Add(30*time.Minute) {
				t.Fatalf("not over %v after the end, %d snapshots", now.Sub(ended), len(out))
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

// plausibleSpark holds each snapshot against the one before: time goes on, the end is the last one, and numbers are of
// tasks that there are.
func plausibleSpark(t *testing.T, run []*dag.Snapshot) {
	t.Helper()
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
		// before an executor has come
		if err := dag.Validate(s.Plan); err != nil && s.Plan.Cluster.Cores > 0 {
			t.Errorf("at %v: %v", s.At, err)
		}
		for k := range s.Jobs[0].Stages {
			if st, n := &s.Plan.Jobs[0].Stages[k], s.Jobs[0].Stages[k].Succeeded(); st.Known && n > st.Tasks {
				t.Errorf("at %v: %d of %d tasks of %s have succeeded", s.At, n, st.Tasks, st.Name)
			}
		}
	}
}

// sparkTotals is the outcome of an application.
func sparkTotals(s *dag.Snapshot) string {
	out := fmt.Sprintf("%v;", s.State)
	for k := range s.Jobs[0].Stages {
		out += fmt.Sprintf(" %s %d;", s.Plan.Jobs[0].Stages[k].Name, s.Jobs[0].Stages[k].Succeeded())
	}
	return out
}
