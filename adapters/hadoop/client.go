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

// A Login knows who asks where it is not User that says so.
type Login interface {
	// Name is who asks, as far as it is known without asking anybody, e.g. alice@EXAMPLE.COM; "" where it is not.
	Name() string
	// Check proves it, and says who asks, by what and until when.
	Check(ctx context.Context) (string, error)
	// Used says whether a service has wanted it.
	Used() bool
}

// Options build a Client. The zero value of each field is its default.
type Options struct {
	Site     Site     // where the services are
	Trust    []string // hosts that redirects may lead to, besides those of Site
	User     string   // sent as user.name (docs/facts/hadoop.md A7); "" sends none
	CAFile   string   // PEM certificates to be trusted besides the system's
	Insecure bool     // certificates are not verified; whoever sets it must say so loudly
	// CertFile and KeyFile are a client's certificate and its key in PEM form, for services that want one. They are
	// read again when they change.
	CertFile, KeyFile string

	Connect time.Duration // limit to connect and to agree on TLS each; 5 s
	Header  time.Duration // limit from the request to the answer's header; 20 s
	Total   time.Duration // limit of a whole exchange, so that a dripping body ends; 60 s
	MaxBody int64         // bytes of one answer, unpacked; 48 MiB, and less where answers are short
	// InFlight is how many requests are under way at most; 4.
	InFlight int

	Auth      Layer             // replaces user.name, e.g. SPNEGO
	Login     Login             // who asks by Auth, for people; nil is User
	Tap       Layer             // outermost: sees each exchange without the user's name and cookies, bodies unpacked
	Transport http.RoundTripper // carries the requests; nil is the network. A capture or a test stands in here
	Clock     func() time.Time  // this machine's clock; nil is time.Now
	// Now, where set, is the cluster's clock and nothing is estimated: a capture knows its own time.
	Now func() dag.Instant
}

// A Client asks one cluster's REST services, by GET only. It neither waits nor retries, but for asking another
// ResourceManager where one does not answer. Several goroutines may use it.
type Client struct {
	opt   Options
	chain http.RoundTripper
	slots chan struct{}
	// budget bounds the answers in memory. A process has one client.
	budget *budget
	meter  *meter
	clock  *clock
	dates  *dates
	hosts  map[string]bool // that redirects may lead to
	files  map[string]bool // hosts of NameNodes that may be asked, besides those
	asked  atomic.Bool     // some service wanted a client certificate

	mu     sync.Mutex
	active string                 // base of the ResourceManager that answered last, "" before
	moved  string                 // base of the history server that the ResourceManager's proxy sends to, "" before
	mute   map[string]dag.Instant // NameNodes that did not answer, and when
	turns  map[string]turn        // event logs that were asked for, by address
}

// NewClient returns a client. It does not connect. Errors: no address, files of certificates that cannot be used.
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

// RM asks the active ResourceManager for path below /ws/v1/cluster/, e.g. "apps?user=alice".
// It finds the active one of several by itself. An answer that is not JSON with status 200 is an *Error.
func (c *Client) RM(ctx context.Context, path string) ([]byte, error) {
	return c.try(ctx, c.managers(), "/ws/v1/cluster/"+path, c.remember)
}

// AM asks an application's MapReduce master through the proxy for path below /ws/v1/mapreduce/, e.g. "jobs/JOB".
// Redirects are not followed: an *Error with status 302 says that the master has ended or is not up
// (docs/facts/hadoop.md A6).
func (c *Client) AM(ctx context.Context, app, path string) ([]byte, error) {
	bases := c.managers()
	if p := c.opt.Site.Proxy; p != "" {
		bases = []string{p}
	}
	return c.try(ctx, bases, "/proxy/"+url.PathEscape(app)+"/ws/v1/mapreduce/"+path, nil)
}

// JHS asks the job history server for path below /ws/v1/history/, e.g. "mapreduce/jobs/JOB" of a job that has ended
// by the ResourceManager's word: where the server does not answer, the ResourceManager's proxy is asked where it is.
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

// histories are the bases at which the history server may be, the likeliest first.
func (c *Client) histories() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opt.Site.JHSGuessed {
		return distinct(c.moved, c.opt.Site.JHS)
	}
	return distinct(c.opt.Site.JHS, c.moved)
}

// managers returns the bases of the ResourceManagers, the one that answered last first.
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

// Active returns the base URL of the ResourceManager that answered last, "" before the first answer.
func (c *Client) Active() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active
}

// Now is the cluster's clock as well as it is known: this machine's until a ResourceManager has answered.
func (c *Client) Now() dag.Instant {
	if c.opt.Now != nil {
		return c.opt.Now()
	}
	return c.clock.Now()
}

// Skew returns how far the cluster's clock is ahead of this machine's, and how sure that is; ok is false before the
// first answer.
func (c *Client) Skew() (ahead, within time.Duration, ok bool) { return c.clock.skew() }

// Warnings returns what a reader of this client's numbers must know: that nobody has verified who said them, that the
// clocks differ by more than people overlook.
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

// Traffic returns what has been asked so far.
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
