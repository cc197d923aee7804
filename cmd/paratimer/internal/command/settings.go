package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// maxConfig bounds the configuration file.
const maxConfig = 1 << 20

// Pure are the commands that read only their arguments, so that a recording gives everyone the same numbers.
var Pure = []string{"replay", "score"}

// Configure sets the command's settings that are not on the command line: from the environment, else from the
// configuration file. Its keys are names of settings, of any command.
func Configure(c *cli.Context) error {
	if err := FromEnvironment(c); err != nil {
		return err
	}
	known := settings.Names()
	if left := c.StringSlice("set"); len(left) > 0 { // the others were turned into flags
		pair := left[0]
		name, _, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return Usage("--set %s: give NAME=VALUE", pair)
		case slices.Contains(known, name):
			return Usage("--set %s: %s has no such setting, others have it", name, fullName(c))
		}
		return Usage("--set %s: %s is not a setting%s", pair, name, suggestion(name, known))
	}
	if err := configureFrom(c, known); err != nil {
		return err
	}
	for _, s := range settings.Of(fullName(c)) {
		if v := c.Float64(s.Name); s.Most > 0 && !(v > 0 && v <= s.Most) {
			return Usage("%s %v: it is more than 0, and %g at most", s.Name, v, s.Most)
		}
	}
	return nil
}

// configureFrom sets settings from the configuration file. Its keys are the known names, of any command.
func configureFrom(c *cli.Context, known []string) error {
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

// NoSetting returns the error text for a key of the file that is not a setting, with a suggestion.
func NoSetting(path string, s planfile.Field, known []string) string {
	return fmt.Sprintf("%s:%d: %s is not a setting%s", path, s.Line, s.Name, suggestion(s.Name, known))
}

// suggestion returns the end of a sentence about an unknown name.
func suggestion(name string, known []string) string {
	if near := planfile.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; `paratimer config` lists the settings"
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
	f := lookup(c, s.Name)
	if f == nil || c.IsSet(s.Name) {
		return nil
	}
	if (s.Name == "plain" || s.Name == "quiet") && c.String("output") == "ndjson" {
		return nil // the format of lines does not affect frames
	}
	for _, v := range s.Values {
		if err := give(c, f, v); err != nil {
			return fmt.Errorf("%s: %w", v, err)
		}
	}
	return nil
}
