package serve

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestServe answers until it is stopped, and leaves nothing behind.
func TestServe(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	page, watch := stepped(running(5))
	if _, err := watch.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := Serve(listener, page.Handler(), PageLimits, Door{}, func(err error) {
		t.Errorf("not served any more: %v", err)
	})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func() (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		return client.Do(r)
	}
	answer, err := get()
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got := body(t, answer); answer.StatusCode != 200 || !strings.Contains(got, "running for 5s") {
		t.Errorf("got status %d, %.300s", answer.StatusCode, got)
	}
	stop()
	if late, err := get(); err == nil {
		late.Body.Close()
		t.Error("it answers after it was stopped")
	}
}
