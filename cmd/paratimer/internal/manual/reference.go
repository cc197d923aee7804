package manual

import (
	"fmt"
	"strings"
)

// Reference is the whole tree as Markdown, a section a command.
func Reference(root *Command) string {
	var b strings.Builder
	b.WriteString("# Reference\n\nEvery command and flag, made from the command tree by `make reference`.\n")
	for _, s := range root.sections() {
		fmt.Fprintf(&b, "\n%s:", s.heading)
		for _, c := range s.all {
			fmt.Fprintf(&b, " [%s](#%s)", c.Name(), anchor(c))
		}
		b.WriteString("\n")
	}
	for _, c := range root.All() {
		entry(&b, c)
	}
	return b.String()
}

func entry(b *strings.Builder, c *Command) {
	fmt.Fprintf(b, "\n## %s\n\n    %s\n\n%s\n", c.Path, c.synopsis(), markdown(sentence(c.Does)))
	for _, p := range c.Text.Paragraphs {
		fmt.Fprintf(b, "\n%s\n", markdown(p))
	}
	if len(c.Commands) > 0 && strings.Contains(c.Path, " ") {
		b.WriteString("\n")
		for i := range c.Commands {
			fmt.Fprintf(b, "- [%s](#%s): %s\n", c.Commands[i].Path, anchor(&c.Commands[i]), markdown(c.Commands[i].Does))
		}
	}
	if len(c.Text.Examples) > 0 {
		b.WriteString("\n```sh\n")
		for _, e := range c.Text.Examples {
			if e.For != "" {
				fmt.Fprintf(b, "# %s\n", e.For)
			}
			fmt.Fprintf(b, "%s\n", e.Line)
		}
		b.WriteString("```\n")
	}
	for _, s := range c.flagSections() {
		if len(s.all) > 0 {
			fmt.Fprintf(b, "\n%s:\n\n| flag | what it does | default | environment |\n|---|---|---|---|\n", s.heading)
		}
		for _, f := range s.all {
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(f.spelled()), cell(f.Does), cell(f.Default), code(strings.Join(f.Env, ", ")))
		}
	}
	for _, n := range c.Text.Notes {
		fmt.Fprintf(b, "\n%s:\n\n", n.Heading)
		for _, p := range n.Paragraphs {
			if t, means, ok := term(p); ok {
				fmt.Fprintf(b, "- %s: %s\n", code(t), markdown(means))
				continue
			}
			fmt.Fprintf(b, "%s\n", markdown(p))
		}
	}
}

// anchor is the link to a command's section, as hosts of Markdown make them.
func anchor(c *Command) string { return c.Page() }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}

func cell(s string) string { return strings.ReplaceAll(markdown(s), "|", `\|`) }

// markdown escapes what would mark a text up. Words between backquotes stay code.
func markdown(s string) string {
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;").Replace(parts[i])
	}
	return strings.Join(parts, "`")
}
