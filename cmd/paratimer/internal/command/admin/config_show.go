package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// configCommand returns the command that shows settings.
func configCommand() *cli.Command {
	return command.Plain(command.New("config", "[COMMAND]", "show the settings of a command, or of all", configShow))
}

// configShow lists every setting with its value. It reports errors in the settings, but shows everything that can
// be read.
func configShow(c *cli.Context) error {
	root, err := Manual(c.App)
	if err != nil {
		return err
	}
	words := c.Args().Slice()
	if len(words) > 0 && words[0] == "show" { // it was `config show` in earlier versions
		words = words[1:]
	}
	at, err := manualFor(c, words)
	if err != nil {
		return err
	}
	if len(at.Commands) == 0 && len(at.Flags) == 0 {
		return command.Usage("%s has no settings", at.Path)
	}
	path, asked := command.ConfigPath(c)
	var inFile []planfile.Field
	list := settings.List{Notes: []string{}}
	if path != "" {
		inFile, err = command.ReadConfig(path)
		switch {
		case err == nil:
			list.File = &path
		case errors.Is(err, fs.ErrNotExist) && !asked:
		default:
			return command.Usage("%w", err)
		}
	}
	known := command.FlagNames(c.App)
	for _, s := range inFile {
		if !slices.Contains(known, s.Name) {
			list.Notes = append(list.Notes, command.NoSetting(path, s, known))
		}
	}
	list.Notes = append(list.Notes, unknownVariables(command.Environ(c), root)...)
	if list.File != nil && !asked && (at == root || slices.Contains(command.Pure, at.Name())) {
		list.Notes = append(list.Notes, strings.Join(command.Pure, " and ")+
			" read no configuration file that is not named by --config")
	}
	for _, s := range owned(root, at) {
		list.Settings = append(list.Settings, inForce(c, s, path, inFile).Concealed())
	}
	list.Settings = append(list.Settings, secretsSet(c, list.Settings)...)
	if c.String("output") == "json" {
		return list.JSON(c.App.Writer)
	}
	if err := list.Text(c.App.Writer, c.Bool("origin")); err != nil {
		return err
	}
	for _, n := range list.Notes {
		fmt.Fprintf(c.App.ErrWriter, "paratimer: %s\n", n)
	}
	return nil
}

// An ownedFlag is a flag with the commands that have it.
type ownedFlag struct {
	*settings.Setting
	everywhere bool
	commands   []string
	differs    bool
}

// owned returns the settings of a command and of those below it, and the global ones, by name.
func owned(root, at *manual.Command) []ownedFlag {
	var all []ownedFlag
	add := func(f *settings.Setting, command string) {
		i := slices.IndexFunc(all, func(s ownedFlag) bool { return s.Name == f.Name })
		if i < 0 {
			i = len(all)
			all = append(all, ownedFlag{Setting: f, everywhere: command == ""})
		}
		if command != "" {
			all[i].differs = all[i].differs || all[i].DefaultText() != f.DefaultText()
			all[i].commands = append(all[i].commands, command)
		}
	}
	for _, f := range root.Flags {
		if command.Settable(f.Name) {
			add(f, "")
		}
	}
	for _, m := range at.All() {
		_, path, _ := strings.Cut(m.Path, " ")
		for _, f := range m.Flags {
			if m != root && command.Settable(f.Name) && f.Env != "" { // others are for the command line only
				add(f, path)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ownedFlag) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// inForce returns a setting's effective value: from the flag, else the environment, else the file, else its
// default.
func inForce(c *cli.Context, s ownedFlag, path string, inFile []planfile.Field) settings.Value {
	out := settings.Value{Name: s.Name, Origin: settings.Default, Commands: s.commands}
	if s.everywhere {
		out.Commands = []string{}
	}
	set := s.Env
	if command.Getenv(c)(set) == "" {
		set = ""
	}
	at := slices.IndexFunc(inFile, func(f planfile.Field) bool { return f.Name == s.Name })
	switch {
	case s.everywhere && set == "" && c.IsSet(s.Name):
		source := "--" + s.Name
		out.Origin, out.Source, out.Values = settings.Flag, &source, []string{c.String(s.Name)}
	case s.everywhere && set != "" && c.String(s.Name) != command.Getenv(c)(set):
		source := "--" + s.Name
		out.Origin, out.Source, out.Values = settings.Flag, &source, []string{c.String(s.Name)}
	case set != "":
		out.Origin, out.Source, out.Values = settings.Environment, &set, []string{command.Getenv(c)(set)}
	case at >= 0:
		source := fmt.Sprintf("%s:%d", path, inFile[at].Line)
		out.Origin, out.Source, out.Values = settings.File, &source, inFile[at].Values
	case s.differs:
		out.Differs = true
	case s.DefaultText() != "":
		out.Values = []string{s.DefaultText()}
	}
	return out
}

// secretsSet returns the secrets that the environment sets for a command that reads them.
func secretsSet(c *cli.Context, shown []settings.Value) []settings.Value {
	var out []settings.Value
	for _, name := range command.Secrets {
		variable := command.Env(name)[0]
		value := command.Getenv(c)(variable)
		if value != "" && slices.ContainsFunc(shown, func(s settings.Value) bool { return s.Name == name+"-file" }) {
			out = append(out, settings.Value{
				Name: name, Values: []string{value}, Origin: settings.Environment, Source: &variable,
				Commands: []string{},
			}.Concealed())
		}
	}
	return out
}

// unknownVariables returns notes about variables that look like settings but are none.
func unknownVariables(environ []string, root *manual.Command) []string {
	// read by the tap and the tests
	known := []string{
		"PARATIMER_CONFIG", "PARATIMER_COLLECT", "PARATIMER_TOKEN", "PARATIMER_GOLDEN",
		"PARATIMER_RECORDINGS", "PARATIMER_FOREIGN",
	}
	for _, name := range command.Secrets {
		known = append(known, command.Env(name)...)
	}
	for _, m := range root.All() {
		for _, f := range m.Flags {
			known = append(known, f.Env)
		}
	}
	var notes []string
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "PARATIMER_") || value == "" || slices.Contains(known, name) {
			continue
		}
		note := name + " is not a setting"
		if near := planfile.Nearest(name, known); near != "" {
			note += "; did you mean " + near + "?"
		}
		notes = append(notes, note)
	}
	slices.Sort(notes)
	return notes
}
