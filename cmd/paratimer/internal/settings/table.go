package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// Values of --estimators that are not names of estimators.
const (
	// OwnEstimators are ParaTimer's scenarios.
	OwnEstimators = "own"
	// AllEstimators are those and the others, for comparison.
	AllEstimators = "all"
)

// A subject is a group of settings that the same commands have.
type subject struct {
	heading  string // in the help; "" for settings of these commands alone
	commands string // separated by commas; "" for all
	rows     []Setting
}

// Sets of commands with the same settings.
const (
	attaching = "attach, wait, run"
	watching  = attaching + ", demo, replay, plan, simulate"
	bounded   = watching + ", report, check, score"
	clustered = attaching + ", list, status, watch, check, report, doctor, skew, whatif"
	learning  = attaching + ", status, watch, check, report, skew, whatif"
	alerting  = attaching + ", watch, replay, doctor"
	recorded  = "report, compare, replay, score, skew, whatif, history profile, history add, learn, import"
)

// Defaults of settings that have no value unless one is given.
const untimed = time.Duration(0)

var texts []string

// table has the settings. Where a value is typed with two names, the second one is a letter.
var table = []subject{
	{"", "", []Setting{
		flagged("version", false, "print the version and exit").short("V").typed(),
		flagged("config", "", "read settings from `FILE` (default: paratimer/config.yaml in the XDG configuration folder)"),
		flagged("set", texts, "give a setting its value, as `NAME=VALUE`; `paratimer config` lists the settings; repeatable").typed(),
		choice("log-level", "log from this `LEVEL` on, to stderr", "warn", "debug", "info", "error"),
		choice("log-format", "log format `FORMAT`; auto is console on a terminal", "auto", "console", "json").key(),
		flagged("log-file", "", "log to `FILE`, not to stderr; it is reopened after logrotate, and becomes FILE.1 at 64 MiB"),
		flagged("utc", false, "read and show times of day in UTC, not in the local zone"),
	}},
	{"", attaching + ", demo, replay, simulate", []Setting{
		choice("output", "write `FORMAT`", "text", "ndjson"),
	}},
	{"", watching, []Setting{
		flagged("plain", false, "print plain text for screen readers: no screen, colors or symbols"),
		flagged("quiet", false, "print only alerts, failures, lost nodes and the end"),
	}},
	{"", watching, []Setting{
		flagged("estimators", OwnEstimators, "which estimators are shown: own (ParaTimer's scenarios), all (other indicators as well), or `NAMES` such as standard,one_failure,skew_low").offering(estimatorNames()...),
	}},
	{"", "score", []Setting{
		flagged("estimators", AllEstimators, "which estimators are compared: own (ParaTimer's scenarios), all (other indicators as well), or `NAMES` such as standard,one_failure,skew_low").offering(estimatorNames()...),
	}},
	{"", watching + ", report, score, skew, whatif", []Setting{
		flagged("delta", 100.0, "reduces measured by key groups: groups whose sizes differ by at most `BYTES` take equal time (NearestFit's delta)").upTo(1e12).key(),
	}},
	{"", watching + ", status, report, skew, whatif", []Setting{
		flagged("timeout", untimed, "give up after `TIME`, with exit code 124"),
	}},
	{"", attaching, []Setting{
		flagged("every", 3*time.Second, "observe every `TIME`; lines are printed on changes, and now and then"),
		flagged("session", false, "after a DAG of Tez, watch the next one of its session; default for Pig's scripts without --record. With --sql newest, watch the next execution of Spark"),
		flagged("raw", false, "with --record, record the raw answers without secrets instead, for bug reports"),
		flagged("capture", "", "record the raw answers to `FILE` beside the observations of --record").key(),
	}},
	{"", attaching + ", plan, simulate", []Setting{
		flagged("record", "", "record the observations to `FILE`, for replay, history and score"),
	}},
	{"", recorded + ", check, status, " + attaching, []Setting{
		flagged("sql", "", "choose the SQL execution with this `ID` (tab SQL of Spark's page); newest is the running one"),
		flagged("group", "", "choose the jobs of Spark's job group `NAME`"),
	}},
	{"", "watch", []Setting{
		flagged("rules", "", "watch the workflows that match the rules in `FILE`; SIGHUP reads them again"),
		flagged("check", false, "print the rules of --rules, or what is wrong with them, and end").typed(),
		flagged("test", "", "test when the rules would have fired on the past runs of `FILE`, and of the files given as arguments, and end").typed(),
		flagged("min-precision", 0.0, "with --test, exit with 1 if less than this `RATIO` of a rule's alerts was right"),
		flagged("min-recall", 0.0, "with --test, exit with 1 if less than this `RATIO` of the late runs had an alert before"),
		flagged("every", 5*time.Second, "list the applications every `TIME`, the shortest wait between observations"),
		flagged("most", time.Minute, "observe each workflow at least every `TIME`").key(),
		flagged("budget", 300.0, "send at most `N` requests a second about applications; 0: no limit"),
		choice("output", "write `FORMAT`", "text", "ndjson", "json", "none"),
		flagged("estimators", OwnEstimators, "which estimators are in the frames: own (ParaTimer's scenarios), all (other indicators as well), or `NAMES` such as standard,one_failure,skew_low").offering(estimatorNames()...),
		flagged("timeout", untimed, "end after `TIME`, with exit code 124"),
		flagged("plain", false, "print lines on a terminal, no screen"),
		flagged("listen", "", "serve a page of all queries at `ADDRESS`, with a live report of each, also without --rules; a port alone, such as 9189, is local, 0 is a free one"),
	}},
	{"", "check", []Setting{
		flagged("warning", "", "warn if the remaining time is outside `RANGE` (30m, 10m:2h), or if the risk of a bound is (50%)").short("w"),
		flagged("critical", "", "same `RANGE`, critical").short("c"),
		flagged("timeout", "10", "answer within `SECONDS`, up to a minute").short("t").typed(),
		flagged("verbose", false, "print more lines: bounds, what the query waits for, warnings").short("v").typed(),
		flagged("idle", "ok", "`STATE` if nothing runs: ok, warning, critical, unknown").key(),
		flagged("unreachable", "unknown", "`STATE` without an answer: ok, warning, critical, unknown").key(),
		flagged("unknown", "unknown", "`STATE` if --warning or --critical limit a remaining time that is unknown: ok, warning, critical, unknown").key(),
		flagged("metrics-url", "", "ask the watcher with metrics at `URL`, not the cluster; its bounds count"),
		flagged("recording", "", "read a recording from `FILE`, not the cluster"),
		flagged("at", untimed, "with --recording: the state at `TIME` of the run (default: its end)"),
		flagged("serve-token-file", "", "token for --metrics-url, in `FILE` (default: PARATIMER_SERVE_TOKEN)").key(),
	}},
	{"", "doctor", []Setting{
		flagged("notify", false, "send a test alert to every sink and resolve it, in place of a look at the cluster").typed(),
		flagged("rules", "", "with --notify, send one test for each rule in `FILE`, with its labels and annotations"),
	}},
	{"", "doctor, score, history list, history show, history add, import, list, status, whatif, " +
		"ernest design, ernest run, ernest fit, ernest predict, ernest choose, model, config, version", []Setting{
		choice("output", "write `FORMAT`", "text", "json"),
	}},
	{"", attaching + ", replay, plan, simulate, status, report, check, watch, score, skew, whatif", []Setting{
		flagged("profile", texts, "use the costs in `FILE`, from `paratimer history profile`; repeatable, best first"),
	}},
	{"", recorded, []Setting{
		flagged("workflow", "", "choose a workflow, application or job by `ID` from recorded answers or history with several"),
		flagged("every", untimed, "take one observation every `TIME`"),
	}},
	{"", "replay, plan, simulate", []Setting{
		flagged("speed", 0.0, "play `N` times as fast as the run was; 0: without waiting (default: 0; on a screen, so that the run takes half a minute)"),
	}},
	{"", "demo", []Setting{
		flagged("speed", 60.0, "play `N` times as fast as the run was; 0: without waiting"),
	}},
	{"", "history profile, history add, learn, import", []Setting{
		flagged("spool", texts, "also use the key groups that taps have kept in `FILE`, or in paratimer-tap.*.ndjson of a folder; may be repeated"),
	}},
	{"What the query is held to", bounded, []Setting{
		flagged("deadline", texts, "end by `TIME`: 06:30 (the first after its submission), 06:30 Europe/Berlin, 2026-11-21 06:30, RFC 3339; repeatable"),
		flagged("within", texts, "end within `TIME` of its submission, such as 45m; repeatable"),
		flagged("longer-than-usual", 0.0, "end within `N` times its usual length, such as 1.5"),
		flagged("usual", untimed, "usual length `TIME` (default: from the history, or from the first --profile)").key(),
		flagged("on", "", "decide by `JUDGE`: a scenario such as standard or one_failure, or a quantile such as p90 (default: the probability)").key(),
		flagged("risk", newShare, "at risk from this `PROBABILITY` of being late on, such as 0.9 or 90%"),
	}},
	{"What the query is held to", watching + ", report, score", []Setting{
		flagged("no-progress", untimed, "move something (a counter, an attempt, a job) within `TIME`, such as 10m"),
		flagged("drift", false, "keep the predicted end within its first stable range, from skew_low to one_failure"),
		flagged("hold", 5, "change the state after `N` equal observations in a row").key(),
	}},
	{"Where the cluster is", clustered, []Setting{
		flagged("rm", "", "ask the ResourceManager at `URL`; several are comma-separated, and a gateway is such as https://knox:8443/gateway/default"),
		flagged("jhs", "", "ask the job history server at `URL` (with --rm; default: port 19888 of its host)"),
		flagged("conf-dir", "", "read Hadoop's configuration from `DIR` (default: HADOOP_CONF_DIR, YARN_CONF_DIR, HADOOP_HOME/etc/hadoop)"),
		flagged("user", "", "ask as `NAME`, and choose among this user's workflows (default: the Kerberos principal, else HADOOP_USER_NAME, else you)"),
		flagged("password-file", "", "sign in to a gateway such as Knox, as --user, with the password in `FILE` (default: PARATIMER_PASSWORD)").key(),
		flagged("cert", "", "client certificate (PEM) in `FILE`; it is read again when it changes").key(),
		flagged("key", "", "private key of the client certificate in `FILE`").key(),
		flagged("trust-host", texts, "also follow redirects to `HOST`; repeatable").key(),
		flagged("ca-file", "", "also trust the certificates (PEM) in `FILE`").key(),
		flagged("insecure", false, "do not verify certificates: anybody can pose as the cluster").key(),
	}},
	{"Where the cluster is", clustered + ", history add, import", []Setting{
		flagged("keytab", "", "log in to Kerberos with the key in `FILE` (default: the ticket from kinit)"),
		flagged("principal", "", "log in to Kerberos as `NAME`[/HOST][@REALM] (default: the only one in the keytab, or the ticket's)"),
	}},
	{"Where Spark is", attaching + ", doctor, check, status", []Setting{
		flagged("spark", "", "watch the Spark application whose driver has its web page at `URL`, such as http://driver:4040"),
		flagged("spark-history", "", "ask Spark's history server at `URL` how the application ended, such as http://host:18080"),
	}},
	{"Earlier runs", learning, []Setting{
		flagged("no-history", false, "neither use nor extend the history"),
	}},
	{"Earlier runs", learning + ", history list, history show, history forget, history profile, history add, learn, import", []Setting{
		flagged("state-dir", "", "keep the history in `DIR` (default: paratimer in the XDG state folder, ~/.local/state)"),
	}},
	{"Alert destinations", alerting, []Setting{
		flagged("alertmanager", "", "post alerts to the Alertmanager at `URL`, or to several, comma-separated"),
		flagged("repost", time.Minute, "repeat firing alerts to Alertmanager every `TIME`; they end there after four missing repeats").key(),
		flagged("webhook", "", "post alerts to `URL`, in the format of Alertmanager's webhooks"),
		flagged("webhook-template", "", "JSON body of the webhook: slack, teams, pagerduty, opsgenie, or the template in `FILE`").key(),
		flagged("webhook-secret-file", "", "sign the webhook's body with the secret in `FILE`, or send it as the key of PagerDuty or Opsgenie (default: PARATIMER_WEBHOOK_SECRET)").key(),
		flagged("exec", "", "run `COMMAND` for each alert, with its JSON on standard input"),
		flagged("exec-template", "", "input of the command of --exec: mail, or the template in `FILE`").key(),
		flagged("exec-timeout", 30*time.Second, "kill the command of --exec and its children after `TIME`").key(),
		flagged("bell", false, "ring the terminal's bell when an alert fires").key(),
		flagged("drain", 10*time.Second, "at the end, wait up to `TIME` for alerts to be sent").key(),
		flagged("dry-run", false, "print alerts to stderr as lines of JSON, and send nothing"),
	}},
	{"Metrics", watching + ", watch", []Setting{
		flagged("metrics", "", "serve Prometheus metrics at `ADDRESS`; a port alone, such as :9188, is local"),
		flagged("metrics-linger", untimed, "serve metrics for `TIME` after the end, so that the end is scraped").key(),
		flagged("metrics-textfile", "", "write metrics to `FILE`.prom, for a node exporter's textfile collector").key(),
	}},
	{"Access to what is served", watching + ", report, watch", []Setting{
		flagged("serve-token-file", "", "require the token in `FILE` (default: PARATIMER_SERVE_TOKEN), as a bearer token or a password").key(),
		flagged("serve-cert", "", "serve over TLS with the certificate (PEM) in `FILE`; it is read again when it changes").key(),
		flagged("serve-key", "", "private key of the certificate in `FILE`").key(),
		flagged("serve-client-ca", "", "accept client certificates issued by those (PEM) in `FILE`").key(),
	}},
	{"Key groups from paratimer-tap", attaching + ", watch", []Setting{
		// PARATIMER_COLLECT is the address that taps send to. It must not make watchers listen there.
		flagged("collect", "", "receive key groups from paratimer-tap at `ADDRESS`; a port alone, such as :9190, is local").env("PARATIMER_COLLECT_ADDRESS"),
		flagged("collect-token-file", "", "accept only the token in `FILE` (default: PARATIMER_COLLECT_TOKEN, else a generated one for local addresses)").key(),
		flagged("lambda", 2000, "use the `N` largest keys of each map").key(),
		flagged("capacity", 0, "count `N` keys of all maps one by one (default: 35 times lambda)").key(),
	}},
	{"OpenLineage", attaching + ", watch", []Setting{
		flagged("openlineage", "", "post the start, progress and end of runs to the OpenLineage service at `URL`; reads OPENLINEAGE_NAMESPACE and OPENLINEAGE_API_KEY").key(),
	}},
	{"", "config", []Setting{
		flagged("origin", false, "show the source of each value: flag, environment variable, line of the file, default").typed(),
	}},
	{"", "man", []Setting{
		flagged("out", "", "write all pages into `FOLDER`; it is created if missing").short("o").typed(),
		choice("output", "write `FORMAT`; of markdown, all commands at once", "roff", "markdown").typed(),
	}},
}

func flagged(name string, value any, help string) Setting {
	return Setting{Name: name, Default: value, Help: help, Env: Variable(name)}
}

func choice(name, help string, values ...string) Setting {
	return Setting{Name: name, Default: values[0], Help: help, Env: Variable(name), Choices: values}
}

// short gives the flag a letter.
func (s Setting) short(letter string) Setting {
	s.Short = letter
	return s
}

// typed makes a flag of it that only the command line has.
func (s Setting) typed() Setting {
	s.Env = ""
	return s
}

// env changes the name of the environment variable.
func (s Setting) env(variable string) Setting {
	s.Env = variable
	return s
}

// upTo limits a number to values above 0, up to most.
func (s Setting) upTo(most float64) Setting {
	s.Most = most
	return s
}

// key leaves the flag away.
func (s Setting) key() Setting {
	s.KeyOnly = true
	return s
}

// offering makes completion offer some values.
func (s Setting) offering(values ...string) Setting {
	s.Choices, s.Open = values, true
	return s
}

// Variable returns the usual environment variable of a setting. PARATIMER_GOLDEN, PARATIMER_RECORDINGS and
// PARATIMER_FOREIGN belong to the tests: no setting has these names.
func Variable(name string) string {
	return "PARATIMER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// EstimatorNames returns the names of all estimators, ParaTimer's own first, standard before all.
func EstimatorNames() []string {
	var names []string
	for _, s := range slices.Concat(estimators.Scenarios(), paper.Others()) {
		names = append(names, s.Name)
	}
	return names
}

func estimatorNames() []string {
	return append([]string{OwnEstimators, AllEstimators}, EstimatorNames()...)
}

// all has a pointer to each row of the table.
var all = rows()

func rows() []*Setting {
	var out []*Setting
	for _, group := range slices.Concat(table, pastTable, planTable) {
		for i := range group.rows {
			s := &group.rows[i]
			s.Subject = group.heading
			if group.commands != "" {
				s.Commands = strings.Split(group.commands, ", ")
			}
			out = append(out, s)
		}
	}
	return out
}

// IsShared reports whether several commands have the setting, and not more have another one of this name.
func (s *Setting) IsShared() bool {
	for _, other := range all {
		if other.Name == s.Name && len(other.Commands) > len(s.Commands) {
			return false
		}
	}
	return len(s.Commands) > 1
}

// Of returns the settings of a command, such as "history add"; of "", those of every command.
func Of(command string) []*Setting {
	var out []*Setting
	for _, s := range all {
		if slices.Contains(s.Commands, command) || command == "" && s.Commands == nil {
			out = append(out, s)
		}
	}
	return out
}

// Lookup returns the setting of a command with a name, which may have dashes before it and =value after it. It returns
// nil if there is none.
func Lookup(command, arg string) *Setting { return named(Of(command), arg) }

// Any returns a setting of any command with a name as for Lookup, one of every command first; nil if there is none.
func Any(arg string) *Setting { return named(all, arg) }

func named(settings []*Setting, arg string) *Setting {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, s := range settings {
		if slices.Contains(s.Names(), name) {
			return s
		}
	}
	return nil
}

// Owners returns the commands that have a setting with a name.
func Owners(name string) []string {
	var out []string
	for _, s := range all {
		if s.Name == name {
			out = append(out, s.Commands...)
		}
	}
	return out
}

// Names returns the names of all settings that a file may set, sorted.
func Names() []string {
	var names []string
	for _, s := range all {
		if s.Settable() && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Settable reports whether a file may have the setting.
func (s *Setting) Settable() bool {
	return !slices.Contains([]string{"version", "config", "set"}, s.Name)
}
