package program

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// reorder puts flags where the cli package expects them: the app's before the command, the command's before its
// arguments. Users write them anywhere. After "--" nothing is a flag. Unknown flags stay with the command, which
// reports them. A request for help becomes the command help.
func reorder(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	cmd, names, rest := split(app, args[1:])
	var global, local, words []string
	helps := false
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		if arg == "--" {
			words = append(words, rest...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			words = append(words, arg)
			continue
		}
		if arg == "--help" || arg == "-h" {
			helps = true
			continue
		}
		arg, rest = keyed(cmd, names, arg, rest)
		f, isGlobal := find(cmd, names, arg)
		to := &local
		if isGlobal {
			to = &global
		}
		*to = append(*to, arg)
		if f != nil && f.TakesValue() && !strings.Contains(arg, "=") {
			if len(rest) == 0 {
				words = nil // they would be parsed as its value
				break
			}
			*to = append(*to, rest[0])
			rest = rest[1:]
		}
	}
	out := append([]string{args[0]}, global...)
	isGroup := cmd != nil && len(cmd.Subcommands) > 0
	switch {
	case (cmd == nil || isGroup) && len(words) > 0, (isGroup || helps && cmd == nil) && len(local) == 0:
		// help finds an unknown command: the error should be about it, not about its flags
		return slices.Concat(out, []string{"help"}, names, slices.DeleteFunc(words, func(w string) bool { return w == "help" }))
	case helps && cmd != nil && slices.Contains(words, "all"):
		return slices.Concat(out, []string{"help", "all"}, names)
	case helps && cmd != nil:
		return slices.Concat(out, []string{"help"}, names)
	}
	out = slices.Concat(out, names, local)
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") && w != "-" }) {
		out = append(out, "--")
	}
	return append(out, words...)
}

// split takes the command's name out of the arguments: the first word that is neither a flag nor a flag's value. If
// the command has subcommands, the next such word belongs to the name too.
func split(app *cli.App, args []string) (cmd *cli.Command, names, rest []string) {
	command := app.Command
	rest = args
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			break
		}
		if len(arg) > 1 && arg[0] == '-' {
			if s := settings.Any(arg); s != nil && s.TakesValue() && !strings.Contains(arg, "=") {
				i++
			}
			continue
		}
		found := command(arg)
		if found == nil {
			break
		}
		cmd, names, rest = found, append(names, found.Name), slices.Concat(rest[:i], rest[i+1:])
		if len(cmd.Subcommands) == 0 {
			break
		}
		command = cmd.Command
		i--
	}
	return cmd, names, rest
}

// find looks the flag up in the command first, then in the app. A group has none of its own: it is one of any command.
func find(cmd *cli.Command, names []string, arg string) (s *settings.Setting, global bool) {
	if s := settings.Lookup(strings.Join(names, " "), arg); s != nil && len(names) > 0 {
		return s, false
	}
	if s := settings.Lookup("", arg); s != nil || cmd == nil || len(cmd.Subcommands) == 0 {
		return s, s != nil
	}
	return settings.Any(arg), false
}

// keyed turns --set NAME=VALUE into --NAME=VALUE if the command has such a setting. It marks a flag that is a setting
// without one, for which the library then finds no flag.
func keyed(cmd *cli.Command, names []string, arg string, rest []string) (string, []string) {
	if arg == "--set" && len(rest) > 0 {
		arg, rest = "--set="+rest[0], rest[1:]
	}
	if pair, ok := strings.CutPrefix(arg, "--set="); ok {
		if s, _ := find(cmd, names, pair); s != nil && strings.Contains(pair, "=") {
			return "--" + pair, rest
		}
		return arg, rest
	}
	if s, _ := find(cmd, names, arg); s != nil && s.KeyOnly {
		return "--" + command.KeyMark + s.Name, nil
	}
	return arg, rest
}
