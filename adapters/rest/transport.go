package rest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/paratimer/paratimer/adapters/keypair"
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
		if conf.RootCAs, err = keypair.Pool(o.CAFile, system); err != nil {
			return nil, fmt.Errorf("CA file: %w", err)
		}
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, errors.New("a client's certificate and its key go together: --set cert=FILE and --set key=FILE")
	}
	if o.CertFile != "" {
		pair, err := keypair.Open(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return pair.Certificate(), nil
		}
	}
	return conf, nil
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
