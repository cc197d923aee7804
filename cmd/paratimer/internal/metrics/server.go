package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits of the server. A scrape of a hundred workflows takes some milliseconds.
const (
	maxScrapes     = 4
	maxConnections = 64
	scrapeTime     = 10 * time.Second
	headerTime     = 5 * time.Second
	idleTime       = 2 * time.Minute // above the usual scrape intervals, so that connections are kept
	closeTime      = 2 * time.Second
)

// readyIntervals is how many intervals may pass without an observation before the process is not ready.
const readyIntervals = 3

// Handler answers /metrics (OpenMetrics where Accept asks for it), /frames (the newest frame of each run, as NDJSON), /healthz and /readyz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(prometheus.Gatherers{m.ours, m.process}, promhttp.HandlerOpts{
		EnableOpenMetrics: true, MaxRequestsInFlight: maxScrapes, Timeout: scrapeTime,
		ErrorHandling: promhttp.ContinueOnError, // one bad series must not hide the others
	}))
	mux.HandleFunc("GET /frames", m.serveFrames)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := m.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ParaTimer: /metrics, /frames, /healthz, /readyz")
	})
	return guarded(mux)
}

// serveFrames writes the newest frame of each run as one line of JSON. Its contract is docs/frames.md.
func (m *Metrics) serveFrames(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	for _, r := range m.now().runs {
		if enc.Encode(r.frame) != nil {
			return // the reader has gone
		}
	}
}

// Ready says whether the process observes: within three intervals, which count as a second at least.
func (m *Metrics) Ready() error {
	m.mu.Lock()
	observed := m.observed
	m.mu.Unlock()
	if observed.IsZero() {
		return errors.New("nothing was observed yet")
	}
	age := m.opt.Now().Sub(observed)
	if limit := readyIntervals * max(m.opt.Every, time.Second); m.opt.Every > 0 && age > limit {
		return fmt.Errorf("the last observation is %v old, more than %d intervals of %v", age.Round(time.Second), readyIntervals, m.opt.Every)
	}
	return nil
}

// guarded adds headers that keep browsers from doing anything with the answers. A name in Host that is not this machine's own
// is refused on the loopback, or any web page could read it there by pointing its own name at 127.0.0.1.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && loopback(at.String()) && !local(r.Host) {
			http.Error(w, "this address answers to localhost only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// local says whether a Host header is an address or localhost.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
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

// Address reads what a person gives for an address: PORT and :PORT mean this machine alone, everything else is HOST:PORT.
// Exposed says that others can reach it.
func Address(typed string) (address string, exposed bool, err error) {
	if !strings.Contains(typed, ":") {
		typed = ":" + typed
	}
	host, port, err := net.SplitHostPort(typed)
	if err != nil {
		return "", false, fmt.Errorf("%q is no address: give a port, such as 9188, or HOST:PORT", typed)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", false, fmt.Errorf("%q is no port: give one from 1 to 65535, or 0 for any that is free", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	address = net.JoinHostPort(host, port)
	return address, !loopback(address), nil
}

// Serve answers on l until stop is called, which waits for answers under way, for a moment. What goes wrong is told to failed.
func (m *Metrics) Serve(l net.Listener, failed func(error)) (stop func()) {
	server := &http.Server{
		Handler: m.Handler(), ReadHeaderTimeout: headerTime, ReadTimeout: scrapeTime, WriteTimeout: 2 * scrapeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: 16 << 10,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(limited(l, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
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
