package rest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/paratimer/paratimer/adapters/keypair"
)

// encryption returns the TLS settings: which certificates of services are accepted, and the client certificate to
// present. Without one the client sends none, and the service decides.
func encryption(o *Options) (*tls.Config, error) {
	conf := &tls.Config{
		InsecureSkipVerify: o.Insecure, //nolint:gosec // G402: --insecure sets it, and every frame shows it
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
		return nil, errors.New("a client's certificate and its key go together: --cert and --key")
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

// distrust completes an error if the service's certificate is not accepted. It reports whether that is the cause.
func (c *Client) distrust(e *Error, err error) bool {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		e.Hint = "ask by a name that the certificate has as a subject alternative name, or have it issued for this one as well"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		e.Hint = "is this machine's clock right? If it is, the service's certificate must be renewed"
	case errors.As(err, &unknown), errors.As(err, &invalid):
		if unknown.Cert != nil {
			e.Text = "its certificate was issued by " + oneLine(unknown.Cert.Issuer.String()) + ", which this machine does not trust"
		}
		e.Cause, e.Hint = NoAuthority, "give that authority's certificate, in PEM form, by --ca-file"
	default:
		return false
	}
	return true
}

// handshake completes an error if the two sides do not agree on a protocol. It reports whether that is the cause.
// Alerts of the other side have no type of their own in crypto/tls, so their text is matched.
func (c *Client) handshake(e *Error, u *url.URL, err error) bool {
	var record tls.RecordHeaderError
	reported := err.Error()
	alert := strings.Contains(reported, "remote error: tls: ")
	aboutOurs := alert && has(reported, "bad certificate", "unknown certificate", "certificate unknown",
		"expired certificate", "revoked certificate", "unsupported certificate", "access denied", "certificate required")
	ours := c.opt.CertFile
	switch {
	case alert && has(reported, "handshake failure") && ours == "":
		e.Hint = "it refuses the handshake: it may want a client certificate (--cert and --key), or speak other ciphers only"
	case aboutOurs && ours == "":
		e.Hint = "it wants a client certificate: give --cert and --key"
	case aboutOurs:
		e.Hint = "it refuses the client certificate of --cert " + ours + ": is it valid, and issued by an authority that the service trusts?"
	case alert && has(reported, "protocol version"), has(reported, "unsupported protocol version"):
		e.Hint = "it speaks a TLS older than 1.2, which is not safe any more: allow TLSv1.2 there"
	case errors.As(err, &record), has(reported, "server gave HTTP response to HTTPS client"):
		e.Cause, e.Hint = Protocol, "it does not speak TLS: use http"
	case has(reported, `malformed HTTP response "\x15\x03`): // an alert of TLS
		e.Cause, e.Hint = Protocol, speaksTLS
	case has(reported, "malformed HTTP"):
		e.Hint = "it does not speak HTTP: is it https, or an RPC port?"
	case u.Scheme == "https" && cutOff(err) && ours == "":
		// An alert about a client certificate may be lost in the reset that follows it.
		e.Hint = "the service cut the connection: if it wants a client certificate, give --cert and --key"
	case u.Scheme == "https" && cutOff(err):
		e.Hint = "the service cut the connection: perhaps it refuses the client certificate of --cert " + ours
	default:
		return false
	}
	return true
}
