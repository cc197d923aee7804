package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/spnego"
)

// kerberosFlags say who asks where the cluster wants Kerberos. Without them it is who kinit has made.
func kerberosFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "keytab", EnvVars: env("keytab"), Usage: "where Kerberos is wanted, log in by the key in `FILE` (default: the ticket that kinit got)"},
		&cli.StringFlag{Name: "principal", EnvVars: env("principal"), Usage: "log in to Kerberos as `NAME`[/HOST][@REALM] (default: the keytab's only one, or the ticket's)"},
	}
}

// A login is who asks where the cluster wants Kerberos.
type login struct {
	*spnego.Login
	asked bool // by a flag
}

func kerberos(c *cli.Context) login {
	log := logger(c)
	return login{
		Login: spnego.New(spnego.Options{
			Keytab: c.String("keytab"), Principal: c.String("principal"), Getenv: getenv(c),
			Log: func(event string) { log.Debug().Str("kerberos", event).Msg("kerberos") },
		}),
		asked: c.String("keytab") != "" || c.String("principal") != "",
	}
}

// layer proves who asks to services that want it; to others it says the name of user.
func (l login) layer(user string) hadoop.Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		if user != "" && !l.asked {
			next = hadoop.UserName(user)(next)
		}
		return l.Layer(next)
	}
}

// Used says whether Kerberos is wanted, by the services or by a flag.
func (l login) Used() bool { return l.asked || l.Login.Used() }

// Check logs in and says who asks, for people.
func (l login) Check(ctx context.Context) (string, error) {
	id, err := l.Login.Check(ctx)
	if err != nil {
		return "", err
	}
	said := "Kerberos, as " + id.Principal + " by " + id.By + ", until " + id.Until.UTC().Format("2006-01-02 15:04:05 UTC")
	if id.Renews {
		said += ", then by a new ticket"
	}
	return said, nil
}

// user is the name that Hadoop makes of the principal unless it is told otherwise, "" where nobody is known.
func (l login) user() string {
	name, _, _ := strings.Cut(l.Name(), "@")
	name, _, _ = strings.Cut(name, "/")
	return name
}

// kerberosUser is who asks by Kerberos: where a flag or Hadoop's configuration says that it is wanted, else "".
func kerberosUser(c *cli.Context) string {
	l := kerberos(c)
	if !l.asked {
		if s, err := site(c); err != nil || s.Auth != "kerberos" {
			return ""
		}
	}
	return l.user()
}
