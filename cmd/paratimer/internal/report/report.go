// Package report draws a run report as one self-contained HTML file: no network, no font, no library. Its figures are
// inline SVG and work without JavaScript; with it they can be enlarged, pointed at and sorted. The package computes
// positions in drawings, but no numbers of a run.
package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
)

//go:embed assets
var assets embed.FS

// pages parses the templates when the first page is written: most commands write none.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").ParseFS(assets, "assets/*.tmpl"))
})

// Write writes the report of a run with instants in a zone. It writes nothing if it fails. The same run report gives
// the same bytes.
func Write(w io.Writer, s *runreport.Report, zone *time.Location) error {
	return write(w, "page.tmpl", page{Policy: filePolicy, Style: style, Script: script}, s, zone)
}

// Live writes the page that follows a run. It fetches "main" every `every` and shows it if it has changed. A browser
// without scripts loads the whole page instead. up is the address of the page of all queries, "" for none.
func Live(w io.Writer, s *runreport.Report, every time.Duration, up string,
	zone *time.Location,
) error {
	p := page{Up: up, Policy: LivePolicy, Style: style, Script: script, EverySeconds: max(1, int(every/time.Second))}
	return write(w, "page.tmpl", p, s, zone)
}

// Main writes the content of the page's main element, which a live page replaces. An element with data-over in it
// means that the run has ended.
func Main(w io.Writer, s *runreport.Report, up string, zone *time.Location) error {
	return write(w, "main.tmpl", page{Up: up}, s, zone)
}

// A page is the templates' data. Every text from outside has been through text or prose.
type page struct {
	Policy       string
	Style        template.CSS
	Script       template.JS
	EverySeconds int    // 0: a file
	Up           string // address of the page of all queries; "" for none
	head
	Gantt             *gantt
	PredictionHistory *predictionHistory
	Attribution       *attribution
	Jobs              *jobs
	Skew              *skew
	Limits            *limits
	Data              template.JS
}

func write(w io.Writer, name string, p page, s *runreport.Report, zone *time.Location) error {
	data, err := dataOf(s)
	if err != nil {
		return fmt.Errorf("report of %s: %w", text(s.From), err)
	}
	p.Data, p.head = data, headOf(s, zone)
	p.Gantt, p.PredictionHistory, p.Attribution = ganttOf(s), predictionHistoryOf(s), attributionOf(s)
	p.Jobs, p.Skew, p.Limits = jobsOf(s), skewOf(s), limitsOf(s)
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, p); err != nil {
		return fmt.Errorf("report of %s: %w", text(s.From), err)
	}
	_, err = b.WriteTo(w)
	return err
}
