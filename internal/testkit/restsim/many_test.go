package restsim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestHub: each of several workflows is seen to its end by a source of a hub, jobs of later waves included, and none is
// taken for another's.
func TestHub(t *testing.T) {
	ctx := context.Background()
	m := Empty(start)
	const n = 4
	for i := range n {
		p := script()
		p.Name = "nightly.pig" // all of one name and user: only configurations distinguish them
		run, err := simulate.New(p, simulate.Options{
			Seed: uint64(i), Noise: 0.3, Know: simulate.Nothing,
			Every: 2 * time.Second, Start: start + dag.Instant(i),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Add(ctx, run); err != nil {
			t.Fatal(err)
		}
	}
	client := clientOf(t, m)
	hub := engine.NewHub(client, client)
	sources, last := map[string]recording.Source{}, map[string]*dag.Snapshot{}
	for end := m.Now().Add(2 * time.Hour); len(sources) > 0 || len(last) < n; {
		if m.Now() > end {
			t.Fatalf("not over: %d sources, %d workflows", len(sources), len(last))
		}
		if err := hub.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		for _, s := range hub.Running() {
			if s.Readable && !s.Read {
				if err := hub.Identify(ctx, s.App); err != nil {
					t.Fatal(err)
				}
			}
			if s.Read && sources[s.Workflow] == nil && last[s.Workflow] == nil {
				sources[s.Workflow] = hub.Source(s.App)
			}
		}
		for id, src := range sources {
			s, err := src.Next(ctx)
			switch {
			case errors.Is(err, io.EOF):
				delete(sources, id)
			case err != nil:
				t.Fatal(err)
			case s.ID != id:
				t.Fatalf("the source of %s yields %s", id, s.ID)
			default:
				last[id] = s
			}
		}
		if err := m.Advance(ctx, m.Now().Add(2*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if len(last) != n {
		t.Fatalf("%d workflows, want %d", len(last), n)
	}
	for id, s := range last {
		if s.State != dag.Succeeded || len(s.Jobs) != 3 {
			t.Errorf("%s ends as %v with %d jobs", id, s.State, len(s.Jobs))
		}
		for _, l := range s.Load {
			if l.HeldMB < 0 {
				t.Errorf("%s: load %+v", id, l)
			}
		}
	}
}

// A denying transport refuses all configurations.
type denying struct{ http.RoundTripper }

func (d denying) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/conf") {
		return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Body: http.NoBody, Request: r},
			nil
	}
	return d.RoundTripper.RoundTrip(r)
}

// TestHubDenied: an application whose configuration may not be read is a job by itself, without further requests.
func TestHubDenied(t *testing.T) {
	ctx := context.Background()
	m := Empty(start)
	run, err := simulate.New(script(), simulate.Options{
		Seed: 1, Know: simulate.Nothing, Every: 2 * time.Second,
		Start: start,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(ctx, run); err != nil {
		t.Fatal(err)
	}
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
		rest.Options{Transport: denying{m}, Now: m.Now})
	if err != nil {
		t.Fatal(err)
	}
	hub := engine.NewHub(client, client)
	for range 60 {
		if err := hub.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		for _, s := range hub.Running() {
			if !s.Readable {
				continue
			}
			if err := hub.Identify(ctx, s.App); err != nil {
				t.Fatal(err)
			}
			if all := hub.Running(); !all[0].Read || all[0].Workflow != "" {
				t.Fatalf("%+v", all)
			}
			if snap, err := hub.Source(s.App).Next(ctx); err != nil || !strings.HasPrefix(snap.ID, "job_") {
				t.Fatalf("%v, %v", snap, err)
			}
			return
		}
		if err := m.Advance(ctx, m.Now().Add(2*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("nothing ran")
}

// clientOf returns a client of a simulated cluster, without a network.
func clientOf(t testing.TB, m *Cluster) *mapreduce.Client {
	t.Helper()
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
		rest.Options{Transport: m, Now: m.Now})
	if err != nil {
		t.Fatal(err)
	}
	return client
}
