package livepage

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/report"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
)

// Handler serves the page at / and its content at /main. Both have an ETag, so that unchanged content is not sent
// again.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.answer)
	mux.HandleFunc("GET /main", p.answer)
	return serve.Guarded(mux)
}

func (p *Page) answer(w http.ResponseWriter, r *http.Request) { p.answerAt(w, r, r.URL.Path) }

// answerAt serves the part of the page at a path.
func (p *Page) answerAt(w http.ResponseWriter, r *http.Request, path string) {
	shown, err := p.part(path)
	if errors.Is(err, errNothing) {
		w.Header().Set("Refresh", "1")
		http.Error(w, "Nothing was observed yet; this page asks again.", http.StatusServiceUnavailable)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, r, shown)
}

// send writes a part, or "not modified" if the client has it already.
func send(w http.ResponseWriter, r *http.Request, shown part) {
	h := w.Header()
	h.Set("Content-Security-Policy", report.LivePolicy+"; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache") // clients cache it, and revalidate it by its tag
	h.Set("ETag", shown.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(shown.body))
}

// Limits of the server: a page is at most some megabytes, and few people use it.
const (
	maxConnections = 32
	answerTime     = 15 * time.Second
)

// Serve serves on l to clients that the door admits, until stop is called. failed receives errors.
func (p *Page) Serve(l net.Listener, d serve.Door, failed func(error)) (stop func()) {
	return serve.Serve(l, p.Handler(), serve.Limits{Connections: maxConnections, Time: answerTime}, d, failed)
}
