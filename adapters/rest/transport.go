package rest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// A RoundTrip is an http.RoundTripper made from a function.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// chain builds what a request passes through, outermost first:
//
//	Tap → Auth → Request.Reduce → gzip → meter → Transport or the network
//
// requested is called when a service requests a client certificate.
func chain(o *Options, requested func()) (http.RoundTripper, *meter, error) {
	m := &meter{next: o.Transport}
	if m.next == nil {
		t, err := network(o, requested)
		if err != nil {
			return nil, nil, err
		}
		m.next = t
	}
	rt := reduce(unpack(m))
	if o.Auth != nil {
		rt = o.Auth(rt)
	}
	if o.Tap != nil {
		rt = o.Tap(rt)
	}
	return rt, m, nil
}

// network returns the transport to real services. It calls requested if a service requests a client certificate.
func network(o *Options, requested func()) (http.RoundTripper, error) {
	conf, err := encryption(o, requested)
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

// A body replaces the body of a response. It closes the original one.
type body struct {
	io.Reader
	io.Closer
}

// replace sets the body of a response to a text of unknown length.
func replace(resp *http.Response, with io.Reader) {
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Body = body{with, resp.Body}
}

type reduceKey struct{}

// reduce applies Request.Reduce.
func reduce(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		part, _ := r.Context().Value(reduceKey{}).(func(string, io.Reader) io.Reader)
		if err != nil || part == nil || resp.StatusCode != http.StatusOK {
			return resp, err
		}
		if reduced := part(kind(resp.Header), resp.Body); reduced != nil {
			resp.Header.Set("Content-Type", "application/json")
			replace(resp, reduced)
		}
		return resp, nil
	})
}

// unpack requests gzip and unpacks it.
func unpack(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Accept-Encoding", "gzip")
		resp, err := next.RoundTrip(r)
		if err == nil && strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
			resp.Header.Del("Content-Encoding")
			replace(resp, &unpacked{packed: resp.Body})
		}
		return resp, err
	})
}

// unpacked begins to read at the first Read, so that the time limits of the body apply.
type unpacked struct {
	packed io.Reader
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
	resp.Body = &counted{ReadCloser: resp.Body, meter: m}
	return resp, nil
}

type counted struct {
	io.ReadCloser
	meter  *meter
	closed atomic.Bool
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.meter.bytes.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.meter.underway.Add(-1)
	}
	return c.ReadCloser.Close()
}
