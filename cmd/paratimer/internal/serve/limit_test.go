package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// testTimeout bounds tests that fail; none that passes waits for it. A connection that sends nothing is cut off by then
// no more than a few times.
const testTimeout = 20 * time.Second

// serving serves h on this machine; the address is returned.
func serving(t *testing.T, h http.Handler, most int, d Door) string {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) }) // once connections and server are closed
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := Serve(l, h, Limits{Connections: most, Time: time.Minute}, d, func(err error) { t.Error(err) })
	t.Cleanup(stop)
	return l.Addr().String()
}

// dial opens a connection from an address of this machine, and sends a request.
func dial(t *testing.T, from, to, sent string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(testTimeout)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, sent) // it may be closed by now
	return c
}

// status is that of the answer on a connection.
func status(c net.Conn) (int, error) {
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}

func request(path, token string) string {
	r := "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n"
	if token != "" {
		r += "Authorization: Bearer " + token + "\r\n"
	}
	return r + "\r\n"
}

// TestHalfOpen: hundreds of connections that finish no request block no other client, neither from their own address
// nor from others. A connection of another address that is slow itself stays.
func TestHalfOpen(t *testing.T) {
	to := serving(t, hello, 8, Door{Token: right})
	slow := dial(t, "127.0.0.2", to, "GET /metrics HTTP/1.1\r\nHost: local")
	var first net.Conn
	for i := range 300 {
		c := dial(t, "127.0.0.1", to, "GET / HTTP/1.1\r\nX: ")
		if i == 0 {
			first = c
		}
	}
	for _, c := range []struct {
		from, path, token string
		want              int
	}{
		{"127.0.0.1", "/healthz", "", 200},
		{"127.0.0.1", "/metrics", right, 200},
		{"127.0.0.3", "/metrics", right, 200},
		{"127.0.0.1", "/metrics", "", 401},
	} {
		if got, err := status(dial(t, c.from, to, request(c.path, c.token))); got != c.want {
			t.Errorf("%s from %s: %d, %v; want %d", c.path, c.from, got, err, c.want)
		}
	}
	if _, err := first.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the oldest of too many is still open")
	}
	if _, err := io.WriteString(slow, "host\r\nAuthorization: Bearer "+right+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := status(slow); got != 200 {
		t.Errorf("a slow one of another address: %d, %v", got, err)
	}
}

// TestAnswering: as many requests are answered at a time as are allowed; others wait; the page that shows that the
// program runs does not.
func TestAnswering(t *testing.T) {
	const most = 8
	entered, leave := make(chan string, 2*most), make(chan struct{})
	to := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			entered <- r.URL.Path
			<-leave
		}
	}), most, Door{Token: right})
	var busy []net.Conn
	for i := range most {
		busy = append(busy, dial(t, "127.0.0.1", to, request(fmt.Sprint("/", i), right)))
		<-entered
	}
	late := dial(t, "127.0.0.3", to, request("/late", right))
	for range 10 * most { // a request that is being served is not cut off for others
		dial(t, "127.0.0.2", to, "")
	}
	next := dial(t, "127.0.0.4", to, request("/next", right))
	if got, err := status(dial(t, "127.0.0.1", to, request("/healthz", ""))); got != 200 {
		t.Errorf("while all are answered: %d, %v", got, err)
	}
	select {
	case path := <-entered:
		t.Errorf("%s is answered as well", path)
	default:
	}
	close(leave)
	for _, c := range append(busy, next, late) {
		if got, err := status(c); got != 200 {
			t.Errorf("one with the token: %d, %v", got, err)
		}
	}
}

// from is a connection from an address.
type from struct {
	net.Conn
	address string
}

func (c from) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.address))
}

func (from) Close() error { return nil }

// TestClient: machines of one IPv6 network count as one.
func TestClient(t *testing.T) {
	of := func(address string) netip.Prefix { return client(from{address: address}) }
	if of("[2001:db8::1]:1") != of("[2001:db8::ffff:2]:9") || of("[2001:db8::1]:1") == of("[2001:db8:0:1::1]:1") {
		t.Error("networks of IPv6 are distinguished wrongly")
	}
	if of("[::ffff:10.0.0.1]:1") != of("10.0.0.1:2") || of("10.0.0.1:1") == of("10.0.0.2:1") {
		t.Error("addresses of IPv4 are distinguished wrongly")
	}
}

// TestWorst: the oldest of the address that has most is closed.
func TestWorst(t *testing.T) {
	p := newPool(4)
	var all []net.Conn
	for _, address := range []string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.2:2", "10.0.0.2:3", "10.0.0.2:4", "10.0.0.2:5"} {
		c := from{address: address}
		all = append(all, c)
		p.changed(c, http.StateNew)
	}
	for i, want := range []bool{true, false, false, true, true, true} {
		if slices.Contains(p.waiting, all[i]) != want {
			t.Errorf("connection %d of %v: open is %v", i, all[i].RemoteAddr(), !want)
		}
	}
}

// TestGone: a request on a closed connection gets no response, and takes no place.
func TestGone(t *testing.T) {
	p := newPool(1)
	h := p.limit(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is answered") }))
	c := from{address: "10.0.0.1:1"}
	p.changed(c, http.StateNew)
	p.changed(c, http.StateClosed)
	p.changed(c, http.StateClosed)
	left, leave := context.WithCancel(connect(t.Context(), c))
	leave()
	for busy, ctx := range []context.Context{connect(t.Context(), c), left} {
		for range busy {
			p.answering <- struct{}{}
		}
		func() {
			defer func() {
				if r := recover(); r != http.ErrAbortHandler {
					t.Errorf("the request ends with %v", r)
				}
			}()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
		}()
		if len(p.answering) != busy {
			t.Errorf("%d places are taken, want %d", len(p.answering), busy)
		}
	}
}
