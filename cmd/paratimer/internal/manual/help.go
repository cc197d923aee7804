package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/units"
)

// The help is for terminals of 80 columns.
const (
	helpWidth  = 80
	helpColumn = 26 // largest column of the descriptions
)

// Limits of the short help. It has fewer examples and flags if it would have more than mostLines lines.
const (
	mostExamples = 2
	mostFlags    = 10
	leastFlags   = 4
	mostLines    = 24
)

// Help returns the output of a command's `--help`: its usage, a few examples and the most common flags.
func Help(c *Command) string {
	whole := HelpAll(c)
	flags, keys := c.partition()
	if len(c.Commands) > 0 || len(c.Flags) <= mostFlags && strings.Count(whole, "\n") <= mostLines {
		return whole
	}
	more := "\n" + Wrap(allOf(c.Path, len(flags), len(keys)), "", "") + "\n"
	for n := mostFlags; ; n-- {
		for examples := mostExamples; examples > 0; examples-- {
			text := HelpAll(shortened(c, n, examples)) + more
			if n == leastFlags && examples == 1 || strings.Count(text, "\n") <= mostLines {
				return text
			}
		}
	}
}

// allOf points to the whole help.
func allOf(path string, flags, keys int) string {
	text := fmt.Sprintf("`%s --help all` shows all %s", path, units.Count(flags, "flag"))
	if keys > 0 {
		text += " and " + units.Count(keys, "setting")
	}
	return text + "."
}

// shortened returns a command with its first paragraph, and a number of flags and examples.
func shortened(c *Command, flags, examples int) *Command {
	short := *c
	short.Text.Paragraphs = c.Text.Paragraphs[:min(1, len(c.Text.Paragraphs))]
	short.Text.Examples = c.Text.Examples[:min(examples, len(c.Text.Examples))]
	short.Flags = usual(c, flags)
	for i, s := range short.Flags {
		brief := *s
		brief.Placeholder, brief.Help, brief.Choices = s.Value(), firstClause(s), nil
		short.Flags[i] = &brief
	}
	return &short
}

// wanted are the most common flags, most common first.
var wanted = []string{
	"rm", "spark", "within", "deadline", "profile", "output", "record", "out", "quiet", "plain", "every", "speed", "rules", "at",
	"slots", "fail", "alertmanager", "exec",
	"metrics", "listen", "recording", "warning", "critical", "seed", "know", "noise", "utc",
}

// usual returns at most so many flags of a command, in the command's order: those in wanted, filled up with the
// command's own ones.
func usual(c *Command, most int) []*settings.Setting {
	flags, _ := c.partition()
	chosen := map[string]bool{}
	take := func(name string) {
		if len(chosen) < most {
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
		if flags[i].Subject == "" {
			take(flags[i].Name)
		}
	}
	for i := range flags {
		take(flags[i].Name)
	}
	var out []*settings.Setting
	for i := range flags {
		if chosen[flags[i].Name] {
			out = append(out, flags[i])
		}
	}
	return out
}

// firstClause returns a short form of a flag's description. If it does not fit into a line it ends at the first
// semicolon; if that is still too long, at the first bracket or colon. A few words before a colon are not cut off.
func firstClause(f *settings.Setting) string {
	room := helpWidth - helpColumn
	if f.DefaultText() != "" {
		room -= utf8.RuneCountInString(" (default: " + f.DefaultText() + ")")
	}
	short := f.Does()
	for _, ends := range []string{"; ", " (", ": "} {
		clause, _, _ := strings.Cut(short, ends)
		inBrackets := strings.Count(clause, "(") > strings.Count(clause, ")")
		if utf8.RuneCountInString(short) > room && !inBrackets && (ends != ": " || len(clause) >= fewWords) {
			short = clause
		}
	}
	return short
}

// fewWords is the least length of a text before a colon that may stand alone.
const fewWords = 20

// HelpAll returns the output of a command's `--help all`.
func HelpAll(c *Command) string { return execute("help.tmpl", c) }

func commandTable(commands []*Command) string {
	rows := make([][2]string, len(commands))
	for i, c := range commands {
		rows[i] = [2]string{c.Name(), c.Does}
	}
	return table(rows)
}

func flagTable(flags []*settings.Setting) string {
	rows := make([][2]string, len(flags))
	for i, f := range flags {
		rows[i] = [2]string{f.Spelled(), f.Says()}
	}
	return table(rows)
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
