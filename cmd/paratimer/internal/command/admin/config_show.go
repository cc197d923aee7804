package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

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

// shownSettings is the JSON of `paratimer config`.
type shownSettings struct {
	File     *string          `json:"file"` // the file that was read; null: none
	Settings []settings.Value `json:"settings"`
	Notes    []string         `json:"notes"` // errors and surprises
}

// configShow lists every setting with its value. It reports errors in the settings, but shows everything that can
// be read.
func configShow(c *cli.Context) error {
	root := Manual(c.App)
	at, err := manualFor(c, c.Args().Slice())
	if err != nil {
		return err
	}
	if len(at.Commands) == 0 && len(at.Flags) == 0 {
		return command.Usage("%s has no settings", at.Path)
	}
	list := shownSettings{Notes: []string{}}
	path, named := command.ConfigPath(c)
	inFile, err := command.ReadConfig(path)
	switch {
	case err == nil:
		list.File = &path
	case path != "" && (named || !errors.Is(err, fs.ErrNotExist)):
		return command.Usage("%w", err)
	}
	known := settings.Names()
	for _, s := range inFile {
		if !slices.Contains(known, s.Name) {
			list.Notes = append(list.Notes, command.NoSetting(path, s, known))
		}
	}
	list.Notes = append(list.Notes, unknownVariables(command.Environ(c), known)...)
	if list.File != nil && !named && (at.Path == root.Path || slices.Contains(command.Pure, at.Name())) {
		list.Notes = append(list.Notes, strings.Join(command.Pure, " and ")+
			" read no configuration file that is not named by --config")
	}
	list.Settings = effective(c, root, at, path, inFile)
	if c.String("output") == "json" {
		enc := json.NewEncoder(c.App.Writer)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	if err := printSettings(c, list.Settings); err != nil {
		return err
	}
	for _, n := range list.Notes {
		fmt.Fprintf(c.App.ErrWriter, "paratimer: %s\n", n)
	}
	return nil
}

// effective returns the settings of a command and of those below it, and the global ones, by name: each from the
// flag, else the environment, else the file, else its default. Those with neither variable nor key are left out.
func effective(c *cli.Context, root, at *manual.Command, path string, inFile []planfile.Field) []settings.Value {
	getenv := command.Getenv(c)
	rows := map[string]settings.Value{}
	commands := at.All()
	if at.Path != root.Path {
		commands = append(commands, root)
	}
	for _, m := range commands {
		for _, s := range m.Flags {
			v, again := rows[s.Name]
			i := slices.IndexFunc(inFile, func(f planfile.Field) bool { return f.Name == s.Name })
			source := ""
			switch {
			case s.Env == "" || !s.Settable():
				continue
			case again && v.Origin == settings.Default:
				v.Differs = v.Differs || !slices.Equal(v.Values, defaultOf(s))
			case again:
			case m.Path == root.Path && c.IsSet(s.Name) && c.String(s.Name) != getenv(s.Env):
				source = "--" + s.Name
				v.Origin, v.Values = settings.Flag, []string{c.String(s.Name)}
			case getenv(s.Env) != "":
				source = s.Env
				v.Origin, v.Values = settings.Environment, []string{getenv(s.Env)}
			case i >= 0:
				source = fmt.Sprintf("%s:%d", path, inFile[i].Line)
				v.Origin, v.Values = settings.File, inFile[i].Values
			default:
				v.Origin, v.Values = settings.Default, defaultOf(s)
			}
			if source != "" {
				v.Source = &source
			}
			v.Name = s.Name
			if v.Commands == nil {
				v.Commands = []string{}
			}
			if _, name, below := strings.Cut(m.Path, " "); below {
				v.Commands = append(v.Commands, name)
			}
			rows[s.Name] = v
		}
	}
	for _, name := range command.Secrets { // a secret has a variable and no flag
		variable := settings.Variable(name)
		if _, read := rows[name+"-file"]; read && getenv(variable) != "" {
			rows[name] = settings.Value{
				Name: name, Values: []string{getenv(variable)}, Origin: settings.Environment, Source: &variable,
				Commands: []string{},
			}
		}
	}
	out := []settings.Value{}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		v := rows[name].Concealed()
		if v.Differs {
			v.Values = nil
		}
		out = append(out, v)
	}
	return out
}

// defaultOf returns the values of a setting that nothing sets; nil if it has none.
func defaultOf(s *settings.Setting) []string {
	if s.DefaultText() == "" {
		return nil
	}
	return []string{s.DefaultText()}
}

// printSettings writes a setting a line: those that are set, then the defaults, then those without a value. With
// --origin it adds the source of each.
func printSettings(c *cli.Context, all []settings.Value) error {
	t := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	groups := [3][]string{}
	for _, v := range all {
		group, value := 0, strings.Join(v.Values, ", ")
		switch {
		case v.Secret:
			value = "(set, not shown)"
		case v.Differs:
			group, value = 1, "(by command)"
		case v.Origin == settings.Default && v.Values == nil:
			group, value = 2, "-"
		case v.Origin == settings.Default:
			group = 1
		}
		line := v.Name + "\t" + value
		if c.Bool("origin") {
			line += "\t" + v.Origin
			if v.Source != nil {
				line += " " + *v.Source
			}
		}
		groups[group] = append(groups[group], line+"\n")
	}
	if len(groups[0]) == 0 {
		groups[1] = slices.Insert(groups[1], 0, "nothing is set; these are the defaults:\n")
	}
	between := ""
	for _, lines := range groups {
		if len(lines) > 0 {
			fmt.Fprint(t, between, strings.Join(lines, ""))
			between = "\n"
		}
	}
	return t.Flush()
}

// unknownVariables returns notes about variables that look like settings but are none.
func unknownVariables(environ, names []string) []string {
	// read by the tap and the tests, or by a command with another name
	known := []string{
		"PARATIMER_CONFIG", "PARATIMER_COLLECT", "PARATIMER_COLLECT_ADDRESS", "PARATIMER_TOKEN", "PARATIMER_GOLDEN",
		"PARATIMER_RECORDINGS", "PARATIMER_FOREIGN",
	}
	for _, name := range slices.Concat(names, command.Secrets) {
		known = append(known, settings.Variable(name))
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
