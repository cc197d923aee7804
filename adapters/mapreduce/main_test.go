package mapreduce

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// serve starts a server that ends with the test.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// clientOf returns a client of these ResourceManagers.
func clientOf(t testing.TB, o rest.Options, rms ...string) *Client {
	t.Helper()
	return siteClient(t, yarn.Site{}, o, rms...)
}

// siteClient returns a client of the services of a site and of these ResourceManagers.
func siteClient(t testing.TB, site yarn.Site, o rest.Options, rms ...string) *Client {
	t.Helper()
	// A handshake under the race detector takes seconds on a busy machine.
	o.Connect = cmp.Or(o.Connect, time.Minute)
	for _, u := range rms {
		site.RMs = append(site.RMs, yarn.Manager{URL: u})
	}
	c, err := NewClient(site, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// sendJSON answers as Hadoop does.
func sendJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	_, _ = io.WriteString(w, body) // a client that has gone is no fault of the server
}

// sendHTML answers with a page.
func sendHTML(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // a client that has gone is no fault of the server
}

// answered fails the test if a question has no answer.
func answered(t testing.TB) func([]byte, error) {
	t.Helper()
	return func(_ []byte, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
}
