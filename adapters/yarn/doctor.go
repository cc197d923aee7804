package yarn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
)

// A Grade is the result of a check.
type Grade string

// The grades.
const (
	OK   Grade = "ok"
	Warn Grade = "warn" // works, but something is missing or will be
	Fail Grade = "fail" // a workflow cannot be watched
)

// A Check is one finding of Doctor.
type Check struct {
	Name   string `json:"name"`
	Status Grade  `json:"status"`
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"` // what to do
}

// An Examination checks the services of a cluster one after the other. The checks come in a fixed order.
type Examination struct {
	Checks []Check
	client *Client
}

// Examine checks what the client was given and the ResourceManagers. manager means that one is active. If the login
// failed, later checks are pointless, and ok is false.
func Examine(ctx context.Context, c *Client) (e *Examination, manager, ok bool) {
	e = &Examination{client: c}
	for _, note := range c.site.Notes {
		e.Say("configuration", Warn,
			"set HADOOP_CONF_DIR to the cluster's configuration folder, or give --rm and --jhs", "%s", note)
	}
	later := &Examination{client: c}
	if c.opt.Insecure {
		later.Say("certificates", Warn, "give --set ca-file=FILE instead of insecure",
			"certificates are not verified: another server can answer for the cluster")
	}
	manager = later.managers(ctx)
	if ok = e.authentication(ctx); ok { // only responses show whether Kerberos is required
		e.Checks = append(e.Checks, later.Checks...)
	}
	return e, manager, ok
}

// Say adds a check.
func (d *Examination) Say(name string, status Grade, hint, format string, args ...any) {
	d.Checks = append(d.Checks, Check{
		Name: name, Status: status, Text: oneLine(fmt.Sprintf(format, args...)), Hint: hint,
	})
}

// Broken adds the check of a service that returned err, with the hint of err apart.
func (d *Examination) Broken(name string, status Grade, err error) {
	hint := rest.Hint(err)
	if e, ok := errors.AsType[*rest.Error](err); ok {
		bare := *e
		bare.Hint = ""
		err = &bare
	}
	d.Say(name, status, hint, "%v", err)
}

// Try adds the check of a service that may have returned err. The text is about a service that works. Try reports
// whether it does.
func (d *Examination) Try(name string, broken Grade, err error, format string, args ...any) bool {
	if err != nil {
		d.Broken(name, broken, err)
		return false
	}
	d.Say(name, OK, "", format, args...)
	return true
}

// authentication reports the user, and whether the login succeeded.
func (d *Examination) authentication(ctx context.Context) (ok bool) {
	o := d.client.opt
	switch {
	case o.Login != nil && (o.Login.Used() || d.client.site.Auth == "kerberos"):
		who, err := o.Login.Check(ctx)
		return d.Try("authentication", Fail, err, "%s", who)
	case o.Auth != nil && o.Login == nil:
		d.Say("authentication", OK, "", "%s", d.client.site.Auth)
	case d.client.site.Auth == "kerberos":
		d.Say("authentication", Warn, "", "the configuration requires Kerberos; requests go without a ticket")
	case o.User == "":
		d.Say("authentication", Warn, "give --user if requests are refused", "requests carry no user's name")
	default:
		d.Say("authentication", OK, "", "simple, as user %s", o.User)
	}
	return true
}

type infoBody struct {
	Cluster struct{ State, HAState, HadoopVersion input.Label } `json:"clusterInfo"`
}

// managers requests the state of every ResourceManager; a standby responds to that itself
// (facts/hadoop.md A3).
func (d *Examination) managers(ctx context.Context) bool {
	active, reached := "", 0
	for _, rm := range d.client.site.RMs {
		name := strings.TrimSpace("resourcemanager " + rm.ID)
		body, _, err := d.client.Send(ctx, managerRequest("info", rm.URL))
		info, err := Read[infoBody]("cluster/info", body, err)
		grade, i := Fail, info.Cluster
		if len(d.client.site.RMs) > 1 {
			grade = Warn // the other one may do
		}
		if !d.Try(name, grade, err, "%s: Hadoop %s, %s, %s", rm.URL, i.HadoopVersion, i.State, i.HAState) {
			continue
		}
		reached++
		d.Version(name, string(i.HadoopVersion))
		if i.HAState == "ACTIVE" || i.HAState == "" {
			active = rm.URL
		}
	}
	switch {
	case reached == 0 && len(d.client.site.RMs) > 1:
		d.Say("resourcemanager", Fail, "check the addresses: "+strings.Join(d.client.managers(), ", "), "no ResourceManager answers")
	case reached > 0 && active == "":
		d.Say("resourcemanager", Fail, "a failover may be under way: try again in a minute",
			"no ResourceManager is active")
	}
	return active != ""
}

// Version warns of a version of Hadoop that was never tried.
func (d *Examination) Version(name, v string) {
	if !strings.HasPrefix(v, "2.") && !strings.HasPrefix(v, "3.") {
		d.Say(name, Warn, "answers may have another shape: please report it with a recording (attach --record FILE --raw)",
			"version %q was never tried; 2.10, 3.3, 3.4 and 3.5 were", v)
	}
}

// Cluster checks the cluster's metrics and its scheduler.
func (d *Examination) Cluster(ctx context.Context) {
	var m metricsBody
	if err := ask(ctx, d.client, "metrics", &m); err != nil {
		d.Broken("cluster", Fail, err)
		return
	}
	if v := &m.Metrics.V; v.ActiveNodes.Count(mostNodes) == 0 {
		d.Say("cluster", Warn, "jobs wait until a NodeManager has registered", "no active node")
	} else {
		d.Say("cluster", OK, "", "%d active nodes, %d MB in all, %d MB allocated", v.ActiveNodes.Count(mostNodes),
			v.TotalMB.Count(MaxMB), v.AllocatedMB.Count(MaxMB))
	}
	var q schedulerBody
	err := ask(ctx, d.client, "scheduler", &q)
	switch kind := string(q.Scheduler.V.Info.V.Type); {
	case err != nil:
		d.Broken("scheduler", Warn, err)
	case kind == "capacityScheduler":
		d.Say("scheduler", OK, "", "%s", kind)
	default:
		d.Say("scheduler", Warn, "its order is replayed as the capacity scheduler's", "%s", kind)
	}
}

// Clock compares the cluster's clock with this machine's.
func (d *Examination) Clock() {
	ahead, within, ok := d.client.Skew()
	if !ok {
		d.Say("clock", Warn, "times are taken from this machine", "the ResourceManager sends no Date header")
		return
	}
	grade, hint := OK, ""
	if ahead.Abs()-within > rest.MaxSkew {
		grade, hint = Warn, "estimates are correct, because they use the cluster's clock; correct one of the clocks"
	}
	d.Say("clock", grade, hint, "%s", rest.SkewText(ahead, within))
}
