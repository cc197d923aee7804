package hadoop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxHops bounds redirects.
const maxHops = 4

// errTooBig means that a body is longer than Options.MaxBody, or than responses to such a request may be.
var errTooBig = errors.New("the answer is longer than the limit")

// try requests path from each base until one responds, and calls good with that base.
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
		return nil, &Error{
			URL: path, Text: "no address is known of this service",
			Hint: "give it by a flag or in HADOOP_CONF_DIR",
		}
	}
	return nil, silence(errs)
}

// silence lists the errors of several addresses.
type silence []error

func (s silence) Error() string {
	all := make([]string, len(s))
	for i, err := range s {
		all[i] = err.Error()
	}
	return fmt.Sprintf("none of %d addresses answers: %s", len(s), strings.Join(all, "; "))
}

func (s silence) Unwrap() []error { return s }

// elsewhere reports whether another ResourceManager may succeed.
func elsewhere(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	return errors.Is(e.Err, errStranger) || e.Status == 0 && !errors.Is(e.Err, errTooBig) &&
		!errors.Is(e.Err, errCrowded) || e.Status >= 500 || e.standby() || e.noActive() ||
		e.Status == http.StatusTemporaryRedirect && e.Location == ""
}

// follow requests the address in at. It follows redirects to the same path of another server (a standby
// ResourceManager's, docs/facts/hadoop.md A3; http to https) if it is the same machine, or flags or the
// configuration name its host. It follows none of the proxy's. It leaves the final address in at.
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
		usable := kind == "application/json" || kind == "" && looksJSON(r.body) || kind == "text/plain" && isLog(u) ||
			kind == "text/html" && isPage(u) && drawn(r.body)
		if r.status == http.StatusOK && usable {
			return c.fresh(u, r)
		}
		e := r.refusal(u)
		c.denied(e, r, u)
		// The proxy's page that warns of another user's application (docs/facts/hadoop.md A7).
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
		if machine(next.Hostname()) != machine(u.Hostname()) && !c.trusted(next) {
			return nil, otherHost(e, u, next)
		}
		seen[u.String()] = true
		if seen[next.String()] || len(seen) > maxHops {
			e.Hint = "redirects go in a circle: do the ResourceManagers agree on who is active?"
			return nil, e
		}
		u = next
	}
}

// A reply is a response that was read to its end, whatever its status.
type reply struct {
	status     int
	header     http.Header
	body       []byte
	sent, came time.Time // when the request was sent, and when the response header arrived
	floor      time.Time // the server's newest Date when the request was sent
}

// fresh returns the response's body, or an error if the response is stale. The clock reads the Date of responses
// from the ResourceManager and from Spark. The proxy passes on the masters' dates, which may be another machine's.
func (c *Client) fresh(u *url.URL, r *reply) ([]byte, error) {
	if c.opt.Now != nil {
		return r.body, nil // a capture has the time of each response
	}
	if err := c.dates.old(u, r.header, r.floor, r.came); err != nil {
		return nil, &Error{URL: u.String(), Err: err, Hint: "ask the cluster itself, not a cache"}
	}
	// A driver's path is below the proxy's, and either may be below a gateway's.
	if date, err := http.ParseTime(r.header.Get("Date")); err == nil && (strings.Contains(u.Path, "/ws/v1/cluster/") ||
		strings.Contains(u.Path, "/api/v1/applications") && !strings.Contains(u.Path, "/proxy/")) {
		c.clock.observe(r.sent, r.came, date)
	}
	return r.body, nil
}

// target returns where a redirect of u leads if it is the same path, else nil.
func (r *reply) target(u *url.URL) *url.URL {
	location := r.header.Get("Location")
	if r.status < 300 || r.status > 399 || location == "" {
		return nil
	}
	to, err := u.Parse(location)
	if err != nil || to.Path != u.Path || !plainHost.MatchString(to.Host) || to.Scheme != "http" &&
		to.Scheme != "https" {
		return nil
	}
	// The user's name must not reach another server by way of an echoed query: the chain adds it for each server.
	to.RawQuery, to.User, to.Fragment = u.RawQuery, nil, ""
	return to
}

// exchange sends one request and reads its whole body.
func (c *Client) exchange(outer context.Context, u *url.URL) (*reply, error) {
	ctx := outer
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.slots }()
	ctx, cancel := context.WithTimeoutCause(ctx, c.opt.Total, fmt.Errorf("not done within %v", c.opt.Total))
	defer cancel()
	ctx, giveWay := context.WithCancelCause(ctx)
	lease := c.budget.open(giveWay)
	defer func() { c.budget.hold(outer, lease) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("hadoop: request: %w", err)
	}
	if req.Header.Set("Accept", "application/json"); isLog(req.URL) || isPage(req.URL) ||
		isEventLog(req.URL) {
		req.Header.Set("Accept", "*/*") // a NodeManager refuses a file with 503 if only JSON is accepted
	}
	req.Header.Set("User-Agent", "paratimer")
	floor, sent := c.dates.floor(u), c.opt.Clock()
	resp, err := c.chain.RoundTrip(req)
	if err != nil {
		return nil, c.noAnswer(ctx, u, err)
	}
	came := c.opt.Clock()
	defer resp.Body.Close()
	limit := min(bodyLimit(u), c.opt.MaxBody)
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "application/json" && kind != "" && !isLog(u) && !isPage(u) {
		limit = min(limit, shortBody) // a page is only used for an error message
	}
	body, n, err := c.budget.read(ctx, lease, resp.Body, limit)
	switch {
	case errors.Is(err, errTooBig):
		return nil, longer(u, limit)
	case err != nil:
		e := c.noAnswer(ctx, u, err)
		e.Text = fmt.Sprintf("the answer broke off after %d bytes: %s", n, e.Text)
		return nil, e
	}
	// A proxy that re-encodes the body may add a byte order mark, which is not JSON.
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	return &reply{status: resp.StatusCode, header: resp.Header, body: body, sent: sent, came: came, floor: floor}, nil
}

func looksJSON(body []byte) bool {
	b := bytes.TrimLeft(body, " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[')
}

// historyBase returns the history server's base if err is the proxy's redirect to it (docs/facts/hadoop.md A6), else
// "". A gateway such as Knox serves it below a path of its own that ends in /jobhistory.
func historyBase(err error) string {
	var e *Error
	if !errors.As(err, &e) || e.Location == "" {
		return ""
	}
	to, perr := url.Parse(e.Location)
	if perr != nil || to.Scheme != "http" && to.Scheme != "https" || !plainHost.MatchString(to.Host) {
		return ""
	}
	switch before, _, found := strings.Cut(to.Path, "/jobhistory/"); {
	case !found:
		return ""
	case before == "":
		return to.Scheme + "://" + to.Host
	case !plainPath.MatchString(before):
		return ""
	default:
		return to.Scheme + "://" + to.Host + before + "/jobhistory"
	}
}

const (
	webHDFS = "/webhdfs/v1"
	// hdfsPatience bounds one request: an estimate can do without the response.
	hdfsPatience = 3 * time.Second
	// muteFor is how long a NameNode that did not respond gets no requests.
	muteFor = 10 * time.Minute
)

// errUnnamed means that neither flags nor the configuration name the host of any NameNode of a job's input.
var errUnnamed = errors.New("neither a flag nor the configuration names the NameNode's host")

// HDFS sends a WebHDFS operation on an absolute path, such as GETCONTENTSUMMARY, to several NameNodes until one
// responds. Their addresses come from a job's configuration, which its owner wrote. So only those on hosts that
// flags or the cluster's configuration name are used.
func (c *Client) HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error) {
	var named []string
	stranger := ""
	for _, base := range bases {
		to, err := url.Parse(base)
		if err != nil {
			return nil, fmt.Errorf("hadoop: address: %w", err)
		}
		if c.trusted(to) || c.files[machine(to.Hostname())] {
			named = append(named, base)
		} else {
			stranger = base
		}
	}
	if len(named) == 0 {
		return nil, &Error{
			URL: stranger + webHDFS, Err: errUnnamed,
			Hint: "if it is your cluster's, give --trust-host, or put hdfs-site.xml into the configuration folder",
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hdfsPatience, fmt.Errorf("not done within %v", hdfsPatience))
	defer cancel()
	at := url.URL{Path: webHDFS + path}
	var failed error
	for _, base := range named {
		if c.isMute(base) {
			failed = errors.Join(failed, &Error{URL: base + webHDFS, Text: "it did not answer before"})
			continue
		}
		body, err := c.try(ctx, []string{base}, at.EscapedPath()+"?op="+url.QueryEscape(op), nil)
		if err == nil {
			return body, nil
		}
		failed = errors.Join(failed, err)
		if status(err) == 0 {
			c.mark(base)
		}
	}
	return nil, failed
}

func (c *Client) isMute(base string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, mute := c.mute[base]
	return mute && c.Now().Sub(at) < muteFor
}

func (c *Client) mark(base string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.mute) >= maxServers {
		clear(c.mute)
	}
	c.mute[base] = c.Now()
}

// fileHosts returns the hosts of the site's NameNodes.
func (s Site) fileHosts() map[string]bool {
	all := map[string]bool{}
	for _, base := range s.NameNodes {
		if u, err := url.Parse(base); err == nil {
			all[machine(u.Hostname())] = true
		}
	}
	return all
}
