package mapreduce

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// gatewayed is a gateway before a ResourceManager whose applications have ended, and its CA file.
func gatewayed(t *testing.T) (*fixtures.Gateway, string, string) {
	t.Helper()
	backend := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "" || r.URL.Query().Get("user.name") != "alice":
			t.Errorf("the service sees %s, %q", r.URL, r.Header.Get("Authorization"))
		case strings.HasPrefix(r.URL.Path, "/proxy/application_1_0001"):
			w.Header().Set("Location", "http://jhs.example:19888/jobhistory/job/job_1_0001/ws/v1/mapreduce/jobs")
			w.WriteHeader(http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/proxy/"):
			w.Header().Set("Location", "http://rm.example:8088/cluster/app/application_1_0002")
			w.WriteHeader(http.StatusFound)
		default:
			sendJSON(w, `{"path":"`+r.URL.Path+`"}`)
		}
	})
	g := fixtures.NewGateway(fixtures.GatewayOptions{RM: backend.URL, JHS: backend.URL, User: "alice", Password: "hu-sh"})
	ca := fixtures.NewAuthority(t, "ca")
	s := httptest.NewUnstartedServer(g)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue("knox", nil, "127.0.0.1")}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return g, s.URL, ca.File()
}

// through is a client of the gateway at this address, with a password or "".
func through(t *testing.T, address, ca, password string) *Client {
	t.Helper()
	site, err := yarn.RMSite(address, "")
	if err != nil {
		t.Fatal(err)
	}
	o := rest.Options{CAFile: ca, User: "alice"}
	if password != "" {
		if o.Auth, err = rest.Basic("alice", password, site.Bases()...); err != nil {
			t.Fatal(err)
		}
	}
	return siteClient(t, site, o)
}

// TestGateway: a topology's address is enough for all three services; the password is looked at once, then the
// session's cookie counts; where an application has ended the way to its history leads through the gateway.
func TestGateway(t *testing.T) {
	g, u, ca := gatewayed(t)
	c, ctx := through(t, u+"/gateway/default", ca, "hu-sh"), context.Background()
	for _, q := range []struct {
		get        func() ([]byte, error)
		body, path string
	}{
		{
			func() ([]byte, error) { return c.RM(ctx, "apps?limit=3") }, "/ws/v1/cluster/apps",
			"/gateway/default/yarn/ws/v1/cluster/apps",
		},
		{
			func() ([]byte, error) { return c.JHS(ctx, "mapreduce/jobs") }, "/ws/v1/history/mapreduce/jobs",
			"/gateway/default/jobhistory/ws/v1/history/mapreduce/jobs",
		},
	} {
		body, err := q.get()
		if err != nil || string(body) != `{"path":"`+q.body+`"}` {
			t.Errorf("%s: %s, %v", q.path, body, err)
		}
		if paths, _ := g.Requests(); paths[len(paths)-1] != q.path {
			t.Errorf("the gateway got %s, want %s", paths[len(paths)-1], q.path)
		}
	}
	if want := u + "/gateway/default/yarn"; c.Active() != want {
		t.Errorf("active is %s, want %s", c.Active(), want)
	}
	_, err := c.AM(ctx, "application_1_0001", "jobs")
	if got := historyBase(err); got != u+"/gateway/default/jobhistory" {
		t.Errorf("history is at %q: %v", got, err)
	}
	if _, err := c.AM(ctx, "application_1_0002", "jobs"); historyBase(err) != "" ||
		!strings.Contains(err.Error(), "not up yet") {
		t.Errorf("an application that is not up: %v", err)
	}
	if _, err := c.JHS(ctx, "info"); err != nil {
		t.Errorf("after the redirect: %v", err)
	}
	if _, n := g.Requests(); n != 1 {
		t.Errorf("the password was looked at %d times", n)
	}
}

// TestGatewayRefuses: no password, a wrong one, a topology of single sign-on: each with what to do.
func TestGatewayRefuses(t *testing.T) {
	_, u, ca := gatewayed(t)
	for name, c := range map[string]struct{ path, password, want string }{
		"none":           {"/gateway/default", "", "give --user NAME and --set password-file=FILE"},
		"wrong":          {"/gateway/default", "guess", "one of them is wrong"},
		"single sign-on": {"/gateway/sso", "hu-sh", "login page for browsers"},
	} {
		_, err := through(t, u+c.path, ca, c.password).RM(context.Background(), "apps")
		if e, ok := errors.AsType[*rest.Error](err); !ok || !strings.Contains(e.Hint, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
