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

// A Player serves a recording as an http.RoundTripper at a virtual instant: a path answers its newest record that is
// not later, whatever the host and, but for the operations of HDFS, the query. Of the lists of a DAG of Tez it answers
// what is asked for, as the newest records of each part have it, and of a container's log files what they held then.
// What was not recorded yet is 404.
type Player struct {
	rec *Recording
	now atomic.Int64
}

// NewPlayer serves rec from its first line's instant on.
func NewPlayer(rec *Recording) *Player {
	p := &Player{rec: rec}
	p.Seek(rec.First)
	return p
}

// Seek sets the virtual instant.
func (p *Player) Seek(t dag.Instant) { p.now.Store(int64(t)) }

// Now is the virtual instant.
func (p *Player) Now() dag.Instant { return dag.Instant(p.now.Load()) }

// Made tells when the answer that path gets now was recorded; NoInstant if it gets none.
func (p *Player) Made(path string) dag.Instant {
	if a, ok := p.rec.at(&url.URL{Path: path}, p.Now()); ok {
		return a.at
	}
	return dag.NoInstant
}

// RoundTrip answers a GET from the recording.
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
