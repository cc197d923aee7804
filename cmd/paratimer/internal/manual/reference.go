package manual

import (
	"fmt"
	"strings"
)

// Reference returns the whole tree as Markdown, one section per command. Flags with the same meaning in several
// commands are described once, at the end.
func Reference(root *Command) string {
	var b strings.Builder
	b.WriteString("# Reference\n\nEvery command and flag, made from the command tree by `make reference`. " +
		"Each flag is also an environment variable: `--conf-dir` is `PARATIMER_CONF_DIR`. Exceptions are named.\n")
	common := sharedFlags(root)
	for _, s := range root.sections() {
		fmt.Fprintf(&b, "\n%s:", s.heading)
		for _, c := range s.all {
			fmt.Fprintf(&b, " [%s](#%s)", c.Name(), anchor(c))
		}
		b.WriteString("\n")
	}
	for _, c := range root.All() {
		entry(&b, c, common)
	}
	common.write(&b)
	return b.String()
}

func entry(b *strings.Builder, c *Command, common shared) {
	fmt.Fprintf(b, "\n## %s\n\n    %s\n\n%s\n", c.Path, c.synopsis(), markdown(sentence(c.Does)))
	for _, p := range c.Text.Paragraphs {
		fmt.Fprintf(b, "\n%s\n", markdown(p))
	}
	if len(c.Commands) > 0 && strings.Contains(c.Path, " ") {
		b.WriteString("\n")
		for i := range c.Commands {
			fmt.Fprintf(b, "- [%s](#%s): %s\n", c.Commands[i].Path, anchor(&c.Commands[i]),
				markdown(c.Commands[i].Does))
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
	flags(b, c, common)
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

// flags writes the flags of a command: a table of its own ones by subject, and the names of the shared ones.
func flags(b *strings.Builder, c *Command, common shared) {
	var all []*Flag
	for _, s := range c.flagSections() {
		var own []*Flag
		for _, f := range s.all {
			if common.has(f) {
				all = append(all, f)
			} else {
				own = append(own, f)
			}
		}
		if len(own) > 0 {
			b.WriteString("\n")
			if s.heading != "Flags" { // a table of flags needs no heading "Flags"
				fmt.Fprintf(b, "%s:\n\n", s.heading)
			}
			flagTable(b, own)
		}
	}
	if len(all) > 0 {
		fmt.Fprintf(b, "\n[Shared flags](#shared-flags): %s\n", strings.Join(common.names(all), ", "))
	}
}

// flagTable writes a row for each flag.
func flagTable(b *strings.Builder, flags []*Flag) {
	b.WriteString("| flag | meaning | default |\n|---|---|---|\n")
	for _, f := range flags {
		does := cell(f.Does)
		if usual := "PARATIMER_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); len(f.Env) > 0 &&
			strings.Join(f.Env, " ") != usual {
			does += "; in the environment " + code(strings.Join(f.Env, ", "))
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", code(f.spelled()), does, cell(f.Default))
	}
}

// anchor returns the link to a command's section, as Markdown hosts generate it.
func anchor(c *Command) string { return c.Page() }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}

func cell(s string) string { return strings.ReplaceAll(markdown(s), "|", `\|`) }

// markdown escapes markup. Words between backquotes stay code.
func markdown(s string) string {
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;").Replace(parts[i])
	}
	return strings.Join(parts, "`")
}
