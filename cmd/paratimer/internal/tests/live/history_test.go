package live

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// watchOnce attaches to a cluster that plays the join, and returns the output.
func watchOnce(t *testing.T, seed uint64, more ...string) (stdout, stderr string) {
	t.Helper()
	url := restsim.HadoopServer(t, session.JoinPlan, simulate.Options{Seed: seed, Noise: 0.02})
	args := append([]string{
		"attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms", "--output",
		"ndjson",
	}, more...)
	code, stdout, stderr := session.Run(t, args...)
	if code != program.ExitOK {
		t.Fatalf("attach: exit code %d\n%s", code, stderr)
	}
	return stdout, stderr
}

// recordedJoin plays the join with a seed to a tape, under a workflow id of its own.
func recordedJoin(t *testing.T, dir, seed string) string {
	t.Helper()
	path := filepath.Join(dir, "join-"+seed+".tape")
	if code, _, stderr := session.Run(t, "simulate", session.JoinPlan, "--seed", seed, "--noise", "0.02", "--every", "5s",
		"--know", "nothing", "--record", path); code != program.ExitOK {
		t.Fatalf("simulate: exit code %d\n%s", code, stderr)
	}
	return path
}

// TestAttachWithHistory checks that a watched run rests on the runs before it and logs that, that its tape holds
// nothing of them, and that replayed with the profile that history exports the tape gives the frames that were seen
// live.
func TestAttachWithHistory(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	session.Setenv(t, "PARATIMER_STATE_DIR", filepath.Join(dir, "state"))
	if code, out, stderr := session.Run(t, "history", "add", recordedJoin(t, dir, "1"), recordedJoin(t, dir, "2")); code != program.ExitOK {
		t.Fatalf("history add: exit code %d\n%s%s", code, out, stderr)
	}

	live := filepath.Join(dir, "live.tape")
	frames, stderr := watchOnce(t, 3, "--record", live)
	const want = "using the profile of 2 runs of join.pig, newest 2010-06-06"
	if n := strings.Count(stderr, want); n != 1 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr has %q %d times, want once and alone:\n%s", want, n, stderr)
	}
	if first, _, _ := strings.Cut(frames, "\n"); !strings.Contains(first, `"origin":"profile"`) {
		t.Errorf("the first frame has no number from a profile:\n%s", first)
	}

	without := filepath.Join(dir, "without.yaml")
	if code, _, stderr := session.Run(t, "history", "profile", "join.pig", "--before", watchedID(t, dir), "-o", without); code != program.ExitOK {
		t.Fatalf("export: exit code %d\n%s", code, stderr)
	}
	if code, replayed, stderr := session.Run(t, "replay", live, "--output", "ndjson", "--profile", without); code != program.ExitOK || replayed != frames {
		t.Errorf("replay with the exported profile: exit code %d, %s\n%s", code,
			Difference([]byte(frames), []byte(replayed)), stderr)
	}
	if _, replayed, _ := session.Run(t, "replay", live, "--output", "ndjson"); replayed == frames {
		t.Error("the tape gives the same frames without a profile: it holds one")
	}

	// The same run again, as it would be after a restart of the watcher: it does not learn from itself and is kept
	// once. Its usual length is known, so half of it is soon over.
	frames, stderr = watchOnce(t, 3, "--longer-than-usual", "0.5")
	if !strings.Contains(stderr, want) {
		t.Errorf("the run watched again:\n%s", stderr)
	}
	if !strings.Contains(frames, `{"bound":"longer-than-usual","state":"late",`) {
		t.Error("a bound on the usual length is never exceeded: the usual length is missing")
	}
	store, err := state.Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Read(history.Key("join.pig"))
	if err != nil {
		t.Fatal(err)
	}
	if _, n := history.Lines(w, "")[0].Usual(); n != 3 {
		t.Errorf("%d runs, want 3", n)
	}
}

// watchedID is the id of the run that was watched last.
func watchedID(t *testing.T, dir string) string {
	t.Helper()
	store, err := state.Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Read("join.pig")
	if err != nil || len(w.Runs) == 0 {
		t.Fatal(w, err)
	}
	return w.Runs[len(w.Runs)-1].ID
}

// TestNoHistory checks that nothing is used and nothing is kept.
func TestNoHistory(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	session.Setenv(t, "PARATIMER_STATE_DIR", filepath.Join(dir, "state"))
	if _, stderr := watchOnce(t, 3, "--no-history"); stderr != "" {
		t.Errorf("stderr: %s", stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "state")); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
	if code, _, stderr := session.Run(t, "history", "add", recordedJoin(t, dir, "1")); code != program.ExitOK {
		t.Fatal(stderr)
	}
	frames, stderr := watchOnce(t, 3, "--no-history")
	if first, _, _ := strings.Cut(frames, "\n"); stderr != "" || strings.Contains(first, `"origin":"profile"`) {
		t.Errorf("the history is used: %s\n%s", stderr, first)
	}
}

// TestAttachWithoutAFolder checks that a state folder that cannot be made stops no watch, and is reported once.
func TestAttachWithoutAFolder(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr := watchOnce(t, 3, "--state-dir", file)
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "this run is not remembered") ||
		!strings.Contains(stderr, file) {
		t.Errorf("stderr:\n%s", stderr)
	}
}

// TestTwoWatchersOfOneRun checks that a run that two watch to its end at once is kept once.
func TestTwoWatchersOfOneRun(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	session.Setenv(t, "PARATIMER_STATE_DIR", filepath.Join(dir, "state"))
	var all sync.WaitGroup
	for range 2 {
		url := restsim.HadoopServer(t, session.JoinPlan, simulate.Options{Seed: 3})
		all.Go(func() {
			if code, _, stderr := session.Run(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every",
				"100ms"); code != program.ExitOK {
				t.Errorf("attach: exit code %d\n%s", code, stderr)
			}
		})
	}
	all.Wait()
	code, out, stderr := session.Run(t, "history", "list", "--output", "json")
	if code != program.ExitOK || !strings.Contains(out, `"workflow":"join.pig","runs":1,"included_runs":1,`) {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
}

// TestHistoryOfJobsIsPutTogether adds the job history of two workflows, file by file: each becomes one run, as its
// capture is.
func TestHistoryOfJobsIsPutTogether(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(fixtures.Recording("join-1.job_*.jhist.gz"))
	if err != nil || len(files) != 3 {
		t.Fatalf("job history of join-1: %v, %v, want that of 3 jobs", files, err)
	}
	files = append(files, fixtures.Recording("skew-1.job_1795222440184_0010.jhist.gz"))
	dir := filepath.Join(t.TempDir(), "state")
	code, out, stderr := session.Run(t, append([]string{"history", "add", "--state-dir", dir, "--every", "10s"},
		files...)...)
	if code != program.ExitOK || !strings.Contains(out, "join.pig: succeeded after 1m52s, added\n") ||
		!strings.Contains(out, "skew.pig: succeeded after 1m19s, added\n") || strings.Count(out, "\n") != 2 {
		t.Fatalf("exit code %d\n%s%s", code, out, stderr)
	}
	code, out, stderr = session.Run(t, "history", "add", "--state-dir", dir, "--every", "10s",
		fixtures.Recording("join-1.jsonl.zst"))
	if code != program.ExitOK || strings.Contains(out, "added") {
		t.Errorf("the same run by its capture: exit code %d\n%s%s", code, out, stderr)
	}
}
