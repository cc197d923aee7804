// Package rest sends GET requests to the REST services of a cluster, and decodes their responses, which may be hostile.
// It contains no path of any service: a request brings its own path, its limit, the meaning of the response's Date
// header, and advice for errors.
package rest

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Layer is a step of the chain that a request passes through.
type Layer func(http.RoundTripper) http.RoundTripper

// Over returns next with the layer above it; next alone if the layer is nil.
func (l Layer) Over(next http.RoundTripper) http.RoundTripper {
	if l == nil {
		return next
	}
	return l(next)
}

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
	Trust    []string // hosts that requests and redirects may go to
	CAFile   string   // PEM certificates to be trusted besides the system's
	Insecure bool     // certificates are not verified; the caller must warn visibly
	// CertFile and KeyFile are a client's certificate and its key in PEM form, for services that require one. They
	// are read again when they change.
	CertFile, KeyFile string

	Connect time.Duration // timeout to connect, and of the TLS handshake; 5 s
	Header  time.Duration // timeout from the request to the response header; 20 s
	Total   time.Duration // timeout of a whole exchange, so that a slow body ends; 60 s
	MaxBody int64         // bytes of one response, unpacked; Long, and less for requests with a lower limit

	User      string            // who sends the requests, for messages, unless Login is used
	Auth      Layer             // authenticates the user
	Login     Login             // the user that Auth authenticates, for messages; nil is User
	Tap       Layer             // outermost: sees each exchange without authentication, bodies unpacked
	Transport http.RoundTripper // sends the requests; nil is the network. Players of recordings and tests replace it
	// Own, if set, sends the requests to the origin of OwnBase, with credentials of its own instead of Auth.
	Own     http.RoundTripper
	OwnBase string
	Clock   func() time.Time // this machine's clock; nil is time.Now
	// Now, if set, is the cluster's clock, and nothing is estimated: a recording has its own time.
	Now func() dag.Instant
}

// A Client sends GET requests. It neither waits nor retries, except that it tries the next address of a request if one
// does not respond. Several goroutines may use it. A process has one client, so that its memory is bounded.
type Client struct {
	opt     Options
	network http.RoundTripper
	chain   http.RoundTripper
	slots   chan struct{}
	large   chan struct{} // places for large responses
	clock   *clock
	dates   *dates
	hosts   map[string]bool // that redirects may lead to
}

// inFlight bounds the requests under way at once.
const inFlight = 4

// New returns a client. It does not connect. It fails if a certificate file is unusable.
func New(o Options) (*Client, error) {
	o.Connect = cmp.Or(o.Connect, 5*time.Second)
	o.Header = cmp.Or(o.Header, 20*time.Second)
	o.Total = cmp.Or(o.Total, 60*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, Long)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	c := &Client{
		opt: o, slots: make(chan struct{}, inFlight), large: make(chan struct{}, maxLarge), hosts: map[string]bool{},
		clock: newClock(o.Clock), dates: &dates{servers: map[string]serverDates{}},
	}
	for _, host := range o.Trust {
		c.hosts[Machine(host)] = true
	}
	var err error
	c.network, err = network(&o)
	c.chain = chain(&o, c.network)
	return c, err
}

// Trusts reports whether requests and redirects may go to the host of an address. A player of a recording sends no
// requests, so it trusts all hosts.
func (c *Client) Trusts(to *url.URL) bool { return c.opt.Now != nil || c.hosts[Machine(to.Hostname())] }

// Now returns the cluster's clock as well as it is known: this machine's until a service of the cluster has responded.
func (c *Client) Now() dag.Instant {
	if c.opt.Now != nil {
		return c.opt.Now()
	}
	return c.clock.Now()
}

// Skew returns how far the cluster's clock is ahead of this machine's, and the uncertainty of that; ok is false
// before the first response.
func (c *Client) Skew() (ahead, within time.Duration, ok bool) { return c.clock.skew() }

// MaxSkew is a difference of clocks that people would notice in the times shown.
const MaxSkew = 10 * time.Second

// SkewText describes the result of Skew.
func SkewText(ahead, within time.Duration) string {
	side, digit := "ahead of", 100*time.Millisecond
	if ahead < 0 {
		side = "behind"
	}
	if within > digit {
		digit = time.Second
	}
	return fmt.Sprintf("the cluster's clock is %s %s this machine's (± %s)", units.Exact(ahead.Abs().Round(digit)), side,
		units.Exact(within.Round(100*time.Millisecond)))
}

// Warnings returns warnings about the client's data: certificates are not verified, or the clocks differ by more
// than people overlook.
func (c *Client) Warnings() []dag.Warning {
	var all []dag.Warning
	if c.opt.Insecure {
		all = append(all, dag.Warningf(dag.WarnUnverified,
			"insecure: certificates are not verified; another server may have answered in the cluster's place"))
	}
	if ahead, within, ok := c.Skew(); c.opt.Now == nil && ok && ahead.Abs()-within > MaxSkew {
		all = append(all, dag.Warningf(dag.WarnClockSkew, "%s; times are the cluster's", SkewText(ahead, within)))
	}
	return all
}

// Close drops idle connections.
func (c *Client) Close() {
	if t, ok := c.network.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// A RoundTrip is an http.RoundTripper made from a function.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// chain builds what a request passes through, outermost first:
//
//	Tap → Auth → Transport or the network
//	Tap → Own, for requests to its origin
//
// The network requests gzip and unpacks it.
func chain(o *Options, network http.RoundTripper) http.RoundTripper {
	rt := network
	rt = o.Auth.Over(rt)
	if base, err := url.Parse(o.OwnBase); err == nil && o.Own != nil {
		other := rt
		rt = RoundTrip(func(r *http.Request) (*http.Response, error) {
			if origin(r.URL) == origin(base) {
				return o.Own.RoundTrip(r)
			}
			return other.RoundTrip(r)
		})
	}
	return o.Tap.Over(rt)
}

// network returns the transport to real services, or that of the options.
func network(o *Options) (http.RoundTripper, error) {
	conf, err := encryption(o)
	if err != nil || o.Transport != nil {
		return o.Transport, err
	}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: o.Connect}).DialContext,
		TLSHandshakeTimeout:   o.Connect,
		TLSClientConfig:       conf,
		ResponseHeaderTimeout: o.Header,
		MaxIdleConnsPerHost:   inFlight,
		IdleConnTimeout:       o.Total,
		// Kerberos tokens and cookies take some kilobytes.
		MaxResponseHeaderBytes: 256 << 10,
		ForceAttemptHTTP2:      true,
	}, nil
}

// encryption returns the TLS settings: which certificates of services are accepted, and the client certificate to
// present. Without one the client sends none, and the service decides.
func encryption(o *Options) (*tls.Config, error) {
	conf := &tls.Config{
		InsecureSkipVerify: o.Insecure, //nolint:gosec // G402: insecure sets it, and every frame shows it
		MinVersion:         tls.VersionTLS12,
		Time:               o.Clock,
	}
	if o.CAFile != "" {
		system, err := x509.SystemCertPool()
		if err != nil {
			system = nil // some systems have none
		}
		if conf.RootCAs, err = infile.CertPool(o.CAFile, system); err != nil {
			return nil, fmt.Errorf("CA file: %w", err)
		}
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, errors.New("a client's certificate and its key go together: --set cert=FILE and --set key=FILE")
	}
	if o.CertFile != "" {
		pair, err := infile.OpenKeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return pair.Certificate(), nil
		}
	}
	return conf, nil
}

var plainHost = regexp.MustCompile(`^[A-Za-z0-9._:\[\]-]+$`)

// PlainHost reports whether a host, with or without a port, is safe in advice that people copy.
func PlainHost(host string) bool { return plainHost.MatchString(host) }

// Machine returns a host, given without a port, in the form in which hosts are compared: in lower case, and
// "localhost" for all loopback addresses.
func Machine(host string) string {
	name := strings.ToLower(strings.Trim(strings.TrimSuffix(host, "."), "[]"))
	if ip, err := netip.ParseAddr(name); name == "localhost" || err == nil && ip.IsLoopback() {
		return "localhost"
	}
	return name
}

// TrustedHost checks a host that redirects may lead to: a name or an address, without scheme, port and path.
func TrustedHost(host string) error {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return nil
	}
	if !PlainHost(host) || strings.ContainsAny(host, ":[]") {
		return fmt.Errorf("%q is not a host's name, such as rm2.example.com", oneLine(host))
	}
	return nil
}

// Basic signs requests with a user's name and password, as gateways require (RFC 7617). The password goes to the
// origins of these bases only. A base with plain HTTP on another machine is an error.
func Basic(user, password string, bases ...string) (Layer, error) {
	switch {
	case user == "" || strings.Contains(user, ":") || strings.ContainsFunc(user, unicode.IsControl):
		return nil, fmt.Errorf(
			"%q is not a user's name for a password: it has neither colons nor control characters, and is not empty",
			user)
	case password == "" || strings.ContainsFunc(password, unicode.IsControl):
		return nil, errors.New("the password is empty or has control characters")
	}
	return signed("a password", func(r *http.Request) { r.SetBasicAuth(user, password) }, bases)
}

// Bearer signs requests with a token, as some gateways require (RFC 6750). The token goes to the origins of these
// bases only. A base with plain HTTP on another machine is an error.
func Bearer(token string, bases ...string) (Layer, error) {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("a token has letters, digits and signs, and no space")
	}
	return signed("a token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }, bases)
}

// signed signs the requests to the origins of bases, wherever a redirect leads. what names the secret in errors.
func signed(what string, sign func(*http.Request), bases []string) (Layer, error) {
	trusted := map[string]bool{}
	for _, base := range bases {
		u, err := url.Parse(base)
		if err != nil {
			return nil, fmt.Errorf("address: %w", err)
		}
		// On this machine others cannot read what is sent.
		if u.Scheme != "https" && Machine(u.Hostname()) != "localhost" {
			return nil, fmt.Errorf(
				"%s would travel in the clear to %s: give an address that begins with https://", what, base)
		}
		trusted[origin(u)] = true
	}
	return func(next http.RoundTripper) http.RoundTripper {
		return RoundTrip(func(r *http.Request) (*http.Response, error) {
			if trusted[origin(r.URL)] {
				r = r.Clone(r.Context())
				sign(r)
			}
			return next.RoundTrip(r)
		})
	}, nil
}

// origin returns scheme, host and port. The port is explicit even if it is the default.
func origin(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
