package spnego

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/service"
	"github.com/jcmturner/gokrb5/v8/spnego"
)

// A hadoop is a web service that lets in as Hadoop's AuthenticationFilter does: by a ticket, then by the cookie that it
// signs. What verifies tickets is gokrb5's service side.
type hadoop struct {
	*httptest.Server
	verify *spnego.SPNEGO

	mu       sync.Mutex
	secret   string        // what its cookies are signed with, so to speak
	validity time.Duration // of cookies
	now      func() time.Time
	tickets  int      // negotiations that it has accepted
	requests int      // requests
	refused  int      // requests without proof
	seen     []string // Authorization headers
}

func newHadoop(t *testing.T, keytabFile string) *hadoop {
	t.Helper()
	kt, err := keytab.Load(keytabFile)
	if err != nil {
		t.Fatal(err)
	}
	h := &hadoop{
		verify: spnego.SPNEGOService(kt, service.DecodePAC(false)), secret: "one", validity: time.Hour,
		now: time.Now,
	}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

// address is the server's by the name that its keytab has.
func (h *hadoop) address() string { return strings.Replace(h.URL, "127.0.0.1", "localhost", 1) }

func (h *hadoop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests++
	w.Header().Set("Date", h.now().UTC().Format(http.TimeFormat))
	h.seen = append(h.seen, r.Header.Get("Authorization"))
	if user := h.known(r); user != "" {
		fmt.Fprint(w, user)
		return
	}
	user := h.proven(r.Header.Get("Authorization"))
	if user == "" {
		h.refused++
		w.Header().Set("WWW-Authenticate", "Negotiate")
		w.Header().Set("Set-Cookie", "hadoop.auth=; Path=/; Domain=localhost; HttpOnly")
		http.Error(w, "<title>Error 401 Authentication required</title>", http.StatusUnauthorized)
		return
	}
	h.tickets++
	w.Header().Set("Set-Cookie",
		fmt.Sprintf(`hadoop.auth="u=%s&p=%s@X&t=kerberos&e=%d&s=a/b+c=%s="; Path=/; Domain=localhost; HttpOnly`,
			user, user, h.now().Add(h.validity).UnixMilli(), h.secret))
	w.Header().Add("Set-Cookie", "other=1")
	fmt.Fprint(w, user)
}

// known reads the cookie as Java's servlets do: what is between the quotes.
func (h *hadoop) known(r *http.Request) string {
	_, value, found := strings.Cut(r.Header.Get("Cookie"), `hadoop.auth="`)
	value, _, closed := strings.Cut(value, `"`)
	if !found || !closed || !strings.HasSuffix(value, "&s=a/b+c="+h.secret+"=") {
		return ""
	}
	q, err := url.ParseQuery(value)
	if err != nil {
		return ""
	}
	var end int64
	if _, err := fmt.Sscan(q.Get("e"), &end); err != nil || h.now().UnixMilli() > end {
		return ""
	}
	return q.Get("u")
}

func (h *hadoop) proven(header string) string {
	b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(header, "Negotiate "))
	if err != nil || len(b) == 0 {
		return ""
	}
	var token spnego.SPNEGOToken
	if err := token.Unmarshal(b); err != nil {
		return ""
	}
	ok, ctx, status := h.verify.AcceptSecContext(&token)
	if !ok || status.Code != gssapi.StatusComplete {
		return ""
	}
	for _, key := range []any{"github.com/jcmturner/gokrb5/v8/ctxCredentials"} {
		if c, ok := ctx.Value(key).(*credentials.Credentials); ok {
			return c.UserName()
		}
	}
	return "somebody"
}

func (h *hadoop) set(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

// get asks and returns the answer's status and body; an error is the test's.
func get(t *testing.T, rt http.RoundTripper, address string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/ws/v1/cluster/info", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	if len(resp.Cookies()) > 0 && resp.Cookies()[0].Name == cookieName {
		t.Error("the cookie is shown to others")
	}
	b := make([]byte, 1000)
	n, _ := resp.Body.Read(b) // a short body comes at once
	return resp.StatusCode, string(b[:n]), nil
}
