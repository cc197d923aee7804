// Package cookies keeps the cookies of sessions with Hadoop's services and with Knox.
package cookies

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/rest"
)

// Bounds of the cookies that services may set.
const (
	maxCookie  = 8 << 10 // bytes of one, name and value; Knox's tokens have one or two thousand
	maxCookies = 20_000  // set in all: the proxy sets one per application
	allCookies = 1 << 20 // bytes of all of them
)

// cookies keeps the cookies that Hadoop and Knox set, and no others. Once too many were set it starts over, which
// costs another login and repeats the proxy's warnings.
type cookies struct {
	mu       sync.Mutex
	jar      *cookiejar.Jar
	n, bytes int // set since the jar was new
}

func newCookies() *cookies {
	jar, _ := cookiejar.New(nil) // fails for no options
	return &cookies{jar: jar}
}

// New returns a layer that adds the cookies to requests. It belongs around the layer that authenticates: that one keeps
// the cookie that it negotiated to itself, because a jar would send the cookie to every port of the host.
func New() rest.Layer { return newCookies().layer }

// isSession reports whether a service needs to receive the cookie again.
func isSession(name string) bool {
	return strings.HasPrefix(name, "checked_application_") ||
		slices.Contains([]string{"hadoop.auth", "hadoop-jwt", "KNOXSESSIONID", "JSESSIONID"}, name)
}

// set keeps the session cookies of a response.
func (c *cookies) set(u *url.URL, all []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range all {
		size := len(k.Name) + len(k.Value)
		if !isSession(k.Name) || size > maxCookie || len(k.Path)+len(k.Domain) > maxCookie {
			continue
		}
		if c.n++; c.n > maxCookies || c.bytes+size > allCookies {
			c.jar, _ = cookiejar.New(nil)
			c.n, c.bytes = 1, 0
		}
		c.bytes += size
		c.jar.SetCookies(u, []*http.Cookie{k})
	}
}

// of returns the cookies for an address.
func (c *cookies) of(u *url.URL) []*http.Cookie {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jar.Cookies(u)
}

// layer adds the cookies to requests.
func (c *cookies) layer(next http.RoundTripper) http.RoundTripper {
	return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		for _, k := range c.of(r.URL) {
			r.AddCookie(k)
		}
		resp, err := next.RoundTrip(r)
		if err == nil {
			c.set(r.URL, resp.Cookies())
		}
		return resp, err
	})
}
