package input

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os/user"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/kubernetes"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// NewClient returns a client of the cluster in the flags or in Hadoop's configuration.
func NewClient(c *cli.Context, tap rest.Layer) (*engine.Client, error) {
	where, err := site(c)
	if err != nil {
		return nil, err
	}
	return clientOf(c, where, tap, nil)
}

// clientOf returns a client of the services of a site and of the history server of --spark-history, with the flags'
// options. access, if set, has the credentials for a Kubernetes API server.
func clientOf(c *cli.Context, site yarn.Site, tap rest.Layer, access *kubernetes.Access) (*engine.Client, error) {
	if base := c.String("spark-history"); strings.ContainsAny(base, "@?#") {
		return nil, command.Usage("--spark-history: the address has more than a host and a path: give --user NAME and --set password-file=FILE instead")
	} else if base != "" {
		base, err := addressOf("--spark-history", base, "the history server, such as http://host:18080")
		if err != nil {
			return nil, err
		}
		site.Web = append(site.Web, base) // it receives a user's password
	}
	for _, host := range c.StringSlice("trust-host") {
		if err := rest.TrustedHost(host); err != nil {
			return nil, command.Usage("trust-host %w", err)
		}
	}
	for _, note := range site.Notes {
		command.Logger(c).Info().Msg(note)
	}
	if c.Bool("insecure") {
		command.Logger(c).Warn().Msg("insecure: certificates are not verified; another server may answer in the cluster's place")
	}
	who := kerberos(c)
	o := rest.Options{
		Trust: c.StringSlice("trust-host"), User: UserName(c), Auth: who.layer(UserName(c)), Login: who,
		Tap:    slow(command.Notice(c), command.Counted(c, tap)),
		CAFile: c.String("ca-file"), Insecure: c.Bool("insecure"), CertFile: c.String("cert"), KeyFile: c.String("key"),
	}
	if access != nil {
		o.Own, o.OwnBase = access.Transport, access.Base
	}
	if err := signIn(c, site, &o, who.asked); err != nil {
		return nil, err
	}
	client, err := mapreduce.NewClient(site, o)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	return client, nil
}

// slowAfter is how long the first response may take before a line names what is waited for.
const slowAfter = 3 * time.Second

// slow is a layer that prints once that the first response takes long. Otherwise a host that drops packets would be a
// silence of 15 s.
func slow(say func(string), tap rest.Layer) rest.Layer {
	var once sync.Once
	return func(next http.RoundTripper) http.RoundTripper {
		next = tap.Over(next)
		return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			timer := time.AfterFunc(slowAfter, func() {
				once.Do(func() { say(fmt.Sprintf("%s has not answered for %v: still waiting", r.URL.Host, slowAfter)) })
			})
			defer once.Do(func() {})
			defer timer.Stop()
			return next.RoundTrip(r)
		})
	}
}

// site returns the cluster's addresses: from --rm, else --conf-dir, else the environment.
func site(c *cli.Context) (s yarn.Site, err error) {
	dir := c.String("conf-dir")
	if dir == "" {
		dir, _ = yarn.FindDir(command.Getenv(c))
	}
	rm := c.String("rm")
	switch {
	case rm != "":
		s, err = yarn.RMSite(rm, c.String("jhs"))
	case dir == "":
		err = errors.New("no cluster is configured, and there is no Spark driver on localhost:4040 to 4050: " +
			"give --rm URL or --spark URL, or set HADOOP_CONF_DIR")
	default:
		var props *yarn.Properties
		if props, err = yarn.ReadDir(dir, command.Getenv(c)); err == nil {
			s, err = props.Site()
		}
	}
	if err != nil {
		err = command.Usage("%w", err)
	}
	return s, err
}

// UserName returns the user of the workflows, determined as Hadoop's own clients do.
func UserName(c *cli.Context) string {
	name := cmp.Or(c.String("user"), kerberosUser(c), command.Getenv(c)("HADOOP_USER_NAME"))
	if me, err := user.Current(); err == nil && name == "" {
		name = me.Username
	}
	return name
}
