// Package knoxtest is a gateway like Apache Knox, for tests: the paths and rewritten redirects of its services YARNUI
// and JOBHISTORYUI (rewrite.xml of version 2.7.0), HTTP basic authentication, a session cookie, and a topology with
// single sign-on.
package knoxtest

import (
	"crypto/tls"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// Options build a Gateway.
type Options struct {
	RM, JHS        string // base URLs of the services behind the gateway
	User, Password string
	Transport      http.RoundTripper // carries requests to the services; nil: the network
	TLS            *tls.Config       // for connections to the services, if Transport is nil
}

// A Gateway is an HTTP handler. /gateway/default takes the password, /gateway/sso redirects to a login page.
type Gateway struct {
	opt   Options
	proxy *httputil.ReverseProxy

	mu         sync.Mutex
	signed     int
	hasSession bool
	saw        []string
}

// New returns a gateway for the services of o.
func New(o Options) *Gateway {
	g := &Gateway{opt: o}
	if o.Transport == nil {
		o.Transport = &http.Transport{TLSClientConfig: o.TLS}
	}
	g.proxy = &httputil.ReverseProxy{Transport: o.Transport, Rewrite: g.inward, ModifyResponse: g.outward}
	return g
}

// SignedIn returns how many passwords were checked: Knox sends each to LDAP.
func (g *Gateway) SignedIn() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.signed
}

// Saw returns the requested paths, in order.
func (g *Gateway) Saw() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.saw
}

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.saw = append(g.saw, r.URL.Path)
	g.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/gateway/sso/") {
		http.Redirect(w, r, "/gateway/knoxsso/api/v1/websso?originalUrl="+url.QueryEscape(r.URL.String()),
			http.StatusFound)
		return
	}
	if target(r.URL.Path) == "" {
		http.NotFound(w, r)
		return
	}
	if !g.admit(w, r) {
		w.Header().Set("WWW-Authenticate", `BASIC realm="application"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	g.proxy.ServeHTTP(w, r)
}

// session is the value of the session cookie.
const session = "0123456789abcdef0123456789abcdef"

// admit checks for a session, then the password.
func (g *Gateway) admit(w http.ResponseWriter, r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, err := r.Cookie("JSESSIONID"); err == nil && g.hasSession && c.Value == session {
		return true
	}
	user, password, given := r.BasicAuth()
	if given {
		g.signed++
	}
	if !given || user != g.opt.User || password != g.opt.Password {
		return false
	}
	g.hasSession = true
	http.SetCookie(w, &http.Cookie{
		Name: "JSESSIONID", Value: session, Path: "/gateway/default", Secure: true, HttpOnly: true,
	})
	http.SetCookie(w, &http.Cookie{Name: "rememberMe", Value: "deleteMe", Path: "/gateway/default", MaxAge: -1})
	return true
}

// target returns the service's path for a path of the gateway, after a letter for the service; "" if there is none.
func target(path string) string {
	below, ok := strings.CutPrefix(path, "/gateway/default/")
	switch {
	case !ok:
		return ""
	case strings.HasPrefix(below, "yarn/ws/v1/"), strings.HasPrefix(below, "yarn/proxy/"):
		return "R" + strings.TrimPrefix(below, "yarn")
	case strings.HasPrefix(below, "jobhistory/ws/"):
		return "H" + strings.TrimPrefix(below, "jobhistory")
	}
	return ""
}

// inward sends a request on in the name of its user, and drops any other user name in it.
func (g *Gateway) inward(r *httputil.ProxyRequest) {
	to, base := target(r.In.URL.Path), g.opt.RM
	if to[0] == 'H' {
		base = g.opt.JHS
	}
	out, err := url.Parse(base)
	if err != nil {
		panic("knoxtest: " + err.Error())
	}
	q := r.In.URL.Query()
	q.Del("user.name")
	if g.opt.Transport == nil {
		q.Set("user.name", g.opt.User)
	}
	out.Path, out.RawQuery = to[1:], q.Encode()
	r.Out.URL, r.Out.Host = out, out.Host
	r.Out.Header.Del("Authorization")
	r.Out.Header.Del("Cookie")
}

// outward rewrites the targets of redirects, and removes the services' cookies.
func (g *Gateway) outward(resp *http.Response) error {
	resp.Header.Del("Set-Cookie")
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		return err
	}
	if to.Host == "" {
		return nil
	}
	front := "https://" + resp.Request.Context().Value(http.LocalAddrContextKey).(interface{ String() string }).String() + "/gateway/default"
	switch {
	case strings.HasPrefix(to.Path, "/jobhistory/"):
		where := url.Values{"scheme": {to.Scheme}, "host": {to.Hostname()}, "port": {to.Port()}}
		resp.Header.Set("Location", front+to.Path+"?"+where.Encode())
	case strings.HasPrefix(to.Path, "/cluster/"):
		resp.Header.Set("Location", front+"/yarn"+to.Path)
	}
	return nil
}
