package damaged

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// hushed are the secrets of TestSecretsStayHome, each of its own kind.
var hushed = map[string]string{
	"password":          "hu-sh-password-1",
	"serve token":       "hu-sh-serve-token-2",
	"collect token":     "hu-sh-collect-token-3",
	"webhook secret":    "hu-sh-webhook-secret-4",
	"webhook token":     "hu-sh-in-the-url-5",
	"alertmanager's":    "hu-sh-userinfo-6",
	"password in --rm":  "hu-sh-in-rm-7",
	"lineage's key":     "hu-sh-lineage-8",
	"lineage's":         "hu-sh-lineage-userinfo-9",
	"basic, in transit": "cm9vdDpodS1zaC1wYXNzd29yZC0x", // root:hu-sh-password-1
}

// TestSecretsStayHome runs the command as a process with every secret that it takes, against a gateway that does not
// know the query, and makes it dump its stacks at the end. No file, no output and no command line holds one of them,
// and commands that it starts inherit none.
func TestSecretsStayHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca := fixtures.NewAuthority(t, "ca")
	rm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"apps":{}}`) // a client that has gone is no fault of the server
	}))
	defer rm.Close()
	knox := fixtures.NewGateway(fixtures.GatewayOptions{RM: rm.URL, JHS: rm.URL, User: "root", Password: hushed["password"]})
	gate := httptest.NewUnstartedServer(knox)
	gate.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue("knox", nil, "127.0.0.1")}}
	gate.StartTLS()
	defer gate.Close()
	left := filepath.Join(dir, "left")
	key := func(name, value string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(left, name) }
	cmd := session.Process(t, dir, "attach", "--rm", gate.URL+"/gateway/default", "--set", "ca-file="+ca.File(), "--user", "root",
		"--set", "password-file="+key("password", hushed["password"]), "--set", "serve-token-file="+key("serve", hushed["serve token"]), "--metrics", ":0",
		"--collect", ":0", "--within", "1h", "--record", at("run.tape"), "--set", "capture="+at("run.capture"),
		"--set", "metrics-textfile="+at("run.prom"),
		"--log-level", "debug", "--every", "100ms")
	cmd.Env = append(slices.DeleteFunc(session.Environ(t), func(e string) bool { return strings.HasPrefix(e, "PARATIMER_") }),
		"XDG_STATE_HOME="+at("state"), "XDG_CONFIG_HOME="+at("config"), "GOTRACEBACK=all",
		"PARATIMER_COLLECT_TOKEN="+hushed["collect token"], "PARATIMER_WEBHOOK_SECRET="+hushed["webhook secret"],
		"PARATIMER_WEBHOOK=http://127.0.0.1:1/hook?token="+hushed["webhook token"], "PARATIMER_ALERTMANAGER=http://me:"+
			hushed["alertmanager's"]+"@127.0.0.1:1",
		"PARATIMER_OPENLINEAGE=http://me:"+hushed["lineage's"]+"@127.0.0.1:1",
		"OPENLINEAGE_API_KEY="+hushed["lineage's key"], "PARATIMER_EXEC=env")
	output, err := os.Create(at("output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	awaitRequests(t, knox, over)
	if line, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/cmdline"); err == nil {
		clean(t, "the command line", string(line))
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil { // the Go runtime dumps all stacks
		t.Fatal(err)
	}
	<-over
	files := 0
	err = filepath.WalkDir(left, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := fixtures.Unpacked(path)
		clean(t, filepath.Base(path), string(text))
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files are left: %v", files, err)
	}
	if text, err := os.ReadFile(at("output")); err != nil || !strings.Contains(string(text), "goroutine ") {
		t.Errorf("no stacks were dumped: %v, %.500s", err, text)
	}
	for _, where := range []string{
		"http://root:SECRET@rm", "root:SECRET@rm:8088", "http://root:a/SECRET@rm", "http://root:a?SECRET@rm",
		"http://a,root:SECRET,b@rm",
		"http://rm?password=SECRET", "http://rm?password=a@SECRET", "ftp://root:SECRET@rm", "http://rm#SECRET",
	} {
		address := strings.ReplaceAll(where, "SECRET", hushed["password in --rm"])
		for _, args := range [][]string{{"--rm", address}, {"--rm", "http://rm", "--jhs", address}} {
			code, stdout, stderr := session.Run(t, append([]string{"attach"}, args...)...)
			clean(t, "the output about "+where, stdout+stderr)
			if code != program.ExitUsage || !strings.Contains(stderr, "password-file") {
				t.Errorf("%s: exit code %d, %s", where, code, stderr)
			}
		}
	}
}

func clean(t *testing.T, what, text string) {
	t.Helper()
	for name, s := range hushed {
		if i := strings.Index(text, s); i >= 0 {
			t.Errorf("%s holds the %s: %.200q", what, name, text[max(0, i-100):])
		}
	}
}

// awaitRequests waits until the gateway has let the command in and has responded to some requests.
func awaitRequests(t *testing.T, knox *fixtures.Gateway, over <-chan error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for {
		paths, passwords := knox.Requests()
		if passwords > 0 && len(paths) >= 3 {
			break
		}
		select {
		case err := <-over:
			t.Fatalf("the command has ended: %v", err)
		case <-ctx.Done():
			t.Fatalf("got the requests %v at the gateway", paths)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
