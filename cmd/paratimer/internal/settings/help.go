package settings

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/paratimer/paratimer/units"
)

// The help is for terminals of 80 columns.
const (
	helpWidth  = 80
	helpColumn = 24 // column of the descriptions
)

// Limits of the short help. It has fewer flags if it would have more than mostLines lines.
const (
	mostFlags  = 10
	leastFlags = 3
	mostLines  = 24
)

// HelpAll returns the output of a command's `--help all`.
func HelpAll(c *Command) string { return execute("help.tmpl", c) }

// Help returns the output of a command's `--help`: its usage, an example and the most common flags or, of the program,
// the names of its commands.
func Help(c *Command) string {
	text := HelpAll(c)
	switch {
	case strings.Count(text, "\n") <= mostLines:
		return text
	case len(c.Commands) > 0:
		return overview(c)
	}
	flags := slices.DeleteFunc(slices.Clone(c.Flags), func(s *Setting) bool { return s.KeyOnly })
	more := fmt.Sprintf("`%s --help all` shows all %s", c.Path, units.Count(len(flags), "flag"))
	if keys := len(c.Flags) - len(flags); keys > 0 {
		more += " and " + units.Count(keys, "setting")
	}
	more = "\n" + Wrap(more+".", "", "") + "\n"
	short := *c
	short.Text.Paragraphs = c.Text.Paragraphs[:min(1, len(c.Text.Paragraphs))]
	if i := slices.IndexFunc(c.Text.Examples, func(line string) bool { return strings.HasPrefix(line, "$ ") }); i >= 0 {
		short.Text.Examples = c.Text.Examples[:i+1]
	}
	slices.SortStableFunc(flags, func(a, b *Setting) int { return rank(a) - rank(b) })
	for n := min(mostFlags, len(flags)); n >= leastFlags; n-- {
		short.Flags = nil
		for _, s := range flags[:n] {
			brief := *s
			brief.Subject, brief.Help = "", firstClause(s)
			short.Flags = append(short.Flags, &brief)
		}
		text = HelpAll(&short) + more
		if strings.Count(text, "\n") <= mostLines {
			break
		}
	}
	return text
}

// overview returns the short help of the program.
func overview(c *Command) string {
	short := *c
	short.Text.Examples, short.Flags, short.Commands = c.Text.Examples[:min(5, len(c.Text.Examples))], nil, nil
	short.Args = "COMMAND [flags] [arguments]"
	text, last := HelpAll(&short)+"\nCommands:", ""
	for _, m := range c.Commands {
		if m.Heading != last {
			text += "\n" + entry(m.Heading, m.Name())
		} else {
			text += ", " + m.Name()
		}
		last = m.Heading
	}
	return text + "\n\n" + Wrap("`"+c.Path+" COMMAND --help` explains one, `"+c.Path+" help all` lists all.", "", "") + "\n"
}

// common are the most common flags, most common first.
var common = []string{
	"rm", "spark", "within", "deadline", "profile", "output", "record", "out", "quiet", "plain", "every", "speed", "rules", "at",
	"slots", "fail", "alertmanager", "exec",
	"metrics", "listen", "recording", "warning", "critical", "seed", "know", "noise", "utc",
}

// rank returns the place of a flag in the short help.
func rank(s *Setting) int {
	if i := slices.Index(common, s.Name); i >= 0 {
		return i
	}
	return len(common)
}

// firstClause returns a short form of a flag's help: if it does not fit into a line, it ends at the first bracket or
// semicolon.
func firstClause(s *Setting) string {
	short := s.Help
	for _, end := range []string{" (", "; "} {
		if utf8.RuneCountInString(short) > helpWidth-helpColumn {
			short, _, _ = strings.Cut(short, end)
		}
	}
	return short
}

// flagEntry returns the entry of a setting in the help.
func flagEntry(s *Setting) string { return entry(s.Spelled(), s.Says()) }

// entry returns a text beside its name. A name that is too wide has a line of its own.
func entry(name, text string) string {
	first, indent := "  "+name+"  ", strings.Repeat(" ", helpColumn)
	if n := utf8.RuneCountInString(first); n > helpColumn {
		first = strings.TrimRight(first, " ") + "\n" + indent
	} else {
		first += indent[n:]
	}
	return Wrap(text, first, indent)
}

// Wrap wraps a text between words. The first line begins with first, the others with indent. A word that is wider
// than the page is not split.
func Wrap(text, first, indent string) string {
	words := unbroken.Replace(strings.Join(strings.Fields(text), " "))
	lines := ansi.Wordwrap(words, helpWidth-utf8.RuneCountInString(indent), "")
	return first + strings.ReplaceAll(broken.Replace(lines), "\n", "\n"+indent)
}

// unbroken keeps names with hyphens whole: ansi.Wordwrap would break lines there.
var unbroken, broken = strings.NewReplacer("-", "\u2011"), strings.NewReplacer("\u2011", "-")
