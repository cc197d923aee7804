package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
)

// maxConfig bounds the configuration file.
const maxConfig = 1 << 20

// pure are the commands that read nothing but their arguments, so that a recording gives everybody the same numbers.
var pure = []string{"replay", "score"}

// A setting is a key of the configuration file.
type setting struct {
	name  string
	value any
	line  int // from 1
}

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
	for _, s := range values {
		if !slices.Contains(known, s.name) {
			return usage("%s", noSetting(path, s, known))
		}
		if err := set(c, s); err != nil {
			return usage("%s:%d: %s: %v", path, s.line, s.name, err)
		}
	}
	return nil
}

// noSetting says what is wrong with a key that no flag has, and what was meant.
func noSetting(path string, s setting, known []string) string {
	text := fmt.Sprintf("%s:%d: %s is no setting", path, s.line, s.name)
	if near := manual.Near(s.name, known); near != "" {
		return text + "; did you mean " + near + "?"
	}
	return text + "; the settings are the names of flags: `paratimer config show` lists them"
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

// readConfig reads the settings of a file, in its order.
func readConfig(path string) ([]setting, error) {
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
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("%s: this is no text in UTF-8: a configuration is YAML", path)
	}
	var values yaml.MapSlice
	if err := yaml.Unmarshal(b, &values); err != nil {
		return nil, fmt.Errorf("%s: %s", path, yaml.FormatError(err, false, true))
	}
	lines := keyLines(b)
	all := make([]setting, len(values))
	for i, item := range values {
		name := fmt.Sprint(item.Key)
		all[i] = setting{name: name, value: item.Value, line: lines[name]}
	}
	return all, nil
}

// keyLines are the lines on which the keys of a file stand.
func keyLines(b []byte) map[string]int {
	lines := map[string]int{}
	file, err := parser.ParseBytes(b, 0)
	if err != nil {
		return lines // it has been read: this cannot be
	}
	add := func(n *ast.MappingValueNode) {
		if t := n.Key.GetToken(); t != nil && t.Position != nil {
			lines[t.Value] = t.Position.Line
		}
	}
	for _, doc := range file.Docs {
		switch body := doc.Body.(type) {
		case *ast.MappingNode:
			for _, n := range body.Values {
				add(n)
			}
		case *ast.MappingValueNode:
			add(body)
		}
	}
	return lines
}

// set gives a flag its value from the file, unless it has one or this command does not have it.
func set(c *cli.Context, s setting) error {
	f := lookup(slices.Concat(c.App.Flags, c.Command.Flags), s.name)
	if f == nil || c.IsSet(s.name) {
		return nil
	}
	if (s.name == "plain" || s.name == "quiet") && c.String("output") == "ndjson" {
		return nil // how lines are printed is no matter of frames
	}
	for _, v := range texts(s.value) {
		if err := c.Set(s.name, v); err != nil {
			if want := wanted(f); want != "" {
				return fmt.Errorf("%s: it is %s", v, want)
			}
			return fmt.Errorf("%s: %w", v, err)
		}
	}
	return nil
}

// texts are a setting's values: of a flag that may be repeated there may be several.
func texts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// flagNames are the names of all flags that a file may set, sorted.
func flagNames(app *cli.App) []string {
	var names []string
	add := func(flags []cli.Flag) {
		for _, f := range flags {
			if n := f.Names()[0]; settable(n) && !slices.Contains(names, n) {
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

// settable says whether a file may set a flag of this name.
func settable(name string) bool { return !slices.Contains([]string{"help", "version", "config"}, name) }

// envSet is the environment variable that sets a flag, the first one that is not empty; "" where none does.
func envSet(names []string) string {
	for _, n := range names {
		if strings.TrimSpace(os.Getenv(n)) != "" {
			return n
		}
	}
	return ""
}
