package rest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestConsent: a page that warns is answered once, and only where a request allows it.
func TestConsent(t *testing.T) {
	t.Parallel()
	var seen []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.RawQuery)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<title>Sure?</title>")
	})
	c := clientOf(t, Options{}, s.URL)
	for _, consent := range []string{"", "yes=1"} {
		seen = nil
		_, _, err := c.Get(t.Context(), &Request{Bases: c.bases, Path: "/x?a=b", Consent: consent})
		want := "a=b"
		if consent != "" {
			want += " a=b&yes=1"
		}
		if got := strings.Join(seen, " "); got != want || err == nil || !strings.Contains(err.Error(), "Sure?") {
			t.Errorf("%q: requested %s, %v", consent, got, err)
		}
	}
}

// TestAdvise: a caller completes errors, with or without a response. Its advice comes before what is likely.
func TestAdvise(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Why", "moved")
		w.WriteHeader(http.StatusInternalServerError)
	})
	c := clientOf(t, Options{}, s.URL, "http://127.0.0.1:1")
	var got []string
	r := &Request{Bases: c.bases, Path: "/x", Advise: func(e *Error, resp *Response) {
		if resp == nil {
			got = append(got, e.Hint)
			return
		}
		e.Hint = resp.Header.Get("X-Why")
		got = append(got, e.Hint)
	}}
	_, _, err := c.Get(t.Context(), r)
	if err == nil || len(got) != 2 || got[0] != "moved" || !strings.Contains(got[1], "nothing listens") ||
		!strings.Contains(err.Error(), "(moved)") || !strings.HasPrefix(err.Error(), "none of 2 addresses answers: ") {
		t.Errorf("%q, %v", got, err)
	}
	if _, _, err := c.Get(t.Context(), &Request{Path: "/x"}); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("no base: %v", err)
	}
}
