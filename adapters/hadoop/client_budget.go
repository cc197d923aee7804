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

// Bounds of answers in memory, in bytes.
const (
	// shortBody is the most that an answer takes without drawing on the budget. Most questions have no longer answer.
	shortBody = 1 << 20
	// middleBody is the most that a job's configuration takes, of which that of a Pig job has 350 KB, and the queues
	// of a scheduler, of which ten thousand have 15 MB.
	middleBody = 16 << 20
	// longBody is the most that a list takes: one of 200,000 tasks.
	longBody = 48 << 20
	// inMemory is the budget of a client, and so of a process: a list while its parts are joined.
	inMemory = 2 * longBody
	// collectFrom is the size from which an answer's memory is worth collecting at once.
	collectFrom = 8 << 20
)

// errCrowded means that an answer had to give way to smaller ones.
var errCrowded = errors.New("this answer was given up: it was the largest of those that together need too much memory")

// bodyLimit is the most that the answer of a path may take.
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

// A budget bounds the bytes of all answers that are being read or decoded. Whoever finds none left waits for those
// that are decoded; if all are still being read, the largest of them gives way, so that an answer without an end
// stops no other. Several goroutines may use it.
type budget struct {
	mu      sync.Mutex
	free    int64
	least   int64 // the least that was ever free
	leases  map[*lease]bool
	changed chan struct{} // closed when something was given back
}

// A lease is what one answer takes of a budget.
type lease struct {
	bytes   int64
	reading bool
	over    bool                    // it is to give way
	giveWay context.CancelCauseFunc // ends the reading
}

func newBudget(bytes int64) *budget {
	return &budget{free: bytes, least: bytes, leases: map[*lease]bool{}, changed: make(chan struct{})}
}

// open begins an answer, whose reading giveWay ends.
func (b *budget) open(giveWay context.CancelCauseFunc) *lease {
	l := &lease{reading: true, giveWay: giveWay}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leases[l] = true
	return l
}

// take draws n more bytes.
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

// tryTake draws n more bytes, or returns what to wait for.
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

// give gives n bytes back.
func (b *budget) give(l *lease, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += n
	l.bytes -= n
	close(b.changed)
	b.changed = make(chan struct{})
}

// settle ends the reading.
func (b *budget) settle(l *lease) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.reading = false
}

// release gives everything back.
func (b *budget) release(l *lease) {
	collect(l.bytes)
	b.give(l, l.bytes)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.leases, l)
}

// collect frees the memory of a large answer before its bytes are given back: the collector by itself would let as
// much again pile up before it ran.
func collect(bytes int64) {
	if bytes >= collectFrom {
		runtime.GC()
	}
}

// read reads an answer to its end: the first part as it is, the rest in chunks that are drawn from the budget, and
// joined. It returns errTooBig where there is more than limit.
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

// longer is the error of an answer that is longer than it may be.
func longer(u *url.URL, limit int64) *Error {
	return &Error{URL: u.String(), Err: errTooBig, Text: fmt.Sprintf("the answer is longer than %d MiB", limit>>20)}
}

// A holder keeps the leases of a question's answers until they are decoded.
type holder struct {
	mu      sync.Mutex
	release []func()
}

type holderKey struct{}

// holding returns a context whose answers count as in memory until done is called.
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

// hold gives an answer back once its question is done with it; at once where nobody holds it.
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
