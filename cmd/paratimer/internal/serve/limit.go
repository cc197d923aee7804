package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

// A pool bounds connections in two classes. Those that the door has admitted and that answer a request are at most
// cap(answering); further requests wait. All others (no request yet, an unfinished one, not admitted, waiting, idle)
// are at most most. One more is accepted, and another is closed for it: the oldest one of the address that has most
// of them. So a client that opens connections without end closes its own, and a request that is sent at once is read
// at once.
type pool struct {
	net.Listener
	most      int
	answering chan struct{}

	mu      sync.Mutex
	waiting []*connection // the other class, oldest first
}

func pooled(l net.Listener, most int) *pool {
	return &pool{Listener: l, most: most, answering: make(chan struct{}, most)}
}

// A connection is a connection of a pool.
type connection struct {
	net.Conn
	pool *pool
	who  netip.Prefix
}

func (p *pool) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	one := &connection{Conn: c, pool: p, who: client(c.RemoteAddr().String())}
	p.wait(one)
	return one, nil
}

// Close closes the connection and frees its place.
func (c *connection) Close() error {
	c.pool.remove(c)
	return c.Conn.Close()
}

// remove takes the connection from those that answer no request, and reports whether it was one.
func (p *pool) remove(c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, c)
	if i < 0 {
		return false
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	return true
}

// wait adds the connection to those that answer no request, as the youngest of them.
func (p *pool) wait(c *connection) {
	p.remove(c)
	p.mu.Lock()
	p.waiting = append(p.waiting, c)
	var out *connection
	if len(p.waiting) > p.most {
		out = p.worst()
	}
	p.mu.Unlock()
	if out != nil {
		_ = out.Close() // it is dropped: an error changes nothing
	}
}

// worst returns the connection to close for the youngest one.
func (p *pool) worst() *connection {
	count := map[netip.Prefix]int{}
	for _, c := range p.waiting {
		count[c.who]++
	}
	out := p.waiting[0]
	for _, c := range p.waiting[:len(p.waiting)-1] {
		if count[c.who] > count[out.who] {
			out = c
		}
	}
	return out
}

// limit returns next within the pool's limits. A connection that answers a request is not closed for another one.
func (p *pool) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case p.answering <- struct{}{}:
			defer func() { <-p.answering }()
		case <-r.Context().Done():
			panic(http.ErrAbortHandler) // the client is gone
		}
		if c, ok := r.Context().Value(connectionKey{}).(*connection); !ok || !p.remove(c) {
			panic(http.ErrAbortHandler) // the connection was closed for another one
		}
		next.ServeHTTP(w, r)
	})
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

// client returns the address of a client: IPv4, or the /64 that one machine of IPv6 commonly has to itself.
func client(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{} // all clients without an address share their connections
	}
	bits := 64
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		bits = 32
	}
	p, _ := ip.Prefix(bits) // these lengths are valid
	return p
}
