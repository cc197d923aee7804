package hadoop

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type knownAs string

func (k knownAs) Name() string                          { return string(k) }
func (k knownAs) Check(context.Context) (string, error) { return "Kerberos, as " + string(k), nil }
func (k knownAs) Used() bool                            { return true }

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
		"503 that says nothing": {
			http.StatusServiceUnavailable, lost, "jobs/job_1_0001/tasks", http.StatusForbidden,
			true,
		},
		"503 that says something": {
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
			_, err := clientOf(t, Options{User: "root", Login: knownAs("bob/host@LAB")}, s.URL).AM(context.Background(),
				"application_1_0001", c.path)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Status != c.want {
				t.Fatalf("got %v", err)
			}
			named := strings.Contains(e.Hint, "bob/host@LAB may not see job_1_0001") &&
				strings.Contains(e.Hint, "mapreduce.job.acl-view-job=bob,")
			if named != c.denied {
				t.Errorf("hint %q", e.Hint)
			}
			if c.denied && !strings.HasSuffix(brief(fmt.Errorf("asked: %w", err)), "("+e.Hint+")") {
				t.Errorf("a warning leaves out what to do: %s", brief(err))
			}
		})
	}
}

// TestDeniedSpark: a driver of Spark refuses who is not in its view ACL, and whom its filter does not know. The answers
// are those of Spark 3.5.6.
func TestDeniedSpark(t *testing.T) {
	for status, c := range map[int]struct{ reported, hint string }{
		http.StatusForbidden: {
			"User bob is not authorized to access this page.",
			"bob/host@LAB may not see application_1_0001: its owner can start it with spark.ui.view.acls=bob",
		},
		http.StatusUnauthorized: {
			"who asks?",
			"the filter before Spark's pages (spark.ui.filters) wants to know who asks: give --user, a password or a ticket",
		},
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{
"servlet":"org.glassfish.jersey.servlet.ServletContainer-38401b60",
"message":%q,
"url":"/api/v1/applications",
"status":"%d"
}`, c.reported, status)
		})
		_, err := clientOf(t, Options{User: "root", Login: knownAs("bob/host@LAB")}, s.URL).Proxy(t.Context(),
			"application_1_0001", "api/v1/applications")
		if e, ok := errors.AsType[*Error](err); !ok || e.Hint != c.hint || e.Text != c.reported {
			t.Errorf("got %v, want %q and %q", err, c.reported, c.hint)
		}
	}
}

// TestRefusals: what a service may say instead of an answer, and what people are told (issue section 6).
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
			false, http.StatusNotFound, "job, job_0_1234, is not found", "forgotten",
		},
		"exception only": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"RemoteException":{"exception":"X"}}`)
		}, false, http.StatusInternalServerError, "X", "log"},
		"no such app": {func(w http.ResponseWriter) {
			sendHTML(w, http.StatusNotFound, "<title>Application a could not be found</title>")
		}, true, http.StatusNotFound, "could not be found", "does not know the application"},
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
			false, http.StatusFound, "", "points elsewhere",
		},
		"not up": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://rm:8088/cluster/app/application_1_0001")
			sendHTML(w, http.StatusFound, "")
		}, true, http.StatusFound, "", "not up yet"},
		"no location": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusFound) }, false, http.StatusFound, "",
			"points elsewhere",
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
			cl := clientOf(t, Options{}, s.URL)
			ask := cl.RM
			if c.am {
				ask = func(ctx context.Context, p string) ([]byte, error) { return cl.AM(ctx, "application_1_0001", p) }
			}
			_, err := ask(context.Background(), "jobs/x")
			e, ok := errors.AsType[*Error](err)
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

func TestRedirectLoopsEnd(t *testing.T) {
	n := 0
	self := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("Location", r.URL.Path)
		w.WriteHeader(http.StatusFound)
	})
	_, err := clientOf(t, Options{}, self.URL).RM(context.Background(), "apps")
	if err == nil || !strings.Contains(err.Error(), "circle") || n > maxHops+1 {
		t.Errorf("%v after %d requests", err, n)
	}
	// Two standbys that each take the other for active.
	var a, b *httptest.Server
	n = 0
	to := func(s **httptest.Server) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n++
			w.Header().Set("Location", (*s).URL+r.URL.Path)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}
	a, b = serve(t, to(&b)), serve(t, to(&a))
	_, err = clientOf(t, Options{}, a.URL, b.URL).RM(context.Background(), "apps")
	if err == nil || !strings.Contains(err.Error(), "circle") || n > 2*(maxHops+1) {
		t.Errorf("%v after %d requests", err, n)
	}
	// An endless walk over ever new addresses.
	n = 0
	c := clientOf(t, Options{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		n++
		return &http.Response{
			StatusCode: http.StatusTemporaryRedirect,
			Header:     http.Header{"Location": {fmt.Sprintf("http://h%d%s", n, r.URL.Path)}}, Body: http.NoBody,
		}, nil
	})}, "http://h0")
	if _, err = c.RM(context.Background(), "apps"); err == nil || n > maxHops+1 {
		t.Errorf("%v after %d requests", err, n)
	}
}

func TestNoStepBackFromTLS(t *testing.T) {
	c := clientOf(t, Options{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Scheme == "http" {
			t.Error("asked without TLS")
		}
		return &http.Response{
			StatusCode: http.StatusTemporaryRedirect,
			Header:     http.Header{"Location": {"http://rm" + r.URL.Path}}, Body: http.NoBody,
		}, nil
	})}, "https://rm:8090")
	if _, err := c.RM(context.Background(), "apps"); err == nil || !strings.Contains(err.Error(), "not followed") {
		t.Errorf("got %v", err)
	}
}

// answering answers every connection with the same bytes and hangs up; reset says how.
func answering(t *testing.T, answer string, reset bool) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 4096)
			_, err = c.Read(buf)
			if err == nil {
				_, err = io.WriteString(c, answer)
			}
			if err == nil && reset {
				err = c.(*net.TCPConn).SetLinger(0)
			}
			if err := errors.Join(err, c.Close()); err != nil {
				t.Error(err)
			}
		}
	}()
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	return "http://" + l.Addr().String()
}

func TestBrokenConnections(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct {
		answer string
		reset  bool
		want   string
	}{
		"truncated":         {head + "Content-Length: 100\r\n\r\n{\"apps\":", false, "broke off after 8 bytes"},
		"truncated chunk":   {head + "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"apps\":", false, "broke off"},
		"nothing":           {"", false, "cut the connection"},
		"reset":             {"", true, "cut the connection"},
		"another language":  {"\x00\x00\x00\x7crpc", false, "does not speak HTTP"},
		"gzip that is none": {head + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", false, "bad gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientOf(t, Options{}, answering(t, c.answer, c.reset)).RM(context.Background(), "apps")
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Status != 0 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if errors.Is(err, io.EOF) {
				t.Errorf("%v would pass for the source's end", err)
			}
		})
	}
}

func TestBodiesAreBounded(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := bytes.Repeat([]byte(" "), 1<<16)
		for range 1024 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	c := clientOf(t, Options{MaxBody: 1 << 20}, s.URL)
	_, err := c.RM(context.Background(), "apps")
	if !errors.Is(err, errTooBig) || !strings.Contains(err.Error(), "1 MiB") || c.Traffic().Bytes > 2<<20 {
		t.Errorf("%v after %d bytes", err, c.Traffic().Bytes)
	}
}

// drip is a body that sends a byte a second for ever.
type drip struct{ ctx context.Context }

func (d drip) Read(b []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		b[0] = ' '
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (d drip) Close() error { return nil }

func TestSlowAnswersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, rt := range map[string]roundTrip{
			"drip": func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: http.StatusOK,
					Header:     http.Header{"Content-Type": {"application/json"}}, Body: drip{r.Context()},
				}, nil
			},
			"silence": func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			},
		} {
			c := clientOf(t, Options{Transport: rt, Total: 30 * time.Second}, "http://rm:8088")
			start := time.Now()
			_, err := c.RM(context.Background(), "apps")
			e, ok := errors.AsType[*Error](err)
			if !ok || !strings.Contains(err.Error(), "not done within 30s") || !strings.Contains(e.Hint, "too slow") {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(start); took != 30*time.Second {
				t.Errorf("%s took %v", name, took)
			}
		}
	})
}

func TestHeaderTimeout(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := clientOf(t, Options{Header: 20 * time.Millisecond}, s.URL).RM(context.Background(), "apps")
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Hint, "too slow") {
		t.Errorf("got %v", err)
	}
}

func TestInterruptIsTold(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	asked := clientOf(t, Options{}, s.URL, s.URL+"/2", s.URL+"/3", s.URL+"/4", s.URL+"/5", s.URL+"/6", s.URL+"/7",
		s.URL+"/8")
	if _, err := asked.RM(ctx, "apps"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := asked.Traffic().Requests; n != 1 {
		t.Errorf("%d requests after an interrupt", n)
	}
	if _, err := asked.RM(ctx, "apps"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sendJSON(w, `{}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	ctx := context.Background()
	if _, err := clientOf(t, Options{}, s.URL).RM(ctx, "info"); err == nil ||
		!strings.Contains(err.Error(), "--ca-file") {
		t.Errorf("unknown certificate: %v", err)
	}
	if _, err := clientOf(t, Options{Insecure: true}, s.URL).RM(ctx, "info"); err != nil {
		t.Errorf("insecure: %v", err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := clientOf(t, Options{CAFile: ca}, s.URL).RM(ctx, "info"); err != nil {
		t.Errorf("CA file: %v", err)
	}
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { sendJSON(w, `{}`) })
	_, err := clientOf(t, Options{}, strings.Replace(plain.URL, "http", "https", 1)).RM(ctx, "info")
	if err == nil || !strings.Contains(err.Error(), "does not speak TLS") {
		t.Errorf("http behind https: %v", err)
	}
	if _, err := NewClient(Options{Site: Site{RMs: []Manager{{URL: s.URL}}}, CAFile: ca + "x"}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("absent CA file: %v", err)
	}
	if err := os.WriteFile(ca, []byte("\xfe\xed\xfe\xed"), 0o600); err != nil { // a Java key store
		t.Fatal(err)
	}
	if _, err := NewClient(Options{Site: Site{RMs: []Manager{{URL: s.URL}}}, CAFile: ca}); err == nil ||
		!strings.Contains(err.Error(), "keytool") {
		t.Errorf("key store as CA file: %v", err)
	}
}

func TestNoAddress(t *testing.T) {
	if _, err := NewClient(Options{}); err == nil || !strings.Contains(err.Error(), "--rm") {
		t.Errorf("got %v", err)
	}
	c := clientOf(t, Options{}, "http://127.0.0.1:1")
	if _, err := c.JHS(context.Background(), "info"); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("got %v", err)
	}
}
