package hadoop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

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

// Doctor sends each service one or two requests, and reports what works, what does not, and what to do. The checks
// come in a fixed order. Checks that an earlier failure makes pointless are left out.
func Doctor(ctx context.Context, c *Client) []Check {
	d := &doctor{client: c}
	d.configuration()
	place := len(d.checks)
	d.certificates()
	found := d.managers(ctx)
	if !d.authentication(ctx, place) {
		return d.checks
	}
	if found {
		d.cluster(ctx)
		app, ended := d.applications(ctx)
		d.proxy(ctx, app, ended)
		d.clock()
	}
	d.history(ctx)
	d.files(ctx)
	return d.checks
}

type doctor struct {
	client *Client
	checks []Check
}

func (d *doctor) say(name string, status Grade, hint, format string, args ...any) {
	d.checks = append(d.checks, Check{
		Name: name, Status: status, Text: oneLine(fmt.Sprintf(format, args...)),
		Hint: hint,
	})
}

// broken reports err, with its hint apart.
func (d *doctor) broken(name string, status Grade, err error) {
	var e *rest.Error
	if !errors.As(err, &e) {
		d.say(name, status, rest.Hint(err), "%v", err)
		return
	}
	bare := *e
	bare.Hint = ""
	d.say(name, status, e.Hint, "%v", &bare)
}

func (d *doctor) configuration() {
	for _, note := range d.client.site.Notes {
		d.say("configuration", Warn,
			"set HADOOP_CONF_DIR to the cluster's configuration folder, or give --rm and --jhs", "%s", note)
	}
}

func (d *doctor) certificates() {
	if d.client.opt.Insecure {
		d.say("certificates", Warn, "give --ca-file instead of --insecure",
			"certificates are not verified: anybody on the way can answer for the cluster")
	}
}

// authentication reports the user, at this place among the checks: only responses show whether Kerberos is
// required. If the login failed, it drops the later checks and returns false.
func (d *doctor) authentication(ctx context.Context, place int) (ok bool) {
	later := slices.Clone(d.checks[place:])
	d.checks = d.checks[:place]
	defer func() {
		if ok {
			d.checks = append(d.checks, later...)
		}
	}()
	o := d.client.opt
	switch {
	case o.Login != nil && (o.Login.Used() || d.client.site.Auth == "kerberos"):
		who, err := o.Login.Check(ctx)
		if err != nil {
			d.broken("authentication", Fail, err)
			return false
		}
		d.say("authentication", OK, "", "%s", who)
	case o.Auth != nil && o.Login == nil:
		d.say("authentication", OK, "", "%s", d.client.site.Auth)
	case d.client.site.Auth == "kerberos":
		d.say("authentication", Warn, "", "the configuration wants Kerberos; requests go without a ticket")
	case o.User == "":
		d.say("authentication", Warn, "give --user if answers are refused", "requests carry no user's name")
	default:
		d.say("authentication", OK, "", "simple, as user %s", o.User)
	}
	return true
}

type infoBody struct {
	Cluster struct {
		State   text `json:"state"`
		HA      text `json:"haState"`
		Version text `json:"hadoopVersion"`
		RM      text `json:"resourceManagerVersion"`
	} `json:"clusterInfo"`
	History struct {
		Version text `json:"hadoopVersion"`
	} `json:"historyInfo"`
}

// managers requests the state of every ResourceManager; a standby responds to that itself
// (docs/facts/hadoop.md A3).
func (d *doctor) managers(ctx context.Context) bool {
	active, reached := "", 0
	for _, rm := range d.client.site.RMs {
		name := strings.TrimSpace("resourcemanager " + rm.ID)
		body, _, err := d.client.Send(ctx, managerRequest("info", rm.URL))
		info, err := get[infoBody](ctx, "cluster/info", body, err)
		if err != nil {
			grade := Fail
			if len(d.client.site.RMs) > 1 {
				grade = Warn // the other one may do
			}
			d.broken(name, grade, err)
			continue
		}
		reached++
		i := info.Cluster
		d.say(name, OK, "", "%s: Hadoop %s, %s, %s", rm.URL, i.Version, i.State, i.HA)
		d.version(name, string(i.Version))
		if i.HA == "ACTIVE" || i.HA == "" {
			active = rm.URL
		}
	}
	switch {
	case reached == 0 && len(d.client.site.RMs) > 1:
		d.say("resourcemanager", Fail, "check the addresses: "+d.where(), "no ResourceManager answers")
	case reached > 0 && active == "":
		d.say("resourcemanager", Fail, "a failover may be under way: try again in a minute",
			"no ResourceManager is active")
	}
	return active != ""
}

func (d *doctor) where() string {
	var all []string
	for _, rm := range d.client.site.RMs {
		all = append(all, rm.URL)
	}
	return strings.Join(all, ", ")
}

func (d *doctor) version(name, v string) {
	if !strings.HasPrefix(v, "2.") && !strings.HasPrefix(v, "3.") {
		d.say(name, Warn, "answers may have another shape: please report it with a capture (attach --capture)",
			"version %q was never tried; 2.10, 3.3, 3.4 and 3.5 were", v)
	}
}

func (d *doctor) cluster(ctx context.Context) {
	body, err := d.client.RM(ctx, "metrics")
	m, err := get[metricsBody](ctx, "metrics", body, err)
	if err != nil {
		d.broken("cluster", Fail, err)
		return
	}
	switch v := m.Metrics.V; {
	case v.Active.count(maxTasks) == 0:
		d.say("cluster", Warn, "jobs wait until a NodeManager has registered", "no active node")
	default:
		d.say("cluster", OK, "", "%d active nodes, %d MB in all, %d MB allocated", v.Active.count(maxTasks),
			v.TotalMB.count(maxMB), v.AllocatedMB.count(maxMB))
	}
	body, err = d.client.RM(ctx, "scheduler")
	q, err := get[schedulerBody](ctx, "scheduler", body, err)
	switch kind := string(q.Scheduler.V.Info.V.Type); {
	case err != nil:
		d.broken("scheduler", Warn, err)
	case kind == "capacityScheduler":
		d.say("scheduler", OK, "", "%s", kind)
	default:
		d.say("scheduler", Warn, "its order is replayed as the capacity scheduler's", "%s", kind)
	}
}

// applications returns an application to test the proxy with: one that runs, else one that has ended.
func (d *doctor) applications(ctx context.Context) (app *wireApp, ended bool) {
	for _, path := range []string{
		"apps?states=RUNNING&applicationTypes=MAPREDUCE&limit=20&deSelects=resourceRequests",
		"apps?states=FINISHED&applicationTypes=MAPREDUCE&limit=20&deSelects=resourceRequests",
	} {
		body, err := d.client.RM(ctx, path)
		apps, err := get[appsBody](ctx, "apps", body, err)
		if err != nil {
			d.broken("applications", Fail, err)
			return nil, false
		}
		list := apps.Apps.V.App
		for i := range list {
			if a := &list[i]; a.ID != "" && (app == nil || older(a, app) > 0) {
				app = a
			}
		}
		if app != nil {
			what := "run"
			if ended {
				what = "have ended, none runs"
			}
			d.say("applications", OK, "", "%d MapReduce applications %s, the newest is %s of %s", len(list), what,
				app.ID, app.User)
			return app, ended
		}
		ended = true
	}
	d.say("applications", OK, "", "no MapReduce application runs, none is remembered")
	return nil, true
}

// proxy tests the way to an application's master.
func (d *doctor) proxy(ctx context.Context, app *wireApp, ended bool) {
	if app == nil {
		d.say("proxy", OK, "start a job to have it tried", "not tried: there is no application")
		return
	}
	body, err := d.client.AM(ctx, string(app.ID), "jobs/"+app.job())
	if ended {
		switch base := historyBase(err); {
		case base != "" && !d.client.moveHistory(base) && d.client.site.JHSGuessed:
			d.say("proxy", Warn, d.client.unnamedHistory(base),
				"sends applications that have ended to %s, which is not asked", base)
		case base != "":
			d.say("proxy", OK, "", "sends applications that have ended to the history server at %s", base)
		case rest.Status(err) == http.StatusFound:
			d.say("proxy", OK, "", "answers; %s left no history", app.ID)
		default:
			d.broken("proxy", Warn, err)
		}
		return
	}
	b, err := get[jobBody](ctx, app.job(), body, err)
	if err != nil {
		d.broken("proxy", d.harm(ctx, app), err)
		return
	}
	j := b.Job.V
	d.say("proxy", OK, "", "%s is %s: %d of %d maps, %d of %d reduces", app.job(), j.State,
		j.MapsDone.count(maxTasks), j.Maps.count(maxTasks), j.ReducesDone.count(maxTasks), j.Reduces.count(maxTasks))
	body, err = d.client.AM(ctx, string(app.ID), "jobs/"+app.job()+"/conf")
	if _, err := get[confBody](ctx, app.job()+"/conf", body, err); err != nil {
		d.broken("permissions", Warn, err)
		return
	}
	d.say("permissions", OK, "", "the configuration of %s may be read, and with it its workflow", app.job())
}

// harm grades a master that does not respond: it is only a warning if the application has just ended.
func (d *doctor) harm(ctx context.Context, app *wireApp) Grade {
	body, err := d.client.RM(ctx, "apps/"+string(app.ID))
	if b, err := get[appBody](ctx, "apps/"+string(app.ID), body, err); err == nil && b.App.V.ended() {
		return Warn
	}
	return Fail
}

func (d *doctor) clock() {
	ahead, within, ok := d.client.Skew()
	if !ok {
		d.say("clock", Warn, "times are taken from this machine", "the ResourceManager sends no Date header")
		return
	}
	grade, hint := OK, ""
	if ahead.Abs()-within > rest.MaxSkew {
		grade, hint = Warn, "estimates are not harmed, they live on the cluster's clock; set one of the clocks right"
	}
	d.say("clock", grade, hint, "%s", rest.SkewText(ahead, within))
}

func (d *doctor) history(ctx context.Context) {
	body, err := d.client.JHS(ctx, "info")
	info, err := get[infoBody](ctx, "history/info", body, err)
	if err != nil {
		d.broken("history server", Fail, err)
		return
	}
	v := string(info.History.Version)
	d.say("history server", OK, "", "Hadoop %s", v)
	d.version("history server", v)
	body, err = d.client.JHS(ctx, "mapreduce/jobs?limit=1")
	if _, err := get[struct{}](ctx, "history/mapreduce/jobs", body, err); err != nil {
		d.broken("history server", Warn, err)
	}
}

// files tests whether the NameNodes that the configuration names return sizes of files. Without any it reports
// nothing.
func (d *doctor) files(ctx context.Context) {
	bases := d.client.site.NameNodes
	if len(bases) == 0 {
		return
	}
	_, err := d.client.HDFS(ctx, bases, "/", "GETFILESTATUS")
	if err != nil {
		d.say("webhdfs", Warn,
			"until the first map of a job reports, the size of its input is not known: is dfs.webhdfs.enabled true, and is the port reachable?", "%s", brief(err))
		return
	}
	d.say("webhdfs", OK, "", "%s: sizes of inputs are asked for", strings.Join(bases, ", "))
}
