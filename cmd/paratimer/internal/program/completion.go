package program

import (
	"cmp"
	"embed"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/units"
)

// Completing is the last argument of a command line that requests completions. The word before it is the one to
// complete, "" if none is begun. The command-line library fixes the name. It completes only commands and flags; Offers
// also completes values, files and folders.
const Completing = "--generate-bash-completion"

// An offer of Files or Folders makes the shell complete those.
const (
	Files   = ":files"
	Folders = ":folders"
)

//go:embed paratimer.bash paratimer.zsh paratimer.fish
var scripts embed.FS

// completion prints a shell's script.
func completion(c *cli.Context) error {
	script, err := scripts.ReadFile("paratimer." + c.Args().First())
	if err != nil {
		return command.Usage("%q is not a shell that can be completed for; it is one of %s", c.Args().First(),
			c.Command.ArgsUsage)
	}
	_, err = c.App.Writer.Write(script)
	return err
}

// Offer prints the completions of the last word: words, some with a tab and a description, or Files or Folders alone.
// The shell filters them by the prefix that was typed.
func Offer(app *cli.App, words []string) {
	for _, offer := range offers(Manual(app), words) {
		_, _ = io.WriteString(app.Writer, offer+"\n") // the shell may have given up
	}
}

func offers(root *settings.Command, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	at := root
	var open *settings.Setting // its value is missing so far
	for _, w := range words[:len(words)-1] {
		below := at.Find(w)
		switch {
		case w == "=": // bash splits words at "=": --flag=value is three of them
		case open != nil:
			open = nil
		case strings.HasPrefix(w, "-") && !strings.Contains(w, "="):
			open = valued(at, w)
		case below != nil:
			at = below
		}
	}
	last := strings.TrimPrefix(words[len(words)-1], "=")
	name, _, joined := strings.Cut(last, "=")
	known := slices.Concat(at.Flags, settings.Of(""))
	switch {
	case open != nil:
		return values(open, known)
	case joined && strings.HasPrefix(last, "--"):
		out := values(valued(at, name), known)
		for i, value := range out {
			if value != Files && value != Folders {
				out[i] = name + "=" + value
			}
		}
		return out
	case strings.HasPrefix(last, "-"):
		flags := slices.DeleteFunc(known, func(s *settings.Setting) bool { return s.KeyOnly })
		out := units.Each(flags, func(s *settings.Setting) string { return s.Typed() + "\t" + s.Does() })
		return append(out, "--help\tshow help")
	}
	return arguments(root, at)
}

// valued returns the setting of a flag that has a value: of the command, else of any command.
func valued(at *settings.Command, flag string) *settings.Setting {
	s := cmp.Or(settings.Lookup(at.Words(), flag), settings.Any(flag))
	if s == nil || !s.TakesValue() {
		return nil
	}
	return s
}

// values returns the completions of a setting's value. known are the settings of the command.
func values(s *settings.Setting, known []*settings.Setting) []string {
	var out []string
	switch {
	case s == nil:
	case s.Name == "set":
		for _, key := range known {
			if key.KeyOnly {
				out = append(out, key.Name+"=\t"+key.Does())
			}
		}
	case s.Value() == "FILE":
		out = []string{Files}
	case s.Value() == "DIR" || s.Value() == "FOLDER":
		out = []string{Folders}
	default:
		out = slices.Clone(s.Offers())
	}
	return out
}

var fileWords = regexp.MustCompile(`FILE|PLAN|PATH|RECORDING|RUN|\.yaml`)

// arguments returns the completions of a command's arguments.
func arguments(root, at *settings.Command) []string {
	switch {
	case at.Args == shells:
		return strings.Split(shells, "|")
	case fileWords.MatchString(at.Args):
		return []string{Files}
	case strings.HasPrefix(at.Args, "[COMMAND]") || strings.HasPrefix(at.Args, "[all]"):
		at = root
	}
	return units.Each(at.Shown(), func(below *settings.Command) string { return below.Name() + "\t" + below.Does })
}
