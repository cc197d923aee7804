package command

import (
	"context"
	"crypto/x509"
	"net"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/keypair"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
)

// LeastToken is the least length of a token if others can reach the address: 16 characters of hex are 64 bits.
const LeastToken = 16

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
		if d.Pair, err = keypair.Open(cert, key); err != nil {
			return d, Usage("serve-cert, serve-key: %w", err)
		}
	}
	if clients != "" {
		// The system's authorities issue certificates to anyone, so they are not trusted here.
		if d.Clients, err = keypair.Pool(clients, nil); err != nil {
			return d, Usage("serve-client-ca: %w", err)
		}
	}
	return d, nil
}

// Listen opens the address of a flag. If others can reach it, clients must be authenticated.
func Listen(ctx context.Context, c *cli.Context, flag, typed string) (net.Listener, serve.Door, error) {
	address, exposed, err := serve.Address(typed)
	if err != nil {
		return nil, serve.Door{}, Usage("--%s: %w", flag, err)
	}
	d, err := door(c)
	switch {
	case err != nil:
		return nil, d, err
	case exposed && !d.Locked():
		return nil, d, Usage("--%s %s: others can reach this address: give a token, in serve-token-file or PARATIMER_SERVE_TOKEN, or let in by certificates, with serve-cert, serve-key and serve-client-ca; "+
			"a port alone, such as :9188, is this machine's own", flag, typed)
	case exposed && d.Token != "" && len(d.Token) < LeastToken && d.Clients == nil:
		return nil, d, Usage("--%s %s: others can reach this address, and the token of %d characters can be guessed: take %d or more, e.g. of openssl rand -hex 16", flag, typed, len(d.Token), LeastToken)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, d, Usage("--%s: %w", flag, err)
	}
	if exposed && d.Pair == nil {
		log := Logger(c)
		log.Warn().Str("address",
			address).Msgf("--%s: the token and what is served travel in the clear: serve-cert and serve-key encrypt them", flag)
	}
	return listener, d, nil
}

// Trusted returns the system's authorities with those of ca-file; nil without the flag, for the system's alone.
func Trusted(c *cli.Context) (*x509.CertPool, error) {
	path := c.String("ca-file")
	if path == "" {
		return nil, nil
	}
	system, err := x509.SystemCertPool()
	if err != nil {
		system = nil // some systems have none
	}
	pool, err := keypair.Pool(path, system)
	if err != nil {
		return nil, Usage("ca-file: %w", err)
	}
	return pool, nil
}
