package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

func TestPathsOfTheServices(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	h := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method != http.MethodGet || r.Header.Get("Accept") != "application/json" {
			t.Errorf("%s with Accept %q", r.Method, r.Header.Get("Accept"))
		}
		seen = append(seen, r.URL.RequestURI())
		sendJSON(w, `{}`)
	}
	s := serve(t, h)
	c := siteClient(t, yarn.Site{JHS: s.URL}, rest.Options{User: "al ice"}, s.URL)
	ctx := context.Background()
	for _, get := range []func() ([]byte, error){
		func() ([]byte, error) { return c.RM(ctx, "apps?limit=3") },
		func() ([]byte, error) { return c.AM(ctx, "application_1_0002", "jobs/job_1_0002") },
		func() ([]byte, error) { return c.JHS(ctx, "info") },
	} {
		if body, err := get(); err != nil || string(body) != `{}` {
			t.Fatalf("%s, %v", body, err)
		}
	}
	want := []string{
		"/ws/v1/cluster/apps?limit=3&user.name=al+ice",
		"/proxy/application_1_0002/ws/v1/mapreduce/jobs/job_1_0002?user.name=al+ice",
		"/ws/v1/history/info?user.name=al+ice",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("requested %q, want %q", seen, want)
	}
}

func TestCookieGoesBackAsItCame(t *testing.T) {
	// facts/hadoop.md E0: the value has quotes, = and / in it.
	const auth = `hadoop.auth="u=alice&p=alice@REALM&t=kerberos&e=1795222440184&s=ab/cd+e="`
	var got []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Cookie"))
		w.Header().Add("Set-Cookie", auth+"; Path=/; Domain=127.0.0.1; HttpOnly")
		sendJSON(w, `{}`)
	})
	c := siteClient(t, yarn.Site{JHS: s.URL}, rest.Options{}, s.URL)
	answered(t)(c.RM(context.Background(), "info"))
	answered(t)(c.AM(context.Background(), "application_1_0001", "info"))
	answered(t)(c.JHS(context.Background(), "info"))
	if want := []string{"", auth, auth}; !slices.Equal(got, want) {
		t.Errorf("cookies %q, want %q", got, want)
	}
}

// warningPage is the recorded page of the WebAppProxyServlet of Hadoop 3.4.2 for users other than the owner.
const warningPage = `<html>
  <h1>
    WARNING: The following page may not be safe!
  </h1>
  <h3>
    click 
    <a href="/proxy/application_1_0001/ws/v1/mapreduce/jobs?proxyapproved=true">here</a>
     to continue to an Application Master web interface owned by 
    bob
  </h3>
</html>
`

func TestProxysWarningPageIsApprovedOnce(t *testing.T) {
	for _, forgiving := range []bool{true, false} {
		requests := 0
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			c, err := r.Cookie("checked_application_1_0001")
			if forgiving && err == nil && (c.Value == "true" || r.URL.Query().Get("proxyapproved") == "true") {
				http.SetCookie(w, &http.Cookie{
					Name: "checked_application_1_0001", Value: "true",
					Path: "/proxy/application_1_0001",
				})
				sendJSON(w, `{"job":{}}`)
				return
			}
			http.SetCookie(w, &http.Cookie{
				Name: "checked_application_1_0001", Value: "false",
				Path: "/proxy/application_1_0001",
			})
			sendHTML(w, http.StatusOK, warningPage)
		})
		c := clientOf(t, rest.Options{}, s.URL)
		_, err := c.AM(context.Background(), "application_1_0001", "jobs/job_1_0001?x=1")
		if forgiving {
			_, err2 := c.AM(context.Background(), "application_1_0001", "jobs/job_1_0001")
			if err != nil || err2 != nil || requests != 3 {
				t.Errorf("%v, %v after %d requests, want 3", err, err2, requests)
			}
			continue
		}
		var e *rest.Error
		if !errors.As(err, &e) || e.Status != 200 || !strings.Contains(e.Text, "may not be safe") ||
			!strings.Contains(err.Error(), "give the application's owner") || requests != 2 {
			t.Errorf("%v after %d requests, want an error after 2", err, requests)
		}
	}
}

func TestProxysRedirectNamesTheHistoryServer(t *testing.T) {
	// Recorded: join-1, the answer once the application has ended.
	var requests atomic.Int64
	jhs := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		sendJSON(w, `{"job":{"state":"SUCCEEDED"}}`)
	})
	rm := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Location", jhs.URL+"/jobhistory/job/job_1_0001/ws/v1/mapreduce/jobs/job_1_0001")
		sendHTML(w, http.StatusFound, "")
	})
	c := siteClient(t, yarn.Site{JHS: rm.URL, JHSGuessed: true}, rest.Options{}, rm.URL) // both on this machine
	_, err := c.AM(context.Background(), "application_1_0001", "jobs/job_1_0001")
	var e *rest.Error
	if !errors.As(err, &e) || e.Status != http.StatusFound || e.Location == "" {
		t.Fatalf("got %v", err)
	}
	if body, err := c.JHS(context.Background(), "mapreduce/jobs/job_1_0001"); err != nil ||
		!strings.Contains(string(body), "SUCCEEDED") {
		t.Errorf("history server: %s, %v", body, err)
	}
	answered(t)(c.JHS(context.Background(), "mapreduce/jobs/job_1_0001"))
	if n := requests.Load(); n != 5 {
		t.Errorf("%d requests, want 5: the guess, the proxy again, then the address of its redirect", n)
	}
	for location, want := range map[string]string{
		"http://rm:8088/cluster/app/application_1_0001": "",
		"ftp://h/jobhistory/":                           "",
		"/jobhistory/":                                  "",
		"https://h:19890/jobhistory/job/x":              "https://h:19890",
		"https://h:8443/gateway/default/jobhistory/job": "https://h:8443/gateway/default/jobhistory",
		"https://h:8443/a%0Ab/jobhistory/job/x":         "",
		"https://h:8443/$(id)/jobhistory/job/x":         "",
	} {
		if got := historyBase(&rest.Error{Location: location}); got != want {
			t.Errorf("history server of %q is %q, want %q", location, got, want)
		}
	}
}

func TestProxysRedirectIsNeverFollowed(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("followed") })
	rm := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
	})
	_, err := clientOf(t, rest.Options{}, rm.URL).AM(context.Background(), "application_1_0001", "info")
	if e, ok := errors.AsType[*rest.Error](err); !ok || e.Status != 302 {
		t.Errorf("got %v", err)
	}
}

func TestStandbyPointsToTheActive(t *testing.T) {
	requests := map[string]int{}
	active := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests["active"]++
		if q := r.URL.Query(); len(q["user.name"]) != 1 {
			t.Errorf("the active one got the request %s", r.URL)
		}
		sendJSON(w, `{"apps":{}}`)
	})
	standby := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests["standby"]++
		w.Header().Set("Location", active.URL+r.URL.RequestURI()) // with the user's name in it
		w.WriteHeader(http.StatusTemporaryRedirect)
		fmt.Fprint(w, "This is standby RM. The redirect url is: /ws/v1/cluster/apps")
	})
	c := clientOf(t, rest.Options{User: "alice"}, standby.URL)
	for range 3 {
		if _, err := c.RM(context.Background(), "apps?a=1"); err != nil {
			t.Fatal(err)
		}
	}
	answered(t)(c.AM(context.Background(), "application_1_0001", "info"))
	if requests["standby"] != 1 || requests["active"] != 4 || c.Active() != active.URL {
		t.Errorf("got requests %v, active %s; want 1 to the standby, 4 to the active one", requests, c.Active())
	}
}

func TestStandbyWithoutActive(t *testing.T) {
	standby := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Refresh", "3;url=/ws/v1/cluster/apps") // facts/hadoop.md A3: no Location
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	active := serve(t, func(w http.ResponseWriter, r *http.Request) { sendJSON(w, `{}`) })
	if _, err := clientOf(t, rest.Options{}, standby.URL, active.URL).RM(context.Background(), "apps"); err != nil {
		t.Error(err)
	}
	_, err := clientOf(t, rest.Options{}, standby.URL).RM(context.Background(), "apps")
	if e, ok := errors.AsType[*rest.Error](err); !ok || e.Status != 307 || !strings.Contains(e.Hint, "standby") {
		t.Errorf("got %v", err)
	}
}

// TestNoActiveManager checks that two ResourceManagers on standby are not reported as a login page. RMWebAppFilter
// answers with status 200 once it has found no active one.
func TestNoActiveManager(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"There is no active RM right now.", "Can not find any active RM. Will retry in next 8 seconds."} {
		standby := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintln(w, text+"\nHA Zookeeper Connection State: CONNECTED")
		})
		active := serve(t, func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, `{}`) })
		if _, err := clientOf(t, rest.Options{}, standby.URL, active.URL).RM(t.Context(), "apps"); err != nil {
			t.Error(err)
		}
		_, err := clientOf(t, rest.Options{}, standby.URL, standby.URL).RM(t.Context(), "apps")
		if err == nil || !strings.Contains(err.Error(), "reports no active one") || strings.Contains(err.Error(), "login") {
			t.Errorf("got %v", err)
		}
	}
}

func TestDeadManagerIsPassedOver(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	requests := 0
	up := serve(t, func(w http.ResponseWriter, r *http.Request) { requests++; sendJSON(w, `{}`) })
	c := clientOf(t, rest.Options{}, down.URL, up.URL)
	if _, err := c.RM(context.Background(), "info"); err != nil || c.Active() != up.URL {
		t.Errorf("%v, active %s", err, c.Active())
	}
	_, err := clientOf(t, rest.Options{}, down.URL).RM(context.Background(), "info")
	if e, ok := errors.AsType[*rest.Error](err); !ok || e.Status != 0 || !strings.Contains(e.Hint, "nothing listens") {
		t.Errorf("got %v", err)
	}
	_, err = clientOf(t, rest.Options{}, down.URL, down.URL+"/x").RM(context.Background(), "info")
	if err == nil || strings.Count(err.Error(), "connection refused") != 2 || strings.Contains(err.Error(), "\n") {
		t.Errorf("both must be named, in one line: %v", err)
	}
}

func TestPathOfAGatewayStays(t *testing.T) {
	var seen []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { seen = append(seen, r.URL.Path); sendJSON(w, `{}`) })
	c := clientOf(t, rest.Options{}, s.URL+"/gateway/x")
	answered(t)(c.RM(context.Background(), "info?a=b"))
	answered(t)(c.RM(context.Background(), "info"))
	if want := []string{"/gateway/x/ws/v1/cluster/info", "/gateway/x/ws/v1/cluster/info"}; !slices.Equal(seen, want) {
		t.Errorf("got requests %q, want %q", seen, want)
	}
}

func TestTapSeesNeitherUserNorCookie(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "hadoop.auth", Value: "secret"})
		sendJSON(w, `{}`)
	})
	var seen []string
	tap := func(next http.RoundTripper) http.RoundTripper {
		return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			seen = append(seen, r.URL.RequestURI()+" "+r.Header.Get("Cookie"))
			return next.RoundTrip(r)
		})
	}
	c := clientOf(t, rest.Options{User: "alice", Tap: tap}, s.URL)
	answered(t)(c.RM(context.Background(), "info"))
	answered(t)(c.RM(context.Background(), "info?x=1"))
	if want := []string{"/ws/v1/cluster/info ", "/ws/v1/cluster/info?x=1 "}; !slices.Equal(seen, want) {
		t.Errorf("the tap saw %q", seen)
	}
}

func TestAuthReplacesUserName(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("user.name") || r.Header.Get("Authorization") != "Negotiate x" {
			t.Errorf("got the request %s with %q", r.URL, r.Header.Get("Authorization"))
		}
		sendJSON(w, `{}`)
	})
	auth := func(next http.RoundTripper) http.RoundTripper {
		return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Negotiate x")
			return next.RoundTrip(r)
		})
	}
	if _, err := clientOf(t, rest.Options{User: "alice", Auth: auth}, s.URL).RM(context.Background(), "info"); err != nil {
		t.Error(err)
	}
}

// FuzzAnswers: whatever a service answers, a question ends with JSON or an error of one printable line.
func FuzzAnswers(f *testing.F) {
	f.Add(200, "application/json;charset=utf-8", "", "", `{"apps":{}}`)
	f.Add(307, "text/plain", "http://rm2:8088/ws/v1/cluster/apps", "", "This is standby RM.")
	f.Add(302, "text/html", "http://jhs:19888/jobhistory/job/job_1_0001/ws", "", "")
	f.Add(401, "text/html", "", "Negotiate", "<title>Error 401 Authentication\nrequired</title>")
	f.Add(404, "application/json", "", "", `{"RemoteException":{"exception":"X","message":"a\u001b[31mb"}}`)
	f.Fuzz(func(t *testing.T, status int, kind, location, authenticate, body string) {
		requests := 0
		c := siteClient(t, yarn.Site{JHS: "http://jhs"}, rest.Options{
			MaxBody: 1 << 16,
			Transport: rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
				requests++
				return &http.Response{
					StatusCode: status, Body: io.NopCloser(strings.NewReader(body)),
					Header: http.Header{
						"Content-Type": {kind}, "Location": {location},
						"Www-Authenticate": {authenticate},
						"Date":             {body}, "Set-Cookie": {body},
					},
				}, nil
			}),
		}, "http://rm:8088", "http://rm2:8088")
		ctx := context.Background()
		for _, get := range []func() ([]byte, error){
			func() ([]byte, error) { return c.RM(ctx, "apps") },
			func() ([]byte, error) { return c.AM(ctx, "application_1_0001", "jobs") },
			func() ([]byte, error) { return c.JHS(ctx, "info") },
		} {
			_, err := get()
			if err == nil {
				continue
			}
			if s := err.Error(); len(s) > 8000 ||
				strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("error %q", s)
			}
		}
		if requests > 30 {
			t.Errorf("%d requests for three calls, want at most 30", requests)
		}
	})
}

// TestSourceLivesOnTheClustersClock: hours between the clocks change nothing but a warning, from the first tick on.
func TestSourceLivesOnTheClustersClock(t *testing.T) {
	p := healthy()
	p["/ws/v1/cluster/apps"] = body(
		`{"apps":{"app":[{"id":"application_1795222440184_0007","user":"alice","state":"RUNNING","applicationType":"MAPREDUCE","startedTime":2}]}}`)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { p.ServeHTTP(w, r) })
	c := clientOf(t, rest.Options{Clock: func() time.Time { return time.Now().Add(5 * time.Hour) }}, s.URL)
	snap, err := NewSource(c, yarn.Target{}).Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if off := snap.At.Sub(dag.InstantOf(time.Now())).Abs(); off > 10*time.Second {
		t.Errorf("the first snapshot is %v off the cluster's clock", off)
	}
	warned := false
	for _, w := range snap.Warnings {
		warned = warned || w.Code == dag.WarnClockSkew
	}
	if !warned {
		t.Errorf("warnings %v", snap.Warnings)
	}
}

// TestMastersDatesDoNotCount: only the ResourceManager's Date headers show the cluster's clock.
func TestMastersDatesDoNotCount(t *testing.T) {
	now := time.Unix(1_795_222_440, 0)
	answer := rest.RoundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{
			"Date":         {now.Add(time.Hour).UTC().Format(http.TimeFormat)},
			"Content-Type": {"application/json"},
		}, Body: http.NoBody}, nil
	})
	c := siteClient(t, yarn.Site{JHS: "http://jhs"}, rest.Options{
		Transport: answer, Clock: func() time.Time { return now },
	}, "http://rm")
	answered(t)(c.AM(context.Background(), "application_1_0001", "info"))
	answered(t)(c.JHS(context.Background(), "info"))
	if ahead, _, ok := c.Skew(); ok {
		t.Errorf("skew %v from other machines' clocks", ahead)
	}
	answered(t)(c.RM(context.Background(), "info"))
	if _, _, ok := c.Skew(); !ok {
		t.Error("the ResourceManager's clock is not read")
	}
}

func TestLimitsByPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int64{
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001":          rest.Short,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/tasks":    rest.Long,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/conf":     rest.Middle,
		"/ws/v1/history/mapreduce/jobs/job_1_0001/tasks/task_1_m_0/counters": rest.Short,
	} {
		if got := cmp.Or((&Client{}).request(path).Limit, rest.Short); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	long := `{"tasks":{"task":[` + strings.Repeat(" ", 3<<20) + `]}}`
	status, kind := http.StatusOK, "application/json"
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, long)
	})
	c := clientOf(t, rest.Options{}, s.URL)
	host := strings.TrimPrefix(s.URL, "http://")
	if _, err := c.NM(t.Context(), host, "containers/container_1/logs"); !errors.Is(err, rest.ErrTooBig) {
		t.Errorf("a list of logs: %v", err)
	}
	if body, err := c.NM(t.Context(), host, "containers/container_1/logs/syslog"); err != nil || string(body) != long {
		t.Errorf("a log: %d bytes, %v", len(body), err)
	}
	if body, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); err != nil ||
		string(body) != long {
		t.Errorf("a long list: %d bytes, %v", len(body), err)
	}
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001"); !errors.Is(err, rest.ErrTooBig) ||
		!strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Errorf("a job: %v", err)
	}
	status = http.StatusInternalServerError
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); !errors.Is(err, rest.ErrTooBig) {
		t.Errorf("an error: %v", err)
	}
	status, kind = http.StatusOK, "text/html"
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); !errors.Is(err, rest.ErrTooBig) {
		t.Errorf("a page: %v", err)
	}
}
