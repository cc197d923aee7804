package hadoop

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// maxHops bounds redirects.
const maxHops = 4

// errTooBig says that a body is longer than Options.MaxBody.
var errTooBig = errors.New("the answer is longer than the limit")

// try asks each base for path until one answers, and tells good which it was.
func (c *Client) try(ctx context.Context, bases []string, path string, good func(base string)) ([]byte, error) {
	var errs []error
	for _, base := range bases {
		u, err := url.Parse(base + path)
		if err != nil {
			return nil, fmt.Errorf("hadoop: address: %w", err)
		}
		body, err := c.follow(ctx, &u)
		if err == nil {
			if good != nil {
				good(strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, strings.SplitN(path, "?", 2)[0]))
			}
			return body, nil
		}
		errs = append(errs, err)
		if !elsewhere(err) || ctx.Err() != nil {
			break
		}
	}
	if len(errs) == 1 {
		return nil, errs[0]
	}
	if len(errs) == 0 {
		return nil, &Error{URL: path, Text: "no address is known of this service", Hint: "give it by a flag or in HADOOP_CONF_DIR"}
	}
	return nil, silence(errs)
}

// silence is what each of several addresses said.
type silence []error

func (s silence) Error() string {
	all := make([]string, len(s))
	for i, err := range s {
		all[i] = err.Error()
	}
	return fmt.Sprintf("none of %d addresses answers: %s", len(s), strings.Join(all, "; "))
}

func (s silence) Unwrap() []error { return s }

// elsewhere says whether another ResourceManager may do better.
func elsewhere(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Status == 0 && !errors.Is(e.Err, errTooBig) || e.Status >= 500 ||
		e.Status == http.StatusTemporaryRedirect && e.Location == ""
}

// follow gets u. It follows redirects to the same path of another server (a standby ResourceManager's, facts A3; http to
// https), but none of the proxy's. It leaves in at where it ended.
func (c *Client) follow(ctx context.Context, at **url.URL) ([]byte, error) {
	u := *at
	defer func() { *at = u }()
	proxied := strings.Contains(u.Path, "/proxy/")
	approved := false
	seen := map[string]bool{}
	for {
		r, err := c.exchange(ctx, u)
		if err != nil {
			return nil, err
		}
		kind, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
		if r.status == http.StatusOK && (kind == "application/json" || kind == "" && looksJSON(r.body)) {
			return r.body, nil
		}
		e := r.refusal(u)
		// The proxy's page that warns of a stranger's application (facts A7).
		if proxied && r.status == http.StatusOK && kind == "text/html" && !approved {
			approved = true
			next := *u
			next.RawQuery = strings.TrimPrefix(next.RawQuery+"&proxyapproved=true", "&")
			u = &next
			continue
		}
		next := r.target(u)
		if proxied || next == nil {
			return nil, e
		}
		if u.Scheme == "https" && next.Scheme == "http" {
			e.Hint = "from https to http is not followed"
			return nil, e
		}
		seen[u.String()] = true
		if seen[next.String()] || len(seen) > maxHops {
			e.Hint = "redirects go in a circle: do the ResourceManagers agree on who is active?"
			return nil, e
		}
		u = next
	}
}

// A reply is an answer that was read to its end, whatever it says.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// target returns where a redirect of u leads if it is the same path, else nil.
func (r *reply) target(u *url.URL) *url.URL {
	location := r.header.Get("Location")
	if r.status < 300 || r.status > 399 || location == "" {
		return nil
	}
	to, err := u.Parse(location)
	if err != nil || to.Path != u.Path || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil
	}
	// The user's name must not travel on by way of an echoed query: each server gets it from the chain.
	to.RawQuery, to.User, to.Fragment = u.RawQuery, nil, ""
	return to
}

// exchange sends one request and reads its whole body.
func (c *Client) exchange(ctx context.Context, u *url.URL) (*reply, error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.slots }()
	ctx, cancel := context.WithTimeoutCause(ctx, c.opt.Total, fmt.Errorf("not done within %v", c.opt.Total))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("hadoop: request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "paratimer")
	resp, err := c.chain.RoundTrip(req)
	if err != nil {
		return nil, noAnswer(ctx, u, err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	n, err := body.ReadFrom(io.LimitReader(resp.Body, c.opt.MaxBody+1))
	switch {
	case err != nil:
		e := noAnswer(ctx, u, err)
		e.Text = fmt.Sprintf("the answer broke off after %d bytes: %s", n, e.Text)
		return nil, e
	case n > c.opt.MaxBody:
		return nil, &Error{URL: u.String(), Err: errTooBig, Text: fmt.Sprintf("the answer is longer than %d MiB", c.opt.MaxBody>>20)}
	}
	return &reply{status: resp.StatusCode, header: resp.Header, body: body.Bytes()}, nil
}

// noAnswer describes an exchange that failed.
func noAnswer(ctx context.Context, u *url.URL, err error) *Error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
		if ctx.Err() == context.DeadlineExceeded && !errors.Is(cause, ctx.Err()) {
			err = fmt.Errorf("%w: %w", cause, context.DeadlineExceeded)
		}
	}
	e := &Error{URL: u.String(), Err: err, Text: oneLine(err.Error())}
	var (
		dns     *net.DNSError
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		expired x509.CertificateInvalidError
		record  tls.RecordHeaderError
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &dns):
		e.Hint = "no such host: is the name known on this machine?"
	case errors.As(err, &unknown):
		e.Hint = "its certificate is signed by nobody that is known here: give --ca-file"
	case errors.As(err, &host), errors.As(err, &expired):
		e.Hint = "its certificate is not valid for this address now"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		e.Hint = "it does not speak TLS: use http, or set yarn.http.policy"
	case strings.Contains(err.Error(), "malformed HTTP"):
		e.Hint = "it does not speak HTTP: is it https, or an RPC port?"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Hint = "nothing listens there: is the service up, is the port right?"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Hint = "the service cut the connection"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Hint = "the service is too slow, or a firewall drops what is sent to it"
	}
	return e
}

func looksJSON(body []byte) bool {
	b := bytes.TrimLeft(body, " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[')
}

// historyBase returns the history server's base if err is the proxy's redirect to it (facts A6), else "".
func historyBase(err error) string {
	var e *Error
	if !errors.As(err, &e) || e.Location == "" {
		return ""
	}
	to, perr := url.Parse(e.Location)
	if perr != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" || !strings.HasPrefix(to.Path, "/jobhistory/") {
		return ""
	}
	return to.Scheme + "://" + to.Host
}
