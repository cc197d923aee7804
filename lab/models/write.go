package models

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// A printer writes a line.
type printer func(format string, args ...any)

// A section is a part of the document.
type section struct {
	title string
	write func(p printer) error
}

// write writes the whole document, or nothing if a section fails.
func write(w io.Writer, sections []section) error {
	var text strings.Builder
	p := func(format string, args ...any) {
		text.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), "\n") + "\n")
	}
	p("# Ernest and the queueing models: what is published, and ours")
	p("")
	p("%s", introWords)
	for _, s := range sections {
		p("")
		p("## %s", s.title)
		p("")
		if err := s.write(p); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// head writes the header of a table.
func head(p printer, titles ...string) {
	p("%s", line(titles...))
	p("|%s", strings.Repeat("---|", len(titles)))
}

// line returns a line of a table.
func line(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// number formats a figure, or returns "-" if it is unknown.
func number(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// off formats the difference of a figure from another, in per cent of the latter.
func off(ours, theirs float64) string { return number("%+.1f %%", 100*(ours/theirs-1)) }
