package fleet

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// Budget lets masters, the history server and, about one application, the ResourceManager be asked at most so many
// questions a second, on average over a second. The ResourceManager's lists are not counted: a round puts five at most
// (applications that run and that have ended, metrics, nodes, queues), and everything else waits for them.
func Budget(c tez.Cluster, perSecond float64) tez.Cluster {
	if !(perSecond > 0) {
		return c
	}
	return &budget{Cluster: c, gap: time.Duration(float64(time.Second) / perSecond)}
}

type budget struct {
	tez.Cluster
	gap time.Duration

	mu   sync.Mutex
	free time.Time // when the next question may be put, if none was saved up
}

// take waits until a question may be put. What was not used is saved up for a second.
func (b *budget) take(ctx context.Context) error {
	b.mu.Lock()
	now := time.Now()
	if saved := now.Add(-time.Second); b.free.Before(saved) {
		b.free = saved
	}
	b.free = b.free.Add(b.gap)
	wait := b.free.Sub(now)
	b.mu.Unlock()
	return watch.Sleep(ctx, wait)
}

func (b *budget) RM(ctx context.Context, path string) ([]byte, error) {
	if strings.HasPrefix(path, "apps/") {
		if err := b.take(ctx); err != nil {
			return nil, err
		}
	}
	return b.Cluster.RM(ctx, path)
}

func (b *budget) AM(ctx context.Context, app, path string) ([]byte, error) {
	if err := b.take(ctx); err != nil {
		return nil, err
	}
	return b.Cluster.AM(ctx, app, path)
}

// Proxy asks an application's master, NM a NodeManager.
func (b *budget) Proxy(ctx context.Context, app, path string) ([]byte, error) {
	if err := b.take(ctx); err != nil {
		return nil, err
	}
	return b.Cluster.Proxy(ctx, app, path)
}

func (b *budget) NM(ctx context.Context, node, path string) ([]byte, error) {
	if err := b.take(ctx); err != nil {
		return nil, err
	}
	return b.Cluster.NM(ctx, node, path)
}

func (b *budget) JHS(ctx context.Context, path string) ([]byte, error) {
	if err := b.take(ctx); err != nil {
		return nil, err
	}
	return b.Cluster.JHS(ctx, path)
}

func (b *budget) HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error) {
	if err := b.take(ctx); err != nil {
		return nil, err
	}
	return b.Cluster.HDFS(ctx, bases, path, op)
}
