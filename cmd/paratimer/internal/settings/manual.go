package settings

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

//go:embed *.tmpl
var templateFiles embed.FS

// templates are the forms of the help, a man page and the reference.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"upper": strings.ToUpper, "join": strings.Join, "wrap": Wrap, "sentence": sentence, "heading": heading,
	"entry": entry, "flag": flagEntry, "roff": roff, "code": code, "cell": cell, "markdown": markdown, "all": All,
}).ParseFS(templateFiles, "*.tmpl"))

// execute returns a template's text. Tests check that none fails.
func execute(name string, data any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Sprintf("the manual cannot be written: %v\n", err)
	}
	return b.String()
}

// A Command is one of the tree. The root is the program; its flags apply to every command.
type Command struct {
	Path     string // the whole name, e.g. "paratimer history add"
	Does     string // one line
	Args     string // e.g. "FILE..."; "" if it takes none
	Heading  string // the group of commands in the help
	Hidden   bool   // left out of lists of commands and of the reference
	Text     Text
	Flags    []*Setting
	Commands []*Command
}

// A Text is the documentation of a command beside its flags.
type Text struct {
	Paragraphs []string
	Examples   []string // lines: a command after "$ ", or what the next one is for
	Notes      string   // sections of Markdown, e.g. exit codes, files; only in the man page and the reference
}

// ParseTexts parses the texts of commands, by path. "# PATH" begins one. Empty lines separate paragraphs. A paragraph
// with a line "$ COMMAND" has examples. "### HEADING" begins the notes.
func ParseTexts(s string) map[string]Text {
	all := map[string]Text{}
	for part := range strings.SplitSeq(strings.TrimPrefix(s, "# "), "\n# ") {
		path, body, _ := strings.Cut(part, "\n")
		var t Text
		body, t.Notes, _ = strings.Cut(strings.TrimSpace(body), "### ")
		for block := range strings.SplitSeq(body, "\n\n") {
			block = strings.TrimSpace(block)
			switch {
			case strings.Contains("\n"+block, "\n$ "):
				t.Examples = append(t.Examples, strings.Split(block, "\n")...)
			case block != "":
				t.Paragraphs = append(t.Paragraphs, block)
			}
		}
		if t.Notes != "" {
			t.Notes = "### " + t.Notes
		}
		all[path] = t
	}
	return all
}

// Name returns the last word of a command's path.
func (c *Command) Name() string { return c.Path[strings.LastIndexByte(c.Path, ' ')+1:] }

// Words returns a command's path without the program, e.g. "history add".
func (c *Command) Words() string {
	_, words, _ := strings.Cut(c.Path, " ")
	return words
}

// Page returns the name of a command's man page, e.g. "paratimer-history-add".
func (c *Command) Page() string { return strings.ReplaceAll(c.Path, " ", "-") }

// Find returns the command with this name below c; nil if there is none.
func (c *Command) Find(name string) *Command {
	for _, below := range c.Commands {
		if below.Name() == name {
			return below
		}
	}
	return nil
}

// All returns c and all commands below it, in the tree's order.
func (c *Command) All() []*Command {
	all := []*Command{c}
	for _, below := range c.Commands {
		all = append(all, below.All()...)
	}
	return all
}

// Shown returns the commands directly below c that are not hidden.
func (c *Command) Shown() []*Command {
	return slices.DeleteFunc(slices.Clone(c.Commands), func(below *Command) bool { return below.Hidden })
}

// Leaves returns the shown commands at and below c that do something: a group of commands shows only its help.
func (c *Command) Leaves() (all []*Command) {
	if len(c.Commands) == 0 {
		return []*Command{c}
	}
	for _, below := range c.Shown() {
		all = append(all, below.Leaves()...)
	}
	return all
}

// Synopsis returns the command's usage line.
func (c *Command) Synopsis() string {
	switch {
	case len(c.Commands) > 0:
		return c.Path + " COMMAND [flags] [arguments]"
	case len(c.Flags) == 0:
		return strings.TrimSpace(c.Path + " " + c.Args)
	}
	return strings.TrimSpace(c.Path + " [flags] " + c.Args)
}

// Settings returns the flags by subject, those of the command alone first, then the settings without a flag.
func (c *Command) Settings() []*Setting {
	rank := func(s *Setting) string {
		if s.KeyOnly {
			return "~" // after all letters
		}
		return s.Subject
	}
	return slices.SortedStableFunc(slices.Values(c.Flags), func(a, b *Setting) int {
		return cmp.Compare(rank(a), rank(b))
	})
}

// heading returns the heading of a setting in the help.
func heading(s *Setting) string {
	if s.KeyOnly {
		return "Settings (--set NAME=VALUE, or the configuration file)"
	}
	return cmp.Or(s.Subject, "Flags")
}

// sentence returns a text with a capital and a full stop.
func sentence(s string) string {
	s = strings.ToUpper(s[:1]) + s[1:]
	if strings.ContainsAny(s[len(s)-1:], ".:?") {
		return s
	}
	return s + "."
}

// Reference returns the whole tree as Markdown: a section for each command, and a table of all settings.
func Reference(root *Command) string { return execute("reference.tmpl", root) }

// code returns Markdown for text in a cell of a table that is typed as it stands.
func code(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }

// cell returns Markdown for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(markdown(s), "|", `\|`) }

// markdown escapes markup. Words between backquotes stay code.
func markdown(s string) string {
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;").Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// Man returns a command's man page, in the man macros of roff: its whole help, and the notes. release and date are the
// program's; date is YYYY-MM-DD, or "" if it is unknown.
//
// The pages of urfave/cli (ToMan, ToMarkdown) have no examples, exit codes and variables, and come from md2man, which
// does not escape dashes and quotes: man shows them as typographic ones, and examples that are copied do not run.
func Man(c *Command, release, date string) string {
	return execute("man.tmpl", map[string]any{"Command": c, "Help": HelpAll(c), "Release": release, "Date": date})
}

// roff escapes the characters that are special in roff. A dash remains one that can be copied. No line begins a
// request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`,
		"\n.", "\n\\&.").Replace("\n" + s)
	return s[1:]
}
