package hadoop

import (
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paratimer/paratimer/adapters/keypair"
)

// A roundTrip is a RoundTripper made from a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// chain builds what a request passes through, outermost first:
//
//	Tap → cookies → Auth or user.name → edges → gzip → meter → Transport or the network
//
// wanted is called when a service requests a client certificate. Auth is inside the cookies: it keeps the cookie
// that it negotiated to itself, because a jar would send the cookie to every port of the host.
func chain(o Options, wanted func()) (http.RoundTripper, *meter, error) {
	m := &meter{next: o.Transport}
	if m.next == nil {
		t, err := network(o, wanted)
		if err != nil {
			return nil, nil, err
		}
		m.next = t
	}
	rt := edges(unpack(m))
	if o.Auth != nil {
		rt = o.Auth(rt)
	} else if o.User != "" {
		rt = UserName(o.User)(rt)
	}
	rt = newCookies().layer(rt)
	if o.Tap != nil {
		rt = o.Tap(rt)
	}
	return rt, m, nil
}

// network returns the transport to real services. It calls wanted if a service requests a client certificate.
func network(o Options, wanted func()) (http.RoundTripper, error) {
	conf, err := encryption(o, wanted)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: o.Connect}).DialContext,
		TLSHandshakeTimeout:   o.Connect,
		TLSClientConfig:       conf,
		ResponseHeaderTimeout: o.Header,
		MaxIdleConnsPerHost:   o.InFlight,
		IdleConnTimeout:       o.Total,
		// Kerberos tokens and cookies take some kilobytes.
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true, // unpack does it, so that the meter counts what travels
		ForceAttemptHTTP2:      true,
	}, nil
}

// UserName adds the query parameter of Hadoop's simple authentication.
func UserName(user string) Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			if r.URL.RawQuery != "" {
				r.URL.RawQuery += "&"
			}
			r.URL.RawQuery += "user.name=" + url.QueryEscape(user)
			return next.RoundTrip(r)
		})
	}
}

// unpack requests gzip and unpacks it.
func unpack(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Accept-Encoding", "gzip")
		resp, err := next.RoundTrip(r)
		if err != nil || !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
			return resp, err
		}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
		resp.Body = &unpacked{packed: resp.Body}
		return resp, nil
	})
}

// unpacked begins to read at the first Read, so that the time limits of the body apply.
type unpacked struct {
	packed io.ReadCloser
	zip    *gzip.Reader
}

func (u *unpacked) Read(b []byte) (int, error) {
	if u.zip == nil {
		z, err := gzip.NewReader(u.packed)
		if err != nil {
			return 0, fmt.Errorf("bad gzip: %w", err)
		}
		u.zip = z
	}
	return u.zip.Read(b)
}

func (u *unpacked) Close() error { return u.packed.Close() }

// Traffic is the load that a client has put on the cluster.
type Traffic struct {
	Requests int64
	Bytes    int64 // of bodies as they were sent
	Most     int64 // most requests under way at the same time
}

// A meter counts requests and the bytes of bodies.
type meter struct {
	next http.RoundTripper

	requests, bytes, underway, most atomic.Int64
}

func (m *meter) traffic() Traffic {
	return Traffic{Requests: m.requests.Load(), Bytes: m.bytes.Load(), Most: m.most.Load()}
}

func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	m.requests.Add(1)
	n := m.underway.Add(1)
	for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
	}
	resp, err := m.next.RoundTrip(r)
	if err != nil {
		m.underway.Add(-1)
		return nil, err
	}
	resp.Body = &counted{body: resp.Body, meter: m}
	return resp, nil
}

type counted struct {
	body   io.ReadCloser
	meter  *meter
	closed atomic.Bool
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.body.Read(b)
	c.meter.bytes.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.meter.underway.Add(-1)
	}
	return c.body.Close()
}

// Bounds of the cookies that services may set.
const (
	maxCookie  = 8 << 10 // bytes of one, name and value; Knox's tokens have one or two thousand
	maxCookies = 20_000  // set in all: the proxy sets one per application
	allCookies = 1 << 20 // bytes of all of them
)

// cookies keeps the cookies that Hadoop and Knox set, and no others. Once too many were set it starts over, which
// costs another login and repeats the proxy's warnings.
type cookies struct {
	mu       sync.Mutex
	jar      *cookiejar.Jar
	n, bytes int // set since the jar was new
}

func newCookies() *cookies {
	jar, _ := cookiejar.New(nil) // fails for no options
	return &cookies{jar: jar}
}

// known reports whether a service needs to receive the cookie again.
func known(name string) bool {
	switch name {
	case "hadoop.auth", "hadoop-jwt", "KNOXSESSIONID", "JSESSIONID":
		return true
	}
	return strings.HasPrefix(name, "checked_application_")
}

// set keeps the known cookies of a response.
func (c *cookies) set(u *url.URL, all []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range all {
		size := len(k.Name) + len(k.Value)
		if !known(k.Name) || size > maxCookie || len(k.Path)+len(k.Domain) > maxCookie {
			continue
		}
		if c.n++; c.n > maxCookies || c.bytes+size > allCookies {
			c.jar, _ = cookiejar.New(nil)
			c.n, c.bytes = 1, 0
		}
		c.bytes += size
		c.jar.SetCookies(u, []*http.Cookie{k})
	}
}

// of returns the cookies for an address.
func (c *cookies) of(u *url.URL) []*http.Cookie {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jar.Cookies(u)
}

func (c *cookies) layer(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		for _, k := range c.of(r.URL) {
			r.AddCookie(k)
		}
		resp, err := next.RoundTrip(r)
		if err == nil {
			c.set(r.URL, resp.Cookies())
		}
		return resp, err
	})
}

// encryption returns the TLS settings: which certificates of services are accepted, and the client certificate to
// present. The settings call wanted if a service requests a client certificate.
func encryption(o Options, wanted func()) (*tls.Config, error) {
	conf := &tls.Config{
		InsecureSkipVerify: o.Insecure, //nolint:gosec // G402: --insecure asks for it, and every frame says so
		MinVersion:         tls.VersionTLS12,
		Time:               o.Clock,
	}
	if o.CAFile != "" {
		system, err := x509.SystemCertPool()
		if err != nil {
			system = nil // some systems have none
		}
		if conf.RootCAs, err = keypair.Pool(o.CAFile, system); err != nil {
			return nil, fmt.Errorf("hadoop: CA file: %w", err)
		}
	}
	switch {
	case o.CertFile == "" && o.KeyFile == "":
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			wanted()
			return &tls.Certificate{}, nil // it sends none, and the service decides
		}
		return conf, nil
	case o.CertFile == "" || o.KeyFile == "":
		return nil, errors.New("hadoop: a client's certificate and its key go together: --cert and --key")
	}
	pair, err := keypair.Open(o.CertFile, o.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("hadoop: client certificate: %w", err)
	}
	conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		wanted()
		return pair.Certificate(), nil
	}
	return conf, nil
}

// exportHint returns how to make the PEM file for --ca-file from the trust store of Hadoop's own clients.
func (s Site) exportHint() string {
	if s.Truststore == "" {
		return "give that authority's certificate, in PEM form, by --ca-file"
	}
	if _, err := os.Stat(s.Truststore); err != nil {
		return "give that authority's certificate by --ca-file; " + s.Truststore +
			" (ssl-client.xml) should hold it, but it cannot be read: " + err.Error()
	}
	return fmt.Sprintf("Hadoop's clients trust what is in %s: keytool -list -rfc -keystore %s >ca.pem, then --ca-file ca.pem", s.Truststore, s.Truststore)
}
