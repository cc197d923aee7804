package usage

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// exitTable lists for every command how it writes to stdout ("": it does not), and how it is given a file: in an
// argument list FILE is one that is damaged, HERE a folder to write to, STATE one in which a run is remembered, and URL
// a cluster.
var exitTable = map[string]struct {
	writes  string
	damaged []string // how a file is given; none: the command reads no file of the user's
}{
	"attach": {
		"attach --rm URL --jhs URL --user alice --every 100ms --no-history",
		[]string{"attach --config FILE"},
	},
	"check": {"check --recording ../../examples/join.jsonl.zst --at 60s", []string{
		"check --recording FILE",
		"check --config FILE",
	}},
	"compare": {
		"compare ../../examples/join.jsonl.zst ../../examples/join-failure.jsonl.zst",
		[]string{"compare FILE ../../examples/join.jsonl.zst"},
	},
	"completion": {"completion bash", nil},
	"config":     {"config", []string{"config --config FILE"}},
	"demo":       {"demo --speed 0", nil},
	"doctor": {"doctor --rm URL --jhs URL --user alice", []string{
		"doctor --rm URL --set password-file=FILE", "doctor --notify --exec true --rules FILE",
	}},
	"ernest design": {"ernest design --min-parts 4 --max-parts 32 --total-parts 256 --min-mcs 1 --max-mcs 8", nil},
	"ernest fit":    {"ernest fit ../../examples/training.csv --at 32,1", []string{"ernest fit FILE --at 32,1"}},
	"ernest predict": {
		"ernest predict ../../examples/training.csv --at 64,1",
		[]string{
			"ernest predict FILE --at 64,1", "ernest predict --offer name=small,csv=FILE,price=0.1,max=64 --within 2m",
		},
	},
	"ernest run": {"ernest run --min-parts 4 --max-parts 32 --total-parts 256 --min-mcs 1 --max-mcs 8 --command ./job{parts}{machines} -o HERE/runs.csv --dry-run", []string{"ernest run --design FILE --command ./job{parts}{machines} -o HERE/runs.csv --dry-run"}},
	"help":       {"help", nil},
	"history add": {
		"history add ../../examples/join-failure.jsonl.zst --state-dir HERE",
		[]string{
			"history add FILE --state-dir HERE", "history add FILE -o HERE",
			"history add ../../adapters/history/testdata FILE -o HERE",
		},
	},
	"history profile": {
		"history profile join.pig --state-dir STATE",
		[]string{"history profile FILE", "history profile --demands FILE"},
	},
	"history forget": {"", nil},
	"history list":   {"history list --state-dir STATE", nil},
	"history show":   {"history show join.pig --state-dir STATE", nil},
	"list":           {"list --rm URL", []string{"list --config FILE"}},
	"man":            {"man attach", nil},
	"model":          {"model ../../examples/hadoop-online.yaml", []string{"model FILE"}},
	"plan": {
		"plan ../../examples/fig3a.yaml",
		[]string{
			"plan FILE", "plan ../../examples/fig3a.yaml --profile FILE", "plan --simulate FILE", "simulate FILE",
			"estimate FILE",
		},
	},
	"replay": {
		"replay ../../examples/join.jsonl.zst",
		[]string{"replay FILE", "replay ../../examples/join.jsonl.zst --profile FILE"},
	},
	"report": {"report ../../examples/join.jsonl.zst --output json", []string{"report FILE -o HERE/run.html", "report --skew FILE"}},
	"run":    {"run --rm URL -- echo text", []string{"run --config FILE -- true"}},
	"score":  {"score ../../examples/join.jsonl.zst", []string{"score FILE"}},
	"status": {
		"status --rm URL --jhs URL --user alice --no-history",
		[]string{"status --config FILE", "status --profile FILE --rm URL"},
	},
	"version": {"version", nil},
	"wait": {
		"wait --rm URL --jhs URL --user alice --every 100ms --no-history",
		[]string{"wait --config FILE"},
	},
	"watch": {"watch --rules ../../examples/rules.yaml --rm URL --jhs URL --user alice --every 100ms --output ndjson", []string{
		"watch --rules FILE --rm URL", "watch --check --rules FILE",
		"watch --rules FILE --test ../../examples/join.jsonl.zst", "watch --rules ../../examples/rules.yaml --test FILE",
	}},
	"whatif": {"whatif ../../examples/pig-join.yaml --slots 2x", []string{"whatif FILE --slots 2x"}},
}

// TestExitTable checks the exit codes of every command: 2 for a file that is damaged, 3 for output that cannot be
// written, to a full disk or a pipe without a reader. A new command needs an entry.
func TestExitTable(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	root := program.Manual(program.New(strings.NewReader(""), io.Discard, io.Discard))
	var names []string
	for _, m := range root.All() {
		if len(m.Commands) == 0 {
			names = append(names, strings.TrimPrefix(m.Path, "paratimer "))
		}
	}
	slices.Sort(names)
	if want := slices.Sorted(maps.Keys(exitTable)); !slices.Equal(names, want) {
		t.Errorf("the commands are\n%q, and the table has\n%q", names, want)
	}
	for name, c := range exitTable {
		t.Run(name, func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skip(err)
			}
			defer full.Close()
			r, closed, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer closed.Close()
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			for what, out := range map[string]io.Writer{"a full disk": full, "a closed pipe": closed} {
				if code, stderr := exitOf(t, c.writes, out); c.writes != "" && (code != program.ExitBlind || stderr == "" &&
					name != "check") {
					t.Errorf("%s to %s: exit code %d: %s", c.writes, what, code, stderr)
				}
			}
			want := program.ExitUsage
			if name == "check" {
				want = program.ExitBlind // a plugin's UNKNOWN, printed on stdout
			}
			for _, args := range c.damaged {
				if code, stderr := exitOf(t, args, io.Discard); code != want || stderr == "" && name != "check" {
					t.Errorf("%s: exit code %d: %s", args, code, stderr)
				}
			}
		})
	}
}

// TestFullFile checks that a file on a full disk is output that cannot be written, and no wrong usage.
func TestFullFile(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	for _, line := range []string{
		"learn ../../examples/join.jsonl.zst -o /dev/full", "report ../../examples/join.jsonl.zst -o /dev/full",
		"estimate ../../examples/fig3a.yaml --gantt /dev/full",
	} {
		if code, stderr := exitOf(t, line, io.Discard); code != program.ExitBlind ||
			!strings.Contains(stderr, "no space left") {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
	}
	if code, stderr := exitOf(t, "learn ../../examples/join.jsonl.zst -o HERE/none/profile.yaml", io.Discard); code != program.ExitUsage {
		t.Errorf("to a folder that is not there: exit code %d: %s", code, stderr)
	}
}

// exitOf runs a command of the table.
func exitOf(t *testing.T, line string, out io.Writer) (code int, stderr string) {
	t.Helper()
	file, here, url, store := filepath.Join(t.TempDir(), "damaged"), t.TempDir(), "", ""
	if err := os.WriteFile(file, []byte("{\"paratimer_tape\":1}\n{\"n\":1,\"t\":1795222879638,\"whole\":true}\n\x00"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(line, "URL") {
		url = restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	}
	if strings.Contains(line, "STATE") {
		store = t.TempDir()
		if code, _, stderr := session.Run(t, "history", "add", "../../examples/join.jsonl.zst", "--state-dir",
			store); code != program.ExitOK {
			t.Fatal(stderr)
		}
	}
	var errs bytes.Buffer
	args := strings.Fields(strings.NewReplacer("FILE", file, "HERE", here, "URL", url, "STATE", store).Replace(line))
	return program.Run(t.Context(), append([]string{"paratimer"}, args...), session.Environ(t), strings.NewReader(""), out, &errs),
		errs.String()
}
