// Package testserver has what tests of HTTPS need: an authority that issues certificates, and a gateway like Apache
// Knox.
package testserver

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// An Authority issues certificates.
type Authority struct {
	t    testing.TB
	cert tls.Certificate
}

// NewAuthority returns an authority with this common name.
func NewAuthority(t testing.TB, name string) *Authority {
	t.Helper()
	a := &Authority{t: t}
	a.cert = a.Issue(name, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	})
	return a
}

// Issue returns a certificate for these hosts or addresses. change modifies it before it is signed and may be nil.
func (a *Authority) Issue(name string, change func(*x509.Certificate), hosts ...string) tls.Certificate {
	a.t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		NotBefore:   time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	if change != nil {
		change(template)
	}
	public, key, _ := ed25519.GenerateKey(rand.Reader)
	parent, signer := a.cert.Leaf, a.cert.PrivateKey
	if parent == nil { // the authority's own
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	leaf, broken := x509.ParseCertificate(der)
	if err = cmp.Or(err, broken); err != nil {
		a.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// Pool returns a pool that trusts the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert.Leaf)
	return pool
}

// File writes the authority's certificate to a PEM file and returns its path.
func (a *Authority) File() string {
	cert, _ := CertFiles(a.t, a.t.TempDir(), a.cert)
	return cert
}

// CertFiles writes a certificate and its key to PEM files in a folder and returns their paths.
func CertFiles(t testing.TB, dir string, c tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: c.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: der},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// GatewayOptions build a Gateway.
type GatewayOptions struct {
	RM, JHS        string // base URLs of the services behind the gateway
	User, Password string
	Transport      http.RoundTripper // carries requests to the services; nil: the network
	TLS            *tls.Config       // for connections to the services, if Transport is nil
}

// A Gateway is an HTTP handler like Apache Knox: with the paths and rewritten redirects of its services YARNUI and
// JOBHISTORYUI (rewrite.xml of version 2.7.0), HTTP basic authentication, a session cookie, and a topology with single
// sign-on. /gateway/default takes the password, /gateway/sso redirects to a login page.
type Gateway struct {
	opt GatewayOptions
	mux *http.ServeMux

	mu         sync.Mutex
	signed     int
	hasSession bool
	saw        []string
}

// NewGateway returns a gateway for the services of o.
func NewGateway(o GatewayOptions) *Gateway {
	g := &Gateway{opt: o, mux: http.NewServeMux()}
	const front = "/gateway/default"
	rm, jhs := http.StripPrefix(front+"/yarn", g.service(o.RM)), http.StripPrefix(front+"/jobhistory", g.service(o.JHS))
	g.mux.Handle(front+"/yarn/ws/v1/", rm)
	g.mux.Handle(front+"/yarn/proxy/", rm)
	g.mux.Handle(front+"/jobhistory/ws/", jhs)
	g.mux.HandleFunc("/gateway/sso/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/gateway/knoxsso/api/v1/websso?originalUrl="+url.QueryEscape(r.URL.String()), http.StatusFound)
	})
	return g
}

// Saw returns the requested paths, in order, and how many passwords were checked: Knox sends each to LDAP.
func (g *Gateway) Saw() (paths []string, passwords int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.saw, g.signed
}

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.saw = append(g.saw, r.URL.Path)
	g.mu.Unlock()
	g.mux.ServeHTTP(w, r)
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
		w.Header().Set("WWW-Authenticate", `BASIC realm="application"`)
		w.WriteHeader(http.StatusUnauthorized)
		return false
	}
	g.hasSession = true
	http.SetCookie(w, &http.Cookie{
		Name: "JSESSIONID", Value: session, Path: "/gateway/default", Secure: true, HttpOnly: true,
	})
	http.SetCookie(w, &http.Cookie{Name: "rememberMe", Value: "deleteMe", Path: "/gateway/default", MaxAge: -1})
	return true
}

// service sends admitted requests on in the name of their user, without any other user name in them. It rewrites the
// targets of redirects, and removes the service's cookies.
func (g *Gateway) service(base string) http.HandlerFunc {
	to, _ := url.Parse(base)
	network := &http.Transport{TLSClientConfig: g.opt.TLS}
	proxy := &httputil.ReverseProxy{Transport: cmp.Or[http.RoundTripper](g.opt.Transport, network)}
	proxy.Rewrite = func(r *httputil.ProxyRequest) {
		q := r.In.URL.Query()
		q.Del("user.name")
		if g.opt.Transport == nil {
			q.Set("user.name", g.opt.User)
		}
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host, r.Out.URL.RawQuery = to.Scheme, to.Host, to.Host, q.Encode()
		r.Out.Header.Del("Authorization")
		r.Out.Header.Del("Cookie")
	}
	proxy.ModifyResponse = func(resp *http.Response) error {
		resp.Header.Del("Set-Cookie")
		to, err := url.Parse(resp.Header.Get("Location"))
		if err != nil || to.Host == "" {
			return err
		}
		front := fmt.Sprintf("https://%v/gateway/default", resp.Request.Context().Value(http.LocalAddrContextKey))
		switch {
		case strings.HasPrefix(to.Path, "/jobhistory/"):
			where := url.Values{"scheme": {to.Scheme}, "host": {to.Hostname()}, "port": {to.Port()}}
			resp.Header.Set("Location", front+to.Path+"?"+where.Encode())
		case strings.HasPrefix(to.Path, "/cluster/"):
			resp.Header.Set("Location", front+"/yarn"+to.Path)
		}
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if g.admit(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}
}
