// Package manual says what the commands are, for people: help for a terminal, man pages, the reference of docs/. The
// command tree is given to it as values: it knows no library for command lines, reads nothing and runs nothing.
//
// What urfave/cli writes (ToMan, ToMarkdown, its help) is one page of all commands without examples, exit codes and
// variables. Its pages come from md2man, which leaves dashes and quotes as they are: man shows them as typographic
// ones, and what is copied from an example does not run.
package manual

import (
	"slices"
	"strings"
)

// A Command is one of the tree. The root is the program; its flags are those that every command has.
type Command struct {
	Path     string // the whole name, e.g. "paratimer history add"
	Does     string // one line
	Args     string // e.g. "FILE..."; "" where it takes none
	Heading  string // the part of the work that it belongs to
	Text     Text
	Flags    []Flag
	Commands []Command
}

// A Flag is an option of a command.
type Flag struct {
	Name    string   // without dashes
	Short   []string // other names
	Value   string   // what stands for its value, e.g. "FILE"; "" where it takes none
	Does    string
	Default string // "" where there is none, or where Does says it
	Env     []string
	Choices []string // all values that it may have; nil: any
	Repeats bool
	Heading string // the subject that it belongs to; "" for what the command itself is about
}

// Name is the last word of a command's path.
func (c *Command) Name() string { return c.Path[strings.LastIndexByte(c.Path, ' ')+1:] }

// Page is the name of a command's man page, e.g. "paratimer-history-add".
func (c *Command) Page() string { return strings.ReplaceAll(c.Path, " ", "-") }

// Find is the command that these words name below c; nil where there is none.
func (c *Command) Find(words []string) *Command {
	for _, w := range words {
		var next *Command
		for i := range c.Commands {
			if c.Commands[i].Name() == w {
				next = &c.Commands[i]
			}
		}
		if next == nil {
			return nil
		}
		c = next
	}
	return c
}

// All is the command and all below it, in the tree's order.
func (c *Command) All() []*Command {
	all := []*Command{c}
	for i := range c.Commands {
		all = append(all, c.Commands[i].All()...)
	}
	return all
}

// synopsis is how the command is called.
func (c *Command) synopsis() string {
	switch {
	case len(c.Commands) > 0:
		return c.Path + " COMMAND [flags] [arguments]"
	case len(c.Flags) == 0:
		return strings.TrimSpace(c.Path + " " + c.Args)
	}
	return strings.TrimSpace(c.Path + " [flags] " + c.Args)
}

// sections are the commands below c by heading, in the order in which headings first appear.
func (c *Command) sections() []section[Command] {
	return sectioned(c.Commands, "Commands", func(c *Command) string { return c.Heading })
}

// flagSections are the flags by subject. A short list is one section: headings would only be in the way.
func (c *Command) flagSections() []section[Flag] {
	if len(c.Flags) <= 10 {
		return sectioned(c.Flags, "Flags", func(*Flag) string { return "" })
	}
	return sectioned(c.Flags, "Flags", func(f *Flag) string { return f.Heading })
}

// A section is what stands under a heading.
type section[T any] struct {
	heading string
	all     []*T
}

// sectioned puts values under their headings; those without one come first, under that of the whole.
func sectioned[T any](values []T, whole string, heading func(*T) string) []section[T] {
	out := []section[T]{{heading: whole}}
	at := map[string]int{"": 0}
	for i := range values {
		h := heading(&values[i])
		n, known := at[h]
		if !known {
			n = len(out)
			at[h] = n
			out = append(out, section[T]{heading: h})
		}
		out[n].all = append(out[n].all, &values[i])
	}
	if len(out[0].all) == 0 {
		out = out[1:]
	}
	return out
}

// says is what a flag does, with its default.
func (f *Flag) says() string {
	if f.Default == "" {
		return f.Does
	}
	return f.Does + " (default: " + f.Default + ")"
}

// spelled is a flag as it is typed, e.g. "-o, --out FILE".
func (f *Flag) spelled() string {
	return strings.TrimSpace(strings.Join(f.Spellings(), ", ") + " " + f.Value)
}

// Spellings are a flag's names with their dashes, short ones first.
func (f *Flag) Spellings() []string {
	var all []string
	for _, name := range append(slices.Clone(f.Short), f.Name) {
		all = append(all, strings.Repeat("-", min(len(name), 2))+name)
	}
	return all
}
