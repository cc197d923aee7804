package command

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Secrets are settings that have no flag of their own, for everybody can read a command line: there is a flag
// NAME-file, and a variable PARATIMER_NAME.
var Secrets = []string{"collect-token", "password", "serve-token", "webhook-secret"}

// Secret is what the file of --NAME-file holds, else the variable; "" where there is neither.
func Secret(c *cli.Context, name string) (string, error) {
	path := c.String(name + "-file")
	if path == "" {
		return strings.TrimSpace(Getenv(c)(Env(name)[0])), nil
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

// Token is a secret that a header and a shell take as it is.
func Token(c *cli.Context, name string) (string, error) {
	value, err := Secret(c, name)
	if err == nil && value != "" && !safeToken.MatchString(value) {
		return "", Usage("--%s-file, %s: a token is 1 to 256 letters, digits and . _ ~ + / = -", name, Env(name)[0])
	}
	return value, err
}

// WithoutSecrets is an environment for commands that need none of ours.
func WithoutSecrets(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(Secrets, func(s string) bool { return Env(s)[0] == name })
	})
}

// safeToken is what a header and a shell take as it is.
var safeToken = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{1,256}$`)
