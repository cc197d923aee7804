// Package yarn observes a cluster over REST as its ResourceManager reports it. It serves any engine on YARN and depends
// on none of them.
//
// A [Site] has the services of a cluster, from the site files of a configuration folder or from given addresses.
// A [Client] is a rest.Client that has the paths of the ResourceManager, its proxy and the NodeManagers, completes
// errors by rules, and keeps cookies (client.go). A [Hub] requests what several workflows share: applications,
// nodes and queues (hub.go, app.go, nodes.go). An [Overview] is the view of a hub by one source. It fills the part of a
// snapshot that describes the cluster, the load of other applications included (overview.go). A [Target] is the
// workflow that a user chooses (app.go).
package yarn

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paratimer/paratimer/adapters/rest"
)

// A Client sends requests to one cluster's REST services. It tries another ResourceManager if one does not respond.
// Several goroutines may use it.
type Client struct {
	*rest.Client
	site   Site
	opt    rest.Options
	active atomic.Value // base of the ResourceManager that responded last, a string
}

// NewClient returns a client of a site's services. It does not connect. It trusts the hosts of the site. Without
// o.Auth the user is sent as user.name (facts/hadoop.md A7). It fails if there is no address, or a certificate
// file is unusable.
func NewClient(site Site, o rest.Options) (*Client, error) {
	if err := site.Check(); err != nil {
		return nil, err
	}
	c := &Client{site: site, opt: o}
	o.Trust = slices.Clone(o.Trust)
	for _, base := range site.Bases() {
		if u, err := url.Parse(base); err == nil {
			o.Trust = append(o.Trust, u.Hostname())
		}
	}
	auth := o.Auth
	if auth == nil && o.User != "" {
		auth = UserName(o.User)
	}
	session := newCookies().layer
	o.Auth = func(next http.RoundTripper) http.RoundTripper { return session(auth.Over(next)) }
	var err error
	if c.Client, err = rest.New(o); err != nil {
		return nil, fmt.Errorf("hadoop: %w", err)
	}
	return c, nil
}

// UserName adds the query parameter of Hadoop's simple authentication.
func UserName(user string) rest.Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.URL.RawQuery = strings.TrimPrefix(r.URL.RawQuery+"&user.name="+url.QueryEscape(user), "&")
			return next.RoundTrip(r)
		})
	}
}

// Send sends a request to a service of the cluster, or to a web server beside it, and completes its errors. Redirects
// of the ResourceManager's proxy are not followed: status 302 means that a master has ended or is not up
// (facts/hadoop.md A6). The base of the service that responded is returned as well.
func (c *Client) Send(ctx context.Context, r rest.Request) (body []byte, base string, err error) {
	address, _, _ := strings.Cut(strings.Join(r.Bases[:min(1, len(r.Bases))], "")+r.Path, "?")
	if _, behind, proxied := strings.Cut(address, "/proxy/"); proxied {
		r.Behind, _, _ = strings.Cut(behind, "/")
		r.Pinned = true
		r.Consent = "proxyapproved=true" // the proxy warns of other users' applications (facts/hadoop.md A7)
	}
	more := r.Advise
	r.Advise = func(e *rest.Error, resp *rest.Response) {
		e.Follow(rules, resp)
		if more != nil {
			more(e, resp)
		}
	}
	return c.Get(ctx, &r)
}

// RM requests path below /ws/v1/cluster/ from the active ResourceManager, e.g. "apps?user=alice". It finds the
// active one of several by itself. A response that is not JSON with status 200 is an *rest.Error.
func (c *Client) RM(ctx context.Context, path string) ([]byte, error) {
	body, base, err := c.Send(ctx, managerRequest(path, c.managers()...))
	if err == nil {
		c.active.Store(base)
	}
	return body, err
}

// limits bound the bytes of the ResourceManager's long responses. That of the scheduler has 15 MB for ten thousand
// queues.
var limits = map[string]int64{"apps": rest.Long, "nodes": rest.Long, "scheduler": rest.Middle}

func managerRequest(path string, bases ...string) rest.Request {
	plain, _, _ := strings.Cut(path, "?")
	return rest.Request{Bases: bases, Path: "/ws/v1/cluster/" + path, Limit: limits[plain], Clock: true}
}

// Proxy sends a request for a path below /proxy/APPLICATION/ to an application's master through the ResourceManager's
// proxy, e.g. "ws/v2/tez/dagInfo?dagID=1". Redirects are as in Send.
func (c *Client) Proxy(ctx context.Context, app string, r rest.Request) ([]byte, error) {
	r.Bases = c.proxies()
	r.Path = "/proxy/" + url.PathEscape(app) + "/" + r.Path
	body, _, err := c.Send(ctx, r)
	return body, err
}

// proxies returns the bases of the proxy of applications.
func (c *Client) proxies() []string {
	if p := c.site.Proxy; p != "" {
		return []string{p}
	}
	return c.managers()
}

// ProxyAddress returns the address of an application's pages in the proxy; "" if there is no ResourceManager.
func (c *Client) ProxyAddress(app string) string {
	for _, base := range c.proxies() {
		return base + "/proxy/" + url.PathEscape(app)
	}
	return ""
}

// NM requests a path below /ws/v1/node/ from a NodeManager, e.g. "containers/CONTAINER/logs". node is its host and
// web port, as the ResourceManager reports them; the scheme is the ResourceManager's own. A response is JSON or,
// for a log file, text.
func (c *Client) NM(ctx context.Context, node, path string) ([]byte, error) {
	if !rest.PlainHost(node) {
		return nil, &rest.Error{URL: oneLine(node), Text: "this is not an address of a NodeManager"}
	}
	scheme := "http"
	if bases := c.managers(); len(bases) > 0 && strings.HasPrefix(bases[0], "https:") {
		scheme = "https"
	}
	r := rest.Request{Bases: []string{scheme + "://" + node}, Path: "/ws/v1/node/" + path}
	if strings.HasPrefix(path, "containers/") && strings.Contains(path, "/logs/") {
		r.Limit = rest.Middle
		r.Usable = func(kind string, _ []byte) bool { return kind == "text/plain" }
	}
	body, _, err := c.Send(ctx, r)
	return body, err
}

// managers returns the bases of the ResourceManagers, the one that responded last first.
func (c *Client) managers() []string {
	return Distinct(append([]string{c.Active()}, c.site.managers()...)...)
}

// Site returns the services that the client was made for.
func (c *Client) Site() Site { return c.site }

// Options returns the options that the client was made with.
func (c *Client) Options() rest.Options { return c.opt }

// Active returns the base URL of the ResourceManager that responded last, "" before the first response.
func (c *Client) Active() string {
	base, _ := c.active.Load().(string)
	return base
}

// Distinct returns the bases without empty and repeated ones, and without slashes at their ends.
func Distinct(bases ...string) []string {
	var out []string
	for _, b := range bases {
		if b = strings.TrimSuffix(b, "/"); b != "" && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// rules complete the errors of Hadoop's services.
var rules = []rest.Rule{
	{Cause: rest.NoAddress, Hint: "give it by a flag or in HADOOP_CONF_DIR"},
	{Cause: rest.Protocol, Hint: ", or set yarn.http.policy"},
	{Cause: rest.NoAuthority, Hint: "; Hadoop's clients have it in the store that ssl-client.xml names: keytool -list -rfc -keystore STORE >ca.pem"},
	{Cause: rest.Circular, Hint: ": do the ResourceManagers agree on who is active?"},
	// A ResourceManager on standby reports it, as RMWebAppFilter does beside its redirect. A gateway that follows the
	// redirect may leave nothing but the words. If it has stopped looking for the active one, its status is 200.
	{Text: "This is standby RM", Standby: true, Hint: "this ResourceManager is on standby: --rm takes the addresses of all of them"},
	{Text: "There is no active RM", Standby: true, Hint: noActive},
	{Text: " find any active RM", Standby: true, Hint: noActive},
	{Status: 200, URL: "/proxy/", Text: "WARNING: The following page may not be safe", Hint: "the proxy shows other users a warning, and does not accept consent: give the application's owner (--user, --principal)"},
	{Status: 401, Hint: "this user may not look at the job: give another --user, or have the job's owner set mapreduce.job.acl-view-job"},
	{Status: 3, URL: "/proxy/", Hint: "the application's master has ended or is not up yet"},
	{Status: 404, URL: "/proxy/", Text: "Not current Dag", Hint: "the application's master runs another DAG, or none yet"},
	{Status: 404, URL: "/proxy/", Hint: "the ResourceManager has no such application, or no longer has it"},
	{Status: 5, URL: "/proxy/", Hint: "the proxy cannot reach the application's master: it is starting, ending or lost"},
	{Status: 307, Standby: true, Hint: "this ResourceManager is on standby and reports no active one"},
	{Status: 404, Hint: "unknown here: a wrong id, one that is no longer kept, or not a Hadoop service"},
}

const noActive = "this ResourceManager is on standby and reports no active one: wait until one is active, or give the addresses of all of them to --rm"

// Bounds of the cookies that services may set.
const (
	maxCookie  = 8 << 10 // bytes of one; Knox's tokens have one or two thousand
	allCookies = 4 << 20 // bytes of all of them: the proxy sets one per application
)

// cookies keeps the cookies that Hadoop and Knox set, and no others. Once too many were set it starts over, which
// costs another login and repeats the proxy's warnings.
type cookies struct {
	mu    sync.Mutex
	jar   *cookiejar.Jar
	bytes int // set since the jar was new
}

func newCookies() *cookies {
	jar, _ := cookiejar.New(nil) // fails for no options
	return &cookies{jar: jar}
}

// sessions matches the names of cookies that a service needs to receive again.
var sessions = regexp.MustCompile(`^(checked_application_.*|hadoop\.auth|hadoop-jwt|KNOXSESSIONID|JSESSIONID)$`)

// set keeps the session cookies of a response.
func (c *cookies) set(u *url.URL, all []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range all {
		size := len(k.Name) + len(k.Value) + len(k.Path) + len(k.Domain)
		if !sessions.MatchString(k.Name) || size > maxCookie {
			continue
		}
		if c.bytes += size; c.bytes > allCookies {
			c.jar, _ = cookiejar.New(nil)
			c.bytes = size
		}
		c.jar.SetCookies(u, []*http.Cookie{k})
	}
}

// layer adds the cookies to requests. It belongs around the layer that authenticates: that one keeps the cookie that it
// negotiated to itself, because a jar would send the cookie to every port of the host.
func (c *cookies) layer(next http.RoundTripper) http.RoundTripper {
	return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		c.mu.Lock()
		for _, k := range c.jar.Cookies(r.URL) {
			r.AddCookie(k)
		}
		c.mu.Unlock()
		resp, err := next.RoundTrip(r)
		if err == nil {
			c.set(r.URL, resp.Cookies())
		}
		return resp, err
	})
}
