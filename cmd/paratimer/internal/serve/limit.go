package serve

import (
	"net"
	"sync"
)

// limited is a listener that lets at most n connections in at a time. Others wait outside.
func limited(l net.Listener, n int) net.Listener {
	return &limit{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type limit struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limit) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placed{Conn: c, leave: func() { <-l.places }}, nil
}

func (l *limit) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A placed connection gives its place back once.
type placed struct {
	net.Conn
	once  sync.Once
	leave func()
}

func (p *placed) Close() error {
	p.once.Do(p.leave)
	return p.Conn.Close()
}
