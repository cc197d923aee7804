package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/units"
)

// maxConfig bounds the configuration file.
const maxConfig = 1 << 20

// Pure are the commands that read only their arguments, so that a recording gives everyone the same numbers.
var Pure = []string{"replay", "score"}

// environmentKey is the metadata key of the environment that an app uses: tests run several commands in one process.
const environmentKey = "environment"

// Adopt makes an app use the environment env, with entries NAME=VALUE. The last entry of a name counts.
func Adopt(app *cli.App, env []string) { app.Metadata = map[string]any{environmentKey: env} }

// Environ returns os.Environ of the command's environment.
func Environ(c *cli.Context) []string { return c.App.Metadata[environmentKey].([]string) }

// Getenv returns os.Getenv of the command's environment.
func Getenv(c *cli.Context) func(name string) string {
	return func(name string) string {
		for _, e := range slices.Backward(Environ(c)) {
			if n, value, ok := strings.Cut(e, "="); ok && n == name {
				return value
			}
		}
		return ""
	}
}

// Configure sets the command's settings that are no flags on the command line: from --set, else from the environment,
// else from the configuration file.
func Configure(c *cli.Context) error {
	for pair := range strings.Lines(c.String("set")) {
		if err := setPair(c, strings.TrimSpace(pair)); err != nil {
			return Usage("--set %s: %w", strings.TrimSpace(pair), err)
		}
	}
	file, err := ReadConfig(c)
	if err != nil {
		return err
	}
	if len(file.Unknown) > 0 {
		return Usage("%s", file.Unknown[0])
	}
	for _, s := range slices.Concat(settings.Of(""), settings.Of(fullName(c))) {
		v := file.Effective(c, s)
		if v.Origin != settings.Environment && v.Origin != settings.File {
			continue
		}
		if (s.Name == "plain" || s.Name == "quiet") && c.String("output") != "text" {
			continue // the format of lines does not affect frames
		}
		for _, text := range v.Values {
			if err := c.Set(s.Name, text); err != nil && !ofOthers(s, text) {
				return Usage("%s: %s: %s: %w", *v.Source, s.Name, text, err)
			}
		}
	}
	return nil
}

// ofOthers reports whether a value is valid for other commands with this setting, so that a variable or a file may set
// it for all: check has no frames, and ignores PARATIMER_OUTPUT=ndjson.
func ofOthers(s *settings.Setting, text string) bool {
	return slices.ContainsFunc(settings.All(), func(o *settings.Setting) bool {
		return o.Name == s.Name && slices.Contains(o.Offers(), text)
	})
}

// setPair sets a setting from NAME=VALUE.
func setPair(c *cli.Context, pair string) error {
	name, value, ok := strings.Cut(pair, "=")
	switch {
	case !ok:
		return errors.New("give NAME=VALUE")
	case cmp.Or(settings.Lookup(fullName(c), name), settings.Lookup("", name)) != nil:
		return c.Set(name, value)
	case slices.Contains(settings.Names(), name):
		return fmt.Errorf("%s has no such setting, though other commands have it", fullName(c))
	}
	return errors.New(noSetting(name))
}

// noSetting returns the error text for an unknown name, with a suggestion.
func noSetting(name string) string {
	if near := planfile.Nearest(name, settings.Names()); near != "" {
		return name + " is not a setting; did you mean " + near + "?"
	}
	return name + " is not a setting; `paratimer config` lists the settings"
}

// A ConfigFile has the content of the configuration file. Its keys are names of settings, of any command.
type ConfigFile struct {
	Path    string // "" if there is none
	Named   bool   // the user named it
	Unknown []string
	fields  []planfile.Field
}

// ReadConfig reads the file of --config or PARATIMER_CONFIG, else paratimer/config.yaml in the XDG configuration folder
// if it exists. Unknown has an error text for each key that is not a setting.
func ReadConfig(c *cli.Context) (*ConfigFile, error) {
	f := &ConfigFile{Path: c.String("config")}
	if !c.IsSet("config") {
		f.Path = Getenv(c)(settings.Variable("config"))
	}
	if f.Named = f.Path != ""; !f.Named {
		dir := Getenv(c)("XDG_CONFIG_HOME")
		if home := Getenv(c)("HOME"); dir == "" && home != "" {
			dir = filepath.Join(home, ".config")
		}
		if dir == "" || slices.Contains(Pure, c.Command.Name) {
			return f, nil
		}
		f.Path = filepath.Join(dir, "paratimer", "config.yaml")
	}
	b, err := infile.ReadRegular(f.Path, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !f.Named:
		f.Path = ""
		return f, nil
	case err != nil:
		return nil, Usage("cannot read the configuration: %w", err)
	}
	if f.fields, err = planfile.Fields(b, f.Path, "configuration"); err != nil {
		return nil, Usage("%w", err)
	}
	for _, field := range f.fields {
		if !slices.Contains(settings.Names(), field.Name) {
			f.Unknown = append(f.Unknown, fmt.Sprintf("%s:%d: %s", f.Path, field.Line, noSetting(field.Name)))
		}
	}
	return f, nil
}

// Effective returns the value of a setting with its origin: the command line, else the environment, else the file, else
// the default. As usual, an empty variable counts as unset.
func (f *ConfigFile) Effective(c *cli.Context, s *settings.Setting) settings.Value {
	v := settings.Value{Name: s.Name, Commands: slices.Clone(s.Commands), Origin: settings.Default}
	if s.DefaultText() != "" {
		v.Values = []string{s.DefaultText()}
	}
	source := ""
	i := slices.IndexFunc(f.fields, func(field planfile.Field) bool { return field.Name == s.Name })
	switch variable := Getenv(c)(s.Env); {
	case c.IsSet(s.Name):
		source, v.Origin, v.Values = "--"+s.Name, settings.Flag, []string{c.String(s.Name)}
	case s.Env != "" && strings.TrimSpace(variable) != "":
		source, v.Origin, v.Values = s.Env, settings.Environment, []string{variable}
	case s.Settable() && i >= 0:
		source = fmt.Sprintf("%s:%d", f.Path, f.fields[i].Line)
		v.Origin, v.Values = settings.File, f.fields[i].Values
	default:
		return v
	}
	v.Source = &source
	return v
}

var errNoLength = errors.New("give a length of time such as 45m or 1h30m")

// Length parses a length of time such as 45m. The error for a number without a unit suggests one.
func Length(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, nil
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return 0, fmt.Errorf("a unit is missing: %sm?", text)
	}
	if m := lengthInWords.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64) // these digits are a number
		unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}
		return 0, fmt.Errorf("%w: %s?", errNoLength, units.Short(time.Duration(n*float64(unit[strings.ToLower(m[2])]))))
	}
	return 0, errNoLength
}

// lengthInWords matches an informal length: 1d, 5min, 2 hours.
var lengthInWords = regexp.MustCompile(`(?i)^(\d{1,4}(?:\.\d{1,3})?) ?([dhms])[a-z]*$`)

// Zone returns the reader's time zone: UTC with --utc, else that of TZ, else the machine's.
func Zone(c *cli.Context) *time.Location {
	if c.Bool("utc") {
		return time.UTC
	}
	if name := strings.TrimPrefix(Getenv(c)("TZ"), ":"); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	return time.Local
}
