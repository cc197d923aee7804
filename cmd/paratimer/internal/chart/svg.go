// Package chart is what all drawings share: round ticks of axes, the bars of Gantt charts, and SVG. A drawing needs no font,
// no script and no network.
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

// A Drawing is a template of an SVG file. In it `px` writes a length or place and `text` what people read, escaped.
type Drawing struct{ template *template.Template }

// Parse makes a drawing of a template that is part of the program; one that is wrong panics.
func Parse(text string) Drawing {
	return Drawing{template.Must(template.New("svg").Funcs(template.FuncMap{"px": Px, "text": escape}).Parse(text))}
}

// Draw writes the drawing of data, or nothing of it.
func (d Drawing) Draw(w io.Writer, data any) error {
	var b bytes.Buffer
	if err := d.template.Execute(&b, data); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// Px writes a length or place in pixels.
func Px(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// escape makes a text safe inside XML, which holds no control characters at all.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, s))
}
