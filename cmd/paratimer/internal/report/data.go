package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf16"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
)

// dataOf returns the run report as JSON, for the page's script and for programs that read the file. It leaves out the
// bars of the chart, which the drawing has. It is ASCII without <, > and &: no name can end the script element or
// reverse the text direction.
func dataOf(s *runreport.Report) (template.JS, error) {
	short := *s
	short.Chart.Panels = make([]runreport.Panel, len(s.Chart.Panels))
	for i, p := range s.Chart.Panels {
		short.Chart.Panels[i] = runreport.Panel{Title: p.Title, Rows: p.Rows, Bars: []runreport.Bar{}}
	}
	data, err := json.Marshal(&short)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(len(data))
	for _, r := range string(data) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return template.JS(b.String()), nil
}
