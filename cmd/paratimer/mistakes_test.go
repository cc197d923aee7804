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
	page, empty := filepath.Join(t.TempDir(), "run.html"), filepath.Join(t.TempDir(), "run.yaml")
	for path, text := range map[string]string{page: "<!DOCTYPE html>", empty: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string // DIR is a folder with a tape, PAGE and EMPTY are files, the other capitals examples
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
		{"attach job_1_1", exitUsage, "Give --rm URL or --conf-dir DIR"},

		// a file of another kind
		{"replay PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"score PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"learn PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"compare TAPE PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"report PLAN", exitUsage, "this is a plan, not a recording: `paratimer estimate`"},
		{"model PLAN", exitUsage, "is a plan, not a job file: `paratimer estimate`"},
		{"model TAPE", exitUsage, "is a recording (tape), not a job file: `paratimer replay`"},
		{"estimate TAPE", exitUsage, "is a recording (tape), not a plan: `paratimer replay`"},
		{"simulate TAPE", exitUsage, "is a recording (tape), not a plan: `paratimer replay`"},
		{"replay --profile TAPE TAPE", exitUsage, "`paratimer learn` makes a profile of it"},
		{"estimate --profile TAPE PLAN", exitUsage, "`paratimer learn` makes a profile of it"},
		{"estimate JOB", exitUsage, "is a job file, not a plan: `paratimer model` reads it"},
		{"whatif JOB", exitUsage, "is a job file, not a plan or recording: `paratimer model` reads it"},
		{"score JOB", exitUsage, "this is a job file, not a recording: `paratimer model` reads it"},
		{"ernest fit PLAN", exitUsage, "is a plan, not a table of runs: `paratimer estimate`"},
		{"ernest fit JOB", exitUsage, "is a job file, not a table of runs: `paratimer model` reads it"},
		{"ernest score PLAN", exitUsage, "is a plan, not a table of runs: `paratimer estimate`"},
		{"whatif PLAN --demands PLAN", exitUsage, "is a plan, not a job file: `paratimer estimate`"},
		{"import PLAN -o DIR", exitUsage, "is a plan, not a history: `paratimer estimate`"},
		{"import TAPE -o DIR", exitUsage, "is a recording (tape), not a history: `paratimer replay` plays it"},
		{"import EMPTY -o DIR", exitUsage, "is an empty file, not a history"},
		{"estimate RULES", exitUsage, "is a rule file, not a plan: `paratimer watch --rules`"},
		{"model RULES", exitUsage, "is a rule file, not a job file: `paratimer watch --rules`"},
		{"skew RULES", exitUsage, "is a rule file, not a plan or recording: `paratimer watch --rules`"},
		{"replay RULES", exitUsage, "this is a rule file, not a recording: `paratimer watch --rules`"},
		{"rules check TAPE", exitUsage, "is a recording (tape), not a rule file"},
		{"rules test TAPE TAPE", exitUsage, "is a recording (tape), not a rule file"},
		{"replay CSV", exitUsage, "this is a table of runs, not a recording: `paratimer ernest fit` reads it"},
		{"estimate CSV", exitUsage, "is a table of runs, not a plan: `paratimer ernest fit` reads it"},
		{"replay --profile CSV TAPE", exitUsage, "is a table of runs, not a profile: `paratimer ernest fit` reads it"},
		{"compare TAPE CSV", exitUsage, "this is a table of runs, not a recording"},
		{"whatif PAGE", exitUsage, "is a page, not a plan or recording: a browser shows it"},
		{"learn PAGE", exitUsage, "this is a page, not a recording: a browser shows it"},
		{"replay EMPTY", exitUsage, "this is an empty file, not a recording"},
		{"estimate EMPTY", exitUsage, "is an empty file, not a plan"},
		{"replay --profile EMPTY TAPE", exitUsage, "is an empty file, not a profile"},
		{"replay http://host/run.tape", exitUsage, "is an address, not a file: download it first"},
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
		{"replay --within 1d TAPE", exitUsage, "such as 45m or 1h30m: 24h?"},
		{"replay --within 5min TAPE", exitUsage, "such as 45m or 1h30m: 5m?"},
		{"replay --every 5 TAPE", exitUsage, "a length of time with its unit"},
		{"replay --risk 90 TAPE", exitUsage, "such as 0.9 or 90%"},
		{"replay --hold 0 --within 1m TAPE", exitUsage, "1 or more"},
		{"replay --deadline tomorrow TAPE", exitUsage, "give 06:30, 6:30pm"},
		{"replay --output csv TAPE", exitUsage, "it is one of text, ndjson"},
		{"replay --json TAPE", exitUsage, "--output json prints JSON"},
		{"replay --speed 2x TAPE", exitUsage, "it is a number"},
		{"replay --metrics 99999 TAPE", exitUsage, "a port: give one from 1 to 65535"},
		{"score --estimators hadop TAPE", exitUsage, "did you mean hadoop?"},
		{"whatif --fail map TAPE", exitUsage, "the jobs are scope-30, scope-39, scope-48"},
		{"whatif --at 90 TAPE", exitUsage, "times have a unit, such as 90s"},
		{"whatif --policy fair TAPE", exitUsage, "it is one of fifo, yarn, ideal"},
		{"learn TAPE -o DIR", exitUsage, "it is a folder; give a file in it"},
		{"report --out nosuch/r.html TAPE", exitUsage, "no such file or directory"},
		{"attach --verbose", exitUsage, "--log-level debug says more"},
		{"-v", exitUsage, "--version is in full"},
		{"attach --job job_1_1", exitUsage, "give the job's id as argument"},
		{"watch --rules PLAN --rm http://localhost:1", exitUsage, "is a plan, not a rule file"},
		{"notify test", exitUsage, "give --alertmanager, --webhook, --exec or --bell"},

		// Pig, Hive, Tez and Spark
		{"pig", exitUsage, "`paratimer attach`"},
		{"hive", exitUsage, "`paratimer attach`"},
		{"tez", exitUsage, "`paratimer attach`"},
		{"spark", exitUsage, "`paratimer attach --spark URL`"},
		{"whatif ../../examples/stream.pig", exitUsage, "is a script of Pig, not a plan or recording: start it as usual"},
		{"estimate ../../examples/stream.pig", exitUsage, "is a script of Pig, not a plan: start it as usual"},
		{"replay ../../examples/stream.pig", exitUsage, "this is a script of Pig, not a recording: start it as usual"},
		{"attach --tez http://am:8080", exitUsage, "DAGs of Tez are found by --rm"},
		{"attach --hive query", exitUsage, "queries of Hive are found by --rm"},
		{"attach --spark spark://master:7077", exitUsage, "the driver's web page, such as http://driver:4040"},
		{"attach --spark yarn", exitUsage, "the driver's web page, such as http://driver:4040"},
		{"attach --spark http://localhost:1 --spark-history hs:18080", exitUsage, "such as http://host:18080"},
		{"attach --spark http://localhost:1 --spark-history http://u:secret@hs:18080", exitUsage, "a password to --password-file"},
		{"attach --sql last --spark http://localhost:1", exitUsage, "give its number, or newest"},
		{"attach --sql 1 --group g --spark http://localhost:1", exitUsage, "give one of --sql and --group"},
		{"watch --spark http://localhost:4040", exitUsage, "it belongs to attach, doctor"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.NewReplacer("DIR", dir, "TAPE", "../../examples/join.tape.gz",
				"PLAN", "../../examples/pig-join.yaml", "JOB", "../../examples/etl-cluster.yaml",
				"RULES", "../../examples/rules.yaml", "CSV", "../../examples/training.csv", "PAGE", page, "EMPTY", empty).Replace(c.args))
			code, stdout, stderr := paratimer(t, args...)
			if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || stdout != "" {
				t.Errorf("exit code %d, want %d\n%s%s, want one line with %q", code, c.code, stdout, stderr, c.want)
			}
		})
	}
}
