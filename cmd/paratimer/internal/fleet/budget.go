package fleet

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// Budget limits the requests to masters, to the history server and, about single applications, to the
// ResourceManager. The limit is an average over one second. The ResourceManager's lists do not count: a round has
// at most five of them (running and ended applications, metrics, nodes, queues), and everything else depends on
// them.
func Budget(c engine.Services, perSecond float64) engine.Services {
	if !(perSecond > 0) {
		return c
	}
	return &budget{Services: c, gap: time.Duration(float64(time.Second) / perSecond)}
}

type budget struct {
	engine.Services
	gap time.Duration

	mu   sync.Mutex
	free time.Time // when the next request may be sent, if no requests were saved up
}

// spend sends a request when the budget allows it. Unused requests of the last second are saved up.
func (b *budget) spend(ctx context.Context, send func() ([]byte, error)) ([]byte, error) {
	b.mu.Lock()
	now := time.Now()
	if saved := now.Add(-time.Second); b.free.Before(saved) {
		b.free = saved
	}
	b.free = b.free.Add(b.gap)
	wait := b.free.Sub(now)
	b.mu.Unlock()
	if err := watch.Sleep(ctx, wait); err != nil {
		return nil, err
	}
	return send()
}

func (b *budget) RM(ctx context.Context, path string) ([]byte, error) {
	if !strings.HasPrefix(path, "apps/") {
		return b.Services.RM(ctx, path)
	}
	return b.spend(ctx, func() ([]byte, error) { return b.Services.RM(ctx, path) })
}

func (b *budget) AM(ctx context.Context, app, path string) ([]byte, error) {
	return b.spend(ctx, func() ([]byte, error) { return b.Services.AM(ctx, app, path) })
}

// Proxy requests from an application's master, NM from a NodeManager.
func (b *budget) Proxy(ctx context.Context, app string, r rest.Request) ([]byte, error) {
	return b.spend(ctx, func() ([]byte, error) { return b.Services.Proxy(ctx, app, r) })
}

func (b *budget) NM(ctx context.Context, node, path string) ([]byte, error) {
	return b.spend(ctx, func() ([]byte, error) { return b.Services.NM(ctx, node, path) })
}

func (b *budget) JHS(ctx context.Context, path string) ([]byte, error) {
	return b.spend(ctx, func() ([]byte, error) { return b.Services.JHS(ctx, path) })
}
