package spark

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/dag"
)

// A webDriver is a driver at an address.
type webDriver struct {
	client  *hadoop.Client
	base    string
	history string
}

// AtAddress returns a driver at an address such as http://driver:4040. history is the history server's; "" for none.
func AtAddress(client *hadoop.Client, base, history string) Driver {
	return &webDriver{client, base, history}
}

func (d *webDriver) Get(ctx context.Context, path string) ([]byte, error) {
	return d.client.Web(ctx, d.base, path)
}

func (d *webDriver) History(ctx context.Context, path string) ([]byte, error) {
	if d.history == "" {
		return nil, errNoHistory
	}
	return d.client.Web(ctx, d.history, path)
}

func (d *webDriver) Now() dag.Instant { return d.client.Now() }

// A yarnDriver is a driver behind the ResourceManager's proxy.
type yarnDriver struct {
	webDriver
	app string
}

// OnYARN watches an application of Spark on YARN.
func OnYARN(client *hadoop.Client, id, history string) *Source {
	over := hadoop.NewOverview(client, nil)
	unitID := id
	id, _ = AppOf(id)
	s := NewSource(&yarnDriver{webDriver{client: client, history: history}, id}, unitID)
	s.manager = func(ctx context.Context) (a hadoop.App, known bool) {
		if over.Observe(ctx) != nil {
			return a, false
		}
		return over.App(ctx, id)
	}
	return s
}

// Get asks through the proxy. Once the application has ended the proxy names the history server.
func (d *yarnDriver) Get(ctx context.Context, path string) ([]byte, error) {
	body, err := d.client.Proxy(ctx, d.app, strings.TrimPrefix(path, "/"))
	if e, ok := errors.AsType[*hadoop.Error](err); ok && e.Location != "" {
		if to, bad := url.Parse(e.Location); bad == nil {
			if before, _, found := strings.Cut(to.Path, "/history/"); found {
				d.findHistory(to.Scheme + "://" + to.Host + before)
			}
		}
	}
	return body, err
}

// findHistory takes the address of the history server, which the owner of the application has chosen: only one on a
// host that flags or the configuration name, and none if one is known.
func (d *yarnDriver) findHistory(address string) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	to, err := url.Parse(address)
	if err == nil && d.history == "" && to.Host != "" && (to.Scheme == "http" || to.Scheme == "https") &&
		d.client.Trusts(to) {
		d.history = to.Scheme + "://" + to.Host + to.Path
	}
}

// NewestOnYARN returns the id of the newest application of Spark that runs of a user, if it is newer than all others
// that can be watched; the target names one that may be of Spark, or none. ok is false where it is not one of Spark.
func NewestOnYARN(ctx context.Context, client *hadoop.Client, target hadoop.Target) (id string, ok bool, err error) {
	if target.ID != "" && !strings.HasPrefix(target.ID, "application_") {
		return "", false, nil
	}
	over := hadoop.NewOverview(client, nil)
	if err := over.Observe(ctx); err != nil {
		return "", false, err
	}
	if target.ID != "" {
		a, known := over.App(ctx, target.ID)
		return target.ID, known && a.Type == "SPARK", nil
	}
	apps := slices.DeleteFunc(over.Listed(), func(a hadoop.App) bool {
		watched := a.Type == "SPARK" || a.Type == "TEZ" || a.Type == "MAPREDUCE"
		return a.Ended || !watched || target.User != "" && a.User != target.User
	})
	if len(apps) == 0 {
		return "", false, nil
	}
	best := slices.MaxFunc(apps, func(x, y hadoop.App) int { return compareInstants(x.Submitted, y.Submitted) })
	return best.ID, best.Type == "SPARK", nil
}

// The ports on which drivers of a machine listen, the first one that is free.
const firstPort, lastPort = 4040, 4050

// OnThisMachine returns the addresses of drivers that listen on this machine.
func OnThisMachine(ctx context.Context, client *hadoop.Client) []string {
	var out []string
	for port := firstPort; port <= lastPort; port++ {
		base := "http://localhost:" + strconv.Itoa(port)
		body, err := client.Web(ctx, base, root)
		if err == nil && NewApp("").TakeApplication(body) {
			out = append(out, base)
		}
	}
	return out
}
