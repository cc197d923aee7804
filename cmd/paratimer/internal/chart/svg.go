// Package chart is shared by all drawings: round ticks of axes, the bars of Gantt charts, and SVG. A drawing needs
// no font, no script and no network.
package chart

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
	"text/template"
	"unicode"
)

// A Drawing is a template of an SVG file. In the template `px` formats a length or position, `text` escapes text,
// and `dark` inserts the style for dark screens.
type Drawing struct{ template *template.Template }

// Parse parses a template that is part of the program. It panics if the template is invalid.
func Parse(text string) Drawing {
	return Drawing{template.Must(template.New("svg").Funcs(template.FuncMap{
		"px": Px, "text": escape,
		"dark": func() string { return dark },
	}).Parse(text))}
}

// Draw writes the drawing of data. If the template fails it writes nothing.
func (d Drawing) Draw(w io.Writer, data any) error {
	var b bytes.Buffer
	if err := d.template.Execute(&b, data); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// Px formats a length or position in pixels.
func Px(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// escape makes a text safe inside XML, which allows no control characters at all.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, s))
}

// dark has the colors of a drawing's background, letters and lines if the reader prefers a dark screen. Marks that
// stand for data keep their color.
const dark = `@media (prefers-color-scheme: dark) {
text { fill: #c4c9d1 } .name, .job, .bold, .side { fill: #eceef1 } .light { fill: #fff } .dark { fill: #202124 } .pale { fill: #eceef1 }
rect[fill="#fff"] { fill: #15171b } text[stroke="#fff"] { stroke: #15171b } line[stroke="#fff"] { stroke: #15171b }
[stroke="#e3e5e8"], [stroke="#d5d8dc"] { stroke: #3a3f47 } rect[fill="#f0f1f3"], .cut, .operator { fill: #262a31 }
[stroke="#202124"], [stroke="#5f6368"], .operator, .on { stroke: #eceef1 } circle[fill="#202124"] { fill: #eceef1 }
[stroke="#1a73e8"] { stroke: #8ab4f8 } circle[fill="#1a73e8"] { fill: #8ab4f8 } [stroke="#188038"] { stroke: #81c995 } [stroke="#d93025"] { stroke: #f28b82 }
.limit, .answer { stroke: #f28b82 } .says { fill: #f28b82 } .beside { stroke: #15171b }
}
`
