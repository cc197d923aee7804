package restsim

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// Crowd is n runs of a plan on one cluster, begun one after the other within the time that went before now.
func Crowd(t testing.TB, plan string, n int, now dag.Instant, before time.Duration) *Cluster {
	t.Helper()
	m := Empty(now)
	for i := range n {
		p, err := planfile.ReadFile(plan, planfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Name = fmt.Sprintf("nightly_%d.pig", i)
		age := time.Duration(i) * before / time.Duration(n)
		run, err := simulate.New(p, simulate.Options{
			Seed: uint64(i), Noise: 0.2, Know: simulate.Nothing, Every: 3 * time.Second, Start: now.Add(-age) +
				dag.Instant(i%1000),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Add(context.Background(), run); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// Questions counts what is asked of a cluster, by the second.
type Questions struct {
	mu       sync.Mutex
	managers int // to the ResourceManager itself, not through its proxy
	seconds  map[int64]int
}

func (a *Questions) count(r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seconds == nil {
		a.seconds = map[int64]int{}
	}
	if strings.HasPrefix(r.URL.Path, "/ws/v1/cluster/") {
		a.managers++
	}
	a.seconds[time.Now().Unix()]++
}

// Counts returns how many questions there were, those to the ResourceManager itself, and the most of all in a second.
func (a *Questions) Counts() (all, managers, most int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.seconds {
		all, most = all+n, max(most, n)
	}
	return all, a.managers, most
}

// ServeCrowd plays a crowd over a socket, at the pace of the real clock times speed.
func ServeCrowd(t testing.TB, m *Cluster, speed float64) string {
	t.Helper()
	return ServeCounted(t, m, &Questions{}, speed)
}

// ServeCounted is ServeCrowd that counts requests.
func ServeCounted(t testing.TB, m *Cluster, a *Questions, speed float64) string {
	t.Helper()
	from, began := m.Now(), time.Now()
	return serve(t, m, a, metrics, func() dag.Instant {
		return from.Add(time.Duration(speed * float64(time.Since(began))))
	})
}

// ServeSteps plays a crowd over a socket. Each poll advances it by a step, so that a busy machine misses nothing of it.
func ServeSteps(t testing.TB, m *Cluster, step time.Duration) string {
	t.Helper()
	return serve(t, m, &Questions{}, metrics, func() dag.Instant { return m.Now().Add(step) })
}

// Paths that a poll requests once.
const (
	metrics      = "/ws/v1/cluster/metrics" // of a crowd
	applications = "/ws/v1/cluster/apps"    // of one query
)

// serve plays a cluster over a socket. It brings the cluster to the instant now at each request for a path.
func serve(t testing.TB, m *Cluster, a *Questions, path string, now func() dag.Instant) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.count(r)
		if r.URL.Path == path {
			err := m.Advance(r.Context(), now())
			if err != nil && r.Context().Err() == nil { // the client may have been killed
				t.Error(err)
			}
		}
		m.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// SomeDay is when simulated runs of tests start.
var SomeDay = dag.InstantOf(time.Date(2010, 6, 6, 9, 0, 0, 0, time.UTC))

// HadoopServer simulates a run of a plan behind Hadoop's REST services. Each request for the list of applications
// advances it by ten seconds.
func HadoopServer(t *testing.T, plan string, opt simulate.Options) string {
	t.Helper()
	p, err := planfile.ReadFile(plan, planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Start, opt.Every = SomeDay, time.Second
	run, err := simulate.New(p, opt)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := New(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, cluster, &Questions{}, applications, func() dag.Instant {
		return cluster.Now().Add(10 * time.Second)
	})
}
