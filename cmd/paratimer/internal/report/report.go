// Package report draws a run report as one HTML file that needs nothing else: no network, no font, no library. Its
// figures are inline SVG and do without JavaScript; with it they can be enlarged, pointed at and sorted. It computes
// nothing of a run: places, not numbers.
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

// pages parses the templates at the first page: most commands write none.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").ParseFS(assets, "assets/*.tmpl"))
})

// Write writes the report of a run, or nothing of it, with instants in a zone. The same run report gives the
// same bytes.
func Write(w io.Writer, s *runreport.Report, zone *time.Location) error {
	return write(w, "page.tmpl", page{Policy: filePolicy, Style: style, Script: script}, s, zone)
}

// Live writes the page that follows a run: it asks for "main" beside it so often, and shows it where it has changed. A
// browser without scripts loads the whole page instead. up is the address of the page of all queries, "" for none.
func Live(w io.Writer, s *runreport.Report, every time.Duration, up string,
	zone *time.Location,
) error {
	p := page{Up: up, Policy: LivePolicy, Style: style, Script: script, EverySeconds: max(1, int(every/time.Second))}
	return write(w, "page.tmpl", p, s, zone)
}

// Main writes what is inside of the page's main element: what a live page replaces. An element in it with data-over
// says that nothing more will come.
func Main(w io.Writer, s *runreport.Report, up string, zone *time.Location) error {
	return write(w, "main.tmpl", page{Up: up}, s, zone)
}

// A page is what the templates draw. Every text in it that comes from elsewhere has been through text or prose.
type page struct {
	Policy       string
	Style        template.CSS
	Script       template.JS
	EverySeconds int    // 0: a file
	Up           string // where the page of all queries is; "" for none
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
