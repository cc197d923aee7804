package yarn

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
)

// TestLimitsByPath: a job's own answer and an error page are short, lists may be long.
func TestLimitsByPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int64{
		"apps": rest.Long, "apps/application_1_0001": rest.Short, "nodes": rest.Long, "metrics": rest.Short,
		"scheduler": rest.Middle,
	} {
		if got := cmp.Or(managerRequest(path+"?a=b").Limit, rest.Short); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// TestCookies: what Hadoop and Knox set is kept, and nothing else; what is kept is bounded.
func TestCookies(t *testing.T) {
	t.Parallel()
	u := &url.URL{Scheme: "http", Host: "rm:8088", Path: "/proxy/application_1_0001/ws"}
	c := newCookies()
	for _, name := range []string{
		"hadoop.auth", "hadoop-jwt", "KNOXSESSIONID", "JSESSIONID",
		"checked_application_1_0001", "track", "checked_", "auth",
	} {
		c.set(u, []*http.Cookie{{Name: name, Value: "x", Path: "/"}})
	}
	c.set(u, []*http.Cookie{{Name: "hadoop.auth", Value: strings.Repeat("x", maxCookie), Path: "/long"}})
	var names []string
	for _, k := range c.jar.Cookies(u) {
		names = append(names, k.Name)
	}
	if got := strings.Join(names,
		" "); got != "hadoop.auth hadoop-jwt KNOXSESSIONID JSESSIONID checked_application_1_0001" {
		t.Errorf("kept %s", got)
	}
	for i := range 3 * allCookies / 4000 {
		c.set(u, []*http.Cookie{{
			Name: fmt.Sprintf("checked_application_1_%d", i), Value: strings.Repeat("x", 4000),
			Path: "/",
		}})
	}
	sent := 0
	for _, k := range c.jar.Cookies(u) {
		sent += len(k.Value)
	}
	if sent == 0 || sent > allCookies || c.bytes > allCookies {
		t.Errorf("%d bytes are kept, %d counted", sent, c.bytes)
	}
}
