package spark

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

func clientOf(t *testing.T, o rest.Options, base string) *yarn.Client {
	t.Helper()
	c, err := yarn.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: base}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

type knownAs string

func (k knownAs) Name() string { return string(k) }

func (k knownAs) Check(context.Context) (string, error) { return "Kerberos, as " + string(k), nil }

func (k knownAs) Used() bool { return true }

// TestDeniedSpark: a driver of Spark refuses users outside its view ACL, and those that its filter rejects. The answers
// are those of Spark 3.5.6.
func TestDeniedSpark(t *testing.T) {
	for status, c := range map[int]struct{ reported, hint string }{
		http.StatusForbidden: {
			"User bob is not authorized to access this page.",
			"bob/host@LAB may not see application_1_0001: its owner can start it with spark.ui.view.acls=bob",
		},
		http.StatusUnauthorized: {
			"who asks?",
			"a gateway or the filter of Spark's pages (spark.ui.filters) requires a login: give --token-file, a user and password, or a ticket",
		},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{
"servlet":"org.glassfish.jersey.servlet.ServletContainer-38401b60",
"message":%q,
"url":"/api/v1/applications",
"status":"%d"
}`, c.reported, status)
		}))
		defer s.Close()
		client := clientOf(t, rest.Options{User: "root", Login: knownAs("bob/host@LAB")}, s.URL)
		_, err := client.Proxy(t.Context(), "application_1_0001", request(client, "", "api/v1/applications"))
		if e, ok := errors.AsType[*rest.Error](err); !ok || e.Hint != c.hint || e.Text != c.reported {
			t.Errorf("got %v, want %q and %q", err, c.reported, c.hint)
		}
	}
}

// TestRequests: which responses of a driver are long or pages, and which ones show the cluster's clock.
func TestRequests(t *testing.T) {
	t.Parallel()
	const direct = "http://driver:4040"
	for _, c := range []struct {
		base, path  string
		limit       int64
		clock, page bool
	}{
		{direct, "/api/v1/applications", 0, true, false},
		{direct, "/api/v1/applications/app-1/jobs?status=running", rest.Middle, true, false},
		{direct, "/api/v1/applications/app-1/stages", rest.Middle, true, false},
		{direct, "/api/v1/applications/app-1/stages/1/0/taskList?length=5", rest.Middle, true, false},
		{direct, "/api/v1/applications/app-1/allexecutors", rest.Middle, true, false},
		{direct, "/api/v1/applications/app-1/environment", rest.Middle, true, false},
		{direct, "/jobs/job/?id=1", 0, false, true},
		{direct, "/stages", 0, false, true},
		{direct, "/stages/", 0, false, true},
		{direct, "/executors/", 0, false, false},
		{"", "api/v1/applications/app-1/jobs", rest.Middle, false, false},
		{"", "jobs/job/?id=1", 0, false, true},
		{"http://rm/proxy/application_1_0001", "/api/v1/applications", 0, false, false},
	} {
		r := request(nil, c.base, c.path)
		if r.Limit != c.limit || r.Clock != c.clock || (r.Usable != nil) != c.page || r.Path != c.path {
			t.Errorf("%s%s: %+v", c.base, c.path, r)
		}
	}
}

// TestStartingPage: the page of a driver that starts is recognized, and other pages are not.
func TestStartingPage(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		"Spark is starting up. Please wait a while until it's ready.":                       true,
		"<html><body>Spark is starting up. Please wait a while</body></html>":               true,
		"<html><title>Sign in</title>Spark is starting up</html>":                           false,
		"<html><title>Details for Job 0</title><div class=\"stage-metadata\"></div></html>": false,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, body)
		}))
		_, err := AtAddress(clientOf(t, rest.Options{}, s.URL), s.URL, "").Get(t.Context(), root)
		if starting(err) != want || want && rest.Hint(err) != "wait until it is up" {
			t.Errorf("%s: %v", body, err)
		}
		s.Close()
	}
}
