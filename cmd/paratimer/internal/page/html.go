package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

//go:embed assets/*.tmpl
var assets embed.FS

//go:embed assets/style.css
var ownStyle string

// script is the page's JavaScript, the only one that its policy allows.
//
//go:embed assets/script.js
var script template.JS

// style is the page's style sheet, the only one that its policy allows.
var style = template.CSS(chart.Style + ownStyle) //nolint:gosec // G203: the program's own

// filePolicy is the Content-Security-Policy of a file. It allows no request, form or frame, and only our own style
// and script.
var filePolicy = "default-src 'none'; style-src '" + digest(string(style)) + "'; script-src '" +
	digest(string(script)) + "'; img-src data:; base-uri 'none'; form-action 'none'"

// LivePolicy is the policy of a live page, which may send requests to its own server.
var LivePolicy = filePolicy + "; connect-src 'self'"

// digest returns the hash of an inline style or script for a policy.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// templates parses the templates when the first page is written: most commands write none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"text": Prose, "share": share, "kind": Block.kind,
		"width": func(b Bar) string { return share(b.To - b.From) }, "rects": (*Bar).rects,
	}).ParseFS(assets, "assets/*.tmpl"))
})

// A sheet is the data of the templates.
type sheet struct {
	*Document
	Policy       string
	Style        template.CSS
	Script       template.JS
	EverySeconds int // 0: a file
}

// HTML writes the document as one file that loads nothing. It writes nothing if it fails.
func (d *Document) HTML(w io.Writer) error {
	return execute(w, "page", sheet{Document: d, Policy: filePolicy, Style: style, Script: script})
}

// Live writes a page that fetches Main every `every` and shows it if it has changed. A browser without scripts loads
// the whole page instead.
func (d *Document) Live(w io.Writer, every time.Duration) error {
	return execute(w, "page", sheet{
		Document: d, Policy: LivePolicy, Style: style, Script: script, EverySeconds: max(1, int(every/time.Second)),
	})
}

// Main writes the content of the page's main element, which a live page replaces.
func (d *Document) Main(w io.Writer) error { return execute(w, "main", sheet{Document: d}) }

func execute(w io.Writer, name string, s sheet) error {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, s); err != nil {
		return fmt.Errorf("page of %s: %w", view.Escape(s.Title), err)
	}
	_, err := b.WriteTo(w)
	return err
}

// longest is the greatest number of bytes of a text that is shown.
const longest = 4000

// Prose makes a text from the cluster safe to show: invisible characters and direction marks become Go escapes.
func Prose(s string) string { return view.EscapeCut(s, longest) }

// share formats a share of a width as a percentage.
func share(v float64) string { return chart.Share(100 * v).String() }
