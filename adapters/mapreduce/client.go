package mapreduce

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Client sends requests to a cluster's services, those of MapReduce included: its masters, its history server, and
// the NameNodes that have the input of its jobs. Several goroutines may use it.
type Client struct {
	*yarn.Client
	nameNodes map[string]bool // hosts that may be queried, besides those that the client trusts

	mu    sync.Mutex
	moved string                 // base of the history server that the ResourceManager's proxy redirects to, "" before
	mute  map[string]dag.Instant // NameNodes that did not respond, and when
}

// NewClient returns a client of a site's services, as yarn.NewClient does.
func NewClient(site hadoopconf.Site, o rest.Options) (*Client, error) {
	c, err := yarn.NewClient(site, o)
	if err != nil {
		return nil, err
	}
	return &Client{Client: c, nameNodes: yarn.Hosts(site.NameNodes), mute: map[string]dag.Instant{}}, nil
}

// request returns a request for a path of a master or of the history server. The limit is that of the response, in
// bytes.
func (c *Client) request(path string) rest.Request {
	plain, _, _ := strings.Cut(path, "?")
	limit := int64(rest.Short)
	switch plain[strings.LastIndexByte(plain, '/')+1:] {
	case "tasks":
		limit = rest.Long
	case "conf", "jobs": // 350 KB for the configuration of a Pig job
		limit = rest.Middle
	}
	return rest.Request{Path: path, Limit: limit, Advise: c.adviseDenied}
}

// AM requests path below /ws/v1/mapreduce/ from an application's MapReduce master through the proxy, e.g. "jobs/JOB".
func (c *Client) AM(ctx context.Context, app, path string) ([]byte, error) {
	return c.Proxy(ctx, app, c.request("ws/v1/mapreduce/"+path))
}

// JHS requests path below /ws/v1/history/ from the job history server, e.g. "mapreduce/jobs/JOB" of a job that has
// ended according to the ResourceManager. If the server does not respond, the ResourceManager's proxy is queried
// for its address.
func (c *Client) JHS(ctx context.Context, path string) ([]byte, error) {
	r := c.request("/ws/v1/history/" + path)
	r.Bases = c.histories()
	body, _, err := c.Send(ctx, r)
	job := jobInPath.FindStringSubmatch(path)
	if err == nil || job == nil || c.Options().Now != nil || ctx.Err() != nil || !c.misplaced(err) {
		return body, err
	}
	found, err := c.seekHistory(ctx, job[1], r.Bases, err)
	if !found {
		return nil, err
	}
	r.Bases = c.histories()
	body, _, err = c.Send(ctx, r)
	return body, err
}

// histories returns the bases at which the history server may be, the likeliest first.
func (c *Client) histories() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if site := c.Site(); !site.JHSGuessed {
		return yarn.Distinct(site.JHS, c.moved)
	}
	return yarn.Distinct(c.moved, c.Site().JHS)
}

var jobInPath = regexp.MustCompile(`/jobs/(job_\d+_\d+)`)

// adviseDenied completes a refusal of access to a job: it names the refused user and what to request. Hadoop's masters
// and history server respond with 401 (docs/facts/hadoop.md A2), or in 3.4 with 503 and an empty
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
	switch {
	case r.Status == http.StatusServiceUnavailable && isEmptyException(r.Body):
		e.Status, e.Text = http.StatusForbidden, "it answers 503, as to anybody who may not see the job"
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

// isEmptyException reports whether a response is an exception that lost its status and message on the way.
func isEmptyException(body []byte) bool {
	var b struct {
		RemoteException struct{ Exception, Message string }
	}
	return json.Unmarshal(body, &b) == nil && b.RemoteException.Exception == "WebApplicationException" &&
		b.RemoteException.Message == ""
}
