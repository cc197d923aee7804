package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// secrets are settings that have no flag of their own, for everybody can read a command line: there is a flag NAME-file, and a
// variable PARATIMER_NAME.
var secrets = []string{"collect-token", "password", "serve-token", "webhook-secret"}

// secret is what the file of --NAME-file holds, else the variable; "" where there is neither.
func secret(c *cli.Context, name string) (string, error) {
	path := c.String(name + "-file")
	if path == "" {
		return strings.TrimSpace(getenv(c)(env(name)[0])), nil
	}
	b, err := readBounded(path)
	if err != nil {
		return "", usage("--%s-file: %w", name, err)
	}
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return "", usage("--%s-file %s: it is empty", name, path)
	}
	return string(b), nil
}

// token is a secret that a header and a shell take as it is.
func token(c *cli.Context, name string) (string, error) {
	value, err := secret(c, name)
	if err == nil && value != "" && !safeToken.MatchString(value) {
		return "", usage("--%s-file, %s: a token is 1 to 256 letters, digits and . _ ~ + / = -", name, env(name)[0])
	}
	return value, err
}

// withoutSecrets is an environment for commands that need none of ours.
func withoutSecrets(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(secrets, func(s string) bool { return env(s)[0] == name })
	})
}
