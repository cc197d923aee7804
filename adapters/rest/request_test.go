package rest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestReduce: the needed part of a response replaces it before a tap sees it, and only of a usable one.
func TestReduce(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept"); got != "*/*" {
			t.Errorf("accepts %s", got)
		}
		w.Header().Set("Content-Type", "application/zip")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "zipped")
	})
	var tapped []string
	tap := func(next http.RoundTripper) http.RoundTripper {
		return RoundTrip(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil {
				tapped = append(tapped, resp.Header.Get("Content-Type"))
			}
			return resp, err
		})
	}
	c := clientOf(t, Options{Tap: tap}, s.URL)
	r := Request{Bases: c.bases, Path: "/log", Reduce: func(kind string, body io.Reader) io.Reader {
		if text, err := io.ReadAll(body); kind != "application/zip" || string(text) != "zipped" || err != nil {
			t.Errorf("%s %s, %v", kind, text, err)
		}
		return strings.NewReader(`{"part":1}`)
	}}
	body, base, err := c.Get(t.Context(), &r)
	if err != nil || string(body) != `{"part":1}` || base != s.URL || tapped[0] != "application/json" {
		t.Errorf("%s from %s, %v, tapped as %s", body, base, err, tapped)
	}
	status = http.StatusForbidden
	if _, _, err := c.Get(t.Context(), &r); Status(err) != status || tapped[1] != "application/zip" {
		t.Errorf("%v, tapped as %s", err, tapped)
	}
}

// TestPause: an address with a pause is requested seldom, and ever more seldom; one that is missing a little sooner.
func TestPause(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_795_222_440, 0)
	status, requests := http.StatusNotFound, 0
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Content-Type", "application/json")
		w.Header()["Date"] = nil
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{}`)
	})
	c := clientOf(t, Options{Clock: func() time.Time { return now }}, s.URL)
	r := &Request{Bases: c.bases, Path: "/log", Pause: 30 * time.Second, MissingPause: 5 * time.Second}
	for i, step := range []struct {
		status int
		after  time.Duration
		want   int
	}{
		{http.StatusNotFound, 0, 1},
		{http.StatusNotFound, 4 * time.Second, 1},
		{http.StatusNotFound, time.Second, 2},
		{http.StatusOK, 9 * time.Second, 2},
		{http.StatusOK, time.Second, 3},
		{http.StatusOK, 29 * time.Second, 3},
		{http.StatusOK, time.Second, 4},
		{http.StatusOK, 59 * time.Second, 4},
		{http.StatusOK, time.Second, 5},
	} {
		now, status = now.Add(step.after), step.status
		_, _, err := c.Get(t.Context(), r)
		if requests != step.want || err != nil && Status(err) == 0 && !strings.Contains(err.Error(), "a short time ago") {
			t.Errorf("step %d: %d requests, want %d; %v", i, requests, step.want, err)
		}
	}
}

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
			t.Errorf("%q: asked %s, %v", consent, got, err)
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
