package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Request is a GET request to one of several equal services.
type Request struct {
	Bases []string // addresses of the services, in the order in which they are tried
	Path  string   // below a base, with its query

	// Limit is the most bytes that the response may have, unpacked: Short, Middle or Long; 0 is Short.
	Limit int64
	// Usable reports whether a response that is not JSON is usable, by its media type; nil: none is.
	Usable func(kind string, body []byte) bool

	// Behind names the machine behind the address that responds, if the address is a proxy's. Its Date headers are
	// compared with its own alone.
	Behind string
	// Clock means that the Date header of the response is the cluster's clock.
	Clock bool
	// Pinned means that redirects are not followed.
	Pinned bool
	// Consent is added to the query, once, if a page comes instead of JSON: the reply to a proxy that warns.
	Consent string
	// Advise completes an error about a service: its hint, or what the response means. The response is nil if there
	// was none.
	Advise func(e *Error, r *Response)
}

// A Response was read to its end, whatever its status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte

	sent, received time.Time // when the request was sent, and when the response header arrived
	newest         time.Time // the server's newest Date when the request was sent
}

// kind returns the media type of a header.
func kind(h http.Header) string {
	k, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return k
}

// maxHops bounds redirects.
const maxHops = 4

// Get sends a request to each base in turn until one responds. It returns the body of the response, and the base that
// it came from, which is another one after a redirect. Anything but a usable response with status 200 is an *Error.
func (c *Client) Get(ctx context.Context, r *Request) (body []byte, base string, err error) {
	if len(r.Bases) == 0 {
		return nil, "", r.advised(&Error{
			URL: r.Path, Cause: NoAddress, Text: "no address of this service is configured",
		}, nil)
	}
	var errs several
	for _, base := range r.Bases {
		u, err := url.Parse(strings.TrimSuffix(base, "/") + r.Path)
		if err != nil {
			return nil, "", fmt.Errorf("address: %w", err)
		}
		body, u, err := c.follow(ctx, u, r)
		if err == nil {
			path, _, _ := strings.Cut(r.Path, "?")
			return body, strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, path), nil
		}
		errs = append(errs, err)
		if !Elsewhere(err) || ctx.Err() != nil {
			break
		}
	}
	if len(errs) == 1 {
		return nil, "", errs[0]
	}
	return nil, "", errs
}

// several are the errors of the addresses of a request.
type several []error

func (s several) Error() string {
	all := strings.ReplaceAll(errors.Join(s...).Error(), "\n", "; ")
	return fmt.Sprintf("none of %d addresses answers: %s", len(s), all)
}

func (s several) Unwrap() []error { return s }

// follow sends a request to u. It follows redirects to the same path of another server (http to https, or a server
// that is active in place of this one) if it is the same machine, or a trusted host. It returns the final address.
func (c *Client) follow(ctx context.Context, u *url.URL, r *Request) ([]byte, *url.URL, error) {
	consent := r.Consent
	visited := map[string]bool{}
	for {
		resp, err := c.exchange(ctx, u, r)
		if err != nil {
			return nil, u, err
		}
		media := kind(resp.Header)
		usable := media == "application/json" || media == "" && looksJSON(resp.Body) ||
			r.Usable != nil && r.Usable(media, resp.Body)
		if resp.Status == http.StatusOK && usable {
			return resp.Body, u, c.fresh(u, r, resp)
		}
		if consent != "" && resp.Status == http.StatusOK && media == "text/html" {
			page := *u
			page.RawQuery = strings.TrimPrefix(page.RawQuery+"&"+consent, "&")
			u, consent = &page, ""
			continue
		}
		visited[u.String()] = true
		e := &Error{URL: u.String(), Status: resp.Status, Text: bodyText(resp.Body)}
		e.Location = oneLine(resp.Header.Get("Location"))
		next := resp.target(u)
		switch {
		case r.Pinned || next == nil:
			next = nil
		case u.Scheme == "https" && next.Scheme == "http":
			e.Hint = "from https to http is not followed"
		case Machine(next.Hostname()) != Machine(u.Hostname()) && !c.Trusts(next):
			e.Cause, e.Text = Untrusted, cmp.Or(e.Text, "the redirect leads to a host that is not configured")
			e.Hint = next.Host + " gets no requests, because neither a flag nor the configuration has it: if it is your cluster's, " +
				"give --set trust-host=" + next.Hostname() + ", or its address with that of the service that points there"
		case visited[next.String()] || len(visited) > maxHops:
			e.Cause, e.Hint = Circular, "redirects go in a circle"
		}
		if next == nil || e.Hint != "" {
			return nil, u, r.advised(e, resp)
		}
		u = next
	}
}

// fresh returns an error if a response is older than another one of its server, and otherwise reads its clock.
func (c *Client) fresh(u *url.URL, r *Request, resp *Response) error {
	if c.opt.Now != nil {
		return nil // a recording has the time of each response
	}
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return nil //nolint:nilerr // without a Date nothing shows its age
	}
	if err := c.dates.check(u.Host+"/"+r.Behind, date, resp.newest, resp.received); err != nil {
		return &Error{URL: u.String(), Err: err, Hint: "give the address of the cluster itself, not of a cache"}
	}
	if r.Clock {
		c.clock.observe(resp.sent, resp.received, date)
	}
	return nil
}

// target returns where a redirect of u leads if it is the same path, else nil.
func (r *Response) target(u *url.URL) *url.URL {
	location := r.Header.Get("Location")
	if r.Status < 300 || r.Status > 399 || location == "" {
		return nil
	}
	to, err := u.Parse(location)
	if err != nil || to.Path != u.Path || !PlainHost(to.Host) || to.Scheme != "http" && to.Scheme != "https" {
		return nil
	}
	// The user's name must not reach another server by way of an echoed query: the chain adds it for each server.
	to.RawQuery, to.User, to.Fragment = u.RawQuery, nil, ""
	return to
}

// exchange sends one request and reads its whole response.
func (c *Client) exchange(outer context.Context, u *url.URL, r *Request) (*Response, error) {
	select {
	case c.slots <- struct{}{}:
	case <-outer.Done():
		return nil, outer.Err()
	}
	defer func() { <-c.slots }()
	ctx, cancel := context.WithTimeoutCause(outer, c.opt.Total, fmt.Errorf("not done within %v", c.opt.Total))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if r.Usable != nil {
		req.Header.Set("Accept", "*/*") // some servers refuse a file if only JSON is accepted
	}
	req.Header.Set("User-Agent", "paratimer")
	newest, sent := c.dates.of(u.Host+"/"+r.Behind), c.opt.Clock()
	resp, err := c.chain.RoundTrip(req)
	if err != nil {
		return nil, r.advised(c.failure(ctx, u, err), nil)
	}
	received := c.opt.Clock()
	defer resp.Body.Close()
	limit := min(cmp.Or(r.Limit, Short), c.opt.MaxBody)
	if media := kind(resp.Header); resp.StatusCode != http.StatusOK ||
		media != "application/json" && media != "" && r.Usable == nil {
		limit = min(limit, Short) // it is only used for an error message
	}
	body, n, err := c.read(ctx, resp.Body, limit)
	switch {
	case errors.Is(err, ErrTooBig):
		return nil, &Error{URL: u.String(), Err: ErrTooBig, Text: fmt.Sprintf("the answer is longer than %d MiB", limit>>20)}
	case err != nil:
		e := c.failure(ctx, u, err)
		e.Text = fmt.Sprintf("the answer broke off after %d bytes: %s", n, e.Text)
		return nil, r.advised(e, nil)
	}
	// A proxy that re-encodes the body may add a byte order mark, which is not JSON.
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	return &Response{
		Status: resp.StatusCode, Header: resp.Header, Body: body, sent: sent, received: received, newest: newest,
	}, nil
}

func looksJSON(body []byte) bool {
	b := bytes.TrimLeft(body, " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[')
}

// Limits of responses, in bytes.
const (
	// Short is the most that a response takes without counting as a large one. Most responses are no longer.
	Short = 1 << 20
	// Middle is enough for a long configuration, or a list of 10,000 queues.
	Middle = 16 << 20
	// Long is enough for a list of 200,000 tasks.
	Long = 48 << 20
	// maxLarge is how many large responses of a client, and so of a process, are read or decoded at once.
	maxLarge = 2
)

// read reads a response to its end, and returns the number of bytes read. It returns ErrTooBig if there are more than
// limit. A large response waits until the client may read it, and counts as in memory until the keeper of ctx is done.
func (c *Client) read(ctx context.Context, r io.Reader, limit int64) ([]byte, int64, error) {
	least := min(limit, Short)
	head, err := io.ReadAll(io.LimitReader(r, least+1))
	n := int64(len(head))
	switch {
	case err != nil || n <= least:
		return head, n, err
	case n > limit:
		return nil, n, ErrTooBig
	}
	k, isKept := ctx.Value(keeperKey{}).(*keeper)
	if !isKept {
		k = &keeper{}
		defer k.done()
	}
	if err := k.begin(ctx, c.large); err != nil {
		return nil, n, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, limit-n+1))
	if n += int64(len(rest)); err == nil && n > limit {
		err = ErrTooBig
	}
	if err != nil {
		return nil, n, err
	}
	return slices.Concat(head, rest), n, nil
}

// A keeper has large responses until they are decoded.
type keeper struct {
	mu    sync.Mutex
	large chan struct{} // of the client; nil if the keeper has none of its places
}

type keeperKey struct{}

// Keep returns a context. Large responses to requests with it count as in memory until done is called, so that they can
// be decoded.
func Keep(ctx context.Context) (_ context.Context, done func()) {
	if ctx.Value(keeperKey{}) != nil {
		return ctx, func() {} // the outer one is done later
	}
	k := &keeper{}
	return context.WithValue(ctx, keeperKey{}, k), k.done
}

// begin waits for one of the client's places for large responses. A keeper needs one place, however many responses it
// has, so that keepers do not wait for each other.
func (k *keeper) begin(ctx context.Context, large chan struct{}) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.large != nil {
		return nil
	}
	select {
	case large <- struct{}{}:
		k.large = large
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (k *keeper) done() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.large != nil {
		runtime.GC() // otherwise as much again could pile up before the garbage collector runs
		<-k.large
		k.large = nil
	}
}
