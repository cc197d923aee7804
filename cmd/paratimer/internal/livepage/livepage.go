// Package livepage serves the report of a run that goes on: the page, and what is inside of it for its script to ask
// for.
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

// A Page is a sink that follows a run. Nothing is made before somebody asks for it.
type Page struct {
	every time.Duration
	up    string // where the page of all queries is; "" for none
	zone  *time.Location

	mu        sync.Mutex
	collector *runreport.Collector
	frames    int // so many were shown
	made      int // after so many the parts were made
	parts     map[string]part
}

// A part is what is answered under a path.
type part struct {
	body []byte
	tag  string
}

// New is the page of what g gathers, with instants in a zone. Browsers ask each time that every has passed.
func New(g *runreport.Collector, every time.Duration, zone *time.Location) *Page {
	return &Page{collector: g, every: every, zone: zone}
}

// Show takes a tick in.
func (p *Page) Show(tick frame.Tick) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames++
	return p.collector.Show(tick)
}

// Report is what has happened so far.
func (p *Page) Report() (*runreport.Report, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.collector.Report()
}

// errNothing says that there is nothing to show yet.
var errNothing = errors.New("nothing was observed yet")

// part is what a path shows now.
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
