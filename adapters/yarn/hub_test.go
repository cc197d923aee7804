package yarn

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// A manager is a ResourceManager that has one application, which has ended. It counts lists of applications.
type manager struct {
	mu                  sync.Mutex
	all, running, ended int
}

func (m *manager) Now() dag.Instant { return 1_795_000_000_000 }

func (m *manager) RM(_ context.Context, path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const list = `{"apps":{"app":[{"id":"application_1_0001","state":"FINISHED","finalStatus":"SUCCEEDED"}]}}`
	switch {
	case strings.HasPrefix(path, "apps?states=NEW"):
		m.running++
		return []byte(`{"apps":null}`), nil
	case strings.HasPrefix(path, "apps?states=FINISHED"):
		m.ended++
		return []byte(list), nil
	case strings.HasPrefix(path, "apps?deSelects="):
		m.all++
		return []byte(list), nil
	}
	return []byte(`{"clusterMetrics":{},"nodes":{},"scheduler":{}}`), nil
}

// TestLists: a hub with one source sends one request for applications a round, of all in the first one and in every
// third one while its source is between two jobs. A hub of several lists ended ones separately.
func TestLists(t *testing.T) {
	t.Parallel()
	const rounds = 9
	for _, c := range []struct {
		what                string
		over                func(*Hub) *Overview
		all, running, ended int
	}{
		{"one source", func(h *Hub) *Overview { return h.OnlyOverview(func() bool { return false }) }, 1, rounds - 1, 0},
		{"one idle source", func(h *Hub) *Overview { return h.OnlyOverview(func() bool { return true }) }, 3, rounds - 3, 0},
		{"several sources", func(h *Hub) *Overview { return h.Overview(nil) }, 0, rounds, 3},
	} {
		m := &manager{}
		hub := NewHub(m, nil)
		over := c.over(hub)
		for range rounds {
			if over.refresh == nil {
				if err := hub.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := over.Observe(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if m.all != c.all || m.running != c.running || m.ended != c.ended {
			t.Errorf("%s: %d lists of all, %d of running, %d of ended applications; want %d, %d and %d", c.what, m.all,
				m.running, m.ended, c.all, c.running, c.ended)
		}
		if a := hub.App("application_1_0001"); a == nil || !a.Ended {
			t.Errorf("%s: the ended application is %+v", c.what, a)
		}
	}
}
