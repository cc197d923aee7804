package damaged

import (
	"bytes"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// damaged runs commands on damaged files: one command a file, chosen by its content. FILE is the file, HERE a folder
// that is empty but for it. No command may panic, and each ends with an exit code that the README lists.
func damaged(f *testing.F, name string, files [][]byte, commands ...string) {
	f.Helper()
	session.Setenv(f, "XDG_CONFIG_HOME", f.TempDir())
	session.Setenv(f, "XDG_STATE_HOME", f.TempDir())
	session.Setenv(f, "PARATIMER_LOG_LEVEL", "error")
	fixtures.FuzzDamaged(f, files, func(t *testing.T, _ int, file []byte) {
		here := t.TempDir()
		path := filepath.Join(here, name)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		command := commands[int(crc32.ChecksumIEEE(file))%len(commands)]
		args := strings.Fields(strings.NewReplacer("FILE", path, "HERE", here).Replace(command))
		code, _, stderr := session.Run(t, args...)
		if !slices.Contains([]int{program.ExitOK, program.ExitFailed, program.ExitUsage, program.ExitBlind}, code) {
			t.Errorf("%s: exit code %d: %s", command, code, stderr)
		}
		if code == program.ExitUsage && stderr == "" {
			t.Errorf("%s: bad input, and not a word of why", command)
		}
	})
}

func contents(f *testing.F, names ...string) [][]byte {
	f.Helper()
	files := make([][]byte, len(names))
	for i, name := range names {
		files[i] = fixtures.Read(f, name)
	}
	return files
}

// players are the commands that play a recording.
var players = []string{
	"replay FILE --output ndjson --estimators all --within 60s", "replay FILE", "check --recording FILE", "learn FILE",
	"learn --demands FILE",
	"score FILE", "report FILE --output json", "report FILE -o HERE/run.html", "skew FILE",
	"whatif FILE --slots 2x --fail task",
	"compare FILE FILE", "history add FILE --state-dir HERE/state", "watch --rules ../../examples/rules.yaml --test FILE",
}

// FuzzDamagedTape damages the tape of a simulated run with skew, a failure and a lost node, and the beginning of a real
// one.
func FuzzDamagedTape(f *testing.F) {
	session.Setenv(f, "XDG_CONFIG_HOME", f.TempDir())
	name := filepath.Join(f.TempDir(), "run.tape")
	var stderr bytes.Buffer
	if program.Run(f.Context(), []string{
		"paratimer", "simulate", "../../examples/skewed.yaml", "--every", "40s", "--know", "nothing", "--fail",
		"pairs:m0@30s", "--quiet", "--record", name,
	}, session.Environ(f), strings.NewReader(""), io.Discard, &stderr) != program.ExitOK {
		f.Fatal(stderr.String())
	}
	files := contents(f, name, "testdata/tapped/linear.jsonl.gz")
	lines := bytes.SplitAfterN(files[1], []byte("\n"), 16)
	// In two lines alone most changes hit the plan or the jobs.
	files[1], files = bytes.Join(lines[:15], nil), append(files, bytes.Join(lines[:2], nil))
	damaged(f, "run.tape", files, players...)
}

// FuzzDamagedCapture damages a real capture that is cut to a few rounds of requests.
func FuzzDamagedCapture(f *testing.F) {
	damaged(f, "run.capture", contents(f, "testdata/damage/run.capture.gz"), players...)
}

// FuzzDamagedHistory damages job history with two events of each kind, and a Rumen trace.
func FuzzDamagedHistory(f *testing.F) {
	files := contents(f, "../../adapters/history/testdata/quadratic.jhist.gz", "testdata/damage/run.trace.json")
	seen := map[string]int{}
	var cut []byte
	for n, l := range bytes.SplitAfter(files[0], []byte("\n")) {
		kind, _, _ := bytes.Cut(l, []byte(","))
		if seen[string(kind)]++; n == 1 {
			l = []byte("{\"type\":\"record\"}\n") // text needs no schema
		}
		if seen[string(kind)] <= 2 {
			cut = append(cut, l...)
		}
	}
	files[0] = cut
	damaged(f, "run.json", files, append([]string{"history add HERE -o HERE/tapes", "replay HERE"}, players...)...)
}

// FuzzDamagedZip damages gzipped recordings.
func FuzzDamagedZip(f *testing.F) {
	var files [][]byte
	for _, name := range []string{
		"../../examples/join.jsonl.zst", "testdata/damage/run.capture.gz",
		"../../adapters/history/testdata/quadratic.jhist.gz",
	} {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		files = append(files, b)
	}
	damaged(f, "run.gz", files, "learn FILE", "check --recording FILE", "history add FILE -o HERE/tapes")
}

// FuzzDamagedPlan damages plans and a profile.
func FuzzDamagedPlan(f *testing.F) {
	damaged(f, "plan.yaml", contents(f, "../../examples/pig-join.yaml", "../../examples/skewed.yaml",
		"../../examples/fig3a.yaml", "../../examples/paper-4.2GB.yaml"),
		"estimate FILE", "estimate FILE --output json", "whatif FILE --slots 2x --fail task", "skew FILE",
		"estimate ../../examples/pig-join.yaml --profile FILE",
		"check --recording ../../examples/join.jsonl.zst --at 60s --profile FILE",
		"simulate FILE --every 1000h --noise 0.1 --quiet")
}

// FuzzDamagedRules damages a rules file.
func FuzzDamagedRules(f *testing.F) {
	damaged(f, "rules.yaml", contents(f, "../../examples/rules.yaml"), "watch --check --rules FILE",
		"watch --rules FILE --test testdata/tapped/linear.jsonl.gz")
}

// FuzzDamagedModel damages job files, tables of runs and saved models.
func FuzzDamagedModel(f *testing.F) {
	files := contents(f, "../../examples/hadoop-online.yaml", "../../examples/training.csv")
	damaged(f, "model", files, "model FILE", "model FILE --model tripathi", "ernest fit FILE --at 32,1",
		"ernest predict --offer name=small,csv=FILE,price=0.1,max=64 --within 2m")
}

// FuzzDamagedConfig damages a configuration.
func FuzzDamagedConfig(f *testing.F) {
	config := "every: 2s\nrm: [http://rm1:8088, http://rm2:8088]\nwithin: 45m\n# people\nuser: alice\ntimeout: 1h30m\nquiet: true\nrisk: 0.5\nestimators: all\n"
	damaged(f, "config.yaml", [][]byte{[]byte(config)}, "config attach --config FILE",
		"replay testdata/tapped/linear.jsonl.gz --config FILE")
}

// FuzzDamagedMemory damages the stored state of a workflow.
func FuzzDamagedMemory(f *testing.F) {
	workflow := remembered(f)
	damaged(f, filepath.Base(workflow), contents(f, workflow), "history list --state-dir HERE",
		"history show join.pig --state-dir HERE",
		"history profile join.pig --state-dir HERE", "history forget join.pig --state-dir HERE",
		"history add ../../examples/join-failure.jsonl.zst --state-dir HERE")
}

// FuzzDamagedSummaries damages the summaries that `history list` keeps. They can be made again: the list is whole, or
// says so.
func FuzzDamagedSummaries(f *testing.F) {
	cache := filepath.Join(filepath.Dir(remembered(f)), "summaries.cache")
	fixtures.FuzzDamaged(f, contents(f, cache), func(t *testing.T, _ int, file []byte) {
		if err := os.WriteFile(cache, file, 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := session.Run(t, "history", "list", "--state-dir", filepath.Dir(cache))
		if code != program.ExitOK && (code != program.ExitUsage || !strings.Contains(stderr, "summaries.cache")) {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

// remembered returns the file of a workflow in a state folder, with summaries beside it.
func remembered(f *testing.F) string {
	f.Helper()
	session.Setenv(f, "XDG_CONFIG_HOME", f.TempDir())
	dir := f.TempDir()
	for _, args := range [][]string{{"history", "add", "../../examples/join.jsonl.zst"}, {"history", "list"}} {
		var out bytes.Buffer
		if program.Run(f.Context(), append(append([]string{"paratimer"}, args...), "--state-dir", dir), session.Environ(f),
			strings.NewReader(""), &out, &out) != program.ExitOK {
			f.Fatal(out.String())
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(found) != 1 {
		f.Fatalf("%v in the state folder, %v", found, err)
	}
	return found[0]
}
