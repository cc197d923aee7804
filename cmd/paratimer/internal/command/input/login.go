package input

import (
	"context"
	"net/http"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spnego"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// A login is the identity for Kerberos.
type login struct {
	*spnego.Login
	asked bool // by a flag
}

func kerberos(c *cli.Context) login {
	return login{
		Login: spnego.New(spnego.Options{
			Keytab: c.String("keytab"), Principal: c.String("principal"), Getenv: command.Getenv(c),
			Log: func(event string) { command.Logger(c).Debug().Str("kerberos", event).Msg("kerberos") },
		}),
		asked: c.String("keytab") != "" || c.String("principal") != "",
	}
}

// ByKerberos returns a layer that authenticates to services that require Kerberos.
func ByKerberos(c *cli.Context) rest.Layer { return kerberos(c).Layer }

// layer authenticates to services that require Kerberos, and sends the user's name to others.
func (l login) layer(user string) rest.Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		if user != "" && !l.asked {
			next = yarn.UserName(user)(next)
		}
		return l.Layer(next)
	}
}

// Used reports whether a service or a flag requires Kerberos.
func (l login) Used() bool { return l.asked || l.Login.Used() }

// kerberosUser returns the Kerberos user if a flag or Hadoop's configuration requires Kerberos: Hadoop's default user
// name for the principal; "" if there is none.
func kerberosUser(c *cli.Context) string {
	l := kerberos(c)
	if !l.asked {
		if s, err := site(c); err != nil || s.Auth != "kerberos" {
			return ""
		}
	}
	name, _, _ := strings.Cut(l.Name(), "@")
	name, _, _ = strings.Cut(name, "/")
	return name
}

// signIn adds a password to o's requests to the services of a site, if one is set.
func signIn(c *cli.Context, site yarn.Site, o *rest.Options, byTicket bool) error {
	token, err := command.Secret(c, "token")
	if err != nil {
		return err
	}
	password, err := command.Secret(c, "password")
	switch {
	case err != nil || password == "" && token == "":
		return err
	case token != "" && (password != "" || byTicket):
		return command.Usage("token-file (PARATIMER_TOKEN) goes without password-file, --keytab and --principal: log in in one way")
	case token != "":
		if o.Auth, err = rest.Bearer(token, site.Bases()...); err != nil {
			return command.Usage("token-file, PARATIMER_TOKEN: %w", err)
		}
		o.Login = secret{o.User, "a bearer token"}
		return nil
	}
	if byTicket {
		return command.Usage("--keytab and --principal go without password-file (PARATIMER_PASSWORD): log in by Kerberos or by a password")
	}
	layer, err := rest.Basic(o.User, password, site.Bases()...)
	if err != nil {
		return command.Usage("password-file, PARATIMER_PASSWORD: %w", err)
	}
	o.Auth, o.Login = layer, secret{o.User, "a password (HTTP basic), as " + o.User}
	return nil
}

// A secret is a login by a password or a bearer token.
type secret struct{ user, text string }

func (s secret) Name() string                          { return s.user }
func (s secret) Check(context.Context) (string, error) { return s.text, nil }
func (secret) Used() bool                              { return true }
