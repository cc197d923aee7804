package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"
)

// maxConfig bounds the configuration file.
const maxConfig = 1 << 20

// pure are the commands that read nothing but their arguments, so that a recording gives everybody the same numbers.
var pure = []string{"replay", "score"}

// configure sets the command's flags that neither the command line nor the environment sets, from the configuration
// file. Its keys are names of flags, of any command.
func configure(c *cli.Context) error {
	path, asked := configPath(c)
	if path == "" || !asked && slices.Contains(pure, c.Command.Name) {
		return nil
	}
	values, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return nil
	}
	if err != nil {
		return usage("%v", err)
	}
	known := flagNames(c.App)
	for _, item := range values {
		name, ok := item.Key.(string)
		if !ok || !slices.Contains(known, name) {
			return usage("%s: %v is no setting; the settings are the names of flags: %s", path, item.Key, strings.Join(known, ", "))
		}
		if err := set(c, name, item.Value); err != nil {
			return usage("%s: %s: %v", path, name, err)
		}
	}
	return nil
}

// configPath is the file to read and whether the user named it.
func configPath(c *cli.Context) (path string, asked bool) {
	if c.IsSet("config") {
		return c.String("config"), true
	}
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", false
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "paratimer", "config.yaml"), false
}

func readConfig(path string) (yaml.MapSlice, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	if info.Size() > maxConfig {
		return nil, fmt.Errorf("%s: %d bytes are too many for a configuration", path, info.Size())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	var values yaml.MapSlice
	if err := yaml.Unmarshal(b, &values); err != nil {
		return nil, fmt.Errorf("%s: %s", path, yaml.FormatError(err, false, true))
	}
	return values, nil
}

// set gives a flag its value from the file, unless it has one or this command does not have it.
func set(c *cli.Context, name string, value any) error {
	if lookup(slices.Concat(c.App.Flags, c.Command.Flags), name) == nil || c.IsSet(name) {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, v := range list {
		if err := c.Set(name, fmt.Sprint(v)); err != nil {
			return fmt.Errorf("%v: %w", v, err)
		}
	}
	return nil
}

// flagNames are the names of all flags that a file may set, sorted.
func flagNames(app *cli.App) []string {
	var names []string
	add := func(flags []cli.Flag) {
		for _, f := range flags {
			if n := f.Names()[0]; n != "help" && n != "version" && n != "config" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	add(app.Flags)
	for _, c := range leaves(app.Commands) {
		add(c.Flags)
	}
	slices.Sort(names)
	return names
}
