// Package certtest issues certificates for tests.
package certtest

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An Authority issues certificates.
type Authority struct {
	t    testing.TB
	cert tls.Certificate
}

// New returns an authority with this common name.
func New(t testing.TB, name string) *Authority {
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
	cert, _ := Files(a.t, a.t.TempDir(), a.cert)
	return cert
}

// Files writes a certificate and its key to PEM files in a folder and returns their paths.
func Files(t testing.TB, dir string, c tls.Certificate) (cert, key string) {
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
