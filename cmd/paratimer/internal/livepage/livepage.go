// Package livepage serves the report of a running query: the page, and its content for the page's script to reload.
package livepage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/report"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
)

// A Page is a sink that follows a run. It renders nothing before the first request.
type Page struct {
	every time.Duration
	up    string // link to the page of all queries; "" for none
	zone  *time.Location

	mu        sync.Mutex
	collector *runreport.Collector
	frames    int // number of frames shown
	made      int // number of frames at the last rendering
	parts     map[string]part
}

// A part is the response at a path.
type part struct {
	body []byte
	tag  string
}

// New returns the page of what g collects, with instants in a zone. Browsers reload every time that every has
// passed.
func New(g *runreport.Collector, every time.Duration, zone *time.Location) *Page {
	return &Page{collector: g, every: every, zone: zone}
}

// Show records a tick.
func (p *Page) Show(tick frame.Tick) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames++
	return p.collector.Show(tick)
}

// Report returns the report so far.
func (p *Page) Report() (*runreport.Report, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.collector.Report()
}

// errNothing means that nothing was observed yet.
var errNothing = errors.New("nothing was observed yet")

// part returns the current part at a path, and renders it if there are new frames.
func (p *Page) part(path string) (part, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frames == 0 {
		return part{}, errNothing
	}
	if p.made != p.frames {
		if err := p.render(); err != nil {
			return part{}, err
		}
		p.made = p.frames
	}
	return p.parts[path], nil
}

func (p *Page) render() error {
	s, err := p.collector.Report()
	if err != nil {
		return err
	}
	p.parts = map[string]part{}
	for path, write := range map[string]func(io.Writer) error{
		"/":     func(w io.Writer) error { return report.Live(w, s, p.every, p.up, p.zone) },
		"/main": func(w io.Writer) error { return report.Main(w, s, p.up, p.zone) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		sum := sha256.Sum256(b.Bytes())
		p.parts[path] = part{b.Bytes(), `"` + hex.EncodeToString(sum[:16]) + `"`}
	}
	return nil
}
