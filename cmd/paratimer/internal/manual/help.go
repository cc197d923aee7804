package manual

import (
	"strings"
	"unicode/utf8"
)

// The help is for terminals of 80 columns.
const (
	helpWidth  = 80
	helpColumn = 26 // where what a flag does begins, at most
)

// Help is what `--help` prints of a command.
func Help(c *Command) string {
	var b strings.Builder
	put := func(s string) { b.WriteString(s + "\n") }
	put(Wrap(c.Path+": "+c.Does, "", ""))
	put("\nUsage:\n  " + c.synopsis())
	for _, p := range c.Text.Paragraphs {
		put("")
		put(Wrap(p, "", ""))
	}
	if len(c.Text.Examples) > 0 {
		put("\nExamples:")
	}
	for _, e := range c.Text.Examples {
		if e.For != "" {
			put(Wrap(e.For, "  # ", "  # "))
		}
		put("  " + e.Line)
	}
	for _, s := range c.sections() {
		rows := make([][2]string, len(s.all))
		for i, sub := range s.all {
			rows[i] = [2]string{sub.Name(), sub.Does}
		}
		if len(rows) > 0 {
			put("\n" + s.heading + ":\n" + table(rows))
		}
	}
	for _, s := range c.flagSections() {
		rows := make([][2]string, len(s.all))
		for i, f := range s.all {
			rows[i] = [2]string{f.spelled(), f.says()}
		}
		if len(rows) > 0 {
			put("\n" + s.heading + ":\n" + table(rows))
		}
	}
	if len(c.Commands) > 0 {
		put("\n" + Wrap("`"+c.Path+" COMMAND --help` says more of a command.", "", ""))
	}
	return b.String()
}

// table is two columns. A first one that is too wide for its place has a line of its own.
func table(rows [][2]string) string {
	column := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r[0]) + 4; n <= helpColumn {
			column = max(column, n)
		}
	}
	if column == 0 {
		column = helpColumn
	}
	indent := strings.Repeat(" ", column)
	var lines []string
	for _, r := range rows {
		first := "  " + r[0]
		n := utf8.RuneCountInString(first)
		if n+2 > column {
			lines = append(lines, first)
			first, n = "", 0
		}
		lines = append(lines, Wrap(r[1], first+strings.Repeat(" ", column-n), indent))
	}
	return strings.Join(lines, "\n")
}

// Wrap breaks a text between words: its first line begins with first, each other with indent. A word that is wider than the
// page stays whole.
func Wrap(text, first, indent string) string {
	var b strings.Builder
	line := first
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > helpWidth {
			b.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	return b.String() + line
}
