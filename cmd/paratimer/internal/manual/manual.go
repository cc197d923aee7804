// Package manual documents the commands: help for a terminal, man pages, the reference in docs/. It receives the
// command tree as values: it does not depend on the command-line library, and does no I/O.
//
// The output of urfave/cli (ToMan, ToMarkdown, its help) is one page of all commands without examples, exit codes
// and variables. Its pages come from md2man, which does not escape dashes and quotes: man shows them as typographic
// ones, and examples that are copied do not run.
package manual

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

//go:embed *.tmpl
var templateFiles embed.FS

// templates are the forms of the help, a man page and the reference.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"upper": strings.ToUpper, "join": strings.Join, "wrap": Wrap, "sentence": sentence, "term": term,
	"commands": commandTable, "flags": flagTable,
	"escape": escape, "guarded": guarded, "quoted": quoted, "text": roffText,
	"own": own, "sharedNames": sharedNames, "unusualEnv": unusualEnv, "code": code, "cell": cell, "markdown": markdown,
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
	Text     Text
	Flags    []*settings.Setting
	Commands []*Command
	Hidden   bool // an old name: lists of commands leave it out
}

// Name returns the last word of a command's path.
func (c *Command) Name() string { return c.Path[strings.LastIndexByte(c.Path, ' ')+1:] }

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

// Visible returns the commands below c that lists have.
func (c *Command) Visible() []*Command {
	return slices.DeleteFunc(slices.Clone(c.Commands), func(c *Command) bool { return c.Hidden })
}

// All returns the visible commands: c and all below it, in the tree's order.
func (c *Command) All() []*Command {
	all := []*Command{c}
	for _, below := range c.Visible() {
		all = append(all, below.All()...)
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

// Operands returns the usage line without the command's path.
func (c *Command) Operands() string { return strings.TrimPrefix(c.Synopsis(), c.Path+" ") }

// Sections returns the commands below c by heading, in the order in which headings first appear.
func (c *Command) Sections() []section[Command] {
	return sectioned(c.Visible(), "Commands", func(c *Command) string { return c.Heading })
}

// FlagSections returns the flags by subject, those of the command alone first, then the settings without a flag. A
// short list is one section without subjects.
func (c *Command) FlagSections() []section[settings.Setting] {
	flags, keys := c.partition()
	out := sectioned(flags, "Flags", func(s *settings.Setting) string {
		if len(flags) <= mostFlags {
			return ""
		}
		return s.Subject
	})
	if len(keys) > 0 {
		out = append(out, section[settings.Setting]{"Settings (--set NAME=VALUE, or the configuration file)", keys})
	}
	return out
}

// partition returns the settings with and without a flag.
func (c *Command) partition() (flags, keys []*settings.Setting) {
	for _, s := range c.Flags {
		if s.KeyOnly {
			keys = append(keys, s)
		} else {
			flags = append(flags, s)
		}
	}
	return flags, keys
}

// A section has the entries under a heading.
type section[T any] struct {
	Heading string
	All     []*T
}

// sectioned groups values by heading. Those without one come first, under the heading whole.
func sectioned[T any](values []*T, whole string, heading func(*T) string) []section[T] {
	out := []section[T]{{Heading: whole}}
	for _, v := range values {
		h := cmp.Or(heading(v), whole)
		n := slices.IndexFunc(out, func(s section[T]) bool { return s.Heading == h })
		if n < 0 {
			n = len(out)
			out = append(out, section[T]{Heading: h})
		}
		out[n].All = append(out[n].All, v)
	}
	if len(out[0].All) == 0 {
		out = out[1:]
	}
	return out
}

// term splits "TERM: words" into two, if the term has no space; else it returns nil.
func term(paragraph string) []string {
	term, means, ok := strings.Cut(paragraph, ": ")
	if !ok || strings.Contains(term, " ") {
		return nil
	}
	return []string{term, means}
}

// sentence returns a text with a capital and a full stop.
func sentence(s string) string {
	s = strings.ToUpper(s[:1]) + s[1:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":") {
		return s
	}
	return s + "."
}
