package serve

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestGuarded: on the loopback a foreign name in Host is refused; at another address every request gets a response.
func TestGuarded(t *testing.T) {
	h := Guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for _, c := range []struct {
		at, host string
		status   int
	}{
		{"127.0.0.1", "127.0.0.1:9190", 204},
		{"127.0.0.1", "localhost:9190", 204},
		{"127.0.0.1", "evil.example", 421},
		{"::1", "[::1]:9190", 204},
		{"10.1.2.3", "gateway:9190", 204},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Host = c.host
		r = r.WithContext(contextAt(r, c.at))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("Host %s at %s: %d %v, want %d", c.host, c.at, w.Code, w.Header(), c.status)
		}
	}
}

func contextAt(r *http.Request, ip string) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey,
		net.Addr(&net.TCPAddr{IP: net.ParseIP(ip), Port: 9190}))
}
