package spark

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Web reaches drivers at their web addresses.
type Web struct {
	Client  *yarn.Client
	History string // address of the history server, or ""
	// Advise adds a hint to the error of a request through a proxy that serves many machines, such as a Kubernetes API
	// server. It reports whether the error is the proxy's own. It is nil without such a proxy.
	Advise func(e *rest.Error, r *rest.Response) bool
}

// Driver returns the driver of a listed application. It does not connect.
func (w Web) Driver(l Listed) Driver { return &webDriver{Web: w, base: l.URL} }

// Now returns the drivers' clock.
func (w Web) Now() dag.Instant { return w.Client.Now() }

// A webDriver is a driver with a web address, or one behind the ResourceManager's proxy.
type webDriver struct {
	Web
	base string
	app  string // of the ResourceManager's proxy; "" for an address
}

// AtAddress returns a driver at an address such as http://driver:4040. history is the history server's, or "".
func AtAddress(client *yarn.Client, base, history string) Driver {
	return Web{Client: client, History: history}.Driver(Listed{URL: base})
}

// OnYARN returns a source for an application of Spark on YARN.
func OnYARN(client *yarn.Client, id, history string) *Source {
	over := yarn.NewOverview(client, nil)
	app, _ := AppOf(id)
	s := NewSource(&webDriver{Web: Web{Client: client, History: history}, app: app}, id)
	s.reportsEnd, s.manager = true, func(ctx context.Context) (l Listed, known bool) {
		if over.Observe(ctx) != nil {
			return l, false
		}
		a, known := over.App(ctx, app)
		l = Listed{ID: a.ID, Name: a.Name, User: a.User, Queue: a.Queue, State: dag.Running, Began: a.Submitted}
		if a.Ended {
			l.State, l.Ended = a.State, a.Finished
		}
		return l, known
	}
	return s
}

// Get sends the request to the address or through the proxy. After the application has ended, the proxy redirects to
// the history server.
func (d *webDriver) Get(ctx context.Context, path string) ([]byte, error) {
	switch r := request(d.Client, d.base, path); {
	case d.Advise != nil:
		ofDriver := r.Advise
		// The Date is that of the driver's machine.
		r.Behind, r.Clock, r.Pinned = d.base, false, true
		r.Advise = func(e *rest.Error, resp *rest.Response) {
			if !d.Advise(e, resp) {
				ofDriver(e, resp)
			}
		}
		body, _, err := d.Client.Get(ctx, &r)
		return body, err
	case d.app == "":
		body, _, err := d.Client.Send(ctx, r)
		return body, err
	}
	body, err := d.Client.Proxy(ctx, d.app, request(d.Client, "", strings.TrimPrefix(path, "/")))
	if e, ok := errors.AsType[*rest.Error](err); ok {
		address, _, _ := strings.Cut(e.Location, "?")
		if before, _, found := strings.Cut(address, "/history/"); found {
			d.findHistory(before)
		}
	}
	return body, err
}

func (d *webDriver) History(ctx context.Context, path string) ([]byte, error) {
	if d.Web.History == "" {
		return nil, errNoHistory
	}
	return AtAddress(d.Client, d.Web.History, "").Get(ctx, path)
}

// pages returns the address of the driver's pages.
func (d *webDriver) pages() string {
	if d.app == "" {
		return d.base
	}
	return d.Client.ProxyAddress(d.app)
}

// findHistory sets the history server to an address that the application's owner has chosen. It accepts only hosts
// that flags or the configuration name, and keeps a history server that is already set.
func (d *webDriver) findHistory(address string) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	to, err := url.Parse(address)
	if err == nil && d.app != "" && d.Web.History == "" && to.Host != "" && (to.Scheme == "http" || to.Scheme == "https") &&
		d.Client.Trusts(to) {
		d.Web.History = to.Scheme + "://" + to.Host + to.Path
	}
}

// Applications are the applications of Spark of a hub. Each is a workflow once its driver runs.
type Applications struct {
	Client *yarn.Client // of the drivers
	Hub    *yarn.Hub
}

// Update does nothing: the hub's lists have all that is needed.
func (a *Applications) Update(context.Context) {}

// Submitted lists the applications that run or wait to, by id.
func (a *Applications) Submitted() []yarn.Submitted {
	all := a.Hub.Submitted(func(app *yarn.App) bool { return app.Type == "SPARK" })
	for i := range all {
		s := &all[i]
		s.Engine, s.Read = naming.Spark, s.Readable
		if s.Readable {
			s.Workflow, s.Title = s.App, s.Name
		}
	}
	return all
}

// Identify does nothing: an application is its own workflow.
func (a *Applications) Identify(context.Context, string) error { return nil }

// Source watches an application.
func (a *Applications) Source(id string) recording.Source { return OnYARN(a.Client, id, "") }

// uiPath matches the end of the path of a driver's page, as users copy it from a browser.
var uiPath = regexp.MustCompile(`/(?:jobs|stages|storage|environment|executors|SQL|StreamingQuery|api)(?:/.*)?/?$`)

// hostPort matches an address without a scheme.
var hostPort = regexp.MustCompile(`^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}(?:/.*)?$`)

// Address returns the base URL of a driver or a history server for what a user typed, such as localhost:4040 or
// http://localhost:4040/jobs/. ok is false if that is not an address.
func Address(typed string) (base string, ok bool) {
	if hostPort.MatchString(typed) {
		typed = "http://" + typed
	}
	u, err := url.Parse(typed)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	if u.User == nil && uiPath.MatchString(u.Path) {
		u.RawQuery, u.Fragment = "", ""
		u.Path = uiPath.ReplaceAllString(u.Path, "")
	}
	if u.User == nil && u.RawQuery == "" && u.Fragment == "" { // the client refuses others later, with an error message
		u.Path = strings.TrimSuffix(u.Path, "/")
	}
	return u.String(), true
}

// Doctor tests all requests that are needed to observe an application: those to the driver, and to the history
// server if there is one. Each check has a result and, if it fails, a hint.
func Doctor(ctx context.Context, driver Driver) []yarn.Check {
	s, d := NewSource(driver, ""), &yarn.Examination{}
	a := s.app
	took, err := s.get(ctx, driver.Get, root)
	if err == nil && !took {
		err = fmt.Errorf("the answer to %s lists no application: give the address of the driver's web page, such as "+
			"http://driver:4040", root)
	}
	if !d.Try("spark driver", yarn.Fail, err, "%s (%s) of user %s, Spark %s", a.id, a.name, a.user, a.version) {
		return d.Checks
	}
	if _, err = s.get(ctx, driver.Get, s.path("jobs")); !d.Try("spark jobs", yarn.Fail, err, "%d are listed", len(a.jobs)) {
		return d.Checks
	}
	drawn := a.lastJob() < 0 // nothing shows the contrary
	if !drawn {
		drawn, err = s.get(ctx, driver.Get, jobPage(a.lastJob()))
	}
	switch {
	case err != nil:
		d.Broken("spark job page", yarn.Warn, err)
	case !drawn:
		d.Say("spark job page", yarn.Warn, "", "it has no graph of stages")
	default:
		d.Say("spark job page", yarn.OK, "", "the pages of %s show the dependencies between stages",
			units.Count(len(a.jobs), "job"))
	}
	ended, err := s.get(ctx, driver.History, root+"/"+a.id)
	has, drawnThere := ended || a.historyIsOpen, drawn
	if has && !drawn {
		drawnThere, _ = s.get(ctx, driver.History, "/history/"+s.pathID()+jobPage(a.lastJob()))
	}
	switch {
	case errors.Is(err, errNoHistory):
		d.Say("spark history server", yarn.Warn, "give --spark-history URL",
			"none is named: runs will not be confirmed, their end is inferred from the jobs that were seen")
	case err != nil && rest.Status(err) != http.StatusNotFound:
		d.Broken("spark history server", yarn.Warn, err)
		d.Checks[len(d.Checks)-1].Text += ": runs will not be confirmed"
	case !has:
		d.Say("spark history server", yarn.Warn, "", "it does not have %s", a.id)
	case drawn:
		d.Say("spark history server", yarn.OK, "", "it has %s", a.id)
	case !drawnThere:
		d.Say("spark history server", yarn.Warn, "",
			"it has %s, but its pages have no graph either: dependencies between stages are guessed", a.id)
	default:
		d.Say("spark history server", yarn.OK, "", "it has %s, and its pages show the dependencies between stages", a.id)
	}
	switch _, err = s.get(ctx, driver.Get, s.path("environment")); {
	case err != nil:
		d.Broken("spark event log", yarn.Warn, err)
	case !a.conf.on("spark.eventLog.enabled"):
		d.Say("spark event log", yarn.Warn, "set spark.eventLog.enabled=true, or record with attach --record FILE --raw",
			"the application writes none, so no history server has its end, and no profile can be made of it later")
	default:
		d.Say("spark event log", yarn.OK, "", "the application writes one")
	}
	return d.Checks
}
