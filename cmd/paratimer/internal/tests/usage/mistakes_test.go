package usage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestMistakes checks what people read first after a mistake: one line that names the mistake and what would be right.
func TestMistakes(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	tape, err := os.ReadFile("../../examples/join.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "join.jsonl.zst"), tape, 0o600); err != nil {
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
		{"ls", program.ExitUsage, "try `paratimer list`"},
		{"top", program.ExitUsage, "try `paratimer watch`"},
		{"ps", program.ExitUsage, "try `paratimer list`"},
		{"run", program.ExitUsage, "run needs -- COMMAND"},
		{"start", program.ExitUsage, "try `paratimer run -- COMMAND`"},
		{"kill job_1_1", program.ExitUsage, "`yarn application -kill ID`"},
		{"stop", program.ExitUsage, "ParaTimer only watches"},
		{"show", program.ExitUsage, "`paratimer report`"},
		{"follow", program.ExitUsage, "`paratimer attach`"},
		{"monitor", program.ExitUsage, "`paratimer attach`"},
		{"eta", program.ExitUsage, "`paratimer attach`"},
		{"predict", program.ExitUsage, "`paratimer plan`"},
		{"diff", program.ExitUsage, "`paratimer compare`"},
		{"play", program.ExitUsage, "`paratimer replay`"},
		{"test", program.ExitUsage, "`paratimer doctor`"},
		{"atach", program.ExitUsage, "did you mean attach?"},
		{"repotr TAPE", program.ExitUsage, "did you mean report?"},
		{"history lst", program.ExitUsage, "did you mean list?"},

		// no argument, or too few
		{"replay", program.ExitUsage, "replay needs FILE"},
		{"score", program.ExitUsage, "score needs FILE..."},
		{"model", program.ExitUsage, "model needs JOB.yaml"},
		{"estimate", program.ExitUsage, "see `paratimer plan --help`"},
		{"compare TAPE", program.ExitUsage, "compare needs RUN RUN"},
		{"attach job_1_1", program.ExitUsage, "give --rm URL or --spark URL"},

		// a file of another kind
		{"replay PLAN", program.ExitUsage, "this is a plan, not a recording: `paratimer plan`"},
		{"score PLAN", program.ExitUsage, "this is a plan, not a recording: `paratimer plan`"},
		{"learn PLAN", program.ExitUsage, "this is a plan, not a recording: `paratimer plan`"},
		{"compare TAPE PLAN", program.ExitUsage, "this is a plan, not a recording: `paratimer plan`"},
		{"report PLAN", program.ExitUsage, "this is a plan, not a recording: `paratimer plan`"},
		{"model PLAN", program.ExitUsage, "is a plan, not a job file: `paratimer plan`"},
		{"model TAPE", program.ExitUsage, "is a recording (observations), not a job file: `paratimer replay`"},
		{"estimate TAPE", program.ExitUsage, "is a recording (observations), not a plan: `paratimer replay`"},
		{"simulate TAPE", program.ExitUsage, "is a recording (observations), not a plan: `paratimer replay`"},
		{"replay --profile TAPE TAPE", program.ExitUsage, "`paratimer history profile` makes a profile of it"},
		{"estimate --profile TAPE PLAN", program.ExitUsage, "`paratimer history profile` makes a profile of it"},
		{"estimate JOB", program.ExitUsage, "is a job file, not a plan: `paratimer model` reads it"},
		{"whatif JOB", program.ExitUsage, "is a job file, not a plan or recording: `paratimer model` reads it"},
		{"score JOB", program.ExitUsage, "this is a job file, not a recording: `paratimer model` reads it"},
		{"ernest fit PLAN", program.ExitUsage, "is a plan, not a table of runs: `paratimer plan`"},
		{"ernest fit JOB", program.ExitUsage, "is a job file, not a table of runs: `paratimer model` reads it"},
		{"history add PLAN -o DIR", program.ExitUsage, "this is a plan, not a recording: `paratimer plan`"},
		{"history add EMPTY -o DIR", program.ExitUsage, "this is an empty file, not a recording"},
		{"estimate RULES", program.ExitUsage, "is a rule file, not a plan: `paratimer watch --rules`"},
		{"model RULES", program.ExitUsage, "is a rule file, not a job file: `paratimer watch --rules`"},
		{"skew RULES", program.ExitUsage, "is a rule file, not a plan or recording: `paratimer watch --rules`"},
		{"replay RULES", program.ExitUsage, "this is a rule file, not a recording: `paratimer watch --rules`"},
		{"watch --check --rules TAPE", program.ExitUsage, "is a recording (observations), not a rule file"},
		{"watch --rules TAPE --test TAPE", program.ExitUsage, "is a recording (observations), not a rule file"},
		{"replay CSV", program.ExitUsage, "this is a table of runs, not a recording: `paratimer ernest fit` reads it"},
		{"estimate CSV", program.ExitUsage, "is a table of runs, not a plan: `paratimer ernest fit` reads it"},
		{"replay --profile CSV TAPE", program.ExitUsage, "is a table of runs, not a profile: `paratimer ernest fit` reads it"},
		{"compare TAPE CSV", program.ExitUsage, "this is a table of runs, not a recording"},
		{"whatif PAGE", program.ExitUsage, "is an HTML page, not a plan or recording: a browser shows it"},
		{"learn PAGE", program.ExitUsage, "this is an HTML page, not a recording: a browser shows it"},
		{"replay EMPTY", program.ExitUsage, "this is an empty file, not a recording"},
		{"estimate EMPTY", program.ExitUsage, "is an empty file, not a plan"},
		{"replay --profile EMPTY TAPE", program.ExitUsage, "is an empty file, not a profile"},
		{"replay http://host/run.tape", program.ExitUsage, "is an address, not a file: download it first"},
		{"replay DIR", program.ExitUsage, "a folder with recordings: give its files, such as"},
		{"score DIR", program.ExitUsage, "a folder with recordings: give its files, such as"},
		{"report DIR", program.ExitUsage, "a folder with recordings: give its files, such as"},
		{"report --out=DIR/r.pdf TAPE", program.ExitUsage, "r.html, and print that to PDF"},
		{"replay -", program.ExitUsage, "stdin: - reads a recording"},
		{"replay absent.tape", program.ExitUsage, "no such file"},
		{"attach --conf-dir /nosuch x", program.ExitUsage, "has none of core-site.xml"},

		// flags
		{"replay --within 10 TAPE", program.ExitUsage, "a unit is missing: 10m?"},
		{"replay --deadline 6:30PST TAPE", program.ExitUsage, "ambiguous: give a place such as America/Los_Angeles"},
		{"replay --deadline 25:00 TAPE", program.ExitUsage, "00:00 to 23:59:59"},
		{"replay --evry 2s TAPE", program.ExitUsage, "did you mean --every?"},
		{"replay TAPE --timeout", program.ExitUsage, "--timeout needs a value"},
		{"replay --every soon TAPE", program.ExitUsage, "such as 90s, 45m or 1h30m"},
		{"demo --record run.tape", program.ExitUsage, "it belongs to"},
		{"report --listen 9188 TAPE", program.ExitUsage, "--listen goes with --live"},
		{"--log-level loud version", program.ExitUsage, "it is one of warn, debug, info, error"},
		{"replay --within 1d TAPE", program.ExitUsage, "such as 45m or 1h30m: 24h?"},
		{"replay --within 5min TAPE", program.ExitUsage, "such as 45m or 1h30m: 5m?"},
		{"replay --every 5 TAPE", program.ExitUsage, "--every 5: add a unit: 5s?"},
		{"replay --risk 90 TAPE", program.ExitUsage, "such as 0.9 or 90%"},
		{"replay --set hold=0 --within 1m TAPE", program.ExitUsage, "1 or more"},
		{"replay --deadline tomorrow TAPE", program.ExitUsage, "give 06:30, 6:30pm"},
		{"replay --output csv TAPE", program.ExitUsage, "it is one of text, json, ndjson"},
		{"replay --json TAPE", program.ExitUsage, "no flag --json here: --output is one of text, json, ndjson"},
		{"attach -o yaml", program.ExitUsage, "no flag -o here: --output is one of text, json, ndjson"},
		{"replay --speed 2x TAPE", program.ExitUsage, "it is a number"},
		{"replay --metrics 99999 TAPE", program.ExitUsage, "a port: give one from 1 to 65535"},
		{"score --estimators hadop TAPE", program.ExitUsage, "did you mean hadoop?"},
		{"whatif --fail map TAPE", program.ExitUsage, "the jobs are scope-30, scope-39, scope-48"},
		{"whatif --at 90 TAPE", program.ExitUsage, "times have a unit, such as 90s"},
		{"whatif --policy fair TAPE", program.ExitUsage, "it is one of as-is, ideal"},
		{"learn TAPE -o DIR", program.ExitUsage, "it is a folder; give a file in it"},
		{"report --out nosuch/r.html TAPE", program.ExitUsage, "no such file or directory"},
		{"attach --verbose", program.ExitUsage, "--log-level debug shows more"},
		{"-v", program.ExitUsage, "--version is in full"},
		{"attach --job job_1_1", program.ExitUsage, "give the job's id as argument"},
		{"watch --rules PLAN --rm http://localhost:1", program.ExitUsage, "is a plan, not a rule file"},
		{"doctor --notify", program.ExitUsage, "give --alertmanager, --webhook or --exec"},

		// Pig, Hive, Tez and Spark
		{"pig", program.ExitUsage, "`paratimer attach`"},
		{"hive", program.ExitUsage, "`paratimer attach`"},
		{"tez", program.ExitUsage, "`paratimer attach`"},
		{"spark", program.ExitUsage, "`paratimer attach --spark URL`"},
		{"whatif ../../examples/stream.pig", program.ExitUsage, "is a script of Pig, not a plan or recording: start it as usual"},
		{"estimate ../../examples/stream.pig", program.ExitUsage, "is a script of Pig, not a plan: start it as usual"},
		{"replay ../../examples/stream.pig", program.ExitUsage, "this is a script of Pig, not a recording: start it as usual"},
		{"attach --tez http://am:8080", program.ExitUsage, "DAGs of Tez are found by --rm"},
		{"attach --hive query", program.ExitUsage, "queries of Hive are found by --rm"},
		{"attach --spark spark://master:7077", program.ExitUsage, "usually http://MASTER:8080, by --spark-master; the driver's page is"},
		{"attach spark://localhost:1", program.ExitUsage, "that is a master. Give its page by --spark-master, because it is not at http://localhost:8080"},
		{"attach --spark-master master", program.ExitUsage, "the master's page, such as http://master:8080"},
		{"attach --spark-master http://u:secret@master:8080", program.ExitUsage, "--set password-file=FILE instead"},
		{"list --spark-master http://localhost:1", program.ExitBlind, "nothing listens there"},
		{"attach --spark yarn", program.ExitUsage, "the driver's web page, such as http://driver:4040"},
		{"attach --spark http://localhost:1 --spark-history hs", program.ExitUsage, "such as http://host:18080"},
		{"attach --spark http://localhost:1 --spark-history http://u:secret@hs:18080", program.ExitUsage, "--set password-file=FILE instead"},
		{"attach --sql last --spark http://localhost:1", program.ExitUsage, "give its number or newest"},
		{"attach --sql 1 --group g --spark http://localhost:1", program.ExitUsage, "give one of --sql and --group"},
		{"watch --spark http://localhost:4040", program.ExitUsage, "it belongs to attach, wait, run, doctor, check, status"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.NewReplacer("DIR", dir, "TAPE", "../../examples/join.jsonl.zst",
				"PLAN", "../../examples/pig-join.yaml", "JOB", "../../examples/etl-cluster.yaml",
				"RULES", "../../examples/rules.yaml", "CSV", "../../examples/training.csv", "PAGE", page, "EMPTY", empty).Replace(c.args))
			code, stdout, stderr := session.Run(t, args...)
			if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || stdout != "" {
				t.Errorf("exit code %d, want %d\n%s%s, want one line with %q", code, c.code, stdout, stderr, c.want)
			}
		})
	}
}
