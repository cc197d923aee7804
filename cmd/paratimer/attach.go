package main

import (
	"os"
	"os/user"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/capture"
	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/dag"
)

// clusterFlags say where the cluster is and who asks.
func clusterFlags() []cli.Flag {
	return about("Where the cluster is",
		&cli.StringFlag{Name: "rm", EnvVars: env("rm"), Usage: "ask the ResourceManager at `URL`, or at the active one of several, comma-separated"},
		&cli.StringFlag{Name: "jhs", EnvVars: env("jhs"), Usage: "ask the job history server at `URL` (with --rm; default: port 19888 of its host)"},
		&cli.StringFlag{Name: "conf-dir", EnvVars: env("conf-dir"), Usage: "read Hadoop's configuration from `DIR` (default: HADOOP_CONF_DIR, YARN_CONF_DIR, HADOOP_HOME/etc/hadoop)"},
		&cli.StringFlag{Name: "user", EnvVars: env("user"), Usage: "ask as `NAME` and choose among this user's workflows (default: HADOOP_USER_NAME, else you)"},
		&cli.StringFlag{Name: "ca-file", EnvVars: env("ca-file"), Usage: "also trust the certificates (PEM) in `FILE`"},
		&cli.BoolFlag{Name: "insecure", EnvVars: env("insecure"), Usage: "do not verify certificates: anybody may answer in the cluster's place"},
	)
}

func attachFlags() []cli.Flag {
	return followFlags(append(append(clusterFlags(),
		&cli.DurationFlag{Name: "every", EnvVars: env("every"), Value: 3 * time.Second, Usage: "observe each `TIME`; a line is printed where something has changed, and now and then while nothing does"},
		&cli.StringFlag{Name: "tape", EnvVars: env("tape"), Usage: "record what is observed to `FILE`, for replay, learn and score"},
		&cli.StringFlag{Name: "capture", EnvVars: env("capture"), Usage: "record the raw answers to `FILE`, for bug reports; secrets are left out"},
		profileFlag()), slices.Concat(historyFlags(), sinkFlags(), collectFlags())...)...)
}

// attach watches a query on a live cluster.
func attach(c *cli.Context) (err error) {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	every := c.Duration("every")
	if every < minEvery {
		return usage("--every %v: less than %v is too much for a cluster", every, minEvery)
	}
	profiles, err := readProfiles(c)
	if err != nil {
		return err
	}
	target, err := hadoop.TargetOf(c.Args().First(), userName(c))
	if err != nil {
		return usage("%w", err)
	}
	var client *hadoop.Client
	var tap hadoop.Layer
	if path := c.String("capture"); path != "" {
		rec, failed := capture.Create(path, func() dag.Instant { return client.Now() })
		if failed != nil {
			return usage("--capture: %w", failed)
		}
		defer closing(rec, path, &err)
		tap = rec.Layer
	}
	if client, err = newClient(c, tap); err != nil {
		return err
	}
	defer client.Close()
	keys, err := collecting(c.Context, c)
	if err != nil {
		return err
	}
	defer keys.close()
	grouped, leave := keys.source(hadoop.NewSource(client, target))
	defer leave()
	src, done, err := taped(c, grouped)
	if err != nil {
		return err
	}
	defer done(&err)
	if keys != nil && target.ID == "" {
		src = &awaiting{Source: src, every: every, say: tell(c)}
	}
	rec := recorder(c, src, profiles)
	told, finish, err := notifying(c)
	if err != nil {
		return err
	}
	defer finish()
	return follow(c, rec, pace{every: every}, remembering(rec), told)
}

// minEvery keeps us from being a burden to the cluster.
const minEvery = 100 * time.Millisecond

// newClient is a client of the cluster that flags or Hadoop's configuration name.
func newClient(c *cli.Context, tap hadoop.Layer) (*hadoop.Client, error) {
	site, err := site(c)
	if err != nil {
		return nil, err
	}
	log := logger(c)
	for _, note := range site.Notes {
		log.Info().Msg(note)
	}
	if c.Bool("insecure") {
		log.Warn().Msg("--insecure: certificates are not verified; anybody may answer in the cluster's place")
	}
	client, err := hadoop.NewClient(hadoop.Options{
		Site: site, User: userName(c), CAFile: c.String("ca-file"), Insecure: c.Bool("insecure"), Tap: counted(c, tap),
	})
	if err != nil {
		return nil, usage("%w", err)
	}
	return client, nil
}

// site is the cluster's addresses: --rm goes before --conf-dir, which goes before the environment.
func site(c *cli.Context) (hadoop.Site, error) {
	if rm := c.String("rm"); rm != "" {
		s, err := hadoop.RMSite(rm, c.String("jhs"))
		if err != nil {
			return s, usage("%w", err)
		}
		return s, nil
	}
	dir := c.String("conf-dir")
	if dir == "" {
		dir, _ = hadoop.FindDir(os.Getenv)
	}
	if dir == "" {
		return hadoop.Site{}, usage("where is the cluster? Give --rm URL or --conf-dir DIR, or set HADOOP_CONF_DIR")
	}
	props, err := hadoop.ReadDir(dir, os.Getenv)
	if err != nil {
		return hadoop.Site{}, usage("%w", err)
	}
	s, err := props.Site()
	if err != nil {
		return s, usage("%w", err)
	}
	return s, nil
}

// userName is whose workflows are looked for, as Hadoop's own clients find it out.
func userName(c *cli.Context) string {
	if name := c.String("user"); name != "" {
		return name
	}
	if name := os.Getenv("HADOOP_USER_NAME"); name != "" {
		return name
	}
	me, err := user.Current()
	if err != nil {
		return ""
	}
	return me.Username
}
