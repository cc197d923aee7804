package command

import (
	"bytes"
	"crypto/x509"
	"net"
	"net/http"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// leastToken is the least length of a token if others can reach the address: 16 characters of hex are 64 bits.
const leastToken = 16

// door returns the access control for what is served.
func door(c *cli.Context) (d serve.Door, err error) {
	if d.Token, err = Token(c, "serve-token"); err != nil {
		return d, err
	}
	cert, key, clients := c.String("serve-cert"), c.String("serve-key"), c.String("serve-client-ca")
	if (cert == "") != (key == "") || clients != "" && cert == "" {
		return d, Usage("serve-cert and serve-key go together, and serve-client-ca with both")
	}
	if cert != "" {
		if d.Pair, err = infile.OpenKeyPair(cert, key); err != nil {
			return d, Usage("serve-cert, serve-key: %w", err)
		}
	}
	if clients != "" {
		// The system's authorities issue certificates to anyone, so they are not trusted here.
		if d.Clients, err = infile.CertPool(clients, nil); err != nil {
			return d, Usage("serve-client-ca: %w", err)
		}
	}
	return d, nil
}

// Listen opens the address of a flag, if it is locked by a door as exposed addresses must be. locks describes what can
// lock it.
func Listen(c *cli.Context, flag string, d serve.Door, locks string) (l net.Listener, exposed bool, err error) {
	typed := c.String(flag)
	address, exposed, err := serve.Address(typed)
	switch {
	case err != nil:
		return nil, exposed, Usage("--%s: %w", flag, err)
	case exposed && !d.Locked():
		return nil, exposed, Usage("--%s %s: others can reach this address: give a token, %s; a port alone, such as :9188, is this machine's own",
			flag, typed, locks)
	case exposed && d.Token != "" && len(d.Token) < leastToken && d.Clients == nil:
		return nil, exposed, Usage("--%s %s: others can reach this address, and the token of %d characters can be guessed: take %d or more, e.g. of openssl rand -hex 16",
			flag, typed, len(d.Token), leastToken)
	}
	if l, err = new(net.ListenConfig).Listen(c.Context, "tcp", address); err != nil {
		return nil, exposed, Usage("--%s: %w", flag, err)
	}
	return l, exposed, nil
}

// Serve serves at the address of a flag until stop is called. If others can reach it, clients must be authenticated.
// The URL has no path. what names the service in the log.
func Serve(c *cli.Context, flag, what string, h http.Handler, l serve.Limits) (url string, stop func(), err error) {
	d, err := door(c)
	if err != nil {
		return "", nil, err
	}
	listener, exposed, err := Listen(c, flag, d, "in serve-token-file or PARATIMER_SERVE_TOKEN, or let in by certificates, with serve-cert, serve-key and serve-client-ca")
	if err != nil {
		return "", nil, err
	}
	if exposed && d.Pair == nil {
		Logger(c).Warn().Str("address", c.String(flag)).Msgf(
			"--%s: the token and the pages are not encrypted: set serve-cert and serve-key", flag)
	}
	failed := func(err error) { Logger(c).Error().Err(err).Msg(what + " no longer served") }
	stop = serve.Serve(listener, h, l, d, failed)
	return d.Scheme() + "://" + listener.Addr().String(), stop, nil
}

// Trusted returns the system's authorities with those of ca-file; nil without the flag, for the system's alone.
func Trusted(c *cli.Context) (*x509.CertPool, error) {
	path := c.String("ca-file")
	if path == "" {
		return nil, nil
	}
	system, _ := x509.SystemCertPool() // nil on systems that have none
	pool, err := infile.CertPool(path, system)
	if err != nil {
		return nil, Usage("ca-file: %w", err)
	}
	return pool, nil
}

// Secrets are settings without a flag of their own, since everyone can read a command line. There is a flag
// NAME-file, and a variable PARATIMER_NAME.
var Secrets = []string{"collect-token", "password", "serve-token", "token", "webhook-secret"}

// Secret returns the content of the file of --NAME-file, else the variable's value; "" if neither is set.
func Secret(c *cli.Context, name string) (string, error) {
	path := c.String(name + "-file")
	if path == "" {
		return strings.TrimSpace(Getenv(c)(settings.Variable(name))), nil
	}
	b, err := infile.ReadFile(path, MaxSinkFile)
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

// safeToken matches tokens that need no quoting in a header or a shell.
var safeToken = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{1,256}$`)
