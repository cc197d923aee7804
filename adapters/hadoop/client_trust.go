package hadoop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// errStranger means that a redirect leads to a host that neither the flags nor the configuration name.
var errStranger = errors.New("the redirect leads to a host that nothing here names")

// plainHost matches a host, with or without a port, that is safe in advice that people copy.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9._:\[\]-]+$`)

// plainPath matches a gateway's path that is safe in advice.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// machine returns a host, given without a port, in the form in which hosts are compared: in lower case, and
// "localhost" for all loopback addresses.
func machine(host string) string {
	name := strings.ToLower(strings.Trim(strings.TrimSuffix(host, "."), "[]"))
	if ip, err := netip.ParseAddr(name); name == "localhost" || err == nil && ip.IsLoopback() {
		return "localhost"
	}
	return name
}

// TrustedHost checks a host that redirects may lead to: a name or an address, without scheme, port and path.
func TrustedHost(host string) error {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return nil
	}
	if !plainHost.MatchString(host) || strings.ContainsAny(host, ":[]") {
		return fmt.Errorf("%q is not a host's name, such as rm2.example.com", oneLine(host))
	}
	return nil
}

// named returns the hosts that the site and the options name.
func (o *Options) named() map[string]bool {
	all := map[string]bool{}
	for _, base := range o.Site.bases() {
		if u, err := url.Parse(base); err == nil {
			all[machine(u.Hostname())] = true
		}
	}
	for _, host := range o.Trust {
		all[machine(host)] = true
	}
	return all
}

// trusted reports whether a redirect may lead to a host. A capture sends no requests, so it trusts all hosts.
func (c *Client) trusted(to *url.URL) bool {
	return c.opt.Now != nil || c.hosts[machine(to.Hostname())]
}

// Completes the error of a redirect from u to a host that nothing names.
func otherHost(e *Error, u, to *url.URL) *Error {
	e.Err = errStranger
	what, flag := "the active ResourceManager of your cluster", "--rm "+u.Scheme+"://"+u.Host+","
	if strings.Contains(u.Path, "/ws/v1/history/") {
		what, flag = "the history server of your cluster", "--jhs "
	}
	e.Hint = fmt.Sprintf("%s is not asked, because neither a flag nor the configuration names it: if it is %s, give --trust-host %s, or %s%s://%s",
		to.Host, what, to.Hostname(), flag, to.Scheme, to.Host)
	return e
}

// seekHistory queries the ResourceManager's proxy for the history of an ended job, and reports whether it found a
// new address that may be used. The job must have ended according to the ResourceManager: while an application
// runs, the proxy passes on its master's responses. After the end the proxy redirects to the tracking URL that the
// master set last, which the user who wrote the job can choose. So moveHistory decides whether that address may be
// used.
func (c *Client) seekHistory(ctx context.Context, job string, asked []string, failed error) (bool, error) {
	_, err := c.AM(ctx, "application_"+strings.TrimPrefix(job, "job_"), "jobs/"+job)
	base := historyBase(err)
	switch {
	case base == "" || slices.Contains(asked, base):
		return false, failed
	case c.moveHistory(base):
		return true, nil
	}
	if e, ok := errors.AsType[*Error](failed); ok {
		e.Hint = c.unnamedHistory(base)
	}
	return false, failed
}

// unnamedHistory returns what to do about a history server that the ResourceManager's proxy points to and that is
// not trusted.
func (c *Client) unnamedHistory(base string) string {
	reported := fmt.Sprintf("the ResourceManager's proxy points to %s, which neither a flag nor the configuration names", base)
	if c.opt.Site.JHSGuessed {
		reported += "; nor do they name another history server, and the owner of the job chose this address"
	}
	return reported + fmt.Sprintf(": if the history server of your cluster is there, give --jhs %s", base)
}

// moveHistory takes the history server that a redirect of the ResourceManager's proxy names, and reports whether it
// may be used: only if a flag or the configuration names its host. The owner of a job chooses the address, and that
// server would supply the history of all jobs.
func (c *Client) moveHistory(base string) bool {
	to, err := url.Parse(base)
	if err != nil || !c.trusted(to) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved = base
	return true
}

// misplaced reports whether a history server may be elsewhere, by its error: it does not respond, or its address
// was only guessed and it does not know the job.
func (c *Client) misplaced(err error) bool {
	if elsewhere(err) {
		return true
	}
	st := status(err)
	return c.opt.Site.JHSGuessed && st != 0 && st != http.StatusUnauthorized && st != http.StatusForbidden
}

// Basic signs requests with a user's name and password, as gateways such as Knox require (RFC 7617). The password
// goes to the site's own addresses only, wherever a redirect leads. An address with plain HTTP on another machine
// is an error.
func Basic(user, password string, site Site) (Layer, error) {
	switch {
	case user == "" || strings.Contains(user, ":") || strings.ContainsFunc(user, unicode.IsControl):
		return nil, fmt.Errorf(
			"%q is not a user's name for a password: it has neither colons nor control characters, and is not empty",
			user)
	case password == "" || strings.ContainsFunc(password, unicode.IsControl):
		return nil, errors.New("the password is empty or has control characters")
	}
	trusted := map[string]bool{}
	for _, base := range site.bases() {
		u, err := url.Parse(base)
		if err != nil {
			return nil, fmt.Errorf("hadoop: address: %w", err)
		}
		if !private(u) {
			return nil, fmt.Errorf(
				"a password would travel in the clear to %s: give an address that begins with https://", base)
		}
		trusted[origin(u)] = true
	}
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if trusted[origin(r.URL)] {
				r = r.Clone(r.Context())
				r.SetBasicAuth(user, password)
			}
			return next.RoundTrip(r)
		})
	}, nil
}

// bases returns all addresses of the site.
func (s Site) bases() []string {
	var all []string
	for _, rm := range s.RMs {
		all = append(all, rm.URL)
	}
	return distinct(append(append(all, s.Proxy, s.JHS), s.Web...)...)
}

// private reports whether others on the network cannot read what is sent.
func private(u *url.URL) bool {
	if u.Scheme == "https" || strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

// origin returns scheme, host and port. The port is explicit even if it is the default.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
