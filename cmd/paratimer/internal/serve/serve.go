// Package serve is how this program listens: at this machine's own addresses unless another one is asked for, where a
// token or a client's certificate lets in, with bounded connections and times, and with answers that browsers do
// nothing with.
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

// Limits are what a server allows.
type Limits struct {
	Connections int           // at a time: so many whose request is being answered, and as many others (see pool)
	Time        time.Duration // to read a request, and half of the time to answer it
}

const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute // above the usual scrape intervals, so that connections are kept
	closeTime  = 2 * time.Second
	maxHeader  = 16 << 10
)

// Serve answers on l those whom the door lets in, until stop is called, which waits for answers under way, for a
// moment. What goes wrong is told to failed.
func Serve(l net.Listener, h http.Handler, limits Limits, d Door, failed func(error)) (stop func()) {
	p := pooled(l, limits.Connections)
	server := &http.Server{
		Handler: Headers(d.guard(h, p.limit(h))), ConnContext: connect, ConnState: p.changed,
		ReadHeaderTimeout: headerTime, ReadTimeout: limits.Time, WriteTimeout: 2 * limits.Time,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0), // anybody can break off a handshake; nobody may fill a log with it
	}
	l = p
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
			_ = server.Close() // whoever still reads has had its time
		}
		<-done
	}
}

// Address reads what a person gives for an address: PORT and :PORT mean this machine alone, everything else is
// HOST:PORT. Exposed says that others can reach it.
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
	address = net.JoinHostPort(host, port)
	return address, !loopback(address), nil
}

// loopback says whether an address of the form HOST:PORT is this machine's own.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
