package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// failure describes an exchange that failed.
func (c *Client) failure(ctx context.Context, u *url.URL, err error) *Error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
		if ctx.Err() == context.DeadlineExceeded && !errors.Is(cause, ctx.Err()) {
			err = fmt.Errorf("%w: %w", cause, context.DeadlineExceeded)
		}
	}
	e := &Error{URL: u.String(), Err: err, Text: oneLine(err.Error()), Hint: Hint(err)}
	if errors.Is(err, io.EOF) { // a source's io.EOF means the end of the run
		e.Err = fmt.Errorf("%w: %s", io.ErrUnexpectedEOF, err.Error())
	}
	if e.Hint == "" {
		c.explain(e, u.Scheme == "https", err)
	}
	return e
}

// explain completes an error by its cause. Alerts of the other side have no type of their own in crypto/tls, so their
// text is matched.
func (c *Client) explain(e *Error, isTLS bool, err error) {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
		dns     *net.DNSError
		timeout interface{ Timeout() bool }
	)
	is := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(err.Error(), part) })
	}
	alert, ours := is("remote error: tls: "), c.opt.CertFile
	wanted := "it wants a client certificate: give --set cert=FILE and --set key=FILE"
	if ours != "" {
		wanted = "it refuses the client certificate " + ours + ": is it valid, and issued by an authority that the service trusts?"
	}
	isCut := errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &host):
		e.Hint = "ask by a name that the certificate has as a subject alternative name, or have it issued for this one as well"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		e.Hint = "is this machine's clock right? If it is, the service's certificate must be renewed"
	case errors.As(err, &unknown), errors.As(err, &invalid):
		if unknown.Cert != nil {
			e.Text = "its certificate was issued by " + oneLine(unknown.Cert.Issuer.String()) + ", which this machine does not trust"
		}
		e.Cause, e.Hint = NoAuthority, "give that authority's certificate, in PEM form, by --set ca-file=FILE"
	case alert && is("handshake failure") && ours == "":
		e.Hint = "it refuses the handshake: it may want a client certificate (--set cert=FILE and --set key=FILE), or speak other ciphers only"
	case alert && is("bad certificate", "unknown certificate", "certificate unknown", "expired certificate",
		"revoked certificate", "unsupported certificate", "access denied", "certificate required"):
		e.Hint = wanted
	case alert && is("protocol version"), is("unsupported protocol version"):
		e.Hint = "it speaks a TLS older than 1.2, which is not safe any more: allow TLSv1.2 there"
	case errors.As(err, &record), is("server gave HTTP response to HTTPS client"):
		e.Cause, e.Hint = Protocol, "it does not speak TLS: use http"
	case is(`malformed HTTP response "\x15\x03`): // an alert of TLS
		e.Cause, e.Hint = Protocol, speaksTLS
	case is("malformed HTTP"):
		e.Hint = "it does not speak HTTP: is it https, or an RPC port?"
	case isCut:
		e.Hint = "the service cut the connection"
		if isTLS { // an alert about a client certificate may be lost in the reset that follows it
			e.Hint += ": perhaps " + wanted
		}
	case errors.As(err, &dns):
		e.Hint = "is the name known on this machine?"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Hint = "nothing listens there: is the service up, is the port right?"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Hint = "the service is too slow, or a firewall drops what is sent to it"
	}
}
