package spnego

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/messages"
)

// TestLoginErrors checks the errors of failed logins, and their advice. The KDC is real.
func TestLoginErrors(t *testing.T) {
	r := newRealm(t, "10m", "alice", "bob/host", "HTTP/localhost")
	both := r.keytab("alice")
	r.admin("ktadd -k " + both + " bob/host")
	stale := r.keytab("bob/host") // and the one in both is an old one
	old := filepath.Join(r.dir, "old.keytab")
	r.run("cp", stale, old)
	r.admin("cpw -randkey -e aes256-cts-hmac-sha1-96:normal bob/host")
	removed := filepath.Join(r.dir, "gone.keytab")
	r.admin("addprinc -randkey carol")
	r.admin("ktadd -k " + removed + " carol")
	r.admin("delprinc -force carol")
	short := r.write("short.keytab", "\x05\x02\x00\x00\x00\x99abc")
	ended := filepath.Join(r.dir, "ended.ccache")
	r.run("kinit", "-c", ended, "-l", "1s", "-k", "-t", both, "alice")
	time.Sleep(1100 * time.Millisecond) // the KDC's clock cannot be set
	unreachable := filepath.Join(r.dir, "unreachable.conf")
	text, err := os.ReadFile(filepath.Join(r.dir, "krb5.conf"))
	if err != nil {
		t.Fatal(err)
	}
	closed := strings.ReplaceAll(string(text), "kdc = 127.0.0.1:", "kdc = 127.0.0.1:1 #")
	if err := os.WriteFile(unreachable, []byte(closed), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o          Options
		env        []string
		text, hint string
	}{
		"no ticket": {Options{}, nil, "no ticket cache", "kinit"},
		"ended": {
			Options{},
			[]string{"KRB5CCNAME=" + ended},
			"the ticket of alice@SPNEGO.TEST ended at", "kinit",
		},
		"another's ticket": {
			Options{Principal: "bob"},
			[]string{"KRB5CCNAME=" + ended},
			"is of alice@SPNEGO.TEST, not of bob", "kinit bob",
		},
		"keyring": {
			Options{},
			[]string{"KRB5CCNAME=KEYRING:persistent:0"},
			"of the kind KEYRING",
			"KRB5CCNAME=FILE:",
		},
		"kcm":               {Options{}, []string{"KRB5CCNAME=KCM:"}, "of the kind KCM", "--keytab"},
		"no such keytab":    {Options{Keytab: "/nonexistent"}, nil, "/nonexistent cannot be read", "klist -k"},
		"damaged keytab":    {Options{Keytab: short}, nil, "cut off or damaged", "klist -k"},
		"a cache as keytab": {Options{Keytab: ended}, nil, "not a keytab of version 2", "klist -k"},
		"a keytab as cache": {
			Options{},
			[]string{"KRB5CCNAME=" + both},
			"not a ticket cache of version",
			"kinit",
		},
		"which of two": {
			Options{Keytab: both},
			nil, "whose keys",
			"alice@SPNEGO.TEST, bob/host@SPNEGO.TEST",
		},
		"not in the keytab": {
			Options{Keytab: both, Principal: "dave"},
			nil, "has no key of dave",
			"alice@SPNEGO.TEST, bob/host@SPNEGO.TEST",
		},
		"another realm's": {
			Options{Keytab: both, Principal: "alice@OTHER"},
			nil, "has no key of alice@OTHER",
			"alice@SPNEGO.TEST",
		},
		"wrong key":          {Options{Keytab: old}, nil, "is not the one that the KDC has", "new keytab"},
		"unknown to the KDC": {Options{Keytab: removed}, nil, "has no principal carol@SPNEGO.TEST", "spelt"},
		"unreachable": {
			Options{Keytab: both, Principal: "alice"},
			[]string{"KRB5_CONFIG=" + unreachable},
			"no KDC of SPNEGO.TEST answers", "port 88",
		},
		"no configuration": {
			Options{Keytab: both},
			[]string{"KRB5_CONFIG=/nonexistent"},
			"there is no Kerberos configuration", "KRB5_CONFIG",
		},
		"the environment's":       {Options{}, []string{"KRB5_KTNAME=FILE:" + both}, "whose keys", "--principal"},
		"principal out of nobody": {Options{Keytab: both, Principal: "/"}, nil, "is not a principal", "NAME/HOST"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.login(c.o, c.env...).Check(t.Context())
			e, ok := errors.AsType[*Error](err)
			if !ok || !strings.Contains(e.Text, c.text) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("got %#v", err)
			}
		})
	}
	// A key that was refused is not tried again and again: some KDCs lock the account.
	l := r.login(Options{Keytab: old})
	for range 5 {
		if _, err := l.Check(t.Context()); err == nil {
			t.Fatal("the old key is taken")
		}
	}
	log, err := os.ReadFile(filepath.Join(r.dir, "kdc.log"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), "PREAUTH_FAILED") + strings.Count(string(log),
		"preauth (encrypted_timestamp) verify failure"); n > 4 {
		t.Errorf("the KDC was asked in vain %d times", n)
	}
}

// TestServiceUnknown: an address that the KDC has no service by.
func TestServiceUnknown(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	_, _, err := get(t, r.login(Options{Keytab: r.keytab("alice")}).Layer(newTransport(t)), h.URL)
	e, ok := errors.AsType[*Error](err)
	if !ok || !strings.Contains(e.Text, "has no service HTTP/127.0.0.1@SPNEGO.TEST") ||
		!strings.Contains(e.Hint, "host name") {
		t.Errorf("got %#v", err)
	}
}

// TestTicketsAreRenewed: with tickets of seconds, requests are let in all along.
func TestTicketsAreRenewed(t *testing.T) {
	r := newRealm(t, "6s", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	h.validity = 2 * time.Second
	rt := r.login(Options{Keytab: r.keytab("alice")}).Layer(newTransport(t))
	for end := time.Now().Add(14 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
			t.Fatalf("%d %v", status, err)
		}
	}
	if as := r.issued("AS_REQ"); as < 3 || as > 5 {
		t.Errorf("%d tickets in 14 s, of 6 s each", as)
	}
	if h.refused != h.tickets {
		t.Errorf("%d refusals, %d negotiations; want one refusal for each end of a cookie", h.refused, h.tickets)
	}
}

// TestCacheIsReadAgain: kinit by somebody else brings an ended watch back, and a renewable ticket is renewed.
func TestCacheIsReadAgain(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	kt := r.keytab("alice")
	cache := r.kinit("alice", kt, "-l", "2s")
	clock := &dial{at: time.Now()}
	l := r.login(Options{Clock: clock.now}, "KRB5CCNAME=FILE:"+cache)
	rt := l.Layer(newTransport(t))
	h.now, h.validity = clock.now, time.Second
	if status, body, err := get(t, rt, h.address()); status != http.StatusOK || body != "alice" {
		t.Fatalf("%d %q %v", status, body, err)
	}
	clock.turn(10 * time.Second)
	if _, _, err := get(t, rt, h.address()); err == nil || !strings.Contains(err.Error(), "ended at") {
		t.Fatalf("with a ticket that has ended: %v", err)
	}
	r.kinit("alice", kt, "-l", "5m", "-r", "30m")
	if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
		t.Fatalf("after kinit: %d %v", status, err)
	}
	before := r.issued("TGS_REQ")
	clock.turn(4*time.Minute + 20*time.Second) // the last sixth of the ticket's life
	id, err := l.Check(t.Context())
	if err != nil || !strings.HasPrefix(id, "Kerberos, as alice@SPNEGO.TEST by the ticket cache "+cache+", until ") ||
		!strings.HasSuffix(id, ", then by a new ticket") {
		t.Errorf("%s %v", id, err)
	}
	if r.issued("TGS_REQ") != before+1 {
		t.Errorf("the ticket was not renewed")
	}
}

// TestKDCAway: while no KDC answers, what is held goes on until it ends, though kinit has written the cache anew.
func TestKDCAway(t *testing.T) {
	r := newRealm(t, "10m", "alice", "HTTP/localhost")
	h := newHadoop(t, r.keytab("HTTP/localhost"))
	kt := r.keytab("alice")
	cache := r.kinit("alice", kt, "-l", "2m")
	clock := &dial{at: time.Now()}
	rt := r.login(Options{Clock: clock.now}, "KRB5CCNAME=FILE:"+cache).Layer(newTransport(t))
	h.now, h.validity = clock.now, time.Second
	if status, body, err := get(t, rt, h.address()); status != http.StatusOK || body != "alice" {
		t.Fatalf("%d %q %v", status, body, err)
	}
	r.kinit("alice", kt, "-l", "9m")
	r.stop()
	clock.turn(110 * time.Second) // the last sixth of the life of the ticket to the service
	if status, _, err := get(t, rt, h.address()); status != http.StatusOK {
		t.Errorf("while the ticket holds: %d %v", status, err)
	}
	clock.turn(20 * time.Second)
	if _, _, err := get(t, rt, h.address()); err == nil ||
		!strings.Contains(err.Error(), "no KDC of SPNEGO.TEST answers") {
		t.Errorf("after its end: %v", err)
	}
}

// TestTrust: a user of one realm, a service of another that trusts it: by [domain_realm], and by the KDC's referral.
func TestTrust(t *testing.T) {
	users, services := newRealm(t, "10m", "alice"), newRealmOf(t, "SERVICES.TEST", "10m", "HTTP/web.services.test")
	h := newHadoop(t, services.keytab("HTTP/web.services.test"))
	kt := users.keytab("alice")
	both := fmt.Sprintf("\n SERVICES.TEST = {\n kdc = 127.0.0.1:%d\n }\n", services.port)
	mapped := both + "[domain_realm]\n .services.test = SERVICES.TEST\n"
	config := readAll(t, filepath.Join(users.dir, "krb5.conf"))
	// What a KDC refers to is in its configuration.
	users.write("krb5.conf", config+mapped)
	users.stop()
	users.start()
	tr := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, h.Listener.Addr().String())
	}}
	defer tr.CloseIdleConnections()
	login := func(env ...string) error {
		status, body, err := get(t, users.login(Options{Keytab: kt}, env...).Layer(tr),
			strings.Replace(h.URL, "127.0.0.1", "web.services.test", 1))
		if err == nil && (status != http.StatusOK || body != "alice") {
			err = fmt.Errorf("%d %q", status, body)
		}
		return err
	}
	if err := login(); err == nil || !strings.Contains(err.Error(), "has no service krbtgt/SERVICES.TEST") {
		t.Errorf("without trust: %v", err)
	}
	for _, r := range []*realm{users, services} {
		r.admin("addprinc -pw trust krbtgt/SERVICES.TEST@SPNEGO.TEST")
	}
	if err := login(); err != nil {
		t.Errorf("by [domain_realm]: %v", err)
	}
	if err := login("KRB5_CONFIG=" + users.write("plain.conf", config+both)); err != nil {
		t.Errorf("by referral: %v", err)
	}
}

func readAll(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSkew checks that an error reports the difference between the clocks, by the KDC's own time.
func TestSkew(t *testing.T) {
	alice := parsePrincipal("alice@R")
	err := explain(messages.KRBError{ErrorCode: errorcode.KRB_AP_ERR_SKEW, STime: time.Now().Add(-12 * time.Minute)},
		alice, "", "")
	if e, ok := errors.AsType[*Error](err); !ok ||
		!strings.Contains(e.Text, "this machine's is 12m ahead of the KDC's") ||
		!strings.Contains(e.Hint, "correct the clocks") {
		t.Errorf("got %#v", err)
	}
}
