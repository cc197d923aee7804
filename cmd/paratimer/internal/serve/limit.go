package serve

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

// A pool bounds connections in two classes. Those that the door has admitted and that answer a request are at most
// cap(answering); further requests wait. All others (no request yet, an unfinished one, not admitted, waiting, idle)
// are at most cap(answering), too. One more is accepted, and another is closed for it: the oldest one of the address
// that has most of them. So a client that opens connections without end closes its own, and a request that is sent at
// once is read at once.
type pool struct {
	answering chan struct{}

	mu      sync.Mutex
	waiting []net.Conn // the other class, oldest first
}

func newPool(most int) *pool { return &pool{answering: make(chan struct{}, most)} }

// changed is called by the server when the state of a connection changes. A connection waits when it is new, and when
// its request was answered and it is kept open.
func (p *pool) changed(c net.Conn, to http.ConnState) {
	if to == http.StateActive {
		return // until the whole request is read, it may be one that never ends
	}
	p.remove(c)
	if to == http.StateNew || to == http.StateIdle {
		p.wait(c)
	}
}

// remove takes the connection from those that answer no request, and reports whether it was one.
func (p *pool) remove(c net.Conn) bool {
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
func (p *pool) wait(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, c)
	if len(p.waiting) <= cap(p.answering) {
		return
	}
	count := map[netip.Prefix]int{}
	for _, c := range p.waiting {
		count[client(c)]++
	}
	worst := slices.MaxFunc(p.waiting[:len(p.waiting)-1], func(a, b net.Conn) int {
		return cmp.Compare(count[client(a)], count[client(b)])
	})
	p.waiting = slices.DeleteFunc(p.waiting, func(c net.Conn) bool { return c == worst })
	go func() { _ = worst.Close() }() // over TLS it may take a while; an error changes nothing
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
		if c, ok := r.Context().Value(connectionKey{}).(net.Conn); !ok || !p.remove(c) {
			panic(http.ErrAbortHandler) // the connection was closed for another one
		}
		next.ServeHTTP(w, r)
	})
}

type connectionKey struct{}

// connect stores a request's connection in its context.
func connect(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// client returns the address of a client: IPv4, or the /64 that one machine of IPv6 commonly has to itself. All clients
// without an address share one.
func client(c net.Conn) netip.Prefix {
	at, _ := netip.ParseAddrPort(c.RemoteAddr().String())
	ip := at.Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(ip.BitLen(), 64))
	return p
}
