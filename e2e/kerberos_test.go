//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/keytab"

	"github.com/paratimer/paratimer/adapters/spnego"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// ticketLife is how long the lab's tickets live, in seconds; its cookies live 45 s. A run of two minutes sees as many
// renewals as one of a day with tickets of ten hours sees in weeks.
const ticketLife = "60"

// A kerberized is a cluster that wants Kerberos.
type kerberized struct {
	*lab
	dir string // of keytabs
}

func kerberizedUp(t *testing.T, options ...string) *kerberized {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	for _, tool := range []string{"krb5kdc", "kadmin.local", "kinit"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: no %s here (apt-get install krb5-kdc krb5-admin-server krb5-user), so nothing was tried against a cluster with Kerberos", tool)
		}
	}
	k := &kerberized{lab: up(t, append([]string{"--with", "kerberos=" + ticketLife}, options...)...)}
	env := settings(k.hadoop("env"))
	k.dir = env["PARATIMER_KRB5"]
	t.Setenv("KRB5_CONFIG", env["KRB5_CONFIG"])
	t.Setenv("KRB5CCNAME", "FILE:"+filepath.Join(k.lab.dir, "none"))
	k.transport = spnego.New(spnego.Options{Keytab: k.keytab("witness")}).Layer(http.DefaultTransport)
	return k
}

func (k *kerberized) keytab(name string) string { return filepath.Join(k.dir, name+".keytab") }

// kinit gets a ticket as people do.
func (k *kerberized) kinit(name string) (cache string) {
	k.t.Helper()
	cache = filepath.Join(k.dir, name+".ccache")
	if out, err := exec.CommandContext(k.ctx, "kinit", "-c", cache, "-k", "-t", k.keytab(name), name).CombinedOutput(); err != nil {
		k.t.Errorf("kinit: %v\n%s", err, out)
	}
	return cache
}

// keepTicket works like k5start: a new ticket in the cache before the old one ends.
func (k *kerberized) keepTicket(ctx context.Context, name string) (ended chan struct{}) {
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(15 * time.Second):
				exec.CommandContext(ctx, "kinit", "-c", filepath.Join(k.dir, name+".ccache"), "-k", "-t",
					k.keytab(name), name).Run() //nolint:errcheck // the KDC may be down; the next one comes
			}
		}
	}()
	return ended
}

// TestKerberos attaches to a cluster that wants Kerberos through a run that outlives its tickets and cookies, by keytab
// and by ticket cache, the KDC being away for a while; and checks the errors of users without the right.
func TestKerberos(t *testing.T) {
	k := kerberizedUp(t)
	t.Setenv("HADOOP_USER_NAME", "alice") // who submits: RPC stays simple
	job := k.client("job", "run", "org.apache.hadoop.mapreduce.SleepJob", "-m", "8", "-r", "2", "-mt", "80000", "-rt",
		"30000", "-recordt", "500")
	t.Setenv("HADOOP_USER_NAME", "")

	alice, bob := k.keytab("alice"), k.keytab("bob")
	k.failsWith("no ticket", 3, "kinit, or give --keytab", "attach")
	k.failsWith("wrong principal", 3, "has no key of carol (in it are alice@LAB.PARATIMER)", "attach", "--keytab", alice,
		"--principal", "carol")
	k.failsWith("unknown service", 3, "host name that it is known by", "attach", "--rm", strings.Replace(k.rm, "localhost",
		"127.0.0.1", 1), "--keytab", alice)
	if output := string(k.run("doctor", 0, "doctor", "--keytab", alice)); !strings.Contains(output,
		"Kerberos, as alice@LAB.PARATIMER by the keytab "+alice) {
		t.Errorf("doctor prints\n%s", output)
	}
	app := k.awaitApp("Sleep job")

	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	cache := k.kinit("alice")
	ended := k.keepTicket(ctx, "alice")
	byKeytab := k.attach("keytab", "", "--keytab", alice, "--log-level", "debug")
	t.Setenv("KRB5CCNAME", "FILE:"+cache)
	byCache := k.attach("cache", "", "--log-level", "debug")
	t.Setenv("KRB5CCNAME", "FILE:"+filepath.Join(k.lab.dir, "none"))

	k.awaitTask(app, "m_000002", 5)
	byBob := k.attach("acl", app.ID, "--keytab", bob)
	k.awaitTask(app, "m_000002", 20)
	down := k.kdcAway(20 * time.Second)

	byKeytab.ends(0, "succeeded")
	byCache.ends(0, "succeeded")
	// The ResourceManager reports to every user how applications end.
	byBob.ends(0, "succeeded")
	refusal := "bob@LAB.PARATIMER may not see " + app.job() +
		": its owner can start it with mapreduce.job.acl-view-job=bob"
	if !strings.Contains(string(byBob.raw), refusal) {
		t.Errorf("no frame of bob's has %q: %+v", refusal, byBob.last().Warnings)
	}
	cancel()
	<-ended
	job.succeed()
	byKeytab.recordings(0)
	if n := len(byCache.frames); n == 0 || byCache.last().jobs()[0] != app.job() {
		t.Errorf("by the ticket cache %d frames were seen", n)
	}
	tickets, services, in := k.renewals(byKeytab)
	if tickets < 2 || services < 2 || in < 4 {
		t.Errorf("%d tickets, %d to services, let in %d times: the run did not outlive them", tickets, services, in)
	}
	_, _, inByCache := k.renewals(byCache)
	for _, w := range []*watcher{byKeytab, byCache} {
		if output, err := os.ReadFile(w.stderr); err != nil || lockedOut.Match(output) {
			t.Errorf("%s was locked out: %v\n%s", w.name, err, lockedOut.Find(output))
		}
	}
	k.noSecrets()
	k.note("a cluster that wants Kerberos: tickets of "+ticketLife+" s, cookies of 45 s", *byKeytab.last().Elapsed,
		fmt.Sprintf(
			"by keytab %d tickets, %d to services, let in %d times; by ticket cache %d times; the KDC away for %.0f s; no ticket, wrong principal, unknown host name: exit code 3 and a hint; another user's job: refused by its ACL, named, its end the ResourceManager's word; `doctor`; no key, ticket or cookie in any file",
			tickets, services, in, inByCache, down.Seconds()))
}

// kdcAway kills the KDC and starts it again.
func (k *kerberized) kdcAway(d time.Duration) time.Duration {
	k.t.Helper()
	pid, err := os.ReadFile(filepath.Join(k.root, "run", "pid", "kdc"))
	k.must(err)
	if out, err := exec.Command("kill", "-9", strings.TrimSpace(string(pid))).CombinedOutput(); err != nil {
		k.t.Errorf("the KDC: %v %s", err, out)
	}
	killed := time.Now()
	time.Sleep(d)
	if out, err := exec.Command(filepath.Join(k.dir, "start-kdc")).CombinedOutput(); err != nil {
		k.t.Fatalf("the KDC does not start again: %v\n%s", err, out)
	}
	return time.Since(killed)
}

// renewals counts the tickets in a watcher's log.
func (k *kerberized) renewals(w *watcher) (tickets, services, in int) {
	k.t.Helper()
	b, err := os.ReadFile(w.stderr)
	k.must(err)
	for line := range strings.Lines(string(b)) {
		switch {
		case strings.Contains(line, " to HTTP/"):
			services++
		case strings.Contains(line, "ticket of "):
			tickets++
		case strings.Contains(line, ": let in"):
			in++
		}
	}
	return tickets, services, in
}

var (
	lockedOut  = regexp.MustCompile(`.*"error":"[^"]*(KDC|ticket|Negotiate).*`)
	cookieLeft = regexp.MustCompile(`t=kerberos&(amp;)?e=\d+|\\u0026e=\d{13}\\u0026s=`)
	ticketLeft = regexp.MustCompile(`Negotiate [A-Za-z0-9+/]{20,}|YII[A-Za-z0-9+/]{60,}`)
)

// noSecrets looks through every file that the test has left for keys, tickets and cookies.
func (k *kerberized) noSecrets() {
	k.t.Helper()
	var secrets [][]byte
	for _, name := range []string{"alice", "bob", "witness"} {
		kt, err := keytab.Load(k.keytab(name))
		k.must(err)
		for _, e := range kt.Entries {
			key := e.Key.KeyValue
			secrets = append(secrets, key, []byte(hex.EncodeToString(key)),
				[]byte(base64.StdEncoding.EncodeToString(key)))
		}
	}
	sign, err := os.ReadFile(filepath.Join(k.dir, "secret"))
	k.must(err)
	secrets = append(secrets, bytes.TrimSpace(sign))
	files := 0
	k.must(filepath.WalkDir(k.lab.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fixtures.Unpacked(path)
		if err != nil {
			return err
		}
		files++
		for _, s := range secrets {
			if bytes.Contains(b, s) {
				k.t.Errorf("%s holds a key", path)
			}
		}
		if cookieLeft.Match(b) || ticketLeft.Match(b) {
			k.t.Errorf("%s holds a cookie or a ticket", path)
		}
		return nil
	}))
	if files < 6 {
		k.t.Errorf("only %d files were looked through", files)
	}
}
