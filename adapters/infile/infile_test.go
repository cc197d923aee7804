package infile

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestOpen checks what is opened and what is refused. A pipe without a writer must be refused without opening it:
// that waits.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, pipe, socket := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]string{
		file: "", dir: "", pipe: "it is a pipe", socket: "it is a pipe, a device or a socket",
		"/dev/zero":                "give a regular file",
		filepath.Join(dir, "none"): "no such file", os.DevNull: "",
	} {
		f, err := OpenRegular(path)
		if err == nil {
			f.Close()
		}
		if got := text(err); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("OpenRegular(%s): %q, want %q", path, got, want)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for path, want := range map[string]string{
		file: "", "/dev/fd/" + strconv.Itoa(int(r.Fd())): "", os.DevNull: "",
		socket: "a pipe that ends", "/dev/zero": "a pipe that ends",
	} {
		f, err := Open(path)
		if err == nil {
			f.Close()
		}
		if got := text(err); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("Open(%s): %q, want %q", path, got, want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestReadSource checks that stdin and files are read whole, up to a size, and that errors have the name.
func TestReadSource(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runs.csv")
	if err := os.WriteFile(file, make([]byte, 3000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"-", file} {
		b, name, err := ReadSource(path, bytes.NewReader(make([]byte, 3000)), 3000)
		if err != nil || len(b) != 3000 || name != strings.Replace(path, "-", "stdin", 1) {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		_, name, err = ReadSource(path, bytes.NewReader(make([]byte, 3000)), 2048)
		if err == nil || !strings.HasSuffix(err.Error(), name+": it is longer than 2 KiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err := ReadSource("-", iotest.ErrReader(io.ErrUnexpectedEOF), 1)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// serial is that of what a pair serves now.
func serial(p *KeyPair) string { return p.Certificate().Leaf.SerialNumber.String() }

// TestRenewed: a certificate that is renewed on disk is served; files that do not go together leave the one before.
func TestRenewed(t *testing.T) {
	a, dir := fixtures.NewAuthority(t, "ca"), t.TempDir()
	one, two := a.Issue("one", nil, "h"), a.Issue("two", nil, "h")
	cert, key := fixtures.CertFiles(t, dir, one)
	p, err := OpenKeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	if serial(p) != one.Leaf.SerialNumber.String() {
		t.Fatal("not the certificate that was opened")
	}
	whole, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	// Half of the renewal: the new certificate with the old key, then half of the new key.
	fixtures.CertFiles(t, dir, two)
	fresh, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	for i, half := range [][]byte{whole, fresh[:len(fresh)/2], nil} {
		put(t, key, half, time.Duration(i+1)*time.Minute)
		if serial(p) != one.Leaf.SerialNumber.String() {
			t.Errorf("half a renewal is served")
		}
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if serial(p) != one.Leaf.SerialNumber.String() {
		t.Error("a key that is gone for a moment takes the certificate away")
	}
	put(t, key, fresh, time.Hour)
	if serial(p) != two.Leaf.SerialNumber.String() {
		t.Error("the renewed certificate is not served")
	}
}

// put writes a file whose time is later by so much, on whatever clock the file system has.
func put(t *testing.T, name string, data []byte, later time.Duration) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(later)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// TestUnusable: what is wrong with files, by name and with what to do.
func TestUnusable(t *testing.T) {
	a, dir := fixtures.NewAuthority(t, "ca"), t.TempDir()
	cert, key := fixtures.CertFiles(t, dir, a.Issue("one", nil, "h"))
	other := t.TempDir()
	_, wrong := fixtures.CertFiles(t, other, a.Issue("two", nil, "h"))
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	store := write("store.jks", []byte("\xfe\xed\xfe\xed"))
	locked := write("locked.pem", pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")}))
	huge := write("huge.pem", bytes.Repeat([]byte("x"), maxPEM+1))
	for name, c := range map[string]struct{ cert, key, want string }{
		"absent":         {filepath.Join(dir, "none.pem"), key, "none.pem"},
		"a key store":    {store, key, "openssl pkcs12 -in STORE.p12 -clcerts"},
		"key of a store": {cert, store, "openssl pkcs12 -in STORE.p12 -nocerts"},
		"encrypted":      {cert, locked, "locked.pem: the key is encrypted"},
		"another's key":  {cert, wrong, "do not belong together"},
		"huge":           {cert, huge, "longer than 1024 KiB"},
		"a folder":       {dir, key, "is a directory"},
	} {
		if _, err := OpenKeyPair(c.cert, c.key); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := CertPool(store, nil); err == nil || !strings.Contains(err.Error(), "keytool") {
		t.Errorf("a key store as authorities: %v", err)
	}
	before := x509.NewCertPool()
	pool, err := CertPool(cert, before)
	if err != nil || pool.Equal(before) {
		t.Errorf("a pool with the file's: %v", err)
	}
}
