package hadoop

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

// Basic signs requests with a user's name and password, as gateways such as Knox want it (RFC 7617). The password goes to
// the site's own addresses alone, wherever a redirect leads, and never over plain HTTP to another machine: that is an error.
func Basic(user, password string, site Site) (Layer, error) {
	switch {
	case user == "" || strings.Contains(user, ":") || strings.ContainsFunc(user, unicode.IsControl):
		return nil, fmt.Errorf("%q is no user's name for a password: it has neither colons nor control characters, and is not empty", user)
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
			return nil, fmt.Errorf("a password would travel in the clear to %s: give an address that begins with https://", base)
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

// bases are all addresses of the site.
func (s Site) bases() []string {
	var all []string
	for _, rm := range s.RMs {
		all = append(all, rm.URL)
	}
	return distinct(append(all, s.Proxy, s.JHS)...)
}

// private says whether nobody on the way can read what is sent.
func private(u *url.URL) bool {
	if u.Scheme == "https" || strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

// origin is scheme, host and port, the port said even where it is the usual one.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
