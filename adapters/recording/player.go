package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/paratimer/paratimer/dag"
)

// A Player is an http.RoundTripper that serves recorded answers at a virtual instant. It returns the newest answer to
// an address up to that instant, and 404 for an address without an answer so far. The host does not matter, and of the
// query only what Served returns.
type Player struct {
	answers map[string][]*Answer // by Served, by time
	texts   []Texts
	now     atomic.Int64
}

// Texts returns what a service answered to a request that selects a part of a resource, from all answers about the
// resource. It returns false for the resources of other services.
type Texts func(u *url.URL, answers []*Answer, at dag.Instant) (text string, ok bool)

// NewPlayer returns a player that serves rec from the instant of its first line.
func NewPlayer(rec *Answers, texts ...Texts) *Player {
	p := &Player{answers: map[string][]*Answer{}, texts: texts}
	served := map[*url.URL]string{}
	for i := range rec.all {
		a := &rec.all[i]
		path, known := served[a.URL]
		if !known {
			path = Served(a.URL)
			served[a.URL] = path
		}
		list := p.answers[path]
		if n := len(list); n == 0 || *list[n-1] != *a { // lines may be repeated
			p.answers[path] = append(list, a)
		}
	}
	p.Seek(rec.First)
	return p
}

// Seek sets the virtual instant.
func (p *Player) Seek(t dag.Instant) { p.now.Store(int64(t)) }

// Now returns the virtual instant.
func (p *Player) Now() dag.Instant { return dag.Instant(p.now.Load()) }

// Made returns when the current answer of a path was recorded, or NoInstant if there is none.
func (p *Player) Made(path string) dag.Instant {
	if a, ok := p.answer(&url.URL{Path: path}); ok {
		return a.At
	}
	return dag.NoInstant
}

// answer returns the newest answer to an address up to the virtual instant.
func (p *Player) answer(u *url.URL) (*Answer, bool) {
	list := p.answers[Served(u)]
	n, _ := slices.BinarySearchFunc(list, p.Now()+1, func(a *Answer, t dag.Instant) int { return cmp.Compare(a.At, t) })
	if n == 0 {
		return nil, false
	}
	return list[n-1], true
}

// notRecorded is the answer to an address without an answer so far.
var notRecorded = Answer{
	Status: http.StatusNotFound, Type: "application/json",
	body: pack(`{"RemoteException":{"exception":"NotFoundException",` +
		`"message":"not recorded (yet)","javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}`),
}

// RoundTrip serves a GET request from the recording.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if req.Method != http.MethodGet {
		return nil, fmt.Errorf("recording: %s %s: a recording answers GET only", req.Method, req.URL)
	}
	a, ok := p.answer(req.URL)
	switch {
	case !ok:
		a = &notRecorded
	case a.Status == 0:
		return nil, errors.New("recorded: " + a.Text())
	}
	h := http.Header{"Content-Type": {a.Type}, "Date": {a.Date}}
	text := p.text(req.URL, a)
	if a.Status >= 300 && a.Status < 400 {
		if to, ok := strings.CutPrefix(text, "Location: "); ok {
			h.Set("Location", strings.TrimSpace(to))
			text = ""
		}
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status)), StatusCode: a.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req,
	}, nil
}

// text returns the text of an answer: the requested part of it, if its service serves parts.
func (p *Player) text(u *url.URL, a *Answer) string {
	if a.Status == http.StatusOK {
		for _, text := range p.texts {
			if part, ok := text(u, p.answers[Served(u)], p.Now()); ok {
				return part
			}
		}
	}
	return a.Text()
}
