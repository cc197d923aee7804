package serve

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	mostWrong   = 10          // wrong tokens of a client; one more is answered with "wait"
	outsideFor  = time.Minute // since the last wrong one
	mostClients = 1024        // that are remembered; with more, the one whose last was longest ago is forgotten
)

// strikes count the wrong tokens of each client. They slow down guessing and lock nobody out: a request with the right
// token is always served, because its client may share an address with a guesser. A token is safe from guessing by its
// length.
type strikes struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[netip.Prefix]strike
}

type strike struct {
	n    int
	last time.Time
}

func newStrikes(now func() time.Time) *strikes {
	return &strikes{now: now, of: map[netip.Prefix]strike{}}
}

// out reports whether a client has used up its tries for now.
func (s *strikes) out(who netip.Prefix) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.of[who]
	if ok && s.now().Sub(st.last) >= outsideFor {
		delete(s.of, who)
		return false
	}
	return st.n >= mostWrong
}

func (s *strikes) strike(who netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, known := s.of[who]
	if !known && len(s.of) >= mostClients {
		s.forget()
	}
	s.of[who] = strike{st.n + 1, s.now()}
}

// forget drops the client whose last wrong token was longest ago.
func (s *strikes) forget() {
	var oldest netip.Prefix
	for who, st := range s.of {
		if !oldest.IsValid() || st.last.Before(s.of[oldest].last) {
			oldest = who
		}
	}
	delete(s.of, oldest)
}

// client is who asks: an IPv4 address, or the /64 that one machine of IPv6 commonly has to itself.
func client(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{} // all that have no address together
	}
	bits := 64
	if ip = ip.Unmap(); ip.Is4() {
		bits = 32
	}
	p, _ := ip.WithZone("").Prefix(bits) // the lengths are possible ones
	return p
}
