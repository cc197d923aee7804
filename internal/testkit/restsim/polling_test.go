package restsim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

const start = dag.Instant(1_795_222_440_184)

// bigJob is one job of n tasks on a cluster of width containers: maps of about 40 s, a tenth of them reduces.
func bigJob(n, width int) *dag.Plan {
	pipe := func(tuples, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(alpha)}
	}
	reduces := n / 10
	return &dag.Plan{
		Name: "big.pig",
		Cluster: dag.Cluster{
			Policy: dag.YARN, MemoryMB: 1024*width + 512, Setup: 2 * time.Second,
			Nodes: []dag.Node{{Name: "n0:8042", MemoryMB: 1024*width + 512}},
		},
		Overheads: dag.Overheads{
			Launch: 6 * time.Second, AMStart: 3 * time.Second, Finish: time.Second,
			AMHold: 5 * time.Second,
		},
		Jobs: []dag.Job{{
			Node: "j1", Name: "big", MasterMB: 512, MapReduce: dag.MapReduceLimits{
				MapMB: 1024, ReduceMB: 1024, SlowStart: 0.05,
				RampUp: 0.5,
			},
			Stages: dag.MapReduce(dag.Stage{
				Tasks: n - reduces, Known: true, Pipelines: []dag.Pipeline{pipe(4000, 10)},
				Out: dag.Uniform(4000), Bytes: dag.Uniform(1e6),
			},
				dag.Stage{Tasks: reduces, Known: true, Pipelines: []dag.Pipeline{
					pipe(float64(n-reduces), 0),
					pipe(0, 0), pipe(3000, 10),
				}, Out: dag.Uniform(3000), Bytes: dag.Uniform(1e6)}),
		}},
	}
}

// play returns a cluster that plays the plan.
func play(t testing.TB, p *dag.Plan, o simulate.Options) *Cluster {
	t.Helper()
	o.Start = start
	run, err := simulate.New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// watcher returns a source that looks at the cluster, and the client below it.
func watcher(t testing.TB, c *Cluster, target yarn.Target) (*mapreduce.Source, *meter) {
	t.Helper()
	m := &meter{cluster: c}
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
		rest.Options{Transport: m, Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	return mapreduce.NewSource(client, target), m
}

// A meter counts requests, the bytes of their answers, and the most requests under way. It keeps each path with its
// time by the cluster's clock.
type meter struct {
	cluster                         *Cluster
	requests, bytes, underWay, most atomic.Int64
	mu                              sync.Mutex
	questions                       []question
}

type question struct {
	at   dag.Instant
	path string
}

func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	m.requests.Add(1)
	m.mu.Lock()
	m.questions = append(m.questions, question{m.cluster.Now(), r.URL.Path})
	m.mu.Unlock()
	n := m.underWay.Add(1)
	for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
	}
	resp, err := m.cluster.RoundTrip(r)
	if err != nil {
		m.underWay.Add(-1)
		return nil, err
	}
	m.bytes.Add(resp.ContentLength)
	resp.Body = metered{resp.Body, m}
	return resp, nil
}

type metered struct {
	io.ReadCloser
	meter *meter
}

func (b metered) Close() error {
	b.meter.underWay.Add(-1)
	return b.ReadCloser.Close()
}

// watch ticks until the source ends, and calls see after each tick. After limit of virtual time it fails.
func watch(t testing.TB, c *Cluster, src *mapreduce.Source, every, limit time.Duration,
	see func(*dag.Snapshot, error),
) {
	t.Helper()
	ctx := context.Background()
	for end := c.Now().Add(limit); ; {
		s, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		see(s, err)
		if c.Now() > end {
			t.Fatalf("not over after %v", limit)
		}
		if err := c.Advance(ctx, c.Now().Add(every)); err != nil {
			t.Fatal(err)
		}
	}
}

// naive sends the requests of the crudest watcher in a tick (issue section 5): for each running job jobs/J, tasks, and
// for every task attempts and counters. It returns the bytes of the answers.
func naive(t testing.TB, c *Cluster) (bytes int64) {
	t.Helper()
	get := func(path string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://rm:8088"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", path, resp.Status)
		}
		bytes += resp.ContentLength
	}
	s := c.Snapshot()
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.State != dag.Running {
			continue
		}
		suffix := strings.TrimPrefix(j.ID, "job_")
		base := "/proxy/application_" + suffix + "/ws/v1/mapreduce/jobs/" + j.ID
		get(base)
		get(base + "/tasks")
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for n := range s.Plan.Jobs[i].Stages[k].Count() {
				task := fmt.Sprintf("%s/tasks/task_%s_%c_%06d", base, suffix, letters[k], n)
				get(task + "/attempts")
				get(task + "/counters")
			}
		}
	}
	return bytes
}

// A traffic has the requests and bytes of a watch.
type traffic struct {
	ticks, naive, ours, requests, most int64
}

func (c traffic) String() string {
	return fmt.Sprintf("%d ticks: naive %d MB (%d KB a tick), ours %d MB (%d KB, %d requests a tick): 1/%.1f",
		c.ticks, c.naive>>20, c.naive>>10/c.ticks, c.ours>>20, c.ours>>10/c.ticks, c.requests/c.ticks,
		float64(c.naive)/float64(c.ours))
}

// measure watches a run of n tasks to its end. Naive polling runs in every sample-th tick only; it takes a while.
func measure(t testing.TB, n, width int, every time.Duration, shuffle bool, sample int64) (traffic, *Cluster, *meter) {
	t.Helper()
	opt := simulate.Options{Every: every, Seed: 1, Noise: 0.2, Know: simulate.Nothing, Shuffle: shuffle}
	cluster, crude := play(t, bigJob(n, width), opt), play(t, bigJob(n, width), opt)
	src, counted := watcher(t, cluster, yarn.Target{})
	var c traffic
	sampled, samples := int64(0), int64(0)
	watch(t, cluster, src, every, 24*time.Hour, func(s *dag.Snapshot, err error) {
		if _, ok := errors.AsType[*yarn.NoWorkflowError](err); ok {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.ticks++; c.ticks%sample == 0 {
			if err := crude.Advance(context.Background(), cluster.Now()); err != nil {
				t.Fatal(err)
			}
			sampled += naive(t, crude)
			samples++
		}
	})
	c.naive = sampled / max(1, samples) * c.ticks
	c.ours, c.requests, c.most = counted.bytes.Load(), counted.requests.Load(), counted.most.Load()
	return c, cluster, counted
}

// TestPollingCost: on a 10,000-task job our polling costs at most a tenth of the bytes of naive polling, in all: the
// ResourceManager's answers, the conf and the last look in the history server are on our side only.
func TestPollingCost(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: plays runs of 10,000 tasks")
	}
	all := []struct {
		width   int
		every   time.Duration
		shuffle bool
	}{
		{300, 20 * time.Second, true},
		{1000, 5 * time.Second, false},
	}
	for _, c := range all[:fixtures.Long(1, len(all))] {
		t.Run(fmt.Sprintf("%d containers, every %v", c.width, c.every), func(t *testing.T) {
			got, cluster, polled := measure(t, 10_000, c.width, c.every, c.shuffle, int64(fixtures.Long(60, 10)))
			t.Log(got)
			if got.ours*10 > got.naive {
				t.Errorf("ours are more than a tenth: %d of %d bytes", got.ours, got.naive)
			}
			if got.most > 4 {
				t.Errorf("%d requests under way", got.most)
			}
			checkRequests(t, cluster, polled)
		})
	}
}

// BenchmarkPolling gives the table of docs/evidence/benchmarks.md: the ratio to naive polling by number of tasks and
// containers.
func BenchmarkPolling(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		for _, width := range []int{n / 100, n / 20, n / 5} {
			b.Run(fmt.Sprintf("%d tasks, %d containers", n, width), func(b *testing.B) {
				for b.Loop() {
					c, _, _ := measure(b, n, width, 5*time.Second, false, 25)
					b.ReportMetric(float64(c.naive)/float64(c.ours), "naive/ours")
					b.ReportMetric(float64(c.ours/c.ticks), "B/tick")
					b.ReportMetric(float64(c.requests/c.ticks), "requests/tick")
				}
			})
		}
	}
}

// checkRequests checks the rules of polling: no request twice in a tick, the conf once a job, attempts and counters
// of tasks that run, and of each once more when it has ended.
func checkRequests(t *testing.T, c *Cluster, m *meter) {
	t.Helper()
	seen := map[question]bool{}
	after := map[string]int{}
	ends := map[string]dag.Instant{}
	s := c.Snapshot()
	for i := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[i].Stages[k].Attempts {
				ends[fmt.Sprintf("task_%s_%c_%06d", strings.TrimPrefix(s.Jobs[i].ID, "job_"), letters[k], a.Task)] = a.End
			}
		}
	}
	if len(ends) == 0 {
		t.Fatal("no tasks: nothing is checked")
	}
	confs, details := 0, 0
	for _, q := range m.questions {
		if seen[q] {
			t.Errorf("%s: got two requests at %d", q.path, q.at)
		}
		seen[q] = true
		part := strings.Split(q.path, "/")
		switch last := part[len(part)-1]; last {
		case "conf":
			confs++
		case "attempts", "counters":
			details++
			if q.at >= ends[part[len(part)-2]] {
				if after[q.path]++; after[q.path] > 1 {
					t.Errorf("%s: got another request at %d, %v after its end", q.path, q.at,
						q.at.Sub(ends[part[len(part)-2]]))
				}
			}
		}
	}
	if confs != len(s.Jobs) || details == 0 {
		t.Errorf("%d confs of %d jobs, %d times attempts or counters", confs, len(s.Jobs), details)
	}
}

// TestErrorOfSamples measures the loss of accuracy if a tick polls a sample of the running tasks (ParaTimer,
// section 3.1.4). The estimates from all counters are those of the simulator's own snapshots.
func TestErrorOfSamples(t *testing.T) {
	t.Parallel()
	const every = 5 * time.Second
	for _, width := range []int{200, 1000, 2000}[:fixtures.Long(1, 3)] {
		opt := simulate.Options{Every: every, Seed: 1, Noise: 0.2, Know: simulate.Nothing}
		cluster := play(t, bigJob(6*width, width), opt)
		src, traffic := watcher(t, cluster, yarn.Target{})
		var sampled, whole judged
		ticks := int64(0)
		watch(t, cluster, src, every, 24*time.Hour, func(s *dag.Snapshot, err error) {
			if err == nil {
				ticks++
				sampled.add(s)
				whole.add(cluster.Snapshot())
			}
		})
		few, fewWorst := sampled.errors()
		all, allWorst := whole.errors()
		t.Logf("%d containers: %d requests a tick, %.1f / %.1f points; from all counters %.1f / %.1f",
			width, traffic.requests.Load()/ticks, few, fewWorst, all, allWorst)
		if few > all+2 {
			t.Errorf("%d containers: the sample costs %.1f points", width, few-all)
		}
	}
}

// A judged run has the ends that the standard estimate gave.
type judged struct {
	run  dag.Run
	at   []dag.Instant
	ends []dag.Instant
}

func (j *judged) add(s *dag.Snapshot) {
	j.run = j.run.Append(s)
	e, err := estimators.New(estimators.Scenarios()[0], cost.Costs, estimators.Options{}).Estimate(j.run)
	if err == nil && e.Remaining != nil {
		j.at, j.ends = append(j.at, s.At), append(j.ends, s.At.Add(*e.Remaining))
	}
}

// errors returns the mean and the largest error of progress in percentage points.
func (j *judged) errors() (mean, worst float64) {
	last := j.run.Now()
	began := last.Jobs[0].Submitted
	for i, at := range j.at {
		past := float64(at - began)
		off := 100 * math.Abs(past/float64(j.ends[i]-began)-past/float64(last.At-began))
		mean, worst = mean+off/float64(len(j.at)), max(worst, off)
	}
	return mean, worst
}
