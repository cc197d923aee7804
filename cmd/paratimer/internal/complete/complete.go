// Package complete makes scripts that complete command lines in a shell, of the command tree. A script holds all that it
// completes: it runs nothing and asks nobody.
package complete

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
)

// Shells are those that a script can be made for.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Script is the script for a shell.
func Script(shell string, root *manual.Command) (string, error) {
	switch shell {
	case "bash":
		return bash(root), nil
	case "zsh":
		return zsh(root), nil
	case "fish":
		return fish(root), nil
	}
	return "", fmt.Errorf("%q is no shell that can be completed for; it is one of %s", shell, strings.Join(Shells(), ", "))
}

// What a flag's value or an argument may be.
type values struct {
	words   []string // these
	files   bool     // the name of a file, or of a folder
	folders bool
}

// ofFlag is what may follow a flag.
func ofFlag(f *manual.Flag) values {
	switch f.Value {
	case "FILE":
		return values{files: true}
	case "DIR", "FOLDER":
		return values{folders: true}
	}
	return values{words: f.Choices}
}

var (
	fixedWords = regexp.MustCompile(`^[a-z]+(\|[a-z]+)+$`)
	fileWords  = regexp.MustCompile(`FILE|PLAN|PATH|RECORDING|RUN|\.yaml`)
)

// ofArguments is what a command's arguments may be.
func ofArguments(root, c *manual.Command) values {
	switch {
	case len(c.Commands) > 0:
		return values{words: names(c)}
	case fixedWords.MatchString(c.Args):
		return values{words: strings.Split(c.Args, "|")}
	case strings.Contains(c.Args, "COMMAND"):
		return values{words: names(root)}
	}
	return values{files: fileWords.MatchString(c.Args)}
}

func names(c *manual.Command) []string {
	var out []string
	for i := range c.Commands {
		out = append(out, c.Commands[i].Name())
	}
	return out
}

// dashed are all spellings of a flag.
func dashed(f *manual.Flag) []string {
	var out []string
	for _, n := range append([]string{f.Name}, f.Short...) {
		if len(n) == 1 {
			out = append(out, "-"+n)
		} else {
			out = append(out, "--"+n)
		}
	}
	return out
}

// flags are those of a command and of all commands, and --help.
func flags(root, c *manual.Command) []manual.Flag {
	all := slices.Clone(c.Flags)
	if c != root {
		all = append(all, root.Flags...)
	}
	return append(all, manual.Flag{Name: "help", Short: []string{"h"}, Does: "show help"})
}

// below is a command's path without the program's name.
func below(c *manual.Command) string {
	_, path, _ := strings.Cut(c.Path, " ")
	return path
}

// shellQuoted is a word in single quotes, as bash and zsh read them.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
