// Package serve is how this program listens: at this machine's own addresses unless another one is asked for, with bounded
// connections and times, and with answers that browsers do nothing with.
package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Limits are what a server allows.
type Limits struct {
	Connections int           // at a time; others wait outside
	Time        time.Duration // to read a request, and half of the time to answer it
}

const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute // above the usual scrape intervals, so that connections are kept
	closeTime  = 2 * time.Second
	maxHeader  = 16 << 10
)

// Serve answers on l until stop is called, which waits for answers under way, for a moment. What goes wrong is told to failed.
func Serve(l net.Listener, h http.Handler, limits Limits, failed func(error)) (stop func()) {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, ReadTimeout: limits.Time, WriteTimeout: 2 * limits.Time,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(limited(l, limits.Connections)); !errors.Is(err, http.ErrServerClosed) {
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
