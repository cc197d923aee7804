package command

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// environment is the metadata key of the environment that an app uses: tests run several commands in one process.
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

// FromEnvironment sets the settings that are not on the command line. As usual, an empty variable counts as unset.
func FromEnvironment(c *cli.Context) error {
	for _, s := range slices.Concat(settings.Of(""), settings.Of(fullName(c))) {
		if s.Env == "" || c.IsSet(s.Name) {
			continue
		}
		value := Getenv(c)(s.Env)
		if strings.TrimSpace(value) == "" {
			continue
		}
		if err := give(c, s, value); err != nil {
			return Usage("%s=%s: %w", s.Env, value, err)
		}
	}
	return nil
}

// give sets a setting. The error describes valid values.
func give(c *cli.Context, s *settings.Setting, value string) error {
	err := c.Set(s.Name, value)
	if want := s.Wanted(); err != nil && want != "" {
		return errors.New("it is " + want)
	}
	return err
}
