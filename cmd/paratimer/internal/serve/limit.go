package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// A pool bounds connections in two classes. Those that the door has admitted and that answer a request are at most
// cap(answering); further requests wait. All others (no request yet, an unfinished one, not admitted, waiting, idle)
// are at most most. One more is accepted, and another is closed for it: the oldest one of the address that has most
// of them. A connection with a waiting request is closed only if all have one. So a client that opens connections
// without end closes its own, and a request that is sent at once is read at once.
type pool struct {
	net.Listener
	most      int
	answering chan struct{}

	mu      sync.Mutex
	turn    uint64 // counts connections as they begin to wait, so that the oldest is known without a clock
	waiting map[*connection]place
}

// A place is the position of a connection among the waiting ones.
type place struct {
	asks int    // 1 if an admitted request waits to be answered, else 0
	turn uint64 // when it began to wait
}

func pooled(l net.Listener, most int) *pool {
	return &pool{Listener: l, most: most, answering: make(chan struct{}, most), waiting: map[*connection]place{}}
}

// A connection is a connection of a pool.
type connection struct {
	net.Conn
	pool     *pool
	who      netip.Prefix
	answered bool // has a place in pool.answering; under pool.mu
	once     sync.Once
	closed   chan struct{}
}

func (p *pool) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	one := &connection{Conn: c, pool: p, who: client(c.RemoteAddr().String()), closed: make(chan struct{})}
	p.wait(one)
	return one, nil
}

// Close closes the connection and frees its place.
func (c *connection) Close() error {
	c.once.Do(func() {
		c.pool.mu.Lock()
		defer c.pool.mu.Unlock()
		close(c.closed)
		delete(c.pool.waiting, c)
		c.release()
	})
	return c.Conn.Close()
}

func (c *connection) release() {
	if c.answered {
		c.answered = false
		<-c.pool.answering
	}
}

// wait adds the connection to those that answer no request, as the youngest of them.
func (p *pool) wait(c *connection) {
	p.mu.Lock()
	c.release()
	select {
	case <-c.closed:
	default:
		p.turn++
		p.waiting[c] = place{turn: p.turn}
	}
	var out *connection
	if len(p.waiting) > p.most {
		out = p.worst(c)
		delete(p.waiting, out) // its later requests must not be answered
	}
	p.mu.Unlock()
	if out != nil {
		_ = out.Close() // it is dropped: an error changes nothing
	}
}

// worst returns the connection to close for a new one.
func (p *pool) worst(comes *connection) (out *connection) {
	type group struct {
		who  netip.Prefix
		asks int
	}
	count := map[group]int{}
	for c, is := range p.waiting {
		count[group{c.who, is.asks}]++
	}
	var at place // of out
	for c, is := range p.waiting {
		if c == comes {
			continue
		}
		if out == nil || cmp.Or(
			cmp.Compare(is.asks, at.asks),
			cmp.Compare(count[group{out.who, at.asks}], count[group{c.who, is.asks}]),
			cmp.Compare(is.turn, at.turn),
		) < 0 {
			out, at = c, is
		}
	}
	return out
}

// limit returns next within the pool's limits.
func (p *pool) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(connectionKey{}).(*connection)
		if c == nil || !p.admit(r.Context(), c) {
			panic(http.ErrAbortHandler) // the client is gone
		}
		next.ServeHTTP(w, r)
	})
}

// admit waits until a request may be answered on the connection. After that, the connection is not closed for another
// one until it is idle. It returns false if the connection was closed meanwhile.
func (p *pool) admit(ctx context.Context, c *connection) bool {
	p.mu.Lock()
	at, open := p.waiting[c]
	if open {
		at.asks = 1
		p.waiting[c] = at
	}
	p.mu.Unlock()
	select {
	case p.answering <- struct{}{}:
	case <-c.closed:
		return false
	case <-ctx.Done():
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.answered = true
	if _, open = p.waiting[c]; !open {
		c.release()
	}
	delete(p.waiting, c)
	return open
}

// changed returns a connection to the waiting ones when its request was answered and it is kept open.
func (p *pool) changed(c net.Conn, to http.ConnState) {
	if one, ok := below(c).(*connection); ok && to == http.StateIdle {
		p.wait(one)
	}
}

type connectionKey struct{}

// connect stores a request's connection of the pool in its context.
func connect(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, below(c))
}

// below returns the connection under TLS, if there is one.
func below(c net.Conn) net.Conn {
	if over, ok := c.(*tls.Conn); ok {
		return over.NetConn()
	}
	return c
}
