package hadoop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"strings"
	"sync"
)

// Bounds of responses in memory, in bytes.
const (
	// shortBody is the most that a response takes without drawing on the budget. Most responses are no longer.
	shortBody = 1 << 20
	// middleBody is the most that a job's configuration takes (350 KB for a Pig job), or the queues of a scheduler
	// (15 MB for ten thousand of them).
	middleBody = 16 << 20
	// longBody is the most that a list takes: one of 200,000 tasks.
	longBody = 48 << 20
	// inMemory is the budget of a client, and so of a process: a list takes twice its size while its parts are
	// joined.
	inMemory = 2 * longBody
	// collectFrom is the size from which a response's memory is worth collecting at once.
	collectFrom = 8 << 20
)

// errCrowded means that a response was dropped in favor of smaller ones.
var errCrowded = errors.New("this answer was given up: it was the largest of those that together need too much memory")

// bodyLimit returns the most bytes that the response for an address may take.
func bodyLimit(u *url.URL) int64 {
	if strings.HasPrefix(u.Path, webHDFS) {
		return shortBody
	}
	if isLog(u) || isEventLog(u) {
		return middleBody
	}
	switch last := u.Path[strings.LastIndexByte(u.Path, '/')+1:]; last {
	case "tasks", "apps", "nodes", "tasksInfo":
		return longBody
	case "conf", "scheduler", "attemptsInfo", "verticesInfo", "job", "jobs", "stages", "taskList", "allexecutors",
		"environment":
		return middleBody
	}
	return shortBody
}

// A budget bounds the bytes of all responses that are being read or decoded. If no bytes are left, a reader waits
// for the responses that are being decoded. If all are still being read, the largest is dropped, so that an endless
// response does not stop the others. Several goroutines may use it.
type budget struct {
	mu      sync.Mutex
	free    int64
	least   int64 // the least that was ever free
	leases  map[*lease]bool
	changed chan struct{} // closed when something was given back
}

// A lease is the part of a budget that one response takes.
type lease struct {
	bytes   int64
	reading bool
	over    bool                    // the response is to be dropped
	giveWay context.CancelCauseFunc // ends the reading
}

func newBudget(bytes int64) *budget {
	return &budget{free: bytes, least: bytes, leases: map[*lease]bool{}, changed: make(chan struct{})}
}

// open begins a response. giveWay cancels its reading.
func (b *budget) open(giveWay context.CancelCauseFunc) *lease {
	l := &lease{reading: true, giveWay: giveWay}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leases[l] = true
	return l
}

// take draws n more bytes, and waits for them if needed. It fails if the response was dropped or ctx ends.
func (b *budget) take(ctx context.Context, l *lease, n int64) error {
	for {
		changed, err := b.tryTake(l, n)
		if changed == nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tryTake draws n more bytes, or returns a channel to wait for.
func (b *budget) tryTake(l *lease, n int64) (changed <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.over {
		return nil, errCrowded
	}
	if n <= b.free {
		b.free -= n
		b.least = min(b.least, b.free)
		l.bytes += n
		return nil, nil
	}
	largest := l
	for o := range b.leases {
		if (o.over || !o.reading) && o.bytes > 0 {
			return b.changed, nil // it is about to be given back
		}
		if o.bytes > largest.bytes {
			largest = o
		}
	}
	largest.over = true
	largest.giveWay(errCrowded)
	if largest == l {
		return nil, errCrowded
	}
	return b.changed, nil
}

// give returns n bytes to the budget.
func (b *budget) give(l *lease, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += n
	l.bytes -= n
	close(b.changed)
	b.changed = make(chan struct{})
}

// settle records that the response was read.
func (b *budget) settle(l *lease) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.reading = false
}

// release returns all bytes of a lease to the budget and ends the lease.
func (b *budget) release(l *lease) {
	collect(l.bytes)
	b.give(l, l.bytes)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.leases, l)
}

// collect frees the memory of a large response before its bytes return to the budget. Otherwise as much again could
// pile up before the garbage collector runs.
func collect(bytes int64) {
	if bytes >= collectFrom {
		runtime.GC()
	}
}

// read reads a response to its end: the first part as it is, the rest in chunks that are drawn from the budget and
// then joined. It also returns the number of bytes read. It returns errTooBig if there are more than limit.
func (b *budget) read(ctx context.Context, l *lease, r io.Reader, limit int64) ([]byte, int64, error) {
	var head bytes.Buffer
	n, err := head.ReadFrom(io.LimitReader(r, min(limit, shortBody)+1))
	if err != nil || n <= min(limit, shortBody) {
		return head.Bytes(), n, err
	}
	if n > limit {
		return nil, n, errTooBig
	}
	chunks := [][]byte{head.Bytes()}
	for err == nil {
		if err := b.take(ctx, l, shortBody); err != nil {
			return nil, n, err
		}
		chunk := make([]byte, shortBody)
		var got int
		got, err = io.ReadFull(r, chunk)
		chunks = append(chunks, chunk[:got])
		if n += int64(got); n > limit {
			return nil, n, errTooBig
		}
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF { //nolint:errorlint // ReadFull's own
		return nil, n, err
	}
	if err := b.take(ctx, l, n); err != nil {
		return nil, n, err
	}
	whole := bytes.Join(chunks, nil)
	clear(chunks)
	collect(n)
	b.give(l, l.bytes-n)
	return whole, n, nil
}

// longer returns the error for a response that is longer than its limit.
func longer(u *url.URL, limit int64) *Error {
	return &Error{URL: u.String(), Err: errTooBig, Text: fmt.Sprintf("the answer is longer than %d MiB", limit>>20)}
}

// A holder keeps the leases of a request's responses until they are decoded.
type holder struct {
	mu      sync.Mutex
	release []func()
}

type holderKey struct{}

// holding returns a context. Responses that are read with it count as in memory until done is called.
func holding(ctx context.Context) (_ context.Context, done func()) {
	h := &holder{}
	return context.WithValue(ctx, holderKey{}, h), func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, release := range h.release {
			release()
		}
		h.release = nil
	}
}

// hold passes a response's lease to the holder of ctx. Without a holder it releases the lease at once.
func (b *budget) hold(ctx context.Context, l *lease) {
	b.settle(l)
	h, _ := ctx.Value(holderKey{}).(*holder)
	if h == nil || l.bytes == 0 {
		b.release(l)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release = append(h.release, func() { b.release(l) })
}
