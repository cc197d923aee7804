package live

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// pluginLine is the first line of a monitoring plugin's answer: one of four states, a text, performance data.
var pluginLine = regexp.MustCompile(
	`^PARATIMER (OK|WARNING|CRITICAL|UNKNOWN) - [^|\n]+( \| ('[^'=|]+'=(U|-?[0-9.]+(s|%)?)(;[^;\s]*){0,4} ?)+)?$`)

// checks runs `check` and compares its exit code with its first line, which it returns.
func checks(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, out, stderr := session.Run(t, append([]string{"check"}, args...)...)
	line, _, _ := strings.Cut(out, "\n")
	if code != want {
		t.Errorf("check %s: exit code %d, want %d: %s", strings.Join(args, " "), code, want, line)
	}
	m := pluginLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("check %s: no plugin's line: %q\n%s", strings.Join(args, " "), out, stderr)
	}
	if states := []string{"OK", "WARNING", "CRITICAL", "UNKNOWN"}; m[1] != states[code] {
		t.Errorf("check %s: got the status %s and exit code %d", strings.Join(args, " "), m[1], code)
	}
	return line
}

func alone(t *testing.T) {
	t.Helper()
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		session.Setenv(t, name, t.TempDir())
	}
	for _, name := range []string{"HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"} {
		session.Setenv(t, name, "")
	}
}

// TestCheckUsage checks that wrong usage is unknown, in the plugin and in the flags.
func TestCheckUsage(t *testing.T) {
	t.Parallel()
	alone(t)
	for _, args := range [][]string{
		{"--bogus"},
		{"--at", "x"},
		{"a", "b"},
		{"-w", "soon"},
		{"-c", "10:5"},
		{"-w", "101%"},
		{"-w", "50%"}, // of which bound?
		{"-t", "0"},
		{"-t", "1000"},
		{"-t", "soon"},
		{"--set", "idle=fine"},
		{"--set", "unreachable=fine"},
		{"--set", "unknown=fine"},
		{"--rm", "ftp://x"},
		{"--deadline", "noon"},
		{"--risk", "2", "--rm", "http://127.0.0.1:1"},
		{"--at", "1m", "--rm", "http://127.0.0.1:1"},
		{"--recording", "/nowhere"},
		{"--config", "/nowhere"},
		{"--no-progress", "10m"}, // one observation is not enough
		{},                       // no cluster is configured
	} {
		checks(t, 3, args...)
	}
}

func TestCheckRecording(t *testing.T) {
	t.Parallel()
	alone(t)
	tape := filepath.Join(t.TempDir(), "run.tape")
	if code, _, stderr := session.Run(t, "simulate", "../../examples/pig-join.yaml", "--record", tape, "--every",
		"1s"); code != program.ExitOK {
		t.Fatalf("simulate: exit code %d\n%s", code, stderr)
	}
	for _, c := range []struct {
		args string
		code int
		want string // an expression
	}{
		{"--at 60s", 0, `^PARATIMER OK - join\.pig ~5\ds .*\| 'remaining'=5[0-9.]+s;;;0 .*'p90'=[0-9.]+s;;;0 'elapsed'=60s;;;0 'progress'=5[0-9.]+%;;;0;100`},
		{"", 0, `^PARATIMER OK - join\.pig succeeded after 1m5\ds \| 'remaining'=0s;;;0 .*'progress'=100%;;;0;100$`},
		{"--at 60s --within 10m", 0, `'late within'=0%;;;0;100`},
		{"--at 60s --within 70s", 1, `WARNING .*, within at risk \|.* 'late within'=100%;;;0;100`},
		{"--at 80s --within 70s", 2, `CRITICAL .*, within late \|`},
		// it has ended, and was late
		{"--within 70s", 1, `^PARATIMER WARNING - join\.pig succeeded after 1m5\ds, 4\ds after its 1m10s \(`},
		{"--at 60s -w 30 -c 2m", 1, `remaining time outside 30 s \| 'remaining'=[0-9.]+s;30;120;0 `},
		{"--at 60s -w 10 -c 30s", 2, `remaining time outside 30 s`},
		{"--at 60s -w @1:2h -c ~:0:", 3, `is not a range`},
		{"--at 60s -w @1:2h", 1, `remaining time outside @1:7200 s`},
		{"--at 60s -w 60: -c 10:", 1, `'remaining'=[0-9.]+s;60:;10:;0 `},
		{"--at 60s --within 70s -w 50% -c 90%", 2, `risk of within outside 90% .*'late within'=100%;50;90;0;100`},
		{"--at 60s --within 10m -w 50% -c 90%", 0, `'late within'=0%;50;90;0;100`},
	} {
		t.Run(c.args, func(t *testing.T) {
			line := checks(t, c.code, append(strings.Fields(c.args), "--recording", tape, "-t", "60")...)
			if !regexp.MustCompile(c.want).MatchString(line) {
				t.Errorf("got %s, want %s", line, c.want)
			}
		})
	}
}

// TestCheckUnknown: a limit on a time that cannot be estimated yet is not kept, unless a flag sets it.
func TestCheckUnknown(t *testing.T) {
	t.Parallel()
	alone(t)
	for args, want := range map[string]int{
		"": 0, "-w 30m": 3, "-c 30m": 3, "-w 30m --set unknown=ok": 0,
		"-w 30m --set unknown=critical": 2,
	} {
		line := checks(t, want, append(strings.Fields(args), "--recording", "../../examples/join.jsonl.zst", "--at",
			"1s")...)
		if strings.Contains(line, ", remaining time not known |") != (args != "") {
			t.Errorf("%s: %s", args, line)
		}
	}
}

// TestCheckTrouble checks that every check is answered, whatever the cluster does.
func TestCheckTrouble(t *testing.T) {
	t.Parallel()
	alone(t)
	t.Run("refused", func(t *testing.T) {
		checks(t, 3, "--rm", "http://127.0.0.1:1")
		checks(t, 2, "--rm", "http://127.0.0.1:1", "--set", "unreachable=critical")
	})
	t.Run("hanging", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}))
		defer server.Close()
		if line := checks(t, 3, "--rm", server.URL, "-t", "1"); !strings.Contains(line, "no answer within 1s") {
			t.Error(line)
		}
	})
	t.Run("answers that are none", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<html>please | log in</html>")
		}))
		defer server.Close()
		checks(t, 3, "--rm", server.URL)
	})
	t.Run("nothing runs", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.HasSuffix(r.URL.Path, "/apps") {
				fmt.Fprint(w, `{"apps":null}`)
				return
			}
			fmt.Fprint(w, `{"clusterMetrics":{"activeNodes":1,"totalMB":8192}}`)
		}))
		defer server.Close()
		for want, more := range map[int][]string{0: nil, 1: {"--set", "idle=warning"}, 2: {"--set", "idle=critical"}} {
			if line := checks(t, want, append([]string{"--rm", server.URL}, more...)...); !strings.HasSuffix(line,
				" - nothing runs") {
				t.Error(line)
			}
		}
		if line := checks(t, 2, "nightly_*", "--rm", server.URL, "--set", "idle=critical"); !strings.HasSuffix(line,
			" - nothing runs that is called nightly_*") {
			t.Error(line)
		}
		checks(t, 3, "application_1_0001", "--rm", server.URL) // was named, and is not there
	})
}

// TestCheckCluster looks at a query over HTTP, by its name and by its id.
func TestCheckCluster(t *testing.T) {
	t.Parallel()
	alone(t)
	for _, name := range []string{"", "join.pig", "join*", "PigLatin:join.pig", "application_1275814800000_0001"} {
		url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
		args := []string{"--rm", url, "--jhs", url, "--user", "alice"}
		if name != "" {
			args = append(args, name)
		}
		if line := checks(t, 0, args...); !strings.HasPrefix(line, "PARATIMER OK - join.pig ") {
			t.Errorf("%s: %s", name, line)
		}
	}
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	if line := checks(t, 0, "other.pig", "--rm", url, "--user", "alice"); !strings.HasSuffix(line,
		"nothing runs that is called other.pig") {
		t.Error(line)
	}
}

// TestCheckHistory checks that a check reads the history, and writes none.
func TestCheckHistory(t *testing.T) {
	t.Parallel()
	alone(t)
	dir := t.TempDir()
	for seed := range 3 {
		tape := filepath.Join(dir, fmt.Sprint(seed, ".tape"))
		if code, _, stderr := session.Run(t, "simulate", "../../examples/pig-join.yaml", "--noise", "0.02", "--every",
			"1s", "--know", "nothing",
			"--seed", fmt.Sprint(seed), "--record", tape); code != program.ExitOK {
			t.Fatalf("simulate: exit code %d\n%s", code, stderr)
		}
		if code, _, stderr := session.Run(t, "history", "add", tape); code != program.ExitOK {
			t.Fatalf("history add: exit code %d\n%s", code, stderr)
		}
	}
	_, before, _ := session.Run(t, "history", "show", "join.pig")
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	var line string
	for range 50 { // in its first moments a script is not known yet by its jobs
		if _, line, _ = session.Run(t, "check", "--rm", url, "--jhs", url, "--user", "alice", "--longer-than-usual",
			"0.5"); !strings.HasPrefix(line, "PARATIMER OK") {
			break
		}
	}
	if !strings.Contains(line, "longer-than-usual at risk") {
		t.Error(line)
	}
	if _, after, _ := session.Run(t, "history", "show", "join.pig"); after != before {
		t.Errorf("the check has changed the stored state:\n%s", after)
	}
}
