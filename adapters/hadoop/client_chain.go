package hadoop

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A layer as a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// chain builds what a request passes through, outermost first:
//
//	Tap → cookies → Auth or user.name → gzip → meter → Transport or the network
//
// wanted is called when a service wants a client certificate. Auth stands inside the cookies: the one that
// it has negotiated is its own, for a jar would send it to every port of the host.
func chain(o Options, wanted func()) (http.RoundTripper, *meter, error) {
	m := &meter{next: o.Transport}
	if m.next == nil {
		t, err := network(o, wanted)
		if err != nil {
			return nil, nil, err
		}
		m.next = t
	}
	rt := unpack(m)
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

// network is the transport to real services. A service that wants a client certificate is told to wanted.
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
