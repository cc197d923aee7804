package command

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// Secrets are settings without a flag of their own, since everyone can read a command line. There is a flag
// NAME-file, and a variable PARATIMER_NAME.
var Secrets = []string{"collect-token", "password", "serve-token", "webhook-secret"}

// Secret returns the content of the file of --NAME-file, else the variable's value; "" if neither is set.
func Secret(c *cli.Context, name string) (string, error) {
	path := c.String(name + "-file")
	if path == "" {
		return strings.TrimSpace(Getenv(c)(settings.Variable(name))), nil
	}
	b, err := ReadBounded(path)
	if err != nil {
		return "", Usage("--%s-file: %w", name, err)
	}
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return "", Usage("--%s-file %s: it is empty", name, path)
	}
	return string(b), nil
}

// Token returns a secret that can be used in a header and in a shell without quoting.
func Token(c *cli.Context, name string) (string, error) {
	value, err := Secret(c, name)
	if err == nil && value != "" && !safeToken.MatchString(value) {
		return "", Usage("--%s-file, %s: a token is 1 to 256 letters, digits and . _ ~ + / = -", name, settings.Variable(name))
	}
	return value, err
}

// WithoutSecrets returns an environment without our secrets, for commands that do not need them.
func WithoutSecrets(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(Secrets, func(s string) bool { return settings.Variable(s) == name })
	})
}

// safeToken matches tokens that need no quoting in a header or a shell.
var safeToken = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{1,256}$`)
