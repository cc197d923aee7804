// Package infile opens files that users name, and refuses devices and sockets. It also reads certificates and keys in
// such files.
package infile

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
)

// Open opens a file that is read once from its beginning: a regular file or a pipe, such as a shell's <(…). It
// refuses devices and sockets before it opens them, because /dev/zero has no end; /dev/null is an empty file. The
// caller must refuse folders. Errors are *fs.PathError.
func Open(path string) (*os.File, error) {
	return open(path, fs.ModeDir|fs.ModeNamedPipe, "it is a device or a socket: give a file, or a pipe that ends")
}

// OpenRegular is Open without pipes. Opening a pipe without a writer would block forever.
func OpenRegular(path string) (*os.File, error) {
	return open(path, fs.ModeDir, "it is a pipe, a device or a socket: give a regular file")
}

// ReadSource reads a file of at most this many bytes, or for "-" stdin, with its name for messages.
func ReadSource(path string, stdin io.Reader, most int64) (b []byte, name string, err error) {
	if path == "-" {
		b, err = bounded(stdin, "stdin", most)
		return b, "stdin", err
	}
	b, err = ReadFile(path, most)
	return b, path, err
}

// ReadFile reads the file that Open opens, of at most this many bytes. Errors are *fs.PathError.
func ReadFile(path string, most int64) ([]byte, error) { return read(Open, path, most) }

// ReadRegular is ReadFile without pipes.
func ReadRegular(path string, most int64) ([]byte, error) { return read(OpenRegular, path, most) }

func read(open func(path string) (*os.File, error), path string, most int64) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f, path, most)
}

func bounded(src io.Reader, name string, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(src, most+1))
	if err == nil && int64(len(b)) > most {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it is longer than %d KiB", most>>10)}
	}
	return b, err
}

func open(path string, allowed fs.FileMode, refused string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Type()&^allowed != 0 && path != os.DevNull {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New(refused)}
	}
	return os.Open(path)
}

// maxPEM bounds a file of certificates or keys, in bytes.
const maxPEM = 1 << 20

// A KeyPair is a certificate and its private key in two PEM files. It reads them for each connection, because
// certificate managers renew them while the program runs. It has the last usable content of its files. It is safe for
// concurrent use.
type KeyPair struct {
	cert, key string
	last      atomic.Pointer[tls.Certificate]
}

// OpenKeyPair reads the certificate, followed by those of its issuers, and its key. Errors name the invalid file.
func OpenKeyPair(cert, key string) (*KeyPair, error) {
	pair, err := readPair(cert, key)
	if err != nil {
		return nil, err
	}
	p := &KeyPair{cert: cert, key: key}
	p.last.Store(pair)
	return p, nil
}

// Certificate returns the newest usable certificate. While a file is only half written, that is the previous one.
func (p *KeyPair) Certificate() *tls.Certificate {
	if pair, err := readPair(p.cert, p.key); err == nil {
		p.last.Store(pair)
	}
	return p.last.Load()
}

func readPair(cert, key string) (*tls.Certificate, error) {
	certs, _, err := pemOf(cert, "CERTIFICATE", "-clcerts -nokeys")
	if err != nil {
		return nil, err
	}
	private, block, err := pemOf(key, "PRIVATE KEY", "-nocerts -nodes")
	if err != nil {
		return nil, err
	}
	if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
		return nil, fmt.Errorf(
			"%s: the key is encrypted, and a service cannot ask for its password: remove it with openssl pkey -in FILE -out FILE; keep the file readable for its owner alone", key)
	}
	pair, err := tls.X509KeyPair(certs, private)
	if err != nil {
		return nil, fmt.Errorf("%s and %s do not belong together: %w", cert, key, err)
	}
	return &pair, nil
}

// pemOf returns the bytes of a file, and its first block with a type that ends in kind. extract are the options with
// which openssl extracts such a block.
func pemOf(file, kind, extract string) ([]byte, *pem.Block, error) {
	data, err := ReadFile(file, maxPEM)
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

// CertPool returns the authorities of a PEM file, together with those of before, which may be nil or the system's.
// Errors name the file.
func CertPool(file string, before *x509.CertPool) (*x509.CertPool, error) {
	data, err := ReadFile(file, maxPEM)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if before != nil {
		pool = before.Clone()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf(
			"%s has no PEM certificate (of a Java key store: keytool -exportcert -rfc -keystore STORE -alias ALIAS)",
			file)
	}
	return pool, nil
}
