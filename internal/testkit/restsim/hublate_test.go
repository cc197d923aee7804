package restsim

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// TestHubLate: a source that is opened late in a workflow has the jobs that have ended long before, whether the hub
// had read their configurations or not.
func TestHubLate(t *testing.T) {
	for name, identified := range map[string]bool{"read": true, "unread": false} {
		t.Run(name, func(t *testing.T) {
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
			client := clientOf(t, m)
			hub := engine.NewHub(client, client)
			var src recording.Source
			var last *dag.Snapshot
			for end := m.Now().Add(2 * time.Hour); m.Now() < end; {
				if err := hub.Refresh(ctx); err != nil {
					t.Fatal(err)
				}
				running := hub.Running()
				late := len(running) == 1 && running[0].Readable && running[0].At.Sub(start) > 2*time.Minute
				for _, s := range running {
					if s.Readable && !s.Read && (identified || late) {
						if err := hub.Identify(ctx, s.App); err != nil {
							t.Fatal(err)
						}
					}
				}
				if src == nil && late {
					src = hub.Source(running[0].App)
				}
				if src != nil {
					s, err := src.Next(ctx)
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					last = s
				}
				if err := m.Advance(ctx, m.Now().Add(5*time.Second)); err != nil {
					t.Fatal(err)
				}
			}
			if last == nil {
				t.Fatal("the last job was never alone")
			}
			if last.State != dag.Succeeded || len(last.Jobs) != 3 {
				t.Fatalf("%v, %d jobs", last.State, len(last.Jobs))
			}
			for i, j := range last.Jobs {
				if j.State != dag.Succeeded {
					t.Errorf("%s is %v", last.Plan.Jobs[i].Node, j.State)
				}
			}
			if first := min(last.Jobs[0].Submitted, last.Jobs[1].Submitted); first > start.Add(time.Minute) {
				t.Errorf("the first job came %s after the start", first.Sub(start))
			}
		})
	}
}
