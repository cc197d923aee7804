package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

type knownAs string

func (k knownAs) Name() string { return string(k) }

func (k knownAs) Check(context.Context) (string, error) { return "Kerberos, as " + string(k), nil }

func (k knownAs) Used() bool { return true }

// TestDeniedJobs checks the errors for users whom a job's ACL refuses. The masters and the history server of Hadoop
// 3.4.2 answer such users with 503 if mapreduce.cluster.acls.enabled is set.
func TestDeniedJobs(t *testing.T) {
	const lost = `{"RemoteException":{"exception":"WebApplicationException","javaClassName":"javax.ws.rs.WebApplicationException"}}`
	const trouble = `{"RemoteException":{"exception":"WebApplicationException","message":"out of memory","javaClassName":"javax.ws.rs.WebApplicationException"}}`
	for name, c := range map[string]struct {
		status int
		body   string
		path   string
		want   int
		denied bool
	}{
		"503 without a body": {
			http.StatusServiceUnavailable, lost, "jobs/job_1_0001/tasks", http.StatusForbidden,
			true,
		},
		"503 with a message": {
			http.StatusServiceUnavailable, trouble, "jobs/job_1_0001/tasks",
			http.StatusServiceUnavailable, false,
		},
		"503 of no job": {http.StatusServiceUnavailable, lost, "info", http.StatusServiceUnavailable, false},
		"401":           {http.StatusUnauthorized, "", "jobs/job_1_0001/conf", http.StatusUnauthorized, true},
		"403":           {http.StatusForbidden, "", "jobs/job_1_0001", http.StatusForbidden, true},
		"500": {
			http.StatusInternalServerError, lost, "jobs/job_1_0001",
			http.StatusInternalServerError, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			_, err := clientOf(t, rest.Options{User: "root", Login: knownAs("bob/host@LAB")}, s.URL).AM(context.Background(),
				"application_1_0001", c.path)
			e, ok := errors.AsType[*rest.Error](err)
			if !ok || e.Status != c.want {
				t.Fatalf("got %v", err)
			}
			named := strings.Contains(e.Hint, "bob/host@LAB may not see job_1_0001") &&
				strings.Contains(e.Hint, "mapreduce.job.acl-view-job=bob,")
			if named != c.denied {
				t.Errorf("hint %q", e.Hint)
			}
			if c.denied && !strings.HasSuffix(yarn.Brief(fmt.Errorf("request: %w", err)), "("+e.Hint+")") {
				t.Errorf("a warning leaves out what to do: %s", yarn.Brief(err))
			}
		})
	}
}

// TestRefusals compares the errors of all kinds of refusals, and their advice.
func TestRefusals(t *testing.T) {
	const remote = `{"RemoteException":{"exception":"NotFoundException","message":"java.lang.Exception: job, job_0_1234, is not found","javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}`
	for name, c := range map[string]struct {
		answer       func(w http.ResponseWriter)
		am           bool
		status       int
		text, advice string
	}{
		"HTML with 200": {func(w http.ResponseWriter) {
			sendHTML(w, http.StatusOK, "<html><title>Sign\nin</title>")
		}, false, http.StatusOK, "Sign", "login page"},
		"text with 200": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w,
				"hello")
		}, false, http.StatusOK, "hello", "address"},
		"remote exception": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound); fmt.Fprint(w, remote) },
			false, http.StatusNotFound, "job, job_0_1234, is not found", "no longer kept",
		},
		"exception only": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"RemoteException":{"exception":"X"}}`)
		}, false, http.StatusInternalServerError, "X", "log"},
		"no such app": {func(w http.ResponseWriter) {
			sendHTML(w, http.StatusNotFound, "<title>Application a could not be found</title>")
		}, true, http.StatusNotFound, "could not be found", "has no such application"},
		"AM unreachable": {func(w http.ResponseWriter) {
			sendHTML(w, http.StatusInternalServerError, "<html><title>Error 500 &lt;</title>")
		}, true, http.StatusInternalServerError, "Error 500 <", "starting, ending or lost"},
		"kerberos": {func(w http.ResponseWriter) {
			w.Header().Set("WWW-Authenticate", "Negotiate")
			sendHTML(w, http.StatusUnauthorized, "<title>Error 401 Authentication required</title>")
		}, false, http.StatusUnauthorized, "Authentication required", "Kerberos"},
		"acl": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }, true, http.StatusUnauthorized,
			"", "acl-view-job",
		},
		"anonymous": {func(w http.ResponseWriter) {
			w.Header().Set("WWW-Authenticate", "PseudoAuth")
			w.WriteHeader(http.StatusForbidden)
		}, false, http.StatusForbidden, "", "--user"},
		"forbidden": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, false, http.StatusForbidden,
			"", "may not look",
		},
		"redirect elsewhere": {
			func(w http.ResponseWriter) { w.Header().Set("Location", "/elsewhere"); w.WriteHeader(http.StatusFound) },
			false, http.StatusFound, "", "it redirects",
		},
		"not up": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://rm:8088/cluster/app/application_1_0001")
			sendHTML(w, http.StatusFound, "")
		}, true, http.StatusFound, "", "not up yet"},
		"no location": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusFound) }, false, http.StatusFound, "",
			"it redirects",
		},
		"terminal codes": {
			func(w http.ResponseWriter) {
				w.WriteHeader(http.StatusInternalServerError)
				fmt.Fprint(w, "\x1b[31mred\x00")
			},
			false, http.StatusInternalServerError, "[31mred", "log",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) { c.answer(w) })
			cl := clientOf(t, rest.Options{}, s.URL)
			get := cl.RM
			if c.am {
				get = func(ctx context.Context, p string) ([]byte, error) { return cl.AM(ctx, "application_1_0001", p) }
			}
			_, err := get(context.Background(), "jobs/x")
			e, ok := errors.AsType[*rest.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if e.Status != c.status || !strings.Contains(e.Text, c.text) || !strings.Contains(e.Hint, c.advice) ||
				!strings.HasPrefix(e.URL, s.URL) {
				t.Errorf("got %#v", e)
			}
			if strings.ContainsAny(err.Error(), "\x1b\x00\n") {
				t.Errorf("control characters in %q", err)
			}
		})
	}
}

func TestNoAddress(t *testing.T) {
	if _, err := NewClient(yarn.Site{}, rest.Options{}); err == nil || !strings.Contains(err.Error(), "--rm") {
		t.Errorf("got %v", err)
	}
	c := clientOf(t, rest.Options{}, "http://127.0.0.1:1")
	if _, err := c.JHS(context.Background(), "info"); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("got %v", err)
	}
}

// TestTrustStoreAdvice: a certificate of an unknown authority leads to the trust store of Hadoop's own clients.
func TestTrustStoreAdvice(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := siteClient(t, yarn.Site{}, rest.Options{}, s.URL).RM(t.Context(), "info")
	for _, part := range []string{"give that authority's certificate, in PEM form, by --set ca-file=FILE", "keytool -list -rfc -keystore"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
}

// TestAdviceOnTLS: the place of a service's protocol depends on Hadoop.
func TestAdviceOnTLS(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, `{}`) })
	_, err := clientOf(t, rest.Options{}, strings.Replace(plain.URL, "http", "https", 1)).RM(t.Context(), "info")
	if err == nil || !strings.Contains(err.Error(), "(it does not speak TLS: use http, or set yarn.http.policy)") {
		t.Errorf("http behind https: %v", err)
	}
	loop := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	_, err = clientOf(t, rest.Options{}, loop.URL).RM(t.Context(), "info")
	if err == nil || !strings.Contains(err.Error(), "(redirects go in a circle: do the ResourceManagers agree on who is active?)") {
		t.Errorf("a circle: %v", err)
	}
}
