package rest

import (
	"io"
	"net"
	"net/http"
)

// A RoundTrip is an http.RoundTripper made from a function.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// chain builds what a request passes through, outermost first:
//
//	Tap → Auth → Request.Reduce → Transport or the network
//
// The network requests gzip and unpacks it.
func chain(o *Options, network http.RoundTripper) http.RoundTripper {
	rt := reduce(network)
	if o.Auth != nil {
		rt = o.Auth(rt)
	}
	if o.Tap != nil {
		rt = o.Tap(rt)
	}
	return rt
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
		MaxIdleConnsPerHost:   o.InFlight,
		IdleConnTimeout:       o.Total,
		// Kerberos tokens and cookies take some kilobytes.
		MaxResponseHeaderBytes: 256 << 10,
		ForceAttemptHTTP2:      true,
	}, nil
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
			resp.Header.Del("Content-Length")
			resp.ContentLength = -1
			resp.Body = struct {
				io.Reader
				io.Closer
			}{reduced, resp.Body}
		}
		return resp, nil
	})
}
