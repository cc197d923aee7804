package rest

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// An Error is a response that cannot be used, or a missing response.
type Error struct {
	URL      string
	Status   int    // 0: there was no response
	Text     string // first line of the response: an exception's message, a page's title
	Hint     string // what to do
	Location string // where a redirect points
	Cause    Cause  // what this package found out; 0 for anything else
	Standby  bool   // the service leaves its work to another one: the next address is tried
	Err      error  // why there was no response, else nil
}

// A Cause classifies an error, as far as the advice of a caller depends on it.
type Cause int

// The causes.
const (
	NoAddress   Cause = iota + 1 // the request has no base
	Untrusted                    // a redirect leads to a host that is not trusted
	Circular                     // redirects go in a circle
	Protocol                     // the address is http and the service requires TLS, or the reverse
	NoAuthority                  // the issuer of the service's certificate is unknown
)

// ErrTooBig means that a response is longer than its limit, or needs more memory.
var ErrTooBig = errors.New("the answer is longer than the limit")

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("GET " + e.URL)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": %d %s", e.Status, http.StatusText(e.Status))
	}
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	} else if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Location != "" {
		b.WriteString(": it points to " + e.Location)
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Advice returns what to do.
func (e *Error) Advice() string { return e.Hint }

// Status returns the HTTP status of an error, 0 if there was no response.
func Status(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// Hint returns what to do about an error, "" if that is unknown. Errors of a login have their own advice.
func Hint(err error) string {
	var e interface{ Advice() string }
	if errors.As(err, &e) {
		return e.Advice()
	}
	return ""
}

// Elsewhere reports whether another address of a service may respond after this error.
func Elsewhere(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Standby || e.Cause == Untrusted || e.Status >= 500 ||
		e.Status == 0 && !errors.Is(e.Err, ErrTooBig))
}

// advised completes an error: by what is certain, by the caller's advice, else by what is likely.
func (r *Request) advised(e *Error, resp *Response) *Error {
	if resp != nil {
		if e.Hint == "" && e.Status/100 == 3 && loginPage.MatchString(e.Location) {
			e.Hint = "it redirects to a login page for browsers: give the address of a topology that takes a password (for Knox: the ShiroProvider), with --user and password-file"
		}
		e.Follow(certain, resp)
	}
	if r.Advise != nil {
		r.Advise(e, resp)
	}
	e.Follow(likely, resp)
	return e
}

// loginPage matches pages to which gateways send users who are not signed in: single sign-on, and usual ones.
var loginPage = regexp.MustCompile(`(?i)/(knoxsso|websso|idp|login|signin|sso|oauth2?|saml2?)(/|\.|\?|$)`)

// A Rule is the advice for an error. An empty field matches any error without a Cause.
type Rule struct {
	Cause        Cause  // the hint is added to that of the cause
	Status       int    // the status or its first digit
	URL, Text    string // parts of the address and of the text
	Authenticate string // part of the kind of authentication that the service requires, in lower case
	Standby      bool   // the service leaves its work to another one, without naming it
	Hint         string
}

// certain are the refusals that mean the same for all services, and likely those that may mean something else.
var (
	certain = []Rule{
		{Status: 401, Authenticate: "negotiate", Hint: "the cluster requires Kerberos (SPNEGO)"},
		{Status: 401, Authenticate: "basic", Hint: "it requires a user's password: give --user NAME and --set password-file=FILE (or PARATIMER_PASSWORD); if they were given, one of them is wrong"},
		{Status: 403, Authenticate: "pseudoauth", Hint: "the cluster requires a user name: give --user"},
		{Status: 403, Hint: "this user may not look at this: give another --user"},
		{Status: 400, URL: "http://", Text: "HTTP request to an HTTPS server", Hint: speaksTLS},
		{Status: 400, URL: "http://", Text: "HTTP request was sent to HTTPS port", Hint: speaksTLS},
	}
	likely = []Rule{
		{Status: 200, Hint: "a web page came instead of JSON: is this the address of the service itself, and not of a login page or another program?"},
		{Status: 3, Hint: "it redirects: give the address of the service itself"},
		{Status: 5, Hint: "the service failed: see its log"},
	}
)

const speaksTLS = "it speaks TLS: give the address as https://"

// Follow completes an error by the first rule that matches. The response is nil if there was none. A rule about a
// standby or a cause comes before a hint that is there, others do not.
func (e *Error) Follow(rules []Rule, resp *Response) {
	authenticate := ""
	if resp != nil {
		authenticate = strings.ToLower(resp.Header.Get("WWW-Authenticate"))
	}
	i := slices.IndexFunc(rules, func(r Rule) bool {
		isStatus := r.Status == 0 || r.Status == e.Status || r.Status == e.Status/100
		isOpen := r.Cause != 0 || !r.Standby && e.Hint == "" || r.Standby && e.Location == ""
		return r.Cause == e.Cause && isStatus && isOpen && strings.Contains(e.URL, r.URL) &&
			strings.Contains(e.Text, r.Text) && strings.Contains(authenticate, r.Authenticate)
	})
	switch {
	case i < 0:
	case rules[i].Standby:
		e.Standby, e.Hint = true, rules[i].Hint
	default:
		e.Hint += rules[i].Hint
	}
}

// Refused returns what to do if the user may not see something. remedy returns what its owner can do for a user, by
// the short name that services derive from a principal.
func (c *Client) Refused(what string, remedy func(user string) string) string {
	who := c.opt.User
	if c.opt.Login != nil && c.opt.Login.Used() && c.opt.Login.Name() != "" {
		who = c.opt.Login.Name()
	}
	user, _, _ := strings.Cut(who, "@")
	user, _, _ = strings.Cut(user, "/")
	hint := cmp.Or(who, "whoever asks") + " may not see " + what + ": " + remedy(cmp.Or(user, "NAME"))
	if c.opt.Login == nil {
		hint += "; or give another --user"
	}
	return hint
}

var title = regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>(.*?)</(?:title|h1)>`)

// Exception returns the name of the exception with which a service has failed, and its message. A web server's own
// errors have only a message. Both are "" for other responses.
func Exception(body []byte) (name, message string) {
	var x struct {
		RemoteException struct{ Exception, Message string }
		Message         string // of the web server's own errors
	}
	_ = json.Unmarshal(body, &x) // of a field of another type, the others are read
	if e := x.RemoteException; e.Exception != "" {
		return e.Exception, e.Message
	}
	return "", cmp.Or(x.RemoteException.Message, x.Message)
}

// bodyText returns the first readable line of a response.
func bodyText(body []byte) string {
	if name, message := Exception(body); cmp.Or(message, name) != "" {
		return oneLine(cmp.Or(message, name))
	}
	body = body[:min(len(body), 4096)]
	if m := title.FindSubmatch(body); m != nil {
		return oneLine(html.UnescapeString(string(m[1])))
	}
	if s := strings.TrimSpace(string(body)); !strings.HasPrefix(s, "<") && !strings.HasPrefix(s, "{") {
		return oneLine(s)
	}
	return ""
}

// oneLine returns foreign text as errors quote it: the first line, cut to 200 characters.
func oneLine(s string) string { return input.OneLine(s, 200) }

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
	wanted := "it requires a client certificate: give --set cert=FILE and --set key=FILE"
	if ours != "" {
		wanted = "it refuses the client certificate " + ours + ": is it valid, and issued by an authority that the service trusts?"
	}
	isCut := errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &host):
		e.Hint = "use a name that the certificate has as a subject alternative name, or add this one to the certificate"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		e.Hint = "is this machine's clock right? If it is, the service's certificate must be renewed"
	case errors.As(err, &unknown), errors.As(err, &invalid):
		if unknown.Cert != nil {
			e.Text = "its certificate was issued by " + oneLine(unknown.Cert.Issuer.String()) + ", which this machine does not trust"
		}
		e.Cause, e.Hint = NoAuthority, "give that authority's certificate, in PEM form, by --set ca-file=FILE"
	case alert && is("handshake failure") && ours == "":
		e.Hint = "it refuses the handshake: it may require a client certificate (--set cert=FILE and --set key=FILE), or other ciphers"
	case alert && is("bad certificate", "unknown certificate", "certificate unknown", "expired certificate",
		"revoked certificate", "unsupported certificate", "access denied", "certificate required"):
		e.Hint = wanted
	case alert && is("protocol version"), is("unsupported protocol version"):
		e.Hint = "its TLS is older than 1.2, which is not safe: allow TLSv1.2 there"
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
		e.Hint = "does this machine resolve the name?"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Hint = "nothing listens there: is the service up, is the port right?"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Hint = "the service is too slow, or a firewall drops what is sent to it"
	}
}
