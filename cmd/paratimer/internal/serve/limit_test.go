package serve

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
)

// A crowd is a listener at which somebody always waits to be let in.
type crowd struct {
	net.Listener
	in int // who was let in so far
}

func (c *crowd) Accept() (net.Conn, error) {
	c.in++
	near, _ := net.Pipe()
	return near, nil
}

func (c *crowd) Close() error { return nil }

// TestConnections holds that connections are bounded: one more waits until another one goes, or the listener closes.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outside := &crowd{}
		l := limited(outside, 2)
		accepted, ended := make(chan net.Conn, 10), make(chan error, 1)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					ended <- err
					return
				}
				accepted <- c
			}
		}()
		synctest.Wait()
		if outside.in != 2 {
			t.Fatalf("%d are in, want 2", outside.in)
		}
		one := <-accepted
		one.Close()
		one.Close() // it gives its place back once
		synctest.Wait()
		if outside.in != 3 {
			t.Fatalf("%d were let in after one has gone, want 3", outside.in)
		}
		l.Close()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed listener: %v", err)
		}
	})
}
