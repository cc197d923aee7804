package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
)

// Limits of responses, in bytes.
const (
	// Short is the most that a response takes without drawing on its client's memory. Most responses are no longer.
	Short = 1 << 20
	// Middle is enough for long settings, or a list of ten thousand.
	Middle = 16 << 20
	// Long is enough for a list of 200,000 tasks.
	Long = 48 << 20
	// inMemory is the memory of a client, and so of a process: a list takes twice its size while its parts are joined.
	inMemory = 2 * Long
	// collectFrom is the size from which a response's memory is worth collecting at once.
	collectFrom = 8 << 20
)

// errCrowded means that a response was dropped in favor of smaller ones.
var errCrowded = errors.New("this answer was given up: it was the largest of those that together need too much memory")

// A memory bounds the bytes of all responses that are being read or decoded. If no bytes are left, a reader waits for
// the responses that are being decoded. If all are still being read, the largest is dropped, so that an endless
// response does not stop the others. Several goroutines may use it.
type memory struct {
	mu      sync.Mutex
	free    int64
	least   int64 // the least that was ever free
	leases  map[*lease]bool
	changed sync.Cond // bytes were returned, or a context has ended
}

// A lease is the memory of one response.
type lease struct {
	of       *memory
	bytes    int64
	complete bool                    // the response was read to its end
	dropped  bool                    // in favor of smaller ones
	drop     context.CancelCauseFunc // ends the reading
}

func newMemory(bytes int64) *memory {
	m := &memory{free: bytes, least: bytes, leases: map[*lease]bool{}}
	m.changed.L = &m.mu
	return m
}

// open begins a response. drop cancels its reading.
func (m *memory) open(drop context.CancelCauseFunc) *lease {
	l := &lease{of: m, drop: drop}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases[l] = true
	return l
}

// take draws n more bytes, and waits for them if needed. It fails if the response was dropped or ctx ends.
func (l *lease) take(ctx context.Context, n int64) error {
	m := l.of
	m.mu.Lock()
	defer m.mu.Unlock()
	defer context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changed.Broadcast()
	})()
	for n > m.free && !l.dropped && ctx.Err() == nil {
		if largest := m.largest(l); largest != nil {
			largest.dropped = true
			largest.drop(errCrowded)
		}
		if !l.dropped {
			m.changed.Wait()
		}
	}
	switch {
	case l.dropped:
		return errCrowded
	case n > m.free:
		return context.Cause(ctx)
	}
	m.free -= n
	m.least = min(m.least, m.free)
	l.bytes += n
	return nil
}

// largest returns the largest response, l if there are several; nil if the bytes of another one are about to be
// returned.
func (m *memory) largest(l *lease) *lease {
	for o := range m.leases {
		if (o.dropped || o.complete) && o.bytes > 0 {
			return nil
		}
		if o.bytes > l.bytes {
			l = o
		}
	}
	return l
}

// give returns n bytes.
func (l *lease) give(n int64) {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.of.free += n
	l.bytes -= n
	l.of.changed.Broadcast()
}

// release returns all bytes and ends the lease.
func (l *lease) release() {
	collect(l.bytes)
	l.give(l.bytes)
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	delete(l.of.leases, l)
}

// collect frees the memory of a large response before its bytes are returned. Otherwise as much again could pile up
// before the garbage collector runs.
func collect(bytes int64) {
	if bytes >= collectFrom {
		runtime.GC()
	}
}

// read reads a response to its end: the first part as it is, then in chunks that draw on the memory and are joined at
// the end. It also returns the number of bytes read. It returns ErrTooBig if there are more than limit.
func (l *lease) read(ctx context.Context, r io.Reader, limit int64) ([]byte, int64, error) {
	var head bytes.Buffer
	n, err := head.ReadFrom(io.LimitReader(r, min(limit, Short)+1))
	if err != nil || n <= min(limit, Short) {
		return head.Bytes(), n, err
	}
	if n > limit {
		return nil, n, ErrTooBig
	}
	chunks := [][]byte{head.Bytes()}
	for err == nil {
		if err := l.take(ctx, Short); err != nil {
			return nil, n, err
		}
		chunk := make([]byte, Short)
		var got int
		got, err = io.ReadFull(r, chunk)
		chunks = append(chunks, chunk[:got])
		if n += int64(got); n > limit {
			return nil, n, ErrTooBig
		}
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF { //nolint:errorlint // ReadFull's own
		return nil, n, err
	}
	if err := l.take(ctx, n); err != nil {
		return nil, n, err
	}
	whole := bytes.Join(chunks, nil)
	clear(chunks)
	collect(n)
	l.give(l.bytes - n)
	return whole, n, nil
}

// A keeper has the leases of responses that are not decoded yet.
type keeper struct {
	mu     sync.Mutex
	leases []*lease
}

type keeperKey struct{}

// Keep returns a context. Responses to requests with it count as in memory until done is called, so that they can be
// decoded.
func Keep(ctx context.Context) (_ context.Context, done func()) {
	k := &keeper{}
	return context.WithValue(ctx, keeperKey{}, k), func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, l := range k.leases {
			l.release()
		}
		k.leases = nil
	}
}

// keep passes a lease to the keeper of ctx. Without one it is released at once.
func (l *lease) keep(ctx context.Context) {
	l.of.mu.Lock()
	l.complete = true
	l.of.mu.Unlock()
	k, _ := ctx.Value(keeperKey{}).(*keeper)
	if k == nil || l.bytes == 0 {
		l.release()
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.leases = append(k.leases, l)
}
