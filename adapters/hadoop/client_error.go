package hadoop

import (
	"bytes"
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
	"strings"
	"syscall"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// An Error is a response that cannot be used, or a missing response.
type Error struct {
	URL      string
	Status   int    // 0: there was no response
	Type     string // Content-Type
	Text     string // first line of the response: a RemoteException's message, a page's title
	Hint     string // what to do
	Location string // where a redirect points
	Err      error  // why there was no response, else nil
}

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

// brief returns an error's text for a warning: its first line, cut, and the whole hint, which follows a long
// address.
func brief(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Hint != "" && len(e.Hint) < 400 {
		if reported, ends := strings.CutSuffix(err.Error(), " ("+e.Hint+")"); ends {
			return firstLine(reported) + " (" + e.Hint + ")"
		}
	}
	return firstLine(err.Error())
}

// refusal describes a response that is not JSON with status 200.
func (r *reply) refusal(u *url.URL) *Error {
	e := &Error{
		URL: u.String(), Status: r.status, Type: r.header.Get("Content-Type"),
		Text: bodyText(r.body), Location: oneLine(r.header.Get("Location")),
	}
	e.Hint = e.advice(r.header.Get("WWW-Authenticate"))
	return e
}

// standby reports whether a ResourceManager calls itself a standby in words, as RMWebAppFilter does beside its
// redirect. A gateway that follows the redirect may leave nothing but the words.
func (e *Error) standby() bool {
	return e.Location == "" && strings.HasPrefix(e.Text, "This is standby RM")
}

// noActive reports whether a ResourceManager is on standby and finds no active one. Its response has status 200
// once it has stopped looking (RMWebAppFilter).
func (e *Error) noActive() bool {
	return strings.HasPrefix(e.Text, "There is no active RM") || has(e.Text, " find any active RM")
}

// advice returns what to do about a refusal. authenticate is the kind of authentication that the service requires.
func (e *Error) advice(authenticate string) string {
	proxied := strings.Contains(e.URL, "/proxy/")
	switch {
	case e.standby():
		return "this ResourceManager is on standby: --rm takes the addresses of all of them"
	case e.noActive():
		return "this ResourceManager is on standby and knows of no active one: wait until one is active, or give the addresses of all of them to --rm"
	case e.Status == http.StatusOK && proxied &&
		strings.HasPrefix(e.Text, "WARNING: The following page may not be safe"):
		return "the proxy warns whoever the application does not belong to, and does not take that we agree: ask as its owner (--user, --principal)"
	case e.Status == http.StatusOK && e.Text == sparkStarts:
		return "wait until it is up"
	case e.Status == http.StatusOK:
		return "a web page came instead of JSON: is this the address of the service itself, and not of a login page or another program?"
	case e.Status == http.StatusUnauthorized && strings.Contains(authenticate, "Negotiate"):
		return "the cluster wants Kerberos (SPNEGO)"
	case e.Status == http.StatusUnauthorized && strings.HasPrefix(strings.ToLower(authenticate), "basic"):
		return "it wants a user's password: give --user NAME and --password-file FILE (or PARATIMER_PASSWORD); where they were given, one of them is wrong"
	case e.Status == http.StatusUnauthorized:
		return "this user may not look at the job: give another --user, or have the job's owner set mapreduce.job.acl-view-job"
	case e.Status == http.StatusForbidden && strings.Contains(authenticate, "PseudoAuth"):
		return "the cluster wants to know who asks: give --user"
	case e.Status == http.StatusForbidden:
		return "this user may not look at this: give another --user"
	case e.Status >= 300 && e.Status < 400 && loginPage.MatchString(e.Location):
		return "it points to a login page for browsers: ask a topology of the gateway that takes a password (for Knox: the ShiroProvider), with --user and --password-file"
	case proxied && e.Status >= 300 && e.Status < 400:
		return "the application's master has ended or is not up yet"
	case proxied && e.Status == http.StatusNotFound && strings.HasPrefix(e.Text, "Not current Dag"):
		return "the application's master runs another DAG, or none yet"
	case proxied && e.Status == http.StatusNotFound:
		return "the ResourceManager does not know the application any more, or never did"
	case proxied && e.Status >= 500:
		return "the proxy cannot reach the application's master: it is starting, ending or lost"
	case e.Status == http.StatusTemporaryRedirect && e.Location == "":
		return "this ResourceManager is on standby and knows of no active one"
	case e.Status >= 300 && e.Status < 400:
		return "it points elsewhere: give the address of the service itself"
	case e.Status == http.StatusBadRequest && strings.HasPrefix(e.URL, "http://") &&
		has(e.Text, "HTTP request to an HTTPS server", "HTTP request was sent to HTTPS port"):
		return "it speaks TLS: give the address as https://"
	case e.Status == http.StatusNotFound:
		return "unknown here: a wrong id, one that has been forgotten, or not a Hadoop service"
	case e.Status >= 500:
		return "the service is in trouble: see its log"
	}
	return ""
}

// loginPage matches pages to which gateways send users who are not signed in: Knox's single sign-on, and usual
// ones.
var loginPage = regexp.MustCompile(`(?i)/(knoxsso|websso|idp|login|signin|sso|oauth2?|saml2?)(/|\.|\?|$)`)

// sparkStarts is in the page that a driver returns for any address while it starts.
const sparkStarts = "Spark is starting up"

var title = regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>(.*?)</(?:title|h1)>`)

// bodyText returns the first readable line of a response (docs/facts/hadoop.md A2).
func bodyText(body []byte) string {
	var re struct {
		RemoteException struct{ Exception, Message string }
		Message         string // of Jetty's own errors, as a Spark driver sends them
	}
	if json.Unmarshal(body, &re) == nil {
		if s := cmp.Or(re.RemoteException.Message, re.RemoteException.Exception, re.Message); s != "" {
			return oneLine(s)
		}
	}
	if len(body) > 4096 {
		body = body[:4096]
	}
	if m := title.FindSubmatch(body); m != nil {
		return oneLine(html.UnescapeString(string(m[1])))
	}
	if bytes.Contains(body, []byte(sparkStarts)) {
		return sparkStarts
	}
	if s := strings.TrimSpace(string(body)); !strings.HasPrefix(s, "<") && !strings.HasPrefix(s, "{") {
		return oneLine(s)
	}
	return ""
}

// oneLine returns foreign text as errors quote it: the first line, cut to 200 characters.
func oneLine(s string) string { return input.OneLine(s, 200) }

var jobInPath = regexp.MustCompile(`/jobs/(job_\d+_\d+)`)

// denied completes a refusal of access to a job: it names the refused user and what to request. Hadoop's masters
// and history server respond with 401 (docs/facts/hadoop.md A2), or in 3.4 with 503 and an empty
// WebApplicationException. Such an error gets status 403, since the service is well and another request is in vain.
func (c *Client) denied(e *Error, r *reply, u *url.URL) {
	job := jobInPath.FindStringSubmatch(u.Path)
	if job == nil {
		c.deniedSpark(e, r, u)
		return
	}
	switch {
	case r.status == http.StatusServiceUnavailable && r.silent():
		e.Status, e.Text = http.StatusForbidden, "it answers 503, as to anybody who may not see the job"
	case r.status == http.StatusUnauthorized && r.header.Get("WWW-Authenticate") == "",
		r.status == http.StatusForbidden && !strings.Contains(r.header.Get("WWW-Authenticate"), "PseudoAuth"):
	default:
		return
	}
	who, user := c.asker()
	e.Hint = who + " may not see " + job[1] + ": its owner can start it with mapreduce.job.acl-view-job=" + user +
		", or whoever runs the cluster makes " + user + " an administrator of its queue"
	if c.opt.Login == nil {
		e.Hint += "; or give another --user"
	}
}

var appInPath = regexp.MustCompile(`/(application_\d+_\d+|app-[\w-]+|local-\d+)(/|$)`)

// deniedSpark names the user that a Spark driver refuses, and what to request.
func (c *Client) deniedSpark(e *Error, r *reply, u *url.URL) {
	if r.header.Get("WWW-Authenticate") != "" || !strings.Contains(u.Path, "/api/v1/applications") {
		return
	}
	if r.status == http.StatusUnauthorized {
		e.Hint = "the filter before Spark's pages (spark.ui.filters) wants to know who asks: give --user, a password or a ticket"
	}
	if r.status != http.StatusForbidden {
		return
	}
	app := "the application"
	if m := appInPath.FindStringSubmatch(u.Path); m != nil {
		app = m[1]
	}
	who, user := c.asker()
	e.Hint = who + " may not see " + app + ": its owner can start it with spark.ui.view.acls=" + user
	if c.opt.Login == nil {
		e.Hint += "; or give another --user"
	}
}

// silent reports whether a response is an exception that lost its status and message on the way.
func (r *reply) silent() bool {
	var body struct {
		RemoteException struct{ Exception, Message string }
	}
	return json.Unmarshal(r.body, &body) == nil && body.RemoteException.Exception == "WebApplicationException" &&
		body.RemoteException.Message == ""
}

// asker returns the requesting user, for messages, and the short name that Hadoop derives from it by default.
func (c *Client) asker() (who, user string) {
	who = c.opt.User
	if c.opt.Login != nil && c.opt.Login.Used() && c.opt.Login.Name() != "" {
		who = c.opt.Login.Name()
	}
	if who == "" {
		return "whoever asks", "NAME"
	}
	user, _, _ = strings.Cut(who, "@")
	user, _, _ = strings.Cut(user, "/")
	return who, user
}

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
		e.Hint = "is the name known on this machine?"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Hint = "nothing listens there: is the service up, is the port right?"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, io.EOF):
		e.Hint = "the service cut the connection"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Hint = "the service is too slow, or a firewall drops what is sent to it"
	}
	return e
}

// unended replaces a connection's io.EOF, because a source's io.EOF means the end of the run.
func unended(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %s", io.ErrUnexpectedEOF, err.Error())
	}
	return err
}

// distrust returns why a service's certificate is not accepted, and what to do; "" if that is not the cause.
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
			return fmt.Sprintf("its certificate, of %s, names no host at all",
					oneLine(host.Certificate.Subject.String())),
				"a certificate must have its host as a subject alternative name; the common name alone does not count any more"
		}
		return fmt.Sprintf("its certificate is for %s, not for %s", fewOf(names), host.Host),
			"ask by a name that the certificate has, or have it issued for this one as well"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		now, cert := c.opt.Clock(), invalid.Cert
		if now.Before(cert.NotBefore) {
			return fmt.Sprintf("its certificate, of %s, is not valid before %s", oneLine(cert.Subject.String()),
					stamp(cert.NotBefore)),
				fmt.Sprintf("this machine's clock says %s: is it right?", stamp(now))
		}
		return fmt.Sprintf("its certificate, of %s, expired at %s", oneLine(cert.Subject.String()),
				stamp(cert.NotAfter)),
			fmt.Sprintf("this machine's clock says %s; if it is right, the service's certificate must be renewed",
				stamp(now))
	case errors.As(err, &unknown) && unknown.Cert != nil:
		issuer := oneLine(unknown.Cert.Issuer.String())
		text = fmt.Sprintf("its certificate was issued by %s, which nobody here knows", issuer)
		if issuer == oneLine(unknown.Cert.Subject.String()) {
			text = fmt.Sprintf("its certificate was issued by %s, itself or an authority that nobody here knows",
				issuer)
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

// handshake returns what to do if the two sides do not agree on a protocol; "" if that is not the cause. Alerts of
// the other side have no type of their own in crypto/tls, so their text is matched.
func (c *Client) handshake(u *url.URL, err error) string {
	var record tls.RecordHeaderError
	reported := err.Error()
	alert := strings.Contains(reported, "remote error: tls: ")
	ours := c.opt.CertFile != ""
	switch {
	case alert && has(reported, "certificate required", "bad certificate", "unknown certificate", "certificate unknown",
		"handshake failure") && !ours:
		if has(reported, "handshake failure") {
			return "it refuses the handshake: it may want a client certificate (--cert and --key), or speak other ciphers only"
		}
		return "it wants a client certificate: give --cert and --key"
	case alert && has(reported, "bad certificate", "unknown certificate", "unknown certificate authority",
		"expired certificate", "revoked certificate", "unsupported certificate", "access denied",
		"certificate required"):
		return fmt.Sprintf("it refuses the client certificate of --cert %s: is it valid, and issued by an authority that the service trusts?", c.opt.CertFile)
	case alert && has(reported, "protocol version"), has(reported, "unsupported protocol version"):
		return "it speaks a TLS older than 1.2, which is not safe any more: allow TLSv1.2 there"
	case errors.As(err, &record), has(reported, "server gave HTTP response to HTTPS client"):
		return "it does not speak TLS: use http, or set yarn.http.policy"
	case has(reported, `malformed HTTP response "\x15\x03`): // an alert of TLS
		return "it speaks TLS: give the address as https://, or set yarn.http.policy"
	case has(reported, "malformed HTTP"):
		return "it does not speak HTTP: is it https, or an RPC port?"
	case u.Scheme == "https" && cutOff(err) && c.asked.Load():
		// The alert with the reason may be lost in the reset that follows it.
		if ours {
			return fmt.Sprintf(
				"the service cut the connection, for which it had asked for a client certificate: perhaps it refuses the client certificate of --cert %s", c.opt.CertFile)
		}
		return "the service cut the connection; it had asked for a client certificate: give --cert and --key"
	}
	return ""
}

func cutOff(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

func has(s string, any ...string) bool {
	for _, part := range any {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// advised returns the hint of an error that has one of its own, such as a login's.
func advised(err error) string {
	var e interface{ Advice() string }
	if errors.As(err, &e) {
		return e.Advice()
	}
	return ""
}
