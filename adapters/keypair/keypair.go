// Package keypair reads a certificate and its private key from two PEM files. It reads them again after they change,
// because certificate managers renew them while the program runs.
package keypair

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/infile"
)

// maxFile bounds a file of certificates or keys, in bytes.
const maxFile = 1 << 20

// A Pair has the last usable content of its files. It is safe for concurrent use.
type Pair struct {
	cert, key string

	mu      sync.Mutex
	version string // of the files: their sizes and times
	last    *tls.Certificate
}

// Open reads the certificate, followed by those of its issuers, and its key. Errors name the invalid file.
func Open(cert, key string) (*Pair, error) {
	p := &Pair{cert: cert, key: key}
	if err := p.load(); err != nil {
		return nil, err
	}
	return p, nil
}

// Certificate returns the newest usable certificate. While a file is only half written, that is the previous one.
func (p *Pair) Certificate() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.load() // the previous certificate serves on
	return p.last
}

// load reads the files if they have changed. Their version is stored only with a usable content, so files that are
// still being written are read again.
func (p *Pair) load() error {
	version := ""
	for _, name := range []string{p.cert, p.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		version += fmt.Sprintln(info.Size(), info.ModTime())
	}
	if version == p.version {
		return nil
	}
	c, err := read(p.cert, p.key)
	if err == nil {
		p.last, p.version = c, version
	}
	return err
}

func read(cert, key string) (*tls.Certificate, error) {
	certs, _, err := content(cert, "CERTIFICATE", "-clcerts -nokeys")
	if err != nil {
		return nil, err
	}
	private, block, err := content(key, "PRIVATE KEY", "-nocerts -nodes")
	if err != nil {
		return nil, err
	}
	if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
		return nil, fmt.Errorf(
			"%s: the key is encrypted, and a service cannot ask for its password: openssl pkey -in FILE -out FILE takes it off; keep the file readable for its owner alone", key)
	}
	pair, err := tls.X509KeyPair(certs, private)
	if err != nil {
		return nil, fmt.Errorf("%s and %s do not belong together: %w", cert, key, err)
	}
	return &pair, nil
}

// content returns the bytes of a file, and its first block with a type that ends in kind. extract are the options with
// which openssl extracts such a block.
func content(file, kind, extract string) ([]byte, *pem.Block, error) {
	data, err := bounded(file)
	if err != nil {
		return nil, nil, err
	}
	block, rest := pem.Decode(data)
	for block != nil && !strings.HasSuffix(block.Type, kind) {
		block, rest = pem.Decode(rest)
	}
	if block == nil {
		return nil, nil, fmt.Errorf(
			"%s: no %s in PEM form in it (of a Java key store: openssl pkcs12 -in STORE.p12 %s)", file,
			strings.ToLower(kind), extract)
	}
	return data, block, nil
}

// Pool returns the authorities of a PEM file, together with those of before, which may be nil or the system's. Errors
// name the file.
func Pool(file string, before *x509.CertPool) (*x509.CertPool, error) {
	data, err := bounded(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if before != nil {
		pool = before.Clone()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf(
			"%s holds no PEM certificate (of a Java key store: keytool -exportcert -rfc -keystore STORE -alias ALIAS)",
			file)
	}
	return pool, nil
}

func bounded(name string) ([]byte, error) {
	f, err := infile.Open(name)
	if err != nil {
		return nil, err
	}
	return infile.ReadAll(f, maxFile)
}
