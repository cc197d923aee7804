// Package complete offers words that go on with a command line, from the command tree, and prints the scripts that ask
// for them in a shell. The library for command lines offers commands and flags alone: values, files and folders are
// offered here.
package complete

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
)

// Ask is the last argument of a command line that asks what goes on with it. The word before it is the one to complete,
// "" where none is begun. The library for command lines fixes the name.
const Ask = "--generate-bash-completion"

// An offer of Files or Folders asks the shell for those.
const (
	Files   = ":files"
	Folders = ":folders"
)

//go:embed paratimer.bash paratimer.zsh paratimer.fish
var scripts embed.FS

// Shells are those that a script can be printed for.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Script is the script for a shell.
func Script(shell string) (string, error) {
	if !slices.Contains(Shells(), shell) {
		return "", fmt.Errorf("%q is not a shell that can be completed for; it is one of %s", shell,
			strings.Join(Shells(), ", "))
	}
	b, err := scripts.ReadFile("paratimer." + shell)
	return string(b), err
}

// Offers is what may stand in place of the last word after the others: words, some with a tab and what they do, or
// Files or Folders alone. Words that do not begin like the last one are the shell's to leave out.
func Offers(root *manual.Command, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	last := strings.TrimPrefix(words[len(words)-1], "=") // bash cuts words at "=": --flag=value is three of them
	at := root
	var open *manual.Flag // waits for its value
	for _, w := range words[:len(words)-1] {
		switch {
		case w == "=":
		case open != nil:
			open = nil
		case strings.HasPrefix(w, "-"):
			if f := flagOf(root, at, w); f != nil && f.Value != "" {
				open = f
			}
		default:
			if next := at.Find([]string{w}); next != nil {
				at = next
			}
		}
	}
	name, _, joined := strings.Cut(last, "=")
	switch {
	case open != nil:
		return ofFlag(open)
	case joined && strings.HasPrefix(last, "--"):
		var out []string
		if f := flagOf(root, at, name); f != nil {
			out = ofFlag(f)
		}
		for i, value := range out {
			if value != Files && value != Folders {
				out[i] = name + "=" + value
			}
		}
		return out
	case strings.HasPrefix(last, "-"):
		var out []string
		for _, f := range flags(root, at) {
			for _, d := range f.Spellings() {
				out = append(out, d+"\t"+f.Does)
			}
		}
		return out
	}
	return ofArguments(root, at)
}

// flagOf is the flag that is spelled so: the command's, or that of one which is not named yet.
func flagOf(root, c *manual.Command, spelled string) *manual.Flag {
	for _, c := range append([]*manual.Command{c}, root.All()...) {
		for _, f := range flags(root, c) {
			if slices.Contains(f.Spellings(), spelled) {
				return &f
			}
		}
	}
	return nil
}

// ofFlag is what may follow a flag.
func ofFlag(f *manual.Flag) []string {
	switch f.Value {
	case "FILE":
		return []string{Files}
	case "DIR", "FOLDER":
		return []string{Folders}
	}
	return slices.Clone(f.Choices)
}

var (
	fixedWords = regexp.MustCompile(`^[a-z]+(\|[a-z]+)+$`)
	fileWords  = regexp.MustCompile(`FILE|PLAN|PATH|RECORDING|RUN|\.yaml`)
)

// ofArguments is what a command's arguments may be.
func ofArguments(root, c *manual.Command) []string {
	switch {
	case len(c.Commands) > 0:
		return names(c)
	case fixedWords.MatchString(c.Args):
		return strings.Split(c.Args, "|")
	case strings.Contains(c.Args, "COMMAND"):
		return names(root)
	case fileWords.MatchString(c.Args):
		return []string{Files}
	}
	return nil
}

func names(c *manual.Command) []string {
	var out []string
	for i := range c.Commands {
		out = append(out, c.Commands[i].Name()+"\t"+c.Commands[i].Does)
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
