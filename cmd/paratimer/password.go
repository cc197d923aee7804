package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/hadoop"
)

// gatewayFlags are those of services that want a password or a client's certificate. There is no flag for a password itself.
func gatewayFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "password-file", EnvVars: env("password-file"), Usage: "sign in to a gateway, such as Knox, as --user by the password in `FILE` (default: PARATIMER_PASSWORD)"},
		&cli.StringFlag{Name: "cert", EnvVars: env("cert"), Usage: "show the client certificate (PEM) in `FILE` to services that want one; it is read again when it changes"},
		&cli.StringFlag{Name: "key", EnvVars: env("key"), Usage: "the client certificate's private key is in `FILE`"},
	}
}

// signIn has o's requests carry a password, where one is given.
func signIn(c *cli.Context, o *hadoop.Options, byTicket bool) error {
	password, err := secret(c, "password")
	if err != nil || password == "" {
		return err
	}
	if byTicket {
		return usage("--keytab and --principal go without --password-file (PARATIMER_PASSWORD): log in by Kerberos or by a password")
	}
	layer, err := hadoop.Basic(o.User, password, o.Site)
	if err != nil {
		return usage("--password-file, PARATIMER_PASSWORD: %w", err)
	}
	o.Auth, o.Login = layer, passworded(o.User)
	return nil
}

// passworded is who asks by a password.
type passworded string

func (p passworded) Name() string { return string(p) }

func (p passworded) Check(context.Context) (string, error) {
	return "a password (HTTP basic), as " + string(p), nil
}

func (passworded) Used() bool { return true }
