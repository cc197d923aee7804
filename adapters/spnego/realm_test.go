package spnego

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The service side of gokrb5, which only the tests use, keeps its cache of replays for ever.
func TestMain(m *testing.M) {
	const service = "github.com/jcmturner/gokrb5/v8/service."
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction(service+"GetReplayCache.func1.1"),
		goleak.IgnoreAnyFunction(service+"VerifyAPREQ.GetReplayCache.func1.1"))
}

// A realm is a real KDC, of MIT Kerberos, with a database of its own.
type realm struct {
	t       *testing.T
	name    string
	dir     string
	port    int
	process *exec.Cmd
}

// newRealm starts a KDC with these principals; tickets live for life. It is down when the test has ended.
func newRealm(t *testing.T, life string, principals ...string) *realm {
	t.Helper()
	return newRealmOf(t, "SPNEGO.TEST", life, principals...)
}

func newRealmOf(t *testing.T, name, life string, principals ...string) *realm {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	for _, tool := range []string{"krb5kdc", "kdb5_util", "kadmin.local", "kinit"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: no %s here (apt-get install krb5-kdc krb5-user), so nothing is tried against a real KDC",
				tool)
		}
	}
	r := &realm{t: t, name: name, dir: t.TempDir(), port: freePort(t)}
	r.write("kdc.conf", fmt.Sprintf(
		"[kdcdefaults]\n kdc_listen = 127.0.0.1:%d\n kdc_tcp_listen = 127.0.0.1:%d\n[realms]\n %s = {\n database_name = %s/principal\n key_stash_file = %s/stash\n max_life = %s\n max_renewable_life = 1h\n }\n[logging]\n kdc = FILE:%s/kdc.log\n",
		r.port, r.port, r.name, r.dir, r.dir, life, r.dir))
	r.conf("")
	r.run("kdb5_util", "create", "-s", "-r", r.name, "-P", "test")
	for _, p := range principals {
		r.admin("addprinc -randkey +requires_preauth " + p)
	}
	r.start()
	t.Cleanup(r.stop)
	return r
}

// conf writes krb5.conf, with more lines for libdefaults.
func (r *realm) conf(more string) string {
	r.t.Helper()
	return r.write("krb5.conf",
		fmt.Sprintf("[libdefaults]\n default_realm = %s\n dns_lookup_kdc = false\n dns_canonicalize_hostname = false\n%s\n[realms]\n %s = {\n kdc = 127.0.0.1:%d\n }\n", r.name, more, r.name, r.port))
}

func (r *realm) write(name, text string) string {
	r.t.Helper()
	file := filepath.Join(r.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return file
}

func (r *realm) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "KRB5_CONFIG="+filepath.Join(r.dir, "krb5.conf"), "KRB5_KDC_PROFILE="+
		filepath.Join(r.dir, "kdc.conf"))
	return cmd
}

func (r *realm) run(name string, args ...string) {
	r.t.Helper()
	if out, err := r.command(name, args...).CombinedOutput(); err != nil {
		r.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func (r *realm) admin(query string) { r.t.Helper(); r.run("kadmin.local", "-r", r.name, "-q", query) }

// keytab makes new keys of a principal and returns their file.
func (r *realm) keytab(principal string) string {
	r.t.Helper()
	file := filepath.Join(r.dir, strings.ReplaceAll(principal, "/", "-")+".keytab")
	r.admin("ktadd -k " + file + " " + principal)
	return file
}

// kinit fills a ticket cache.
func (r *realm) kinit(principal, keytab string, options ...string) string {
	r.t.Helper()
	file := filepath.Join(r.dir, principal+".ccache")
	r.run("kinit", append(append([]string{"-c", "FILE:" + file}, options...), "-k", "-t", keytab, principal)...)
	return file
}

func (r *realm) start() {
	r.t.Helper()
	r.process = r.command("krb5kdc", "-n")
	if err := r.process.Start(); err != nil {
		r.t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", r.port))
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("the KDC does not listen: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (r *realm) stop() {
	if r.process != nil {
		r.process.Process.Kill() //nolint:errcheck // it may have ended
		r.process.Wait()         //nolint:errcheck // it was killed
		r.process = nil
	}
}

// issued counts the tickets that the KDC's log lists as given: kind is AS_REQ or TGS_REQ.
func (r *realm) issued(kind string) int {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, "kdc.log"))
	if err != nil {
		r.t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(b) {
		if bytes.Contains(line, []byte(kind)) && bytes.Contains(line, []byte("ISSUE")) {
			n++
		}
	}
	return n
}

// login is a login with an environment of this realm's configuration and what is given, NAME=VALUE.
func (r *realm) login(o Options, env ...string) *Login {
	o.Getenv = func(name string) string {
		for _, e := range append(env, "KRB5_CONFIG="+filepath.Join(r.dir, "krb5.conf"), "KRB5CCNAME=FILE:"+
			filepath.Join(r.dir, "none")) {
			if n, v, _ := strings.Cut(e, "="); n == name {
				return v
			}
		}
		return ""
	}
	return New(o)
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
