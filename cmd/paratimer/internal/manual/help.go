package manual

import (
	"fmt"
	"slices"
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

// Limits of the short help. It has fewer flags if it would have more than mostLines lines.
const (
	mostFlags  = 10
	leastFlags = 4
	mostLines  = 24
)

// Help returns the output of a command's `--help`: its usage, an example and the most common flags.
func Help(c *Command) string {
	text := HelpAll(c)
	flags, keys := c.partition()
	if len(c.Commands) > 0 || len(c.Flags) <= mostFlags && strings.Count(text, "\n") <= mostLines {
		return text
	}
	more := "\n" + Wrap(allOf(c.Path, len(flags), len(keys)), "", "") + "\n"
	for n := mostFlags; n >= leastFlags; n-- {
		text = HelpAll(shortened(c, usual(flags, n))) + more
		if strings.Count(text, "\n") <= mostLines {
			break
		}
	}
	return text
}

// allOf points to the whole help.
func allOf(path string, flags, keys int) string {
	text := fmt.Sprintf("`%s --help all` shows all %s", path, units.Count(flags, "flag"))
	if keys > 0 {
		text += " and " + units.Count(keys, "setting")
	}
	return text + "."
}

// shortened returns a command with its first paragraph and example, and some of its flags.
func shortened(c *Command, flags []*settings.Setting) *Command {
	short := *c
	short.Text.Paragraphs = c.Text.Paragraphs[:min(1, len(c.Text.Paragraphs))]
	short.Text.Examples = c.Text.Examples[:min(1, len(c.Text.Examples))]
	short.Flags = nil
	for _, s := range flags {
		brief := *s
		brief.Placeholder, brief.Help, brief.Choices = s.Value(), firstClause(s), nil
		short.Flags = append(short.Flags, &brief)
	}
	return &short
}

// wanted are the most common flags, most common first.
var wanted = []string{
	"rm", "spark", "within", "deadline", "profile", "output", "record", "out", "quiet", "plain", "every", "speed", "rules", "at",
	"slots", "fail", "alertmanager", "exec",
	"metrics", "listen", "recording", "warning", "critical", "seed", "know", "noise", "utc",
}

// usual returns at most so many flags, in their order: those in wanted, else the command's own ones, else any.
func usual(flags []*settings.Setting, most int) []*settings.Setting {
	rank := func(s *settings.Setting) int {
		switch i := slices.Index(wanted, s.Name); {
		case i >= 0:
			return i
		case s.Subject == "":
			return len(wanted)
		}
		return len(wanted) + 1
	}
	byRank := func(a, b *settings.Setting) int { return rank(a) - rank(b) }
	chosen := slices.SortedStableFunc(slices.Values(flags), byRank)
	chosen = chosen[:min(most, len(chosen))]
	return slices.DeleteFunc(slices.Clone(flags), func(s *settings.Setting) bool { return !slices.Contains(chosen, s) })
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
