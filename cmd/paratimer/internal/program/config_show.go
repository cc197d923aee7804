package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

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
	file, err := command.ReadConfig(c)
	if err != nil {
		return err
	}
	list := shownSettings{Notes: slices.Concat([]string{}, file.Unknown, unknownVariables(command.Environ(c)))}
	if file.Path != "" {
		list.File = &file.Path
	}
	if list.File != nil && !file.Named && (at.Path == root.Path || slices.Contains(command.Pure, at.Name())) {
		list.Notes = append(list.Notes, strings.Join(command.Pure, " and ")+
			" read no configuration file that is not named by --config")
	}
	commands := at.All()
	if at.Path != root.Path {
		commands = append(commands, root)
	}
	list.Settings = effective(c, commands, file)
	if c.String("output") == "json" {
		return view.JSON(c.App.Writer, list, "  ")
	}
	if err := printSettings(c, list.Settings); err != nil {
		return err
	}
	for _, n := range list.Notes {
		fmt.Fprintf(c.App.ErrWriter, "paratimer: %s\n", n)
	}
	return nil
}

// effective returns the settings of commands by name. Those with neither variable nor key are left out.
func effective(c *cli.Context, commands []*settings.Command, file *command.ConfigFile) []settings.Value {
	rows := map[string]settings.Value{}
	for _, m := range commands {
		for _, s := range m.Flags {
			v := file.Effective(c, s)
			if known, again := rows[s.Name]; again {
				v.Differs = known.Differs || v.Origin == settings.Default && !slices.Equal(v.Values, known.Values)
				v.Commands = slices.Compact(slices.Sorted(slices.Values(append(v.Commands, known.Commands...))))
			}
			if s.Settable() {
				rows[s.Name] = v
			}
		}
	}
	for _, name := range command.Secrets { // a secret has a variable and no flag
		variable := settings.Variable(name)
		if _, read := rows[name+"-file"]; read && command.Getenv(c)(variable) != "" {
			value := []string{command.Getenv(c)(variable)}
			rows[name] = settings.Value{Name: name, Values: value, Origin: settings.Environment, Source: &variable}
		}
	}
	out := []settings.Value{}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		v := rows[name].Concealed()
		if v.Differs {
			v.Values = nil
		}
		v.Commands = append([]string{}, v.Commands...)
		out = append(out, v)
	}
	return out
}

// printSettings writes a setting a line: those that are set, then the defaults, then those without a value.
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
		if v.Source != nil {
			line += "\t" + v.Origin + " " + *v.Source
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
func unknownVariables(environ []string) []string {
	// read by the tap and the tests, or by a command with another name
	known := []string{
		"PARATIMER_CONFIG", "PARATIMER_COLLECT", "PARATIMER_COLLECT_ADDRESS", "PARATIMER_TOKEN", "PARATIMER_GOLDEN",
		"PARATIMER_RECORDINGS", "PARATIMER_FOREIGN",
	}
	known = append(known, units.Each(slices.Concat(settings.Names(), command.Secrets), settings.Variable)...)
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
	return slices.Compact(notes)
}
