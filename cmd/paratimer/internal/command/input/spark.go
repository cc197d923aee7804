package input

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/dag"
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
	master := ""
	if isMaster(typed) {
		master, typed = typed, ""
	}
	if base := cmp.Or(c.String("spark"), driverIn(typed)); base != "" {
		return driverAt(c, base, tap)
	}
	var isFound atomic.Bool
	m, err := managerOf(c, master, onceSet(&isFound, tap), func(address string) {
		command.Notice(c)(fmt.Sprintf("%s is open, and its page does not answer yet: waiting for Spark to start", address))
	})
	if m == nil || err != nil {
		return nil, err
	}
	if target, err := yarn.TargetOf(typed, ""); m.isLocal && (err != nil || yarn.NamesApplication(target.ID)) {
		m.client.Close()
		return nil, nil //nolint:nilerr,nilnil // it is no driver: the cluster is searched for it, and its error counts
	}
	l, err := m.find(c, typed)
	if err != nil || l == nil {
		m.client.Close()
		return nil, err
	}
	isFound.Store(true)
	o := optionsOfQuery(c)
	if _, part := spark.AppOf(typed); part != "" {
		o.Part = part
	}
	return &Target{client: m.client, driver: m.drivers.Driver(l.ID), Source: func(id string) Query {
		return m.drivers.Watch(cmp.Or(id, l.ID+o.Part)).Peek()
	}}, nil
}

// onceSet returns a layer that is passed through once a value is set: a recording of an application has no requests to
// others.
func onceSet(isSet *atomic.Bool, layer rest.Layer) rest.Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		later := layer.Over(next)
		return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			if isSet.Load() {
				return later.RoundTrip(r)
			}
			return next.RoundTrip(r)
		})
	}
}

// HasCluster reports whether the flags or the environment name a cluster.
func HasCluster(c *cli.Context) bool {
	_, err := site(c)
	return err == nil || c.String("rm") != "" || c.String("conf-dir") != ""
}

// LocalDrivers returns the Spark drivers that listen on this machine and have started.
func LocalDrivers(ctx context.Context, c *cli.Context) ([]spark.Listed, error) {
	client, err := sparkClient(c, "http://localhost:4040", nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	all, err := (&spark.Machine{Web: spark.Web{Client: client.Client}}).List(ctx)
	return slices.DeleteFunc(all, func(l spark.Listed) bool { return l.State != dag.Running }), err
}

// driverIn returns the address of a driver that a user typed for a workflow; "" if it is none, such as the page of a
// YARN application.
func driverIn(typed string) string {
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
	driver := spark.AtAddress(client.Client, base, o.History)
	return &Target{client: client, driver: driver, Source: func(id string) Query {
		return spark.NewSource(driver, cmp.Or(id, o.Part)).Peek()
	}}, nil
}

func sparkClient(c *cli.Context, base string, tap rest.Layer) (*mapreduce.Client, error) {
	where, err := yarn.RMSite(base, "")
	if err != nil {
		return nil, command.Usage("%s", strings.ReplaceAll(err.Error(), "--rm", "the driver's or the master's page"))
	}
	return clientOf(c, where, tap, nil)
}

// addressOf returns the address in a flag's value.
func addressOf(flag, typed, what string) (string, error) {
	if isMaster(typed) {
		return "", command.Usage("%s %s: that is a master. Give its page, usually http://MASTER:8080, by --spark-master; the driver's page is usually http://DRIVER:4040",
			flag, typed)
	}
	base, ok := spark.Address(typed)
	if !ok {
		return "", command.Usage("%s %s: give the address of %s", flag, typed, what)
	}
	return base, nil
}
