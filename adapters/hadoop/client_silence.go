package hadoop

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// noAnswer describes an exchange that failed.
func (c *Client) noAnswer(ctx context.Context, u *url.URL, err error) *Error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
		if ctx.Err() == context.DeadlineExceeded && !errors.Is(cause, ctx.Err()) {
			err = fmt.Errorf("%w: %w", cause, context.DeadlineExceeded)
		}
	}
	e := &Error{URL: u.String(), Err: unended(err), Text: oneLine(err.Error())}
	if hint := advised(err); hint != "" {
		e.Hint = hint
		return e
	}
	if text, hint := c.distrust(err); hint != "" {
		e.Text, e.Hint = text, hint
		return e
	}
	if hint := c.handshake(u, err); hint != "" {
		e.Hint = hint
		return e
	}
	var (
		dns     *net.DNSError
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &dns):
		e.Hint = "no such host: is the name known on this machine?"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Hint = "nothing listens there: is the service up, is the port right?"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Hint = "the service cut the connection"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Hint = "the service is too slow, or a firewall drops what is sent to it"
	}
	return e
}

// unended keeps a connection's io.EOF from being taken for a source's: that is the end of the run.
func unended(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %s", io.ErrUnexpectedEOF, err.Error())
	}
	return err
}

// distrust says why a service's certificate is not accepted, and what to do; "" where that is not it.
func (c *Client) distrust(err error) (text, hint string) {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		names := host.Certificate.DNSNames
		for _, ip := range host.Certificate.IPAddresses {
			names = append(names, ip.String())
		}
		if len(names) == 0 {
			return fmt.Sprintf("its certificate, of %s, names no host at all", oneLine(host.Certificate.Subject.String())),
				"a certificate must have its host as a subject alternative name; the common name alone does not count any more"
		}
		return fmt.Sprintf("its certificate is for %s, not for %s", fewOf(names), host.Host), "ask by a name that the certificate has, or have it issued for this one as well"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		now, cert := c.opt.Clock(), invalid.Cert
		if now.Before(cert.NotBefore) {
			return fmt.Sprintf("its certificate, of %s, is not valid before %s", oneLine(cert.Subject.String()), stamp(cert.NotBefore)),
				fmt.Sprintf("this machine's clock says %s: is it right?", stamp(now))
		}
		return fmt.Sprintf("its certificate, of %s, expired at %s", oneLine(cert.Subject.String()), stamp(cert.NotAfter)),
			fmt.Sprintf("this machine's clock says %s; if it is right, the service's certificate must be renewed", stamp(now))
	case errors.As(err, &unknown) && unknown.Cert != nil:
		issuer := oneLine(unknown.Cert.Issuer.String())
		text = fmt.Sprintf("its certificate was issued by %s, which nobody here knows", issuer)
		if issuer == oneLine(unknown.Cert.Subject.String()) {
			text = fmt.Sprintf("its certificate was issued by %s, itself or an authority that nobody here knows", issuer)
		}
		return text, c.opt.Site.exportHint()
	case errors.As(err, &unknown), errors.As(err, &invalid):
		return oneLine(err.Error()), c.opt.Site.exportHint()
	}
	return "", ""
}

// fewOf lists the first of many names.
func fewOf(names []string) string {
	const most = 5
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	return oneLine(strings.Join(names, ", ")) + more
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// handshake says what to do where the two sides do not agree on how to talk; "" where that is not it. Alerts of the other
// side have no type of their own in crypto/tls: their text is what there is.
func (c *Client) handshake(u *url.URL, err error) string {
	var record tls.RecordHeaderError
	said := err.Error()
	alert := strings.Contains(said, "remote error: tls: ")
	ours := c.opt.CertFile != ""
	switch {
	case alert && has(said, "certificate required", "bad certificate", "unknown certificate", "certificate unknown", "handshake failure") && !ours:
		if has(said, "handshake failure") {
			return "it refuses the handshake: it may want a client certificate (--cert and --key), or speak other ciphers only"
		}
		return "it wants a client certificate: give --cert and --key"
	case alert && has(said, "bad certificate", "unknown certificate", "unknown certificate authority", "expired certificate", "revoked certificate", "unsupported certificate", "access denied", "certificate required"):
		return fmt.Sprintf("it refuses the client certificate of --cert %s: is it valid, and issued by an authority that the service trusts?", c.opt.CertFile)
	case alert && has(said, "protocol version"), has(said, "unsupported protocol version"):
		return "it speaks a TLS older than 1.2, which is not safe any more: allow TLSv1.2 there"
	case errors.As(err, &record), has(said, "server gave HTTP response to HTTPS client"):
		return "it does not speak TLS: use http, or set yarn.http.policy"
	case has(said, `malformed HTTP response "\x15\x03`): // an alert of TLS
		return "it speaks TLS: give the address as https://, or set yarn.http.policy"
	case has(said, "malformed HTTP"):
		return "it does not speak HTTP: is it https, or an RPC port?"
	case u.Scheme == "https" && cutOff(err) && c.asked.Load():
		// The alert that says why may be lost in the reset that follows it.
		if ours {
			return fmt.Sprintf("the service cut the connection, for which it had asked for a client certificate: perhaps it refuses the client certificate of --cert %s", c.opt.CertFile)
		}
		return "the service cut the connection; it had asked for a client certificate: give --cert and --key"
	}
	return ""
}

func cutOff(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func has(s string, any ...string) bool {
	for _, part := range any {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
