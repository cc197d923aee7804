package rest

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// TestTrustedHost: what trust-host takes.
func TestTrustedHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"rm2": true, "rm2.example.com": true, "10.0.0.2": true, "::1": true, "[fe80::1]": true,
		"": false, "http://rm2": false, "rm2:8088": false, "rm2/x": false, "a b": false, "*": false,
	} {
		if err := TrustedHost(host); (err == nil) != want {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// TestPasswordStaysHome: the password is sent to the addresses that were given alone, whatever a redirect says, and
// never in the clear.
func TestPasswordStaysHome(t *testing.T) {
	bases := []string{"https://rm:8090", "https://RM"}
	layer, err := Basic("alice", "hu-sh", bases...)
	if err != nil {
		t.Fatal(err)
	}
	var sent string
	chain := layer(RoundTrip(func(r *http.Request) (*http.Response, error) {
		sent = r.Header.Get("Authorization")
		return nil, errors.New("no answer")
	}))
	for to, want := range map[string]bool{
		"https://rm:8090/ws": true, "https://rm:443/ws": true, "https://rm/ws": true, "https://RM:8090/ws": true,
		"https://rm:8091/ws": false, "https://evil.example:8090/ws": false, "http://rm:8090/ws": false,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := chain.RoundTrip(r); err == nil {
			resp.Body.Close()
		}
		if (sent != "") != want || r.Header.Get("Authorization") != "" {
			t.Errorf("%s: sent %q, want %v; the request itself says %q", to, sent, want, r.Header.Get("Authorization"))
		}
	}
	for _, c := range []struct{ user, password, other, want string }{
		{"alice", "x", "http://jhs:19888", "in the clear to http://jhs:19888"},
		{"alice", "x", "http://127.0.0.1:19888", ""},
		{"alice", "x", "http://localhost:19888", ""},
		{"", "x", "https://jhs", "user's name"},
		{"a:b", "x", "https://jhs", "user's name"},
		{"alice", "", "https://jhs", "password is empty"},
		{"alice", "a\nb", "https://jhs", "control characters"},
	} {
		bases[1] = c.other
		_, err := Basic(c.user, c.password, bases...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && c.password != "" && c.password != "x" && strings.Contains(err.Error(), c.password) {
			t.Errorf("the password is in the error: %v", err)
		}
	}
}
