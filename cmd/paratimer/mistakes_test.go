package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMistakes holds what people read first after a mistake: one line that names the mistake and what would be right.
func TestMistakes(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	tape, err := os.ReadFile("../../examples/join.tape.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "join.tape.gz"), tape, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string // DIR is a folder with a tape, TAPE and PLAN are examples
		code int
		want string // a part of the only line
	}{
		// commands that other programs have
		{"status", exitUsage, "try `paratimer attach`"},
		{"list", exitUsage, "try `paratimer watch`"},
		{"ls", exitUsage, "try `paratimer watch`"},
		{"top", exitUsage, "try `paratimer watch`"},
		{"ps", exitUsage, "try `paratimer watch`"},
		{"run", exitUsage, "ParaTimer starts none"},
		{"start", exitUsage, "ParaTimer starts none"},
		{"kill job_1_1", exitUsage, "`yarn application -kill ID`"},
		{"stop", exitUsage, "ParaTimer only watches"},
		{"show", exitUsage, "`paratimer report`"},
		{"follow", exitUsage, "`paratimer attach`"},
		{"monitor", exitUsage, "`paratimer attach`"},
		{"eta", exitUsage, "`paratimer attach`"},
		{"predict", exitUsage, "`paratimer estimate`"},
		{"diff", exitUsage, "`paratimer compare`"},
		{"play", exitUsage, "`paratimer replay`"},
		{"test", exitUsage, "`paratimer doctor`"},
		{"atach", exitUsage, "did you mean attach?"},
		{"repotr TAPE", exitUsage, "did you mean report?"},
		{"history lst", exitUsage, "did you mean list?"},

		// no argument, or too few
		{"replay", exitUsage, "replay needs FILE"},
		{"score", exitUsage, "score needs FILE..."},
		{"model", exitUsage, "model needs JOB.yaml"},
		{"estimate", exitUsage, "see `paratimer estimate --help`"},
		{"compare TAPE", exitUsage, "compare needs RUN RUN"},
		{"attach", exitUsage, "Give --rm URL or --conf-dir DIR"},

		// a file of another kind
		{"replay PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"score PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"learn PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"compare TAPE PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"report PLAN", exitUsage, "`paratimer estimate` and `paratimer whatif`"},
		{"model PLAN", exitUsage, "is a plan, not a job file: `paratimer estimate`"},
		{"model TAPE", exitUsage, "is a recording (tape), not a job file: `paratimer replay`"},
		{"estimate TAPE", exitUsage, "is a recording (tape), not a plan: `paratimer replay`"},
		{"simulate TAPE", exitUsage, "is a recording (tape), not a plan: `paratimer replay`"},
		{"replay --profile TAPE TAPE", exitUsage, "`paratimer learn` makes a profile of it"},
		{"estimate --profile TAPE PLAN", exitUsage, "`paratimer learn` makes a profile of it"},
		{"replay DIR", exitUsage, "a folder with tapes or captures: give its files, such as"},
		{"score DIR", exitUsage, "a folder with tapes or captures: give its files, such as"},
		{"report DIR", exitUsage, "a folder with tapes or captures: give its files, such as"},
		{"report --out=DIR/r.pdf TAPE", exitUsage, "r.html, and print that to PDF"},
		{"replay -", exitUsage, "stdin: - reads a tape or a capture"},
		{"replay absent.tape", exitUsage, "no such file"},
		{"attach --conf-dir /nosuch x", exitUsage, "holds none of core-site.xml"},

		// flags
		{"replay --within 10 TAPE", exitUsage, "a unit is missing: 10m?"},
		{"replay --deadline 6:30PST TAPE", exitUsage, "ambiguous: give a place such as America/Los_Angeles"},
		{"replay --deadline 25:00 TAPE", exitUsage, "00:00 to 23:59:59"},
		{"replay --evry 2s TAPE", exitUsage, "did you mean --every?"},
		{"replay TAPE --timeout", exitUsage, "--timeout needs a value"},
		{"replay --every soon TAPE", exitUsage, "such as 90s, 45m or 1h30m"},
		{"demo --tape run.tape", exitUsage, "it belongs to"},
		{"report --listen 9188 TAPE", exitUsage, "--listen goes with --live"},
		{"--log-level loud version", exitUsage, "it is one of warn, debug, info, error"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.NewReplacer("DIR", dir, "TAPE", "../../examples/join.tape.gz",
				"PLAN", "../../examples/pig-join.yaml").Replace(c.args))
			code, stdout, stderr := paratimer(t, args...)
			if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || stdout != "" {
				t.Errorf("exit code %d, want %d\n%s%s, want one line with %q", code, c.code, stdout, stderr, c.want)
			}
		})
	}
}
