package program

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// formerNames are the names that commands had in earlier versions, with what is typed today.
var formerNames = map[string][]string{
	"estimate": {"plan"},
	"simulate": {"plan", "--simulate"},
	"learn":    {"history", "profile"},
	"import":   {"history", "add"},
	"skew":     {"report", "--skew"},
}

// formats are the values of -o that mean --output; others are files.
var formats = []string{"text", "json", "ndjson", "html"}

// reorder puts flags where the cli package expects them: the app's before the command, the command's before its
// arguments. Users write them anywhere. After "--" nothing is a flag. Unknown flags stay with the command, which
// reports them. A request for help becomes the command help.
func reorder(app *cli.App, args []string) []string {
	cmd, names, words, flags := parse(app, args[1:])
	var global, local []string
	for _, f := range flags {
		own := len(names) > 0 && settings.Lookup(strings.Join(names, " "), f[0]) != nil
		if own || settings.Lookup("", f[0]) == nil {
			local = append(local, f...)
		} else {
			global = append(global, f...)
		}
	}
	isHelp := func(arg string) bool { return arg == "--help" || arg == "-h" }
	helps := slices.ContainsFunc(local, isHelp)
	local = slices.DeleteFunc(local, isHelp)
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

// parse splits arguments into the command with its names, the other words, and the flags, each with its value. The
// command is the first word; if it has subcommands, the next word belongs to its name too.
func parse(app *cli.App, args []string) (cmd *cli.Command, names, words []string, flags [][]string) {
	below := app.Command
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch now, former := formerNames[arg]; {
		case arg == "--":
			return cmd, names, append(words, args...), flags
		case len(arg) > 1 && arg[0] == '-':
			flag := []string{arg}
			s := cmp.Or(settings.Lookup(strings.Join(names, " "), arg), settings.Any(arg))
			if s != nil && s.TakesValue() && !strings.Contains(arg, "=") {
				if len(args) == 0 {
					return cmd, names, nil, append(flags, flag) // a word would be parsed as its value
				}
				flag = append(flag, args[0])
				args = args[1:]
			}
			if len(flag) == 2 && arg == "-o" && slices.Contains(formats, flag[1]) {
				flag[0] = "--output"
			}
			flags = append(flags, flag)
		case cmd == nil && former && len(words) == 0:
			args = slices.Concat(now, args)
		case former && cmd != nil && cmd.Name == "help" && len(words) == 0:
			words = slices.DeleteFunc(slices.Clone(now), func(w string) bool { return strings.HasPrefix(w, "-") })
		case len(words) == 0 && below(arg) != nil:
			cmd = below(arg)
			names, below = append(names, cmd.Name), cmd.Command
		default:
			words = append(words, arg)
		}
	}
	return cmd, names, words, flags
}
