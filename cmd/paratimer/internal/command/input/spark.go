package input

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/dag"
)

// SparkFlags say where a driver of Spark is.
func SparkFlags() []cli.Flag {
	return command.About("Where Spark is",
		&cli.StringFlag{
			Name: "spark", EnvVars: command.Env("spark"),
			Usage: "watch the Spark application whose driver has its web page at `URL`, such as http://driver:4040",
		},
		&cli.StringFlag{
			Name: "spark-history", EnvVars: command.Env("spark-history"),
			Usage: "ask Spark's history server at `URL` how the application ended, such as http://host:18080",
		},
	)
}

// UnitFlags choose a part of an application of Spark that never ends, such as a notebook's.
func UnitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "sql", EnvVars: command.Env("sql"),
			Usage: "choose the SQL execution with this `ID` (tab SQL of Spark's page); newest is the running one",
		},
		&cli.StringFlag{
			Name: "group", EnvVars: command.Env("group"),
			Usage: "choose the jobs of Spark's job group `NAME`",
		},
	}
}

// CheckUnit says what is wrong with --sql and --group.
func CheckUnit(c *cli.Context) error {
	if err := spark.CheckID(unitOf(c)); err != nil {
		return command.Usage("--sql: %w", err)
	}
	return nil
}

func unitOf(c *cli.Context) string { return spark.IDOf("", c.String("sql"), c.String("group")) }

// WorkflowID is what of a recording is played: --workflow, and of an application of Spark --sql or --group.
func WorkflowID(c *cli.Context) string { return c.String("workflow") + unitOf(c) }

// NewDriver is a client of the driver that --spark names, or of one on this machine if neither that nor a cluster is
// named. base is "" where a cluster is named.
func NewDriver(c *cli.Context, tap hadoop.Layer) (client *hadoop.Client, base string, err error) {
	if base = c.String("spark"); base != "" {
		client, err = sparkClient(c, base, tap)
		return client, base, err
	}
	if _, err := site(c); err == nil || c.Args().Present() || c.String("rm") != "" || c.String("conf-dir") != "" {
		return nil, "", nil
	}
	looking, err := sparkClient(c, "http://localhost:4040", nil)
	if err != nil {
		return nil, "", err
	}
	found := spark.OnThisMachine(c.Context, looking)
	looking.Close()
	switch len(found) {
	case 0:
		return nil, "", nil
	case 1:
		client, err = sparkClient(c, found[0], tap)
		return client, found[0], err
	}
	return nil, "", command.Usage("%d drivers of Spark listen on this machine, from %s on: choose one by --spark URL",
		len(found), found[0])
}

func sparkClient(c *cli.Context, base string, tap hadoop.Layer) (*hadoop.Client, error) {
	if !isAddress(base) {
		return nil, command.Usage("--spark %s: give the address of the driver's web page, such as http://driver:4040",
			base)
	}
	where, err := hadoop.RMSite(base, "")
	if err != nil {
		return nil, command.Usage("--spark: %w", err)
	}
	if err := nameHistory(c, &where); err != nil {
		return nil, err
	}
	return clientOf(c, where, tap)
}

// nameHistory adds the history server of --spark-history to the services of a site, which get a user's password.
func nameHistory(c *cli.Context, where *hadoop.Site) error {
	base := c.String("spark-history")
	switch {
	case base == "":
		return nil
	case strings.ContainsAny(base, "@?#"):
		return command.Usage("--spark-history: the address holds more than one: a user goes to --user, a password to --password-file")
	case !isAddress(base):
		return command.Usage("--spark-history %s: give the address of the history server, such as http://host:18080", base)
	}
	where.Web = append(where.Web, base)
	return nil
}

// isAddress reports whether s is the address of a web service.
func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// A Workflow is what runs on a cluster, of whichever engine: MapReduce, Tez or Spark. Which one it is, the
// ResourceManager tells. It is not safe for concurrent use.
type Workflow struct {
	client  *hadoop.Client
	target  hadoop.Target
	history string
	unit    string // of an application of Spark: /sql/3; "" is all of it
	source  interface {
		Next(ctx context.Context) (*dag.Snapshot, error)
	}
	// Tez is nil if the workflow is an application of Spark, Spark if it is none; both are if it is not known yet.
	Tez   *tez.Workflow
	Spark *spark.Source
}

// NewWorkflow watches target on a cluster: its id may be that of a part of an application of Spark, which goes before
// the flags that choose one.
func NewWorkflow(c *cli.Context, client *hadoop.Client, target hadoop.Target) *Workflow {
	id, unit := spark.AppOf(target.ID)
	target.ID = id
	return &Workflow{
		client: client, target: target, history: c.String("spark-history"), unit: cmp.Or(unit, unitOf(c)),
	}
}

// Next observes once. Its errors are those of the sources of the engines.
func (w *Workflow) Next(ctx context.Context) (*dag.Snapshot, error) {
	if w.source == nil {
		id, is, err := spark.NewestOnYARN(ctx, w.client, w.target)
		switch {
		case err != nil:
			return nil, &dag.MissedError{At: w.client.Now(), Err: err}
		case is:
			w.Spark = spark.OnYARN(w.client, id+w.unit, w.history)
			w.source = w.Spark
		case w.unit != "":
			return nil, command.Usage("--sql and --group choose in an application of Spark, and the workflow is none")
		default:
			w.Tez = tez.NewWorkflow(w.client, w.target)
			w.source = w.Tez
		}
	}
	s, err := w.source.Next(ctx)
	if _, none := errors.AsType[*hadoop.NoWorkflowError](err); none && w.target.ID == "" {
		w.source, w.Tez, w.Spark = nil, nil, nil // the next one may be of another engine
	}
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	return s, err
}

// Script reports whether the newest snapshot is of a DAG of a script of Pig, whose session may have more than one.
func (w *Workflow) Script() bool { return w.Tez != nil && w.Tez.Script() }
