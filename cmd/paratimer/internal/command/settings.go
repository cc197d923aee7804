package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
)

// maxConfig bounds the configuration file.
const maxConfig = 1 << 20

// Pure are the commands that read only their arguments, so that a recording gives everyone the same numbers.
var Pure = []string{"replay", "score"}

// Configure sets the command's flags from the configuration file, except those on the command line or in the
// environment. Its keys are names of flags, of any command.
func Configure(c *cli.Context) error {
	path, asked := ConfigPath(c)
	if path == "" || !asked && slices.Contains(Pure, c.Command.Name) {
		return nil
	}
	values, err := ReadConfig(path)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return nil
	}
	if err != nil {
		return Usage("%v", err)
	}
	known := FlagNames(c.App)
	for _, s := range values {
		if !slices.Contains(known, s.Name) {
			return Usage("%s", NoSetting(path, s, known))
		}
		if err := set(c, s); err != nil {
			return Usage("%s:%d: %s: %v", path, s.Line, s.Name, err)
		}
	}
	return nil
}

// NoSetting returns the error text for a key that is not a flag, with a suggestion.
func NoSetting(path string, s planfile.Field, known []string) string {
	text := fmt.Sprintf("%s:%d: %s is not a setting", path, s.Line, s.Name)
	if near := planfile.Nearest(s.Name, known); near != "" {
		return text + "; did you mean " + near + "?"
	}
	return text + "; the settings are the names of flags: `paratimer config` lists them"
}

// ConfigPath returns the file to read, and whether the user named it.
func ConfigPath(c *cli.Context) (path string, asked bool) {
	if c.IsSet("config") {
		return c.String("config"), true
	}
	dir := Getenv(c)("XDG_CONFIG_HOME")
	if dir == "" {
		home := Getenv(c)("HOME")
		if home == "" {
			return "", false
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "paratimer", "config.yaml"), false
}

// ReadConfig reads the settings of a file, in its order.
func ReadConfig(path string) ([]planfile.Field, error) {
	f, err := infile.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	if len(b) > maxConfig {
		return nil, fmt.Errorf("%s: the file is larger than %d bytes, more than a configuration may have", path,
			maxConfig)
	}
	return planfile.Fields(b, path, "configuration")
}

// set sets a flag to its value in the file, unless it is set already or the command does not have it.
func set(c *cli.Context, s planfile.Field) error {
	f := Lookup(slices.Concat(c.App.Flags, c.Command.Flags), s.Name)
	if f == nil || c.IsSet(s.Name) {
		return nil
	}
	if (s.Name == "plain" || s.Name == "quiet") && c.String("output") == "ndjson" {
		return nil // the format of lines does not affect frames
	}
	for _, v := range s.Values {
		if err := c.Set(s.Name, v); err != nil {
			if want := wanted(f); want != "" {
				return fmt.Errorf("%s: it is %s", v, want)
			}
			return fmt.Errorf("%s: %w", v, err)
		}
	}
	return nil
}

// FlagNames returns the names of all flags that a file may set, sorted.
func FlagNames(app *cli.App) []string {
	var names []string
	add := func(flags []cli.Flag) {
		for _, f := range flags {
			if n := f.Names()[0]; Settable(n) && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	add(app.Flags)
	for _, c := range Leaves(app.Commands) {
		add(c.Flags)
	}
	slices.Sort(names)
	return names
}

// Settable reports whether a file may set a flag of this name.
func Settable(name string) bool { return !slices.Contains([]string{"help", "version", "config"}, name) }
