package capture

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/paratimer/paratimer/dag"
)

// A Player is an http.RoundTripper that serves a recording at a virtual instant. It returns the newest record of a
// path up to that instant. The host does not matter, and the query only matters for operations of HDFS. For lists of
// a Tez DAG it returns the newest record of each requested part, and for container logs their content at that
// instant. It returns 404 for paths without a record so far.
type Player struct {
	rec *Recording
	now atomic.Int64
}

// NewPlayer returns a player that serves rec from the instant of its first line.
func NewPlayer(rec *Recording) *Player {
	p := &Player{rec: rec}
	p.Seek(rec.First)
	return p
}

// Seek sets the virtual instant.
func (p *Player) Seek(t dag.Instant) { p.now.Store(int64(t)) }

// Now returns the virtual instant.
func (p *Player) Now() dag.Instant { return dag.Instant(p.now.Load()) }

// Made returns when the current response of a path was recorded, or NoInstant if there is none.
func (p *Player) Made(path string) dag.Instant {
	if a, ok := p.rec.at(&url.URL{Path: path}, p.Now()); ok {
		return a.at
	}
	return dag.NoInstant
}

// RoundTrip serves a GET request from the recording.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if req.Method != http.MethodGet {
		return nil, fmt.Errorf("capture: %s %s: a recording answers GET only", req.Method, req.URL)
	}
	a, ok := p.rec.at(req.URL, p.Now())
	switch {
	case !ok:
		a = answer{
			status: http.StatusNotFound, kind: "application/json",
			body: body{text: `{"RemoteException":{"exception":"NotFoundException",` +
				`"message":"not recorded (yet)","javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}`},
		}
	case a.status == 0:
		return nil, errors.New("recorded: " + a.body.String())
	}
	h := http.Header{}
	set(h, "Content-Type", a.kind)
	set(h, "Date", a.date)
	text := p.rec.part(req.URL, &a, p.Now())
	if a.status >= 300 && a.status < 400 {
		if to, ok := strings.CutPrefix(text, "Location: "); ok {
			set(h, "Location", strings.TrimSpace(to))
			text = ""
		}
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req,
	}, nil
}

func set(h http.Header, k, v string) {
	if v != "" {
		h.Set(k, v)
	}
}
