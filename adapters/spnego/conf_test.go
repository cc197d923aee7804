package spnego

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func confOf(t *testing.T, files map[string]string) (*conf, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return loadConf(func(name string) string {
		if name == "KRB5_CONFIG" {
			return filepath.Join(dir, "krb5.conf")
		}
		return ""
	})
}

// TestConf: what RHEL's and Debian's packages, FreeIPA and people write.
func TestConf(t *testing.T) {
	c, err := confOf(t, map[string]string{
		"krb5.conf": `
# a comment
includedir DIR/krb5.conf.d/
includedir /nonexistent/
[logging]
    default = FILE:/var/log/krb5libs.log
[libdefaults]
    default_realm = EXAMPLE.COM
    default_realm = SECOND.COM
	ticket_lifetime = 1d12h
    renew_lifetime = 24:30
    rdns = false
    dns_lookup_kdc = no   ; trailing
    forwardable = true
    dns_canonicalize_hostname = fallback
    default_ccache_name = FILE:%{TEMP}/krb5cc_%{uid}
[realms]
 EXAMPLE.COM = {
  kdc = one.example.com
  kdc = [::1]:1088
  kdc = tcp/two.example.com:188
  auth_to_local_names = {
   fred = freddy
  }
  admin_server = "one.example.com"
 }
[domain_realm]
 .example.com = EXAMPLE.COM
 example.com = EXAMPLE.COM
 odd.example.com = ODD.COM
`,
		"krb5.conf.d/a.conf":    "[libdefaults]\n permitted_enctypes = camellia256-cts aes256-cts-hmac-sha384-192 aes  rc4\n[realms]\n EXAMPLE.COM = {\n  kdc = zero.example.com:88\n }\n",
		"krb5.conf.d/.hidden":   "nonsense",
		"krb5.conf.d/b.rpmsave": "nonsense",
		"krb5.conf.d/c":         "[realms]\n ODD.COM = {\n  kdc = odd\n }\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	l := c.gokrb5.LibDefaults
	if c.realm != "EXAMPLE.COM" || l.DNSLookupKDC || l.Forwardable {
		t.Errorf("realm %s, dns %v, forwardable %v", c.realm, l.DNSLookupKDC, l.Forwardable)
	}
	kdcs, err := c.kdcs(t.Context(), "EXAMPLE.COM")
	if want := []string{"zero.example.com:88", "one.example.com:88", "[::1]:1088", "two.example.com:188"}; err != nil ||
		!slices.Equal(kdcs, want) {
		t.Errorf("KDCs %v, %v", kdcs, err)
	}
	if got := fmt.Sprint(c.etypes); got != "[20 18 17 19 23]" {
		t.Errorf("kinds of encryption %s", got)
	}
	for host, want := range map[string]string{
		"a.b.example.com": "EXAMPLE.COM", "example.com": "EXAMPLE.COM", "ODD.example.com": "ODD.COM", "localhost": "",
		"example.org": "", "": "", ".": "",
	} {
		if got := c.gokrb5.ResolveRealm(strings.ToLower(host)); got != want {
			t.Errorf("%s is of realm %q, want %q", host, got, want)
		}
	}
	if got := expand(c.cacheName, func(string) string { return "" }); got != fmt.Sprintf("FILE:/tmp/krb5cc_%d",
		os.Getuid()) {
		t.Errorf("cache %s", got)
	}
	if _, err := c.kdcs(t.Context(), "NOWHERE"); err == nil ||
		!strings.Contains(err.Error(), "no KDC of the realm NOWHERE is configured") {
		t.Errorf("got %v", err)
	}
}

// TestConfErrors checks that each error has the file and the line.
func TestConfErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[libdefaults]\n dns_lookup_kdc = perhaps": "krb5.conf:2: dns_lookup_kdc = perhaps: it is not true or false",
		"[libdefaults]\n permitted_enctypes = des": "krb5.conf:2: permitted_enctypes = des: none of these is supported",
		"default_realm = X":                        "krb5.conf:1: neither a section",
		"[libdefaults\n":                           "krb5.conf:1: a section",
		"[realms]\n X = {\n kdc = a\n":             "a { is not closed: X",
		"[realms]\n }\n":                           "krb5.conf:2: a } without {",
		"[realms]\n word\n":                        "krb5.conf:2: neither a section",
		"include relative":                         "krb5.conf:1: include takes an absolute path",
		"include DIR/absent":                       "krb5.conf:1: DIR/absent",
		"include DIR/krb5.conf":                    "too many files include each other",
		"module /lib/x.so:1":                       "krb5.conf:1: neither a section",
	} {
		_, err := confOf(t, map[string]string{"krb5.conf": text})
		e, ok := errors.AsType[*Error](err)
		if !ok || !strings.Contains(strings.ReplaceAll(e.Text, filepath.Dir(pathIn(e.Text)), "DIR"), want) ||
			e.Hint == "" {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// pathIn is the first path in a text.
func pathIn(text string) string {
	i := strings.IndexByte(text, '/')
	if i < 0 {
		return ""
	}
	j := strings.Index(text[i:], "krb5.conf")
	if j < 0 {
		return ""
	}
	return text[i : i+j+len("krb5.conf")]
}

// FuzzFiles: whatever a file holds, reading it ends with a value or an error, in bounded memory.
func FuzzFiles(f *testing.F) {
	f.Add([]byte("\x05\x02\x00\x00\x00\x04abcd"))
	f.Add([]byte("\x05\x04\x00\x0c\x00\x01\x00\x08\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01R\x00\x00\x00\x05alice"))
	f.Add([]byte("[realms]\n X = {\n } \n}\n[\n=\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if keys, err := parseKeytab(b); err == nil {
			_, _, _ = keysOf(keys, "f", "", "R")
			_, _, _ = keysOf(keys, "f", "alice", "R")
		}
		_, _, _ = parseCache(b)
		file := filepath.Join(t.TempDir(), "krb5.conf")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "include") {
			return // of files that are this machine's
		}
		if c, err := loadConf(func(string) string { return file }); err == nil {
			c.gokrb5.ResolveRealm(string(b))
		}
		parsePrincipal(string(b))
	})
}
