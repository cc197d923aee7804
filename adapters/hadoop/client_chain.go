package hadoop

import (
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
)

// A layer as a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// chain builds what a request passes through, outermost first:
//
//	Tap → Auth or user.name → cookies → gzip → meter → Transport or the network
//
// Auth stands outside the cookies, so that a negotiated hadoop.auth cookie is kept and spares the next negotiation.
func chain(o Options, clk *clock) (http.RoundTripper, *meter, error) {
	m := &meter{next: o.Transport, clock: clk, now: o.Clock}
	if m.next == nil {
		t, err := network(o)
		if err != nil {
			return nil, nil, err
		}
		m.next = t
	}
	rt := cookies(unpack(m))
	if o.Auth != nil {
		rt = o.Auth(rt)
	} else if o.User != "" {
		rt = userName(o.User, rt)
	}
	if o.Tap != nil {
		rt = o.Tap(rt)
	}
	return rt, m, nil
}

// network is the transport to real services.
func network(o Options) (http.RoundTripper, error) {
	conf := &tls.Config{InsecureSkipVerify: o.Insecure}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("hadoop: CA file: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("hadoop: CA file %s holds no PEM certificate (of a Java key store: keytool -exportcert -rfc)", o.CAFile)
		}
		conf.RootCAs = pool
	}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: o.Connect}).DialContext,
		TLSHandshakeTimeout:   o.Connect,
		TLSClientConfig:       conf,
		ResponseHeaderTimeout: o.Header,
		MaxIdleConnsPerHost:   o.InFlight,
		IdleConnTimeout:       o.Total,
		DisableCompression:    true, // unpack does it, so that the meter counts what travels
		ForceAttemptHTTP2:     true,
	}, nil
}

// userName adds the query parameter of Hadoop's simple authentication.
func userName(user string, next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		if r.URL.RawQuery != "" {
			r.URL.RawQuery += "&"
		}
		r.URL.RawQuery += "user.name=" + url.QueryEscape(user)
		return next.RoundTrip(r)
	})
}

// cookies keeps what services set: hadoop.auth, and checked_<application> of the proxy.
func cookies(next http.RoundTripper) http.RoundTripper {
	jar, _ := cookiejar.New(nil) // fails for no options
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		for _, c := range jar.Cookies(r.URL) {
			r.AddCookie(c)
		}
		resp, err := next.RoundTrip(r)
		if err == nil {
			jar.SetCookies(r.URL, resp.Cookies())
		}
		return resp, err
	})
}

// unpack asks for gzip and undoes it.
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

// unpacked begins to read at the first Read, which the limits of the body's reader cover.
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
