package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
)

// A Page is a sink that follows a run. It makes no report before the first request.
type Page struct {
	every time.Duration
	up    string // link to the page of all queries; "" for none
	zone  *time.Location

	mu        sync.Mutex
	collector *runreport.Collector
	made      int // number of frames in document
	document  *page.Document
}

// NewPage returns the page of what g collects, with instants in a zone. Browsers reload every time that every has
// passed.
func NewPage(g *runreport.Collector, every time.Duration, zone *time.Location) *Page {
	return &Page{collector: g, every: every, zone: zone}
}

// Show records a tick.
func (p *Page) Show(tick frame.Tick) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.collector.Show(tick)
}

// Handler serves the page at / and its content at /main.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.answer)
	mux.HandleFunc("GET /main", p.answer)
	return Guarded(mux)
}

// answer makes the report anew if there are new frames.
func (p *Page) answer(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.collector.Seen()
	if seen == 0 {
		w.Header().Set("Refresh", "1")
		http.Error(w, "Nothing was observed yet; this page reloads.", http.StatusServiceUnavailable)
		return
	}
	if p.made != seen {
		s, err := p.collector.Report()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		p.made, p.document = seen, runreport.Of(s, p.up, p.zone)
	}
	send(w, r, p.document, p.every)
}

// send writes a page, or its content at a path that ends in "main"; or "not modified" if the client has it already.
func send(w http.ResponseWriter, r *http.Request, d *page.Document, every time.Duration) {
	var body bytes.Buffer
	write := func(w io.Writer) error { return d.Live(w, every) }
	if strings.HasSuffix(r.URL.Path, "/main") {
		write = d.Main
	}
	if err := write(&body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(body.Bytes())
	h := w.Header()
	h.Set("Content-Security-Policy", page.LivePolicy+"; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache") // clients cache it, and revalidate it by its tag
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body.Bytes()))
}

// PageLimits are those of the server: a page is at most some megabytes, and few people use it.
var PageLimits = Limits{Connections: 32, Time: 15 * time.Second}
