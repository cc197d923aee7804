package command

import (
	"crypto/x509"
	"net"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/keypair"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
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
func Serve(c *cli.Context, flag, what string, start func(net.Listener, serve.Door, func(error)) (stop func())) (
	url string, stop func(), err error,
) {
	d, err := door(c)
	if err != nil {
		return "", nil, err
	}
	listener, exposed, err := Listen(c, flag, d, "in serve-token-file or PARATIMER_SERVE_TOKEN, or let in by certificates, with serve-cert, serve-key and serve-client-ca")
	if err != nil {
		return "", nil, err
	}
	log := Logger(c)
	if exposed && d.Pair == nil {
		log.Warn().Str("address", c.String(flag)).Msgf(
			"--%s: the token and what is served travel in the clear: serve-cert and serve-key encrypt them", flag)
	}
	stop = start(listener, d, func(err error) { log.Error().Err(err).Msg(what + " not served any more") })
	return d.Scheme() + "://" + listener.Addr().String(), stop, nil
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
