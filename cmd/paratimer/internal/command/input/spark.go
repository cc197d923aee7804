package input

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// CheckUnit returns an error if --sql or --group is invalid.
func CheckUnit(c *cli.Context) error {
	if err := spark.CheckID(unitOf(c)); err != nil {
		return command.Usage("--sql: %w", err)
	}
	return nil
}

func unitOf(c *cli.Context) string { return spark.IDOf("", c.String("sql"), c.String("group")) }

// WorkflowID returns the id of what is played of a recording: --workflow, and for a Spark application --sql or
// --group.
func WorkflowID(c *cli.Context) string { return c.String("workflow") + unitOf(c) }

// sparkTarget returns the application of --spark, of an address, or of the manager that the flags name, with the typed
// name or id. It returns nil if it has to be searched for on YARN.
func sparkTarget(c *cli.Context, typed string, tap rest.Layer) (*Target, error) {
	if base := cmp.Or(c.String("spark"), driverIn(typed)); base != "" {
		return driverAt(c, base, tap)
	}
	if target, err := yarn.TargetOf(typed, ""); isLocal(c) && (err != nil || yarn.NamesApplication(target.ID)) {
		return nil, nil //nolint:nilerr,nilnil // it is no driver: the cluster is searched for it, and its error counts
	}
	drivers, client, err := sparkManager(c, tap, func(address string) {
		command.Tell(c)(fmt.Sprintf("%s is open, and its page does not answer yet: waiting for Spark to start", address))
	})
	if drivers == nil || err != nil {
		return nil, err
	}
	l, err := find(c.Context, drivers, typed, client.Now)
	if err != nil || l == nil {
		client.Close()
		return nil, err
	}
	return &Target{
		client: client, drivers: drivers, app: l.ID, driver: drivers.Driver(l.ID), opt: optionsOfQuery(c),
	}, nil
}

// find returns the application of a manager with a name or id, or the only one; nil if there is none.
func find(ctx context.Context, drivers *spark.Drivers, typed string, now func() dag.Instant) (*spark.Listed, error) {
	if err := drivers.Refresh(ctx); err != nil {
		return nil, err //nolint:wrapcheck // it names the request
	}
	return choose(drivers.Open(), typed, now())
}

// HasCluster reports whether the flags or the environment name a cluster.
func HasCluster(c *cli.Context) bool {
	_, err := site(c)
	return err == nil || c.String("rm") != "" || c.String("conf-dir") != ""
}

// isLocal reports whether nothing names a place other than this machine.
func isLocal(c *cli.Context) bool { return !HasCluster(c) }

// sparkManager returns the applications of the manager of Spark that the flags name; without any cluster, those of
// this machine; nil if YARN is named. starting may be nil, or is as in spark.Machine.
func sparkManager(c *cli.Context, tap rest.Layer, starting func(string)) (*spark.Drivers, *engine.Client, error) {
	if HasCluster(c) {
		return nil, nil, nil
	}
	client, err := sparkClient(c, "http://localhost:4040", tap)
	if err != nil {
		return nil, nil, err
	}
	here := &spark.Machine{Client: client.Client, History: optionsOfQuery(c).History, Starting: starting}
	return spark.NewDrivers(here), client, nil
}

// LocalDrivers returns the Spark drivers that listen on this machine and have started.
func LocalDrivers(ctx context.Context, c *cli.Context) ([]spark.Listed, error) {
	client, err := sparkClient(c, "http://localhost:4040", nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	all, err := (&spark.Machine{Client: client.Client}).List(ctx)
	return slices.DeleteFunc(all, func(l spark.Listed) bool { return l.State != dag.Running }), err
}

// driverIn returns the address of a driver that a user typed for a workflow; "" if it is none, such as the page of a
// YARN application.
func driverIn(typed string) string {
	if strings.HasPrefix(typed, "spark://") {
		return typed
	}
	if base, ok := spark.Address(typed); ok && !yarn.NamesApplication(typed) {
		return base
	}
	return ""
}

func driverAt(c *cli.Context, base string, tap rest.Layer) (*Target, error) {
	base, err := addressOf("--spark", base, "the driver's web page, such as http://driver:4040")
	if err != nil {
		return nil, err
	}
	client, err := sparkClient(c, base, tap)
	if err != nil {
		return nil, err
	}
	o := optionsOfQuery(c)
	return &Target{client: client, driver: spark.AtAddress(client.Client, base, o.History), opt: o}, nil
}

// choose returns the only driver of those found, or of those with the name or id; nil if there is none.
func choose(found []spark.Listed, typed string, now dag.Instant) (*spark.Listed, error) {
	if len(found) == 1 && found[0].State == dag.Submitted {
		return nil, command.Usage("%s is open, and no page of Spark has answered there: is it a driver? Give --spark URL",
			found[0].URL)
	}
	named := found
	if typed != "" {
		named = slices.DeleteFunc(slices.Clone(found), func(d spark.Listed) bool {
			return d.ID != typed && d.Name != typed && history.Key(d.Name) != history.Key(typed)
		})
	}
	switch {
	case len(named) == 1:
		return &named[0], nil
	case len(found) == 0:
		return nil, nil //nolint:nilnil // there is none
	}
	text := fmt.Sprintf("%s of Spark on this machine: choose one by --spark URL", units.Count(len(found), "driver"))
	if len(named) == 0 {
		text = fmt.Sprintf("no driver of Spark on this machine runs %q: choose one of these by --spark URL", typed)
	}
	for _, d := range found {
		text += "\n  " + d.URL
		switch {
		case d.State == dag.Submitted:
			text += "  starting up"
		default:
			text += "  " + d.Name + " (" + d.ID + ")"
			if d.Began.Known() {
				text += "  started " + units.Ago(now.Sub(d.Began))
			}
		}
	}
	return nil, command.Usage("%s", text)
}

func sparkClient(c *cli.Context, base string, tap rest.Layer) (*mapreduce.Client, error) {
	where, err := hadoopconf.RMSite(base, "")
	if err != nil {
		return nil, command.Usage("--spark: %w", err)
	}
	if err := nameHistory(c, &where); err != nil {
		return nil, err
	}
	return clientOf(c, where, tap)
}

// addressOf returns the address in a flag's value.
func addressOf(flag, typed, what string) (string, error) {
	if strings.HasPrefix(typed, "spark://") {
		return "", command.Usage("%s %s: that is a master; the driver's page is usually http://DRIVER:4040, and the page of the master, usually http://MASTER:8080, has links to its drivers",
			flag, typed)
	}
	base, ok := spark.Address(typed)
	if !ok {
		return "", command.Usage("%s %s: give the address of %s", flag, typed, what)
	}
	return base, nil
}

// nameHistory adds the history server of --spark-history to the services of a site, which receive a user's
// password.
func nameHistory(c *cli.Context, where *hadoopconf.Site) error {
	base := c.String("spark-history")
	switch {
	case base == "":
		return nil
	case strings.ContainsAny(base, "@?#"):
		return command.Usage("--spark-history: the address holds more than one: a user goes to --user, a password to password-file")
	}
	base, err := addressOf("--spark-history", base, "the history server, such as http://host:18080")
	if err == nil {
		where.Web = append(where.Web, base)
	}
	return err
}
