package compareview

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

//go:embed assets
var assets embed.FS

var pages = template.Must(template.ParseFS(assets, "assets/page.tmpl"))

// A page is the data of the template.
type page struct {
	Policy, Title, Says, Otherwise, PathSays string
	Style                                    template.CSS
	Run                                      int
	BaseRun                                  *int
	Findings                                 []Finding
	Bars                                     []bar
	Tables                                   []table
	Gantts                                   []gantt
	GanttJobs                                []ganttJob
}

// A bar is an effect, drawn from the middle.
type bar struct {
	Effect                            compare.Effect
	Seconds, Class, X, Width, Meaning string
}

// HTML writes the document as one page that loads nothing and runs no script.
func (d *Document) HTML(w io.Writer) error {
	style, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(style)
	p := page{
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'",
		Title: view.Escape(d.Workflow), Says: view.Escape(d.Difference.Says),
		Otherwise: view.Escape(strings.Join(d.Otherwise, "; ")), PathSays: view.Escape(d.CriticalPath.Says),
		Style: template.CSS(style), Run: d.Run, BaseRun: d.BaseRun, Bars: d.bars(), Tables: []table{d.jobs(), d.runs()},
		Gantts: d.gantts, GanttJobs: d.ganttJobs,
	}
	for _, f := range d.Findings {
		f.Says = view.Escape(f.Says)
		p.Findings = append(p.Findings, f)
	}
	var b bytes.Buffer // so that nothing is written if a part fails
	if err := pages.ExecuteTemplate(&b, "page.tmpl", p); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// half is the length of the longest bar in pixels.
const half = 96

func (d *Document) bars() (all []bar) {
	most := 0.0
	for _, e := range d.Difference.Effects {
		most = max(most, math.Abs(float64(e.Seconds)))
	}
	for _, e := range d.Difference.bySize() {
		width := half * math.Abs(float64(e.Seconds)) / most
		b := bar{
			Effect: e.Effect, Seconds: units.Signed(e.Seconds), Class: "more", X: chart.Px(100), Width: chart.Px(width),
			Meaning: e.Meaning,
		}
		if e.Seconds < 0 {
			b.Class, b.X = "less", chart.Px(100-width)
		}
		all = append(all, b)
	}
	return all
}
