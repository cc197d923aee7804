// Package complete computes completions of a command line from the command tree, and prints the shells' completion
// scripts. The command-line library completes only commands and flags; this package also completes values, files
// and folders.
package complete

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// Ask is the last argument of a command line that requests completions. The word before it is the one to complete,
// "" if none is begun. The command-line library fixes the name.
const Ask = "--generate-bash-completion"

// An offer of Files or Folders makes the shell complete those.
const (
	Files   = ":files"
	Folders = ":folders"
)

//go:embed paratimer.bash paratimer.zsh paratimer.fish
var scripts embed.FS

// Shells returns the shells that have a script.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Script returns the script for a shell; an error if the shell is unknown.
func Script(shell string) (string, error) {
	if !slices.Contains(Shells(), shell) {
		return "", fmt.Errorf("%q is not a shell that can be completed for; it is one of %s", shell,
			strings.Join(Shells(), ", "))
	}
	b, err := scripts.ReadFile("paratimer." + shell)
	return string(b), err
}

// Offers returns the completions of the last word: words, some with a tab and a description, or Files or Folders
// alone. The shell filters them by the prefix that was typed.
func Offers(root *manual.Command, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	last := strings.TrimPrefix(words[len(words)-1], "=") // bash splits words at "=": --flag=value is three of them
	at := root
	var open *settings.Setting // its value is missing so far
	for _, w := range words[:len(words)-1] {
		switch {
		case w == "=":
		case open != nil:
			open = nil
		case strings.HasPrefix(w, "-"):
			if f := flagOf(root, at, w); f != nil && f.TakesValue() {
				open = f
			}
		default:
			if next := at.Find(w); next != nil {
				at = next
			}
		}
	}
	name, _, joined := strings.Cut(last, "=")
	switch {
	case open != nil && open.Name == "set":
		return keys(root, at)
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
			if f.KeyOnly {
				continue
			}
			for _, d := range f.Spellings() {
				out = append(out, d+"\t"+f.Does())
			}
		}
		return out
	}
	return ofArguments(root, at)
}

// flagOf returns the flag with a spelling: of the command, else of any command.
func flagOf(root, c *manual.Command, spelled string) *settings.Setting {
	for _, c := range append([]*manual.Command{c}, root.All()...) {
		for _, f := range flags(root, c) {
			if slices.Contains(f.Spellings(), spelled) {
				return f
			}
		}
	}
	return nil
}

// keys returns the settings of a command without a flag, for --set.
func keys(root, c *manual.Command) []string {
	var out []string
	for _, s := range flags(root, c) {
		if s.KeyOnly {
			out = append(out, s.Name+"=\t"+s.Does())
		}
	}
	return out
}

// ofFlag returns the completions of a flag's value.
func ofFlag(f *settings.Setting) []string {
	switch f.Value() {
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

// ofArguments returns the completions of a command's arguments.
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
	for _, below := range c.Visible() {
		out = append(out, below.Name()+"\t"+below.Does)
	}
	return out
}

// flags returns the flags of a command, the global flags, and --help.
func flags(root, c *manual.Command) []*settings.Setting {
	all := slices.Clone(c.Flags)
	if c != root {
		all = append(all, root.Flags...)
	}
	return append(all, &settings.Setting{Name: "help", Short: "h", Default: false, Help: "show help"})
}
