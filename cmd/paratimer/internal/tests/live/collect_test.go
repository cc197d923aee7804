package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
	"github.com/paratimer/paratimer/sketch"
)

// taps are those of all tasks of a query: they follow how far these are from the snapshots that the cluster plays.
type taps struct {
	send func(tap.Batch)
	sent map[string]int // batches of an attempt so far; -1: the last
}

// report sends the new groups at a snapshot: the profile of each map that has succeeded, and of each reduce that runs
// one group more, and all the others once it has succeeded.
func (k *taps) report(s *dag.Snapshot) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		id := j.ID
		if !strings.HasPrefix(id, "job_") {
			id = fmt.Sprintf("job_%d_%04d", s.Origin(), i+1) // as the cluster calls it
		}
		reduces := s.Plan.Jobs[i].Stages[dag.Reduce].Count()
		for _, a := range j.Stages[dag.Map].Attempts {
			if b := k.batch(id, "m", &a); b != nil && a.State == dag.AttemptSucceeded && reduces > 0 {
				b.Map, b.Final = profileOf(int(a.Task), reduces), true
				k.sent[b.Attempt] = -1
				k.send(*b)
			}
		}
		for _, a := range j.Stages[dag.Reduce].Attempts {
			b := k.batch(id, "r", &a)
			if b == nil || a.State != dag.AttemptRunning && a.State != dag.AttemptSucceeded {
				continue
			}
			if b.Final = a.State == dag.AttemptSucceeded; b.Final || b.Seq == 0 {
				b.Points = []tap.Point{{Age: 0.5, Bytes: float64(10 * (1 + a.Task)), Seconds: 0.25, Count: 20}}
			} else {
				b.Points = []tap.Point{{Age: 0.2, Bytes: float64(1000 * b.Seq), Seconds: float64(b.Seq), Count: 1}}
				b.Open = &tap.Open{Name: sketch.HashedName([]byte{byte(b.Seq)}), Bytes: 77, Seconds: 0.1}
			}
			k.sent[b.Attempt]++
			if b.Final {
				k.sent[b.Attempt] = -1
			}
			k.send(*b)
		}
	}
}

func (k *taps) batch(job, kind string, a *dag.Attempt) *tap.Batch {
	id := fmt.Sprintf("attempt_%s_%s_%06d_%d", strings.TrimPrefix(job, "job_"), kind, a.Task, a.Number)
	if k.sent[id] < 0 {
		return nil
	}
	return &tap.Batch{Version: tap.Version, Job: job, Attempt: id, Seq: k.sent[id]}
}

// profileOf is the profile of a map with keys that weigh less the later they come.
func profileOf(task, reduces int) *tap.MapProfile {
	m := &tap.MapProfile{Reduces: reduces, Bytes: make([]float64, reduces), Records: 100, Lambda: 50}
	for i := range 20 {
		key := []byte(fmt.Sprintf("key %d", i))
		k := tap.Key{
			Name: sketch.HashedName(key), Reduce: sketch.Partition(key, reduces), Bytes: float64(100*(20-i) + task),
		}
		m.Top = append(m.Top, k)
		m.Bytes[k.Reduce] += k.Bytes + 10
	}
	return m
}

// A tappedSource lets taps report to a store before each snapshot, which comes a moment later.
type tappedSource struct {
	watch.Source
	taps  taps
	clock *time.Time
}

func (s *tappedSource) Next(ctx context.Context) (*dag.Snapshot, error) {
	snap, err := s.Source.Next(ctx)
	if err == nil {
		s.taps.report(snap)
		*s.clock = s.clock.Add(time.Second)
	}
	return snap, err
}

// tapped is a recorded query with taps at its tasks.
func tapped(name string) func(t *testing.T) watch.Source {
	return func(t *testing.T) watch.Source {
		clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		store := tap.NewStore(tap.Limits{})
		now := func() time.Time { return clock }
		handler := tap.NewHandler(store, "token", now, func(err error) { t.Error(err) })
		inner := &tappedSource{Source: recorded(name)(t), clock: &clock, taps: taps{
			sent: map[string]int{},
			send: func(b tap.Batch) {
				body, err := b.Encode()
				if err != nil {
					t.Error(err)
				}
				r := httptest.NewRequest(http.MethodPost, tap.Path, bytes.NewReader(body))
				r.Header.Set("Authorization", "Bearer token")
				handler.ServeHTTP(httptest.NewRecorder(), r)
			},
		}}
		src := tap.NewSource(inner, store, tap.Options{Now: now})
		t.Cleanup(func() {
			if c := store.Counts(); c.Taken < 20 {
				t.Errorf("%d batches were taken: too few for the test", c.Taken)
			}
		})
		return src
	}
}

// tappedServer plays a run of a plan as hadoopServer does, with taps that post to the collector whose address and token
// are reported in out.
func tappedServer(t *testing.T, plan string, out *Output) string {
	t.Helper()
	return serverWithTaps(t, plan, func(b tap.Batch) {
		invitation := invited.FindStringSubmatch(out.String())
		if invitation == nil {
			t.Errorf("no collector is named in %s", out)
			return
		}
		body, err := b.Encode()
		if err != nil {
			t.Error(err)
			return
		}
		r, err := http.NewRequest(http.MethodPost, "http://"+invitation[1]+tap.Path, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("Authorization", "Bearer "+invitation[2])
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %d %s", b.Attempt, resp.StatusCode, answer)
		}
	})
}

// serverWithTaps plays a run of a plan, five seconds of it each time that its applications are listed.
func serverWithTaps(t *testing.T, plan string, send func(tap.Batch)) string {
	t.Helper()
	p, err := planfile.ReadFile(plan, planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := simulate.New(p, simulate.Options{Start: restsim.SomeDay, Every: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := restsim.New(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	all := taps{sent: map[string]int{}, send: send}
	var step sync.Mutex // a watcher lists while it follows
	advance := func(ctx context.Context) {
		step.Lock()
		defer step.Unlock()
		if err := cluster.Advance(ctx, cluster.Now().Add(5*time.Second)); err != nil {
			t.Error(err)
		}
		all.report(cluster.Snapshot())
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ws/v1/cluster/apps" {
			advance(r.Context())
		}
		cluster.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var invited = regexp.MustCompile(`-cmdenv PARATIMER_COLLECT=([0-9.:]+) -cmdenv PARATIMER_TOKEN=([0-9A-Z]{26}) `)

// TestCollectLogFile has a token made up beside --log-file: it is reported on stderr, and is not in the file.
func TestCollectLogFile(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "a.log")
	_, _, stderr := session.Run(t, "attach", "--rm", "http://127.0.0.1:1", "--collect", ":0", "--log-file", file)
	made := invited.FindStringSubmatch(stderr)
	log, err := os.ReadFile(file)
	if made == nil || err != nil || !strings.Contains(string(log), "PARATIMER_TOKEN=TOKEN") ||
		strings.Contains(string(log), made[2]) {
		t.Errorf("%v: stderr has %s, the log %s", err, stderr, log)
	}
}

// TestAttachCollects watches a query whose tasks have taps. Their reports are on the tape, which gives the same frames;
// the token is nowhere but on stderr; the key groups are stored for the next run.
func TestAttachCollects(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	state := t.TempDir()
	session.Setenv(t, "XDG_STATE_HOME", state)
	dir := t.TempDir()
	tapeFile, captureFile, metricsFile := filepath.Join(dir, "run.tape"), filepath.Join(dir, "run.capture"),
		filepath.Join(dir, "run.prom")
	var live bytes.Buffer
	stderr := &Output{}
	url := tappedServer(t, "../../examples/pig-join.yaml", stderr)
	code := program.Run(t.Context(), []string{
		"paratimer", "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms", "--output", "ndjson",
		"--estimators", "all",
		"--collect", "127.0.0.1:0", "--record", tapeFile, "--set", "capture=" + captureFile, "--set", "metrics-textfile=" + metricsFile,
	}, session.Environ(t), strings.NewReader(""), &live, stderr)
	if code != program.ExitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	token := invited.FindStringSubmatch(stderr.String())[2]
	code, replayed, errs := session.Run(t, "replay", tapeFile, "--output", "ndjson", "--estimators", "all")
	if code != program.ExitOK || replayed != live.String() {
		t.Errorf("replay of the tape: exit code %d, %s\n%s", code, Difference(live.Bytes(), []byte(replayed)), errs)
	}
	if n := strings.Count(stderr.String(), "come in"); n != 3 {
		t.Errorf("got lines about key groups of %d jobs, want 3\n%s", n, stderr)
	}

	groups := groupsOf(t, tapeFile)
	if len(groups) != 3 {
		t.Fatalf("the tape has key groups of %d jobs", len(groups))
	}
	for id, g := range groups {
		points, named := 0, 0
		for _, r := range g.Reduces {
			points, named = points+len(r.Done), named+len(r.Top)
		}
		if g.Origin != dag.GroupsTapped || g.Note != "" || points == 0 || named == 0 {
			t.Errorf("%s: %d points, %d names, origin %d, note %q", id, points, named, g.Origin, g.Note)
		}
	}

	if code, out, errs := session.Run(t, "history", "profile", "join.pig"); code != program.ExitOK ||
		strings.Count(out, "origin: tap") != 3 {
		t.Errorf("the stored profile: exit code %d\n%s\n%s", code, errs, out)
	}
	for _, file := range []string{tapeFile, captureFile, metricsFile} {
		b, err := fixtures.Unpacked(file)
		if err != nil || len(b) == 0 {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(token)) {
			t.Errorf("%s holds the token", filepath.Base(file))
		}
		if file == metricsFile && !regexp.MustCompile(`(?m)^paratimer_collect_batches_total [1-9]\d+$`).Match(b) {
			t.Errorf("no batches are counted in\n%s", b)
		}
	}
	if strings.Contains(live.String(), token) {
		t.Error("frames hold the token")
	}
}

// groupsOf are the key groups of each job at the end of a tape.
func groupsOf(t *testing.T, file string) map[string]*dag.Groups {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := recording.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*dag.Groups{}
	for {
		s, err := src.Next(t.Context())
		if err != nil {
			return out
		}
		for i := range s.Jobs {
			if j := &s.Jobs[i]; j.Groups != nil {
				out[j.ID] = j.Groups
			}
		}
	}
}

// TestLearnSpool: there is no collector; the spools of taps in their folders are learned afterwards, from the tape of a
// watch.
func TestLearnSpool(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	tapeFile, spools := filepath.Join(dir, "run.tape"), filepath.Join(dir, "logs")
	url := spoolingServer(t, "../../examples/pig-join.yaml", spools)
	if code, _, stderr := session.Run(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms",
		"--record", tapeFile, "--no-history"); code != program.ExitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	learn := func(args ...string) string {
		t.Helper()
		code, out, stderr := session.Run(t, append([]string{"learn", tapeFile}, args...)...)
		if code != program.ExitOK {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		return out
	}
	if out := learn(); strings.Contains(out, "groups:") {
		t.Errorf("key groups out of nothing\n%s", out)
	}
	torn := filepath.Join(spools, "paratimer-tap.attempt_1_0001_m_000000_0.ndjson")
	if err := os.WriteFile(torn, []byte(`{"v":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, stderr := session.Run(t, "learn", tapeFile, "--spool", spools)
	if n := strings.Count(out, "origin: tap"); code != program.ExitOK || n != 3 || !strings.Contains(stderr, "line 1") {
		t.Errorf("exit code %d, key groups of %d jobs, want 3\n%s\n%s", code, n, stderr, out)
	}
	if code, _, stderr := session.Run(t, "history", "add", tapeFile, "--spool", spools); code != program.ExitOK {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if code, out, stderr := session.Run(t, "history", "profile", "join.pig"); code != program.ExitOK ||
		strings.Count(out, "origin: tap") != 3 {
		t.Errorf("exit code %d\n%s\n%s", code, stderr, out)
	}
	if code, _, stderr := session.Run(t, "learn", tapeFile, "--spool", filepath.Join(dir, "none")); code != program.ExitUsage {
		t.Errorf("a folder that is not there: exit code %d\n%s", code, stderr)
	}
}

// spoolingServer plays a run of a plan with taps that find no collector: each attempt's keep their batches in a folder
// of its own.
func spoolingServer(t *testing.T, plan, folder string) string {
	t.Helper()
	return serverWithTaps(t, plan, func(b tap.Batch) {
		line, err := b.Encode()
		if err != nil {
			t.Error(err)
			return
		}
		dir := filepath.Join(folder, "container_"+b.Attempt)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Error(err)
		}
		f, err := os.OpenFile(filepath.Join(dir, "paratimer-tap."+b.Attempt+".ndjson"),
			os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := f.Write(append(line, '\n')); err != nil {
			t.Error(err)
		}
	})
}

// TestWatchCollects: one collector serves all workflows that are watched.
func TestWatchCollects(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("rules:\n  - {name: all, within: 1h}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stderr := &Output{}
	url := tappedServer(t, "../../examples/pig-join.yaml", stderr)
	ended := false
	out := writer(func(line []byte) {
		var f struct{ Workflow struct{ State string } }
		if err := json.Unmarshal(line, &f); err == nil && f.Workflow.State == "succeeded" {
			ended = true
			cancel(command.ErrInterrupted)
		}
	})
	code := program.Run(ctx, []string{
		"paratimer", "watch", "--rules", rules, "--rm", url, "--jhs", url, "--every", "100ms", "--output", "ndjson",
		"--collect", "127.0.0.1:0",
	}, session.Environ(t), strings.NewReader(""), out, stderr)
	if code != program.ExitInterrupted || !ended {
		t.Fatalf("exit code %d, ended %v\n%s", code, ended, stderr)
	}
	if !strings.Contains(stderr.String(), "key groups of job_") {
		t.Errorf("nothing came in\n%s", stderr)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

func TestCollectUsage(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("two words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	short := file + ".short"
	if err := os.WriteFile(short, []byte("only-for-tests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"others can reach this address":   {"--collect", "0.0.0.0:0"},
		"10.1.2.3:9190: others can reach": {"--collect", "10.1.2.3:9190"},
		"goes with --collect ADDRESS":     {"--set", "collect-token-file=" + file},
		"can be guessed: take 16":         {"--collect", "0.0.0.0:0", "--set", "collect-token-file=" + short},
		"letters, digits":                 {"--collect", ":0", "--set", "collect-token-file=" + file},
		"no such file":                    {"--collect", ":0", "--set", "collect-token-file=" + file + ".none"},
		`"here" is not a port`:            {"--collect", ":here"},
		"lambda=0: it is 1 to 8192":       {"--collect", ":0", "--set", "lambda=0"},
	} {
		code, _, stderr := session.Run(t, append([]string{"attach", "--rm", "http://127.0.0.1:1"}, args...)...)
		if code != program.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, want %q in %s", args, code, want, stderr)
		}
	}
	// A token that is given is not repeated.
	if err := os.WriteFile(file, []byte("hu-sh-hu-sh-hu-sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, stderr := session.Run(t, "attach", "--rm", "http://127.0.0.1:1", "--collect", "0.0.0.0:0",
		"--set", "collect-token-file="+file)
	if !strings.Contains(stderr, "PARATIMER_TOKEN=TOKEN") || strings.Contains(stderr, "hu-sh") ||
		strings.Contains(stderr, "0.0.0.0") {
		t.Errorf("%s", stderr)
	}
}
