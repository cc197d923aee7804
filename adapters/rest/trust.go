package rest

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

var plainHost = regexp.MustCompile(`^[A-Za-z0-9._:\[\]-]+$`)

// PlainHost reports whether a host, with or without a port, is safe in advice that people copy.
func PlainHost(host string) bool { return plainHost.MatchString(host) }

// Machine returns a host, given without a port, in the form in which hosts are compared: in lower case, and
// "localhost" for all loopback addresses.
func Machine(host string) string {
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
	if !PlainHost(host) || strings.ContainsAny(host, ":[]") {
		return fmt.Errorf("%q is not a host's name, such as rm2.example.com", oneLine(host))
	}
	return nil
}

// Basic signs requests with a user's name and password, as gateways require (RFC 7617). The password goes to the
// origins of these bases only, wherever a redirect leads. A base with plain HTTP on another machine is an error.
func Basic(user, password string, bases ...string) (Layer, error) {
	switch {
	case user == "" || strings.Contains(user, ":") || strings.ContainsFunc(user, unicode.IsControl):
		return nil, fmt.Errorf(
			"%q is not a user's name for a password: it has neither colons nor control characters, and is not empty",
			user)
	case password == "" || strings.ContainsFunc(password, unicode.IsControl):
		return nil, errors.New("the password is empty or has control characters")
	}
	trusted := map[string]bool{}
	for _, base := range bases {
		u, err := url.Parse(base)
		if err != nil {
			return nil, fmt.Errorf("address: %w", err)
		}
		// On this machine others cannot read what is sent.
		if u.Scheme != "https" && Machine(u.Hostname()) != "localhost" {
			return nil, fmt.Errorf(
				"a password would travel in the clear to %s: give an address that begins with https://", base)
		}
		trusted[origin(u)] = true
	}
	return func(next http.RoundTripper) http.RoundTripper {
		return RoundTrip(func(r *http.Request) (*http.Response, error) {
			if trusted[origin(r.URL)] {
				r = r.Clone(r.Context())
				r.SetBasicAuth(user, password)
			}
			return next.RoundTrip(r)
		})
	}, nil
}

// origin returns scheme, host and port. The port is explicit even if it is the default.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
