package hadoop

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Layer is a step of the chain that a request passes through.
type Layer func(http.RoundTripper) http.RoundTripper

// A Login is the user's identity if Options.User is not.
type Login interface {
	// Name returns the user as far as it is known without a request, e.g. alice@EXAMPLE.COM; "" if unknown.
	Name() string
	// Check verifies the login. It returns a text with the user, the kind of credentials and their expiry.
	Check(ctx context.Context) (string, error)
	// Used reports whether a service has required the login.
	Used() bool
}

// Options build a Client. The zero value of each field is its default.
type Options struct {
	Site     Site     // where the services are
	Trust    []string // hosts that redirects may lead to, besides those of Site
	User     string   // sent as user.name (docs/facts/hadoop.md A7); "" sends none
	CAFile   string   // PEM certificates to be trusted besides the system's
	Insecure bool     // certificates are not verified; the caller must warn visibly
	// CertFile and KeyFile are a client's certificate and its key in PEM form, for services that require one. They
	// are read again when they change.
	CertFile, KeyFile string

	Connect time.Duration // timeout to connect, and of the TLS handshake; 5 s
	Header  time.Duration // timeout from the request to the response header; 20 s
	Total   time.Duration // timeout of a whole exchange, so that a slow body ends; 60 s
	MaxBody int64         // bytes of one response, unpacked; 48 MiB, and less for requests with short responses
	// InFlight is the most requests under way at once; 4.
	InFlight int

	Auth      Layer             // replaces user.name, e.g. SPNEGO
	Login     Login             // the user that Auth authenticates, for messages; nil is User
	Tap       Layer             // outermost: sees each exchange without the user's name and cookies, bodies unpacked
	Transport http.RoundTripper // sends the requests; nil is the network. Captures and tests replace it
	Clock     func() time.Time  // this machine's clock; nil is time.Now
	// Now, if set, is the cluster's clock, and nothing is estimated: a capture has its own time.
	Now func() dag.Instant
}

// A Client sends GET requests to one cluster's REST services. It neither waits nor retries, except that it tries
// another ResourceManager if one does not respond. Several goroutines may use it.
type Client struct {
	opt   Options
	chain http.RoundTripper
	slots chan struct{}
	// budget bounds the responses in memory. A process has one client.
	budget *budget
	meter  *meter
	clock  *clock
	dates  *dates
	hosts  map[string]bool // that redirects may lead to
	files  map[string]bool // hosts of NameNodes that may be queried, besides those
	asked  atomic.Bool     // some service requested a client certificate

	mu     sync.Mutex
	active string                 // base of the ResourceManager that responded last, "" before
	moved  string                 // base of the history server that the ResourceManager's proxy redirects to, "" before
	mute   map[string]dag.Instant // NameNodes that did not respond, and when
	turns  map[string]turn        // requests for event logs, by address
}

// NewClient returns a client. It does not connect. It fails if there is no address, or a certificate file is
// unusable.
func NewClient(o Options) (*Client, error) {
	if err := o.Site.check(); err != nil {
		return nil, err
	}
	o.Connect = orDefault(o.Connect, 5*time.Second)
	o.Header = orDefault(o.Header, 20*time.Second)
	o.Total = orDefault(o.Total, 60*time.Second)
	o.MaxBody = orDefault(o.MaxBody, longBody)
	o.InFlight = orDefault(o.InFlight, 4)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	c := &Client{
		opt: o, slots: make(chan struct{}, o.InFlight), budget: newBudget(inMemory), hosts: o.named(),
		files: o.Site.fileHosts(), mute: map[string]dag.Instant{}, turns: map[string]turn{},
		clock: newClock(o.Clock), dates: newDates(),
	}
	var err error
	c.chain, c.meter, err = chain(o, func() { c.asked.Store(true) })
	return c, err
}

func orDefault[T time.Duration | int | int64](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// RM requests path below /ws/v1/cluster/ from the active ResourceManager, e.g. "apps?user=alice". It finds the
// active one of several by itself. A response that is not JSON with status 200 is an *Error.
func (c *Client) RM(ctx context.Context, path string) ([]byte, error) {
	return c.try(ctx, c.managers(), "/ws/v1/cluster/"+path, c.remember)
}

// AM requests path below /ws/v1/mapreduce/ from an application's MapReduce master through the proxy, e.g.
// "jobs/JOB". Redirects are not followed: an *Error with status 302 means that the master has ended or is not up
// (docs/facts/hadoop.md A6).
func (c *Client) AM(ctx context.Context, app, path string) ([]byte, error) {
	bases := c.managers()
	if p := c.opt.Site.Proxy; p != "" {
		bases = []string{p}
	}
	return c.try(ctx, bases, "/proxy/"+url.PathEscape(app)+"/ws/v1/mapreduce/"+path, nil)
}

// JHS requests path below /ws/v1/history/ from the job history server, e.g. "mapreduce/jobs/JOB" of a job that has
// ended according to the ResourceManager. If the server does not respond, the ResourceManager's proxy is queried
// for its address.
func (c *Client) JHS(ctx context.Context, path string) ([]byte, error) {
	path = "/ws/v1/history/" + path
	asked := c.histories()
	body, err := c.try(ctx, asked, path, nil)
	job := jobInPath.FindStringSubmatch(path)
	if err == nil || job == nil || c.opt.Now != nil || ctx.Err() != nil || !c.misplaced(err) {
		return body, err
	}
	found, err := c.seekHistory(ctx, job[1], asked, err)
	if !found {
		return nil, err
	}
	return c.try(ctx, c.histories(), path, nil)
}

// histories returns the bases at which the history server may be, the likeliest first.
func (c *Client) histories() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opt.Site.JHSGuessed {
		return distinct(c.moved, c.opt.Site.JHS)
	}
	return distinct(c.opt.Site.JHS, c.moved)
}

// managers returns the bases of the ResourceManagers, the one that responded last first.
func (c *Client) managers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []string{c.active}
	for _, rm := range c.opt.Site.RMs {
		all = append(all, rm.URL)
	}
	return distinct(all...)
}

func (c *Client) remember(base string) {
	c.mu.Lock()
	c.active = base
	c.mu.Unlock()
}

// Active returns the base URL of the ResourceManager that responded last, "" before the first response.
func (c *Client) Active() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active
}

// Now returns the cluster's clock as well as it is known: this machine's until a ResourceManager has responded.
func (c *Client) Now() dag.Instant {
	if c.opt.Now != nil {
		return c.opt.Now()
	}
	return c.clock.Now()
}

// Skew returns how far the cluster's clock is ahead of this machine's, and the uncertainty of that; ok is false
// before the first response.
func (c *Client) Skew() (ahead, within time.Duration, ok bool) { return c.clock.skew() }

// Warnings returns warnings about the client's data: certificates are not verified, or the clocks differ by more
// than people overlook.
func (c *Client) Warnings() []dag.Warning {
	var all []dag.Warning
	if c.opt.Insecure {
		all = append(all, dag.Warning{
			Code: dag.WarnUnverified,
			Text: "--insecure: certificates are not verified; anybody on the way may have answered in the cluster's place",
		})
	}
	if ahead, within, ok := c.Skew(); c.opt.Now == nil && ok && ahead.Abs()-within > maxSkew {
		all = append(all, dag.Warning{Code: dag.WarnClockSkew, Text: skewText(ahead, within) +
			"; times are the cluster's"})
	}
	return all
}

// Traffic returns the requests and bytes so far.
func (c *Client) Traffic() Traffic { return c.meter.traffic() }

// Close drops idle connections.
func (c *Client) Close() {
	if t, ok := c.meter.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

func distinct(bases ...string) []string {
	var out []string
next:
	for _, b := range bases {
		b = strings.TrimSuffix(b, "/")
		for _, seen := range out {
			if b == seen {
				continue next
			}
		}
		if b != "" {
			out = append(out, b)
		}
	}
	return out
}
