package complete

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
)

// fish is a script of one line a flag and a command.
func fish(root *manual.Command) string {
	var b strings.Builder
	var paths []string
	for _, c := range root.All()[1:] {
		paths = append(paths, fishQuoted(below(c)))
	}
	fmt.Fprintf(&b, fishHead, root.Path, strings.Join(paths, " "), root.Path)
	for _, c := range root.All() {
		when := "-n " + fishQuoted("__paratimer_at "+fishQuoted(below(c)))
		for i := range c.Commands {
			sub := &c.Commands[i]
			fmt.Fprintf(&b, "complete -c %s %s -a %s -d %s\n", root.Path, when, sub.Name(), fishQuoted(sub.Does))
		}
		if len(c.Commands) == 0 {
			switch a := ofArguments(root, c); {
			case a.files:
				fmt.Fprintf(&b, "complete -c %s %s -F\n", root.Path, when)
			case len(a.words) > 0:
				fmt.Fprintf(&b, "complete -c %s %s -a %s\n", root.Path, when, fishQuoted(strings.Join(a.words, " ")))
			}
		}
		for _, f := range c.Flags {
			fishFlag(&b, root, when, &f)
		}
	}
	for _, f := range append(root.Flags, manual.Flag{Name: "help", Short: []string{"h"}, Does: "show help"}) {
		fishFlag(&b, root, "", &f)
	}
	return b.String()
}

func fishFlag(b *strings.Builder, root *manual.Command, when string, f *manual.Flag) {
	words := []string{"complete -c", root.Path}
	if when != "" {
		words = append(words, when)
	}
	for _, d := range dashed(f) {
		if name := strings.TrimLeft(d, "-"); len(name) == 1 {
			words = append(words, "-s", name)
		} else {
			words = append(words, "-l", name)
		}
	}
	words = append(words, "-d", fishQuoted(f.Does))
	switch v := ofFlag(f); {
	case f.Value == "":
	case v.files:
		words = append(words, "-r -F")
	case v.folders:
		words = append(words, "-x -a", fishQuoted("(__fish_complete_directories)"))
	case len(v.words) > 0:
		words = append(words, "-x -a", fishQuoted(strings.Join(v.words, " ")))
	default:
		words = append(words, "-x")
	}
	b.WriteString(strings.Join(words, " ") + "\n")
}

// fishQuoted is a word in single quotes, as fish reads them.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

const fishHead = `# Completes %s in fish; made by ` + "`paratimer completion fish`" + `. It runs nothing.
# __paratimer_at says whether the words so far name this command and none below it.
function __paratimer_at
    set -l known %s
    set -l at ''
    for word in (commandline -opc)[2..]
        set -l next (string trim "$at $word")
        if contains -- "$next" $known
            set at $next
        end
    end
    test "$at" = "$argv[1]"
end
complete -c %s -f
`
