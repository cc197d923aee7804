package rest

import (
	"context"
	"io"
	"runtime"
	"slices"
	"sync"
)

// Limits of responses, in bytes.
const (
	// Short is the most that a response takes without counting as a large one. Most responses are no longer.
	Short = 1 << 20
	// Middle is enough for long settings, or a list of ten thousand.
	Middle = 16 << 20
	// Long is enough for a list of 200,000 tasks.
	Long = 48 << 20
	// maxLarge is how many large responses of a client, and so of a process, are read or decoded at once.
	maxLarge = 2
)

// read reads a response to its end, and returns the number of bytes read. It returns ErrTooBig if there are more than
// limit. A large response waits until the client may read it, and counts as in memory until the keeper of ctx is done.
func (c *Client) read(ctx context.Context, r io.Reader, limit int64) ([]byte, int64, error) {
	least := min(limit, Short)
	head, err := io.ReadAll(io.LimitReader(r, least+1))
	n := int64(len(head))
	switch {
	case err != nil || n <= least:
		return head, n, err
	case n > limit:
		return nil, n, ErrTooBig
	}
	k, isKept := ctx.Value(keeperKey{}).(*keeper)
	if !isKept {
		k = &keeper{}
		defer k.done()
	}
	if err := k.begin(ctx, c.large); err != nil {
		return nil, n, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, limit-n+1))
	if n += int64(len(rest)); err == nil && n > limit {
		err = ErrTooBig
	}
	if err != nil {
		return nil, n, err
	}
	return slices.Concat(head, rest), n, nil
}

// A keeper has large responses until they are decoded.
type keeper struct {
	mu    sync.Mutex
	large chan struct{} // of the client; nil if the keeper has none of its places
}

type keeperKey struct{}

// Keep returns a context. Large responses to requests with it count as in memory until done is called, so that they can
// be decoded.
func Keep(ctx context.Context) (_ context.Context, done func()) {
	if ctx.Value(keeperKey{}) != nil {
		return ctx, func() {} // the outer one is done later
	}
	k := &keeper{}
	return context.WithValue(ctx, keeperKey{}, k), k.done
}

// begin waits for one of the client's places for large responses. A keeper needs one place, however many responses it
// has, so that keepers do not wait for each other.
func (k *keeper) begin(ctx context.Context, large chan struct{}) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.large != nil {
		return nil
	}
	select {
	case large <- struct{}{}:
		k.large = large
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (k *keeper) done() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.large != nil {
		runtime.GC() // otherwise as much again could pile up before the garbage collector runs
		<-k.large
		k.large = nil
	}
}
