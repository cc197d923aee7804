package complete

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
)

// zsh is a script that can be a file of $fpath or be sourced: a function a command.
func zsh(root *manual.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n# Completes %s in zsh; made by `paratimer completion zsh`. It runs nothing.\n", root.Path, root.Path)
	for _, c := range root.All() {
		zshCommand(&b, root, c)
	}
	b.WriteString("\nif [[ $funcstack[1] == _paratimer ]]; then\n\t_paratimer \"$@\"\nelse\n\tcompdef _paratimer " + root.Path + "\nfi\n")
	return b.String()
}

func zshCommand(b *strings.Builder, root, c *manual.Command) {
	fmt.Fprintf(b, "\n%s() {\n", zshName(c))
	if len(c.Commands) > 0 {
		b.WriteString("\tlocal curcontext=$curcontext state line\n\ttypeset -A opt_args\n")
	}
	b.WriteString("\t_arguments -C -s")
	for _, f := range flags(root, c) {
		for _, spec := range zshFlag(&f) {
			b.WriteString(" \\\n\t\t" + shellQuoted(spec))
		}
	}
	if len(c.Commands) == 0 {
		if spec := zshArguments(ofArguments(root, c)); spec != "" {
			b.WriteString(" \\\n\t\t" + shellQuoted(spec))
		}
		b.WriteString("\n}\n")
		return
	}
	b.WriteString(" \\\n\t\t'1:command:->command' '*::argument:->argument'\n\tcase $state in\n\tcommand)\n\t\tlocal -a commands=(\n")
	for i := range c.Commands {
		sub := &c.Commands[i]
		fmt.Fprintf(b, "\t\t\t%s\n", shellQuoted(sub.Name()+":"+sub.Does))
	}
	b.WriteString("\t\t)\n\t\t_describe command commands\n\t\t;;\n\targument)\n\t\tcase $line[1] in\n")
	for i := range c.Commands {
		fmt.Fprintf(b, "\t\t%s) %s ;;\n", c.Commands[i].Name(), zshName(&c.Commands[i]))
	}
	b.WriteString("\t\tesac\n\t\t;;\n\tesac\n}\n")
}

// zshFlag are the specifications of a flag's spellings, for _arguments.
func zshFlag(f *manual.Flag) []string {
	names := dashed(f)
	repeat := "*"
	if !f.Repeats {
		repeat = ""
	}
	var all []string
	for _, d := range names {
		spec := repeat
		if !f.Repeats && len(names) > 1 {
			spec = "(" + strings.Join(names, " ") + ")"
		}
		spec += d
		if f.Value != "" && strings.HasPrefix(d, "--") {
			spec += "="
		}
		spec += "[" + zshText(f.Does) + "]"
		if f.Value != "" {
			spec += ":" + zshText(f.Value) + ":" + zshAction(ofFlag(f))
		}
		all = append(all, spec)
	}
	return all
}

func zshArguments(v values) string {
	if action := zshAction(v); action != "" {
		return "*:argument:" + action
	}
	return ""
}

func zshAction(v values) string {
	switch {
	case v.files:
		return "_files"
	case v.folders:
		return "_files -/"
	case len(v.words) > 0:
		return "(" + strings.Join(v.words, " ") + ")"
	}
	return ""
}

func zshName(c *manual.Command) string { return "_" + strings.ReplaceAll(c.Path, " ", "_") }

// zshText escapes what would end a description.
func zshText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
}
