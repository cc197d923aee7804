package fleet

import (
	"context"
	"strings"

	"golang.org/x/time/rate"

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
	return &budget{c, rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond)))}
}

type budget struct {
	engine.Services
	limit *rate.Limiter // of the last second, unused requests are saved up
}

// spend sends a request when the budget allows it.
func (b *budget) spend(ctx context.Context, send func() ([]byte, error)) ([]byte, error) {
	if err := watch.Sleep(ctx, b.limit.Reserve().Delay()); err != nil {
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
