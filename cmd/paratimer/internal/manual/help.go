package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The help is for terminals of 80 columns.
const (
	helpWidth  = 80
	helpColumn = 26 // largest column of the descriptions
)

// Limits of the short help.
const (
	mostExamples = 3
	mostFlags    = 10
)

// Help returns the output of a command's `--help`: its usage, a few examples and the most common flags.
func Help(c *Command) string {
	if len(c.Flags) <= mostFlags || len(c.Commands) > 0 {
		return HelpAll(c)
	}
	short := *c
	short.Text.Paragraphs = c.Text.Paragraphs[:min(1, len(c.Text.Paragraphs))]
	short.Text.Examples = c.Text.Examples[:min(mostExamples, len(c.Text.Examples))]
	short.Flags = usual(c.Flags)
	for i := range short.Flags { // a copy
		short.Flags[i].Does = firstClause(&short.Flags[i])
	}
	return HelpAll(&short) + "\n" + Wrap(fmt.Sprintf("`%s --help all` shows all %d flags.", c.Path, len(c.Flags)), "",
		"") + "\n"
}

// wanted are the most common flags, most common first.
var wanted = []string{
	"rm", "within", "deadline", "profile", "output", "record", "out", "quiet", "plain", "every", "speed", "rules", "at",
	"slots", "fail", "alertmanager", "exec",
	"metrics", "listen", "recording", "warning", "critical", "seed", "know", "noise", "utc",
}

// usual returns the flags of a command that are in wanted, filled up with the command's own ones, in the command's
// order.
func usual(flags []Flag) []Flag {
	chosen := map[string]bool{}
	take := func(name string) {
		if len(chosen) < mostFlags {
			chosen[name] = true
		}
	}
	own := map[string]bool{}
	for i := range flags {
		own[flags[i].Name] = true
	}
	for _, name := range wanted {
		if own[name] {
			take(name)
		}
	}
	for i := range flags {
		if flags[i].Heading == "" {
			take(flags[i].Name)
		}
	}
	for i := range flags {
		take(flags[i].Name)
	}
	var out []Flag
	for i := range flags {
		if chosen[flags[i].Name] {
			out = append(out, flags[i])
		}
	}
	return out
}

// firstClause returns a short form of a flag's description. If it does not fit into a line it ends at the first
// semicolon; if that is still too long, at the first bracket or colon. A few words before a colon are not cut off.
func firstClause(f *Flag) string {
	room := helpWidth - helpColumn
	if f.Default != "" {
		room -= utf8.RuneCountInString(" (default: " + f.Default + ")")
	}
	short := f.Does
	for _, ends := range []string{"; ", " (", ": "} {
		clause, _, _ := strings.Cut(short, ends)
		if utf8.RuneCountInString(short) > room && (ends != ": " || len(clause) >= fewWords) {
			short = clause
		}
	}
	return short
}

// fewWords is the least length of a text before a colon that may stand alone.
const fewWords = 20

// HelpAll returns the output of a command's `--help all`.
func HelpAll(c *Command) string {
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

// table formats two columns. A first cell that is too wide has a line of its own.
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

// Wrap wraps a text between words. The first line begins with first, the others with indent. A word that is wider
// than the page is not split.
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
