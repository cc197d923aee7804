package recordings

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// nodeAddress is the address of the NodeManager in recorded responses.
var nodeAddress = regexp.MustCompile(`localhost:8042`)

// tezServer plays a recording as a cluster, some seconds of it each time that its applications are listed.
func tezServer(t *testing.T, file string, step time.Duration) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		t.Skip(err)
	}
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	player := tez.NewPlayer(rec)
	player.Seek(rec.First.Add(15 * time.Second)) // the first DAG runs
	var mu sync.Mutex
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/ws/v1/cluster/apps" {
			player.Seek(min(player.Now().Add(step), rec.Last))
		}
		resp, err := player.RoundTrip(&http.Request{Method: http.MethodGet, URL: &url.URL{
			Scheme: "http", Host: "rm",
			Path: r.URL.Path, RawQuery: r.URL.RawQuery,
		}})
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		body = nodeAddress.ReplaceAll(body, []byte(strings.TrimPrefix(server.URL, "http://")))
		w.WriteHeader(resp.StatusCode)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// skewed is a recording of one DAG of Pig that stands beside the source.
const skewed = "../../adapters/tez/testdata/skew-3.jsonl.gz"

func TestTez(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"attach", []string{"attach", "--every", "100ms"}, program.ExitOK, []string{"skew.pig", "scope-", "succeeded after"}},
		{"check by name", []string{"check", "skew.pig", "--timeout", "30"}, program.ExitOK, []string{"skew.pig"}},
		{"report", []string{"report", "skew.pig", "--output", "json", "-o", "-"}, program.ExitOK, []string{"scope-"}},
		{"doctor", []string{"doctor"}, program.ExitBlind, []string{
			"ok    tez: the newest application is application_",
			"ok    tez master: dag_", "ok    tez files: ", "ok    tez plan: ",
		}},
		{
			"watch",
			[]string{"watch", "--rules", "-", "--every", "100ms", "--set", "most=100ms", "--timeout", "8s"},
			program.ExitTimeout,
			[]string{"skew.pig"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := tezServer(t, skewed, 3*time.Second)
			var out, stderr bytes.Buffer
			args := append([]string{"paratimer"}, c.args...)
			args = append(args, "--rm", server, "--jhs", server, "--user", "root")
			code := program.Run(t.Context(), args, session.Environ(t),
				strings.NewReader("rules: [{name: all, match: {user: '*'}, within: 1h}]\n"), &out, &stderr)
			t.Log(out.String(), stderr.String())
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("nothing of %q", want)
				}
			}
		})
	}
}

// TestTezSession watches both DAGs of a script, one after the other.
func TestTezSession(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	server := tezServer(t, "../../adapters/tez/testdata/session-3.jsonl.zst", 2*time.Second)
	code, out, stderr := session.Run(t, "attach", "--rm", server, "--jhs", server, "--user", "root", "--every", "100ms")
	if code != program.ExitOK || strings.Count(out, "succeeded after") != 2 || !strings.Contains(out, "session.pig #2") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
}

// mapReduceWords are words that must not appear for a DAG.
var mapReduceWords = regexp.MustCompile(`\b(jobs?|maps?|reduces?|slots?)\b`)

// TestTezWords checks that a DAG is shown as one, and that frames name the engine.
func TestTezWords(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	code, out, stderr := session.Run(t, "replay", skewed)
	if found := mapReduceWords.FindString(out); code != program.ExitOK || found != "" ||
		!strings.HasPrefix(out, "skew.pig: Tez DAG\n") {
		t.Errorf("exit code %d, %q\n%s%s", code, found, out, stderr)
	}
	code, out, stderr = session.Run(t, "replay", skewed, "--output", "ndjson")
	if code != program.ExitOK || strings.Count(out, `"engine":"Tez"`) != strings.Count(out, "\n") ||
		!strings.Contains(out, `"edges":["slow_start"]`) {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	code, out, stderr = session.Run(t, "report", skewed, "-o", "-")
	for _, want := range []string{"Vertices</h2>", "scope-26 (shuffle)", "Tez DAG, 18 tasks"} {
		if code != program.ExitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, the report has no %q\n%s", code, want, stderr)
		}
	}
}

// TestTezQuery watches the second query of a session of Hive by the id that Hive gave to it, and --session the query
// that follows the first.
func TestTezQuery(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	for _, c := range []struct {
		args []string
		ends int
		want string
	}{
		{[]string{"root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272"}, 1, "report-3"},
		{[]string{"--session", "hive_root_20261122164915_b16fc803-fc1b-4a54-afc5-a2a7709a6272"}, 2, "mapjoin-3"},
	} {
		server := tezServer(t, "../../../shared/recordings-tez/hive-3.jsonl.gz", 3*time.Second)
		code, out, stderr := session.Run(t, append([]string{
			"attach", "--rm", server, "--jhs", server, "--user", "root",
			"--every", "100ms",
		}, c.args...)...)
		if code != program.ExitOK || strings.Count(out, "succeeded after") != c.ends || !strings.Contains(out, c.want) {
			t.Errorf("%q: exit code %d\n%s%s", c.args, code, out, stderr)
		}
	}
}

// TestTezHistory imports, learns from, reports and compares a DAG out of the files of ProtoHistoryLoggingService, also
// where HDFS has them.
func TestTezHistory(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	const files, id = "../../adapters/tez/testdata/proto", "dag_1795367695478_0002_2"
	out := t.TempDir()
	tapeOf := filepath.Join(out, id+".jsonl.zst")
	profile := filepath.Join(out, "p.yaml")
	hdfs := httptest.NewServer(hdfsOf(os.DirFS(files)))
	t.Cleanup(hdfs.Close)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"history", "add", files, "-o", out}, tapeOf + ": " + id + ` "session.pig #2", 1 job, succeeded, 24.7s`},
		{
			[]string{"import", hdfs.URL + "/webhdfs/v1/tez", "-o", t.TempDir()}, // its old name
			id + ` "session.pig #2", 1 job, succeeded, 24.7s`,
		},
		{[]string{"learn", files, "-o", profile}, ""},
		{[]string{"replay", tapeOf, "--profile", profile}, "succeeded after 25s"},
		{[]string{"replay", files, "--workflow", id}, "succeeded after 25s"},
		{[]string{"score", files}, ""},
		{[]string{"report", files, "-o", filepath.Join(out, "r.html")}, ""},
		{[]string{"compare", files, tapeOf}, ""},
	} {
		code, stdout, stderr := session.Run(t, c.args...)
		if code != program.ExitOK || !strings.Contains(stdout, c.want) {
			t.Errorf("%q: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
	if code, _, stderr := session.Run(t, "history", "add", files, "--workflow", "dag_1_1_1", "-o", out); code != program.ExitUsage ||
		!strings.Contains(stderr, "dag_1_1_1") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// hdfsOf serves a folder as the folder /tez of a NameNode.
func hdfsOf(in fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/webhdfs/v1/tez"), "/")
		if name == "" {
			name = "."
		}
		type status struct {
			Name string `json:"pathSuffix"`
			Type string `json:"type"`
			Size int64  `json:"length"`
		}
		statusOf := func(info fs.FileInfo, name string) status {
			if info.IsDir() {
				return status{name, "DIRECTORY", 0}
			}
			return status{name, "FILE", info.Size()}
		}
		info, err := fs.Stat(in, name)
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		switch r.URL.Query().Get("op") {
		case "GETFILESTATUS":
			_ = json.NewEncoder(w).Encode(map[string]any{"FileStatus": statusOf(info, "")})
		case "LISTSTATUS":
			all, _ := fs.ReadDir(in, name)
			list := []status{}
			for _, e := range all {
				info, _ := e.Info()
				list = append(list, statusOf(info, e.Name()))
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"FileStatuses": map[string]any{"FileStatus": list}})
		default:
			b, _ := fs.ReadFile(in, name)
			_, _ = w.Write(b)
		}
	})
}

// TestWhyADAGFailed checks that a DAG which fails before any task runs has the reason.
func TestWhyADAGFailed(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	args := []string{"paratimer", "replay", "../../adapters/tez/testdata/hivebad-1.jsonl.gz"}
	code := program.Run(t.Context(), args, session.Environ(t), nil, &out, &errs)
	if want := "failed: Map 5: ROOT_INPUT_INIT_FAILURE, "; code != 1 || !strings.Contains(out.String(), want) {
		t.Errorf("exit code %d: %s%s", code, &out, &errs)
	}
}
