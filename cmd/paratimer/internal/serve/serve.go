// Package serve runs the program's HTTP servers. They listen on this machine's own addresses unless another is given,
// require a token or a client certificate if the user sets one, and bound connections and times. Their headers keep
// browsers from using the responses elsewhere. Page and Board are the pages of running queries.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Limits are the limits of a server.
type Limits struct {
	Connections int           // at a time: answering a request, and as many others (see pool)
	Time        time.Duration // to read a request, and half of the time to answer it
}

const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute // above the usual scrape intervals, so that connections are kept
	closeTime  = 2 * time.Second
	maxHeader  = 16 << 10
)

// Serve answers requests on l that the door admits, until stop is called. stop waits a moment for responses in
// progress. failed gets the error if serving fails.
func Serve(l net.Listener, h http.Handler, limits Limits, d Door, failed func(error)) (stop func()) {
	p := newPool(limits.Connections)
	server := &http.Server{
		Handler: Headers(d.guard(h, p.limit(h))), ConnContext: connect, ConnState: p.changed,
		ReadHeaderTimeout: headerTime, ReadTimeout: limits.Time, WriteTimeout: 2 * limits.Time,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0), // any client can break off a handshake; none may fill a log with it
	}
	if c := d.tls(); c != nil {
		l = tls.NewListener(l, c)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed(err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // slow readers have had their time
		}
		<-done
	}
}

// Address parses an address from the command line: PORT and :PORT mean this machine alone, everything else is
// HOST:PORT. exposed means that other machines can reach it.
func Address(typed string) (address string, exposed bool, err error) {
	if !strings.Contains(typed, ":") {
		typed = ":" + typed
	}
	host, port, err := net.SplitHostPort(typed)
	if err != nil {
		return "", false, fmt.Errorf("%q is not an address: give a port, such as 9188, or HOST:PORT", typed)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", false, fmt.Errorf("%q is not a port: give one from 1 to 65535, or 0 for any that is free", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	exposed = !strings.EqualFold(host, "localhost") && (err != nil || !ip.IsLoopback())
	return net.JoinHostPort(host, port), exposed, nil
}
