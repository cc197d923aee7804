package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A Client sends requests to a cluster's services, those of MapReduce included: its masters and its history
// server. Several goroutines may use it.
type Client struct {
	*yarn.Client
	moved atomic.Value // base of the history server that the ResourceManager's proxy redirects to, a string
}

// NewClient returns a client of a site's services, as yarn.NewClient does.
func NewClient(site yarn.Site, o rest.Options) (*Client, error) {
	c, err := yarn.NewClient(site, o)
	if err != nil {
		return nil, err
	}
	return &Client{Client: c}, nil
}

// limits bound the bytes of long responses. The configuration of a Pig job has 350 KB.
var limits = map[string]int64{"tasks": rest.Long, "conf": rest.Middle, "jobs": rest.Middle}

// request returns a request for a path of a master or of the history server.
func (c *Client) request(address string) rest.Request {
	plain, _, _ := strings.Cut(address, "?")
	return rest.Request{Path: address, Limit: limits[path.Base(plain)], Advise: c.adviseDenied}
}

// AM requests path below /ws/v1/mapreduce/ from an application's MapReduce master through the proxy, e.g. "jobs/JOB".
func (c *Client) AM(ctx context.Context, app, path string) ([]byte, error) {
	return c.Proxy(ctx, app, c.request("ws/v1/mapreduce/"+path))
}

// JHS requests path below /ws/v1/history/ from the job history server, e.g. "mapreduce/jobs/JOB" of a job that has
// ended according to the ResourceManager. If the server does not respond, or its address was only guessed and it does
// not have the job, the ResourceManager's proxy is queried for its address.
//
// The job must have ended: while an application runs, the proxy passes on its master's responses. After the end the
// proxy redirects to the tracking URL that the master set last, which the user who wrote the job can choose. So
// moveHistory decides whether that address may be used.
func (c *Client) JHS(ctx context.Context, path string) ([]byte, error) {
	r := c.request("/ws/v1/history/" + path)
	r.Bases = c.histories()
	body, _, failed := c.Send(ctx, r)
	job := jobInPath.FindStringSubmatch(path)
	isMisplaced := rest.Elsewhere(failed) || c.Site().JHSGuessed && rest.Status(failed) != 0 && !yarn.Denied(failed)
	if job == nil || c.Options().Now != nil || ctx.Err() != nil || !isMisplaced {
		return body, failed
	}
	_, err := c.AM(ctx, "application_"+strings.TrimPrefix(job[1], "job_"), "jobs/"+job[1])
	base := historyBase(err)
	if base == "" || slices.Contains(r.Bases, base) {
		return nil, failed
	}
	if !c.moveHistory(base) {
		if e, ok := errors.AsType[*rest.Error](failed); ok {
			e.Hint = c.unnamedHistory(base)
		}
		return nil, failed
	}
	r.Bases = c.histories()
	body, _, err = c.Send(ctx, r)
	return body, err
}

// histories returns the bases at which the history server may be, the likeliest first.
func (c *Client) histories() []string {
	moved, _ := c.moved.Load().(string)
	if site := c.Site(); !site.JHSGuessed {
		return yarn.Distinct(site.JHS, moved)
	}
	return yarn.Distinct(moved, c.Site().JHS)
}

// moveHistory takes the history server that a redirect of the ResourceManager's proxy names, and reports whether it
// may be used: only if a flag or the configuration names its host. The owner of a job chooses the address, and that
// server would supply the history of all jobs.
func (c *Client) moveHistory(base string) bool {
	to, err := url.Parse(base)
	if err != nil || !c.Trusts(to) {
		return false
	}
	c.moved.Store(base)
	return true
}

// unnamedHistory returns what to do about a history server that the ResourceManager's proxy points to and that is
// not trusted.
func (c *Client) unnamedHistory(base string) string {
	guessed := ""
	if c.Site().JHSGuessed {
		guessed = "; nor do they name another history server, and the owner of the job chose this address"
	}
	return fmt.Sprintf("the ResourceManager's proxy points to %s, which neither a flag nor the configuration names%s: "+
		"if the history server of your cluster is there, give --jhs %s", base, guessed, base)
}

var (
	jobInPath = regexp.MustCompile(`/jobs/(job_\d+_\d+)`)
	// historyPage matches a page of a history server, without characters that are not safe in advice. A gateway such as
	// Knox serves it below a path of its own that ends in /jobhistory.
	historyPage = regexp.MustCompile(`^(https?://[A-Za-z0-9._:\[\]-]+)((?:/[A-Za-z0-9._~-]+)*?)/jobhistory/`)
)

// historyBase returns the history server's base if err is the proxy's redirect to it (facts/hadoop.md A6), else
// "".
func historyBase(err error) string {
	e, ok := errors.AsType[*rest.Error](err)
	if !ok {
		return ""
	}
	page := historyPage.FindStringSubmatch(e.Location)
	switch {
	case page == nil:
		return ""
	case page[2] == "":
		return page[1]
	}
	return page[1] + page[2] + "/jobhistory"
}

// adviseDenied completes a refusal of access to a job: it names the refused user and what to request. Hadoop's masters
// and history server respond with 401 (facts/hadoop.md A2), or in 3.4 with 503 and an empty
// WebApplicationException. Such an error gets status 403, since the service is well and another request is in vain.
func (c *Client) adviseDenied(e *rest.Error, r *rest.Response) {
	if r == nil {
		return
	}
	address, _, _ := strings.Cut(e.URL, "?")
	job := jobInPath.FindStringSubmatch(address)
	if job == nil {
		return
	}
	switch name, message := rest.Exception(r.Body); {
	case r.Status == http.StatusServiceUnavailable && name == "WebApplicationException" && message == "":
		// an exception that lost its status and its message on the way
		e.Status, e.Text = http.StatusForbidden, "it answers 503, as if this user may not see the job"
	case r.Status == http.StatusUnauthorized && r.Header.Get("WWW-Authenticate") == "",
		r.Status == http.StatusForbidden && !strings.Contains(r.Header.Get("WWW-Authenticate"), "PseudoAuth"):
	default:
		return
	}
	e.Hint = c.Refused(job[1], func(user string) string {
		return "its owner can start it with mapreduce.job.acl-view-job=" + user +
			", or whoever runs the cluster makes " + user + " an administrator of its queue"
	})
}

// get requests a path below the job's resource. Once a request about a task has timed out, it sends no more of them: a
// service that hangs in the middle of a tick costs one timeout, not one a task.
func (s *Source) get(ctx context.Context, j *job, path string) (body []byte, err error) {
	if j.timedOut.Load() {
		return nil, errTimedOut
	}
	body, err = resource(ctx, s.cluster, j.app, path)
	if hangs(err) {
		j.timedOut.Store(true)
	}
	return body, err
}

// resource requests a path below the resource of an application's job, from its master or, once the application has
// ended, from the history server.
func resource(ctx context.Context, c Cluster, app *yarn.App, path string) ([]byte, error) {
	if app.Ended {
		return c.JHS(ctx, "mapreduce/jobs/"+app.Job()+path)
	}
	return c.AM(ctx, app.ID, "jobs/"+app.Job()+path)
}

// read requests a path below the job's resource and decodes the response.
func read[T any](ctx context.Context, s *Source, j *job, path string) (T, error) {
	body, err := s.get(ctx, j, path)
	return yarn.Read[T](j.id+path, body, err)
}

// batch sends the requests about items, part of them at once, which bounds the responses in memory. request returns a
// function that processes its responses. Those functions run one after the other, in the order of the items.
func batch[T any](ctx context.Context, s *Source, items []T, part int,
	request func(ctx context.Context, item T) (take func()),
) {
	for some := range slices.Chunk(items, part) {
		takes, sends := make([]func(), len(some)), make([]func(context.Context), len(some))
		for i, item := range some {
			sends[i] = func(ctx context.Context) { takes[i] = request(ctx, item) }
		}
		yarn.Together(ctx, sends...)
		s.catchUp()
		for _, take := range takes {
			take()
		}
	}
}

var errTimedOut = errors.New("hadoop: no request sent: the last one timed out just now")

// hangs reports whether the service is unreachable or timed out. A cut connection does not count: it costs no time,
// and the next one may work.
func hangs(err error) bool {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// refused reports whether an error is a response that will not change: not found, or access denied.
func refused(err error) bool {
	st := rest.Status(err)
	return yarn.Denied(err) || st == http.StatusNotFound || st == http.StatusBadRequest
}

// Doctor sends each service one or two requests, and reports what works, what does not, and what to do. The checks
// come in a fixed order. Checks that an earlier failure makes pointless are left out.
func Doctor(ctx context.Context, c *Client) []yarn.Check {
	e, manager, ok := yarn.Examine(ctx, c.Client)
	d := &doctor{Examination: e, client: c}
	if !ok {
		return d.Checks
	}
	if manager {
		d.Cluster(ctx)
		d.applications(ctx)
		d.Clock()
	}
	d.history(ctx)
	return d.Checks
}

type doctor struct {
	*yarn.Examination
	client *Client
}

// applications tests the way to the master of an application that runs, else to the history of one that has ended.
func (d *doctor) applications(ctx context.Context) {
	for _, try := range []struct {
		states, what string
		test         func(context.Context, *yarn.App)
	}{
		{"RUNNING", "run", d.master},
		{"FINISHED", "have ended, none runs", d.redirect},
	} {
		list, err := yarn.Apps(d.client.RM(ctx, "apps?states="+try.states+
			"&applicationTypes=MAPREDUCE&limit=20&deSelects=resourceRequests"))
		if err != nil {
			d.Broken("applications", yarn.Fail, err)
			d.Say("proxy", yarn.OK, "start a job to have it tried", "not tried: there is no application")
			return
		}
		if len(list) > 0 {
			app := slices.MaxFunc(list, yarn.Older)
			d.Say("applications", yarn.OK, "", "%d MapReduce applications %s, the newest is %s of %s", len(list), try.what,
				app.ID, app.User)
			try.test(ctx, app)
			return
		}
	}
	d.Say("applications", yarn.OK, "", "no MapReduce application runs, none is remembered")
	d.Say("proxy", yarn.OK, "start a job to have it tried", "not tried: there is no application")
}

// master tests the way to the master of an application that runs.
func (d *doctor) master(ctx context.Context, app *yarn.App) {
	body, err := d.client.AM(ctx, app.ID, "jobs/"+app.Job())
	b, err := yarn.Read[jobBody](app.Job(), body, err)
	j := &b.Job.V
	if d.Try("proxy", yarn.Fail, err, "%s is %s: %d of %d maps, %d of %d reduces", app.Job(), j.State,
		tasksOf(j.MapsCompleted), tasksOf(j.MapsTotal), tasksOf(j.ReducesCompleted), tasksOf(j.ReducesTotal)) {
		body, err = d.client.AM(ctx, app.ID, "jobs/"+app.Job()+"/conf")
		_, err = Properties(app.Job()+"/conf", body, err)
		d.Try("permissions", yarn.Warn, err, "the configuration of %s may be read, and with it its workflow", app.Job())
	}
}

// redirect tests whether the proxy leads from an application that has ended to the history server.
func (d *doctor) redirect(ctx context.Context, app *yarn.App) {
	_, err := d.client.AM(ctx, app.ID, "jobs/"+app.Job())
	switch base := historyBase(err); {
	case base != "" && !d.client.moveHistory(base) && d.client.Site().JHSGuessed:
		d.Say("proxy", yarn.Warn, d.client.unnamedHistory(base),
			"sends applications that have ended to %s, which gets no requests", base)
	case base != "":
		d.Say("proxy", yarn.OK, "", "sends applications that have ended to the history server at %s", base)
	case rest.Status(err) == http.StatusFound:
		d.Say("proxy", yarn.OK, "", "answers; %s left no history", app.ID)
	default:
		d.Broken("proxy", yarn.Warn, err)
	}
}

func (d *doctor) history(ctx context.Context) {
	type historyBody struct {
		Info struct {
			Version input.Label `json:"hadoopVersion"`
		} `json:"historyInfo"`
	}
	body, err := d.client.JHS(ctx, "info")
	info, err := yarn.Read[historyBody]("history/info", body, err)
	v := string(info.Info.Version)
	if !d.Try("history server", yarn.Fail, err, "Hadoop %s", v) {
		return
	}
	d.Version("history server", v)
	if _, err = d.client.JHS(ctx, "mapreduce/jobs?limit=1"); err != nil {
		d.Broken("history server", yarn.Warn, err)
	}
}
