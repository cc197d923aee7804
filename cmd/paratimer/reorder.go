package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// reorder puts flags where the cli package wants them: the app's before the command, the command's before its
// arguments. People write them anywhere. After "--" nothing is a flag. Unknown flags stay with the command, which
// complains of them.
func reorder(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	cmd, rest := split(app, args[1:])
	var global, local, words []string
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
		f, isGlobal := find(app, cmd, arg)
		to := &local
		if isGlobal {
			to = &global
		}
		*to = append(*to, arg)
		if takesValue(f) && !strings.Contains(arg, "=") && len(rest) > 0 {
			*to = append(*to, rest[0])
			rest = rest[1:]
		}
	}
	out := append([]string{args[0]}, global...)
	switch {
	case cmd == nil && len(words) > 0:
		return append(out, words...) // not a command: that is what to complain of, not its flags
	case cmd == nil:
		return append(out, local...)
	}
	out = append(append(out, cmd.Name), local...)
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") && w != "-" }) {
		out = append(out, "--")
	}
	return append(out, words...)
}

// split takes the command's name out of the arguments: the first word that is neither a flag nor a flag's value.
func split(app *cli.App, args []string) (*cli.Command, []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return nil, args
		case len(arg) > 1 && arg[0] == '-':
			if f := anyFlag(app, arg); takesValue(f) && !strings.Contains(arg, "=") {
				i++
			}
		default:
			if cmd := app.Command(arg); cmd != nil {
				return cmd, slices.Concat(args[:i], args[i+1:])
			}
			return nil, args
		}
	}
	return nil, args
}

// find looks the flag up in the command first, then in the app.
func find(app *cli.App, cmd *cli.Command, arg string) (f cli.Flag, global bool) {
	if cmd != nil {
		if f := lookup(cmd.Flags, arg); f != nil {
			return f, false
		}
	}
	f = lookup(app.Flags, arg)
	return f, f != nil
}

// anyFlag looks the flag up in the app and all its commands, for flags that stand before the command's name.
func anyFlag(app *cli.App, arg string) cli.Flag {
	if f := lookup(app.Flags, arg); f != nil {
		return f
	}
	for _, c := range app.Commands {
		if f := lookup(c.Flags, arg); f != nil {
			return f
		}
	}
	return nil
}

func lookup(flags []cli.Flag, arg string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}
