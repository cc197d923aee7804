package settings

import "time"

// A row is a setting as it is typed. A flag that has a letter, too, is "name, letter". "name=" has no flag: --set sets
// it. "name!" is a flag alone: neither a variable nor a file sets it.
type row struct {
	on    string // the commands that have it, perhaps after "Subject: "; "" for all
	name  string
	value any // the default; its type is the kind of the setting
	help  string
}

// Sets of commands with the same settings, some with their subject.
const (
	attaching = "attach, wait, run"
	watching  = attaching + ", demo, replay, plan"
	clustered = attaching + ", list, status, watch, check, report, doctor, whatif"
	recorded  = "report, compare, replay, score, whatif, history profile, history add"
	chosen    = recorded + ", check, status, " + attaching
	printing  = "doctor, score, history list, history show, history add, list, status, check, whatif, ernest design, ernest run, ernest fit, ernest predict, model, config, version"

	bounds     = "Deadlines and limits: " + watching + ", report, check, score"
	moreBounds = "Deadlines and limits: " + watching + ", report, score"
	cluster    = "Where the cluster is: " + clustered
	kerberos   = cluster + ", history add"
	driver     = "Where Spark is: " + attaching + ", doctor, check, status"
	standalone = "Where Spark is: " + clustered
	learning   = "Earlier runs: " + attaching + ", status, watch, check, report, whatif"
	remembered = learning + ", history list, history show, history forget, history profile, history add"
	alerting   = "Alert destinations: " + attaching + ", watch, replay, doctor"
	measured   = "Metrics: " + watching + ", watch"
	served     = "Access to what is served: " + watching + ", report, watch"
	collecting = "Key groups from paratimer-tap: " + attaching + ", watch"
	estimated  = EstimateSubject + ": plan"
	simulated  = SimulationSubject + ": plan"
	designing  = "ernest design, ernest run"
	columns    = "ernest fit, ernest predict"
	fitting    = "ernest run, " + columns
)

// liveRows are the settings of every command and of those for running queries. A setting that others depend on comes
// first.
var liveRows = []row{
	{"", "version!, V", false, "print the version and exit"},
	{"", "config", "", "read settings from `FILE` (default: paratimer/config.yaml in the XDG configuration folder)"},
	{"", "set!", Several(""), "give a setting its value, as `NAME=VALUE`; `paratimer config` lists the settings; repeatable"},
	{"", "log-level", OneOf{"warn", "debug", "info", "error"}, "log from this `LEVEL` on, to stderr"},
	{"", "log-format=", OneOf{"auto", "console", "json"}, "log format `FORMAT`; auto is json in a file, console on stderr"},
	{"", "log-file", "", "log to `FILE`, not to stderr; it is reopened after logrotate, and becomes FILE.1 at 64 MiB"},
	{"", "utc", false, "read and show times of day in UTC, not in the local zone"},
	{attaching + ", demo, replay", "output", OneOf{"text", "json", "ndjson"}, "write `FORMAT`; json and ndjson are frames, one a line"},
	{"watch", "output", OneOf{"text", "ndjson", "json", "none"}, "write `FORMAT`"},
	{"report", "output", OneOf{"html", "json"}, "write `FORMAT`"},
	{"compare", "output", OneOf{"text", "json", "html"}, "write `FORMAT`"},
	{"plan", "output", OneOf{"text", "json", "ndjson"}, "write `FORMAT`"},
	{printing, "output", OneOf{"text", "json"}, "write `FORMAT`"},
	{watching + ", watch", "plain", false, "print plain text for screen readers: no screen, colors or symbols"},
	{watching, "quiet", false, "print only alerts, failures, lost nodes and the end"},
	{watching + ", watch", "estimators", OwnEstimators, "which estimators are shown: own (ParaTimer's scenarios), all (other indicators as well), or `NAMES` such as standard,one_failure,skew_low"},
	{"score", "estimators", AllEstimators, "which estimators are compared: own (ParaTimer's scenarios), all (other indicators as well), or `NAMES` such as standard,one_failure,skew_low"},
	{watching + ", report, score, whatif", "delta=", positive(100), "reduces measured by key groups: groups whose sizes differ by at most `BYTES` take equal time (NearestFit's delta)"},
	{watching + ", watch, status, report, whatif", "timeout", atLeast(0, time.Duration(0)), "give up after `TIME`, with exit code 124"},
	{attaching, "every", atLeast(0.1, 3*time.Second), "observe every `TIME`; lines are printed on changes, and now and then"},
	{attaching, "session", false, "after a DAG of Tez, watch the next one of its session; default for Pig's scripts without --record. With --sql newest, watch the next execution of Spark"},
	{attaching, "raw=", false, "with --record, record the raw answers without secrets instead, for bug reports"},
	{attaching, "capture=", "", "record the raw answers to `FILE` beside the observations of --record"},
	{attaching + ", plan", "record", "", "record the observations to `FILE`, for replay, history and score"},
	{chosen, "sql", "", "choose the SQL execution with this `ID` (tab SQL of Spark's page); newest is the running one"},
	{chosen, "group", "", "choose the jobs of Spark's job group `NAME`"},
	{"watch", "rules", "", "watch the workflows that match the rules in `FILE`; SIGHUP reads them again"},
	{"watch", "check!", false, "print the rules of --rules, or what is wrong with them, and end"},
	{"watch", "test!", "", "test when the rules would have fired on the past runs of `FILE`, and of the files given as arguments, and end"},
	{"watch", "min-precision=", 0.0, "with --test, exit with 1 if less than this `RATIO` of a rule's alerts was right"},
	{"watch", "min-recall=", 0.0, "with --test, exit with 1 if less than this `RATIO` of the late runs had an alert before"},
	{"watch", "every", atLeast(0.1, 5*time.Second), "list the applications every `TIME`, the shortest wait between observations"},
	{"watch", "most=", time.Minute, "observe each workflow at least every `TIME`"},
	{"watch", "budget", atLeast(0, 300.0), "send at most `N` requests a second about applications; 0: no limit"},
	{"watch", "listen", "", "serve a page of all queries at `ADDRESS`, with a live report of each, also without --rules; a port alone, such as 9189, is local, 0 is a free one"},
	{"check", "warning, w", "", "warn if the remaining time is outside `RANGE` (30m, 10m:2h), or if the risk of a bound is (50%)"},
	{"check", "critical, c", "", "same `RANGE`, critical"},
	{"check", "timeout!, t", "10", "answer within `SECONDS`, up to a minute"},
	{"check", "verbose!, v", false, "print more lines: bounds, what the query waits for, warnings"},
	{"check", "idle=", OneOf{"ok", "warning", "critical", "unknown"}, "`STATE` if nothing runs"},
	{"check", "unreachable=", OneOf{"unknown", "ok", "warning", "critical"}, "`STATE` without an answer"},
	{"check", "unknown=", OneOf{"unknown", "ok", "warning", "critical"}, "`STATE` if --warning or --critical limit a remaining time that is unknown"},
	{"check", "recording", "", "read a recording from `FILE`, not the cluster"},
	{"check", "at", time.Duration(0), "with --recording: the state at `TIME` of the run (default: its end)"},
	{"doctor", "notify!", false, "send a test alert to every sink and resolve it, instead of checking the cluster"},
	{"doctor", "rules", "", "with --notify, send one test for each rule in `FILE`, with its labels and annotations"},
	{attaching + ", replay, plan, status, report, check, watch, score, whatif", "profile", []string(nil), "use the costs in `FILE`, from `paratimer history profile`; repeatable, best first"},
	{recorded, "workflow", "", "choose a workflow, application or job by `ID` from recorded answers or history with several"},
	{recorded, "every", atLeast(0, time.Duration(0)), "take one observation every `TIME`"},
	{"replay, plan", "speed", atLeast(0, 0.0), "play `N` times as fast as the run was; 0: without waiting (default: 0; on a screen, so that the run takes half a minute)"},
	{"demo", "speed", atLeast(0, 60.0), "play `N` times as fast as the run was; 0: without waiting"},
	{"history profile, history add", "spool", []string(nil), "also use the key groups that taps have kept in `FILE`, or in paratimer-tap.*.ndjson of a folder; may be repeated"},
	{bounds, "deadline", []string(nil), "end by `TIME`: 06:30 (the first after its submission), 06:30 Europe/Berlin, 2026-11-21 06:30, RFC 3339; repeatable"},
	{bounds, "within", []string(nil), "end within `TIME` of its submission, such as 45m; repeatable"},
	{bounds, "longer-than-usual", 0.0, "end within `N` times its usual length, such as 1.5"},
	{bounds, "usual=", time.Duration(0), "usual length `TIME` (default: from the history, or from the first --profile)"},
	{bounds, "risk=", above0(1, Share(0.9)), "at risk from this `PROBABILITY` of being late on, such as 0.9 or 90%"},
	{moreBounds, "no-progress", time.Duration(0), "move something (a counter, an attempt, a job) within `TIME`, such as 10m"},
	{moreBounds, "drift=", false, "keep the predicted end within its first stable range, from skew_low to one_failure"},
	{moreBounds, "hold=", atLeast(1, 5), "change the state after `N` equal observations in a row"},
	{cluster, "rm", "", "ask the ResourceManager at `URL`; several are comma-separated, and a gateway is such as https://knox:8443/gateway/default"},
	{cluster, "jhs", "", "ask the job history server at `URL` (with --rm; default: port 19888 of its host)"},
	{cluster, "conf-dir", "", "read Hadoop's configuration from `DIR` (default: HADOOP_CONF_DIR, YARN_CONF_DIR, HADOOP_HOME/etc/hadoop)"},
	{cluster, "user", "", "ask as `NAME`, and choose among this user's workflows (default: the Kerberos principal, else HADOOP_USER_NAME, else you)"},
	{cluster, "password-file=", "", "sign in to a gateway such as Knox, as --user, with the password in `FILE` (default: PARATIMER_PASSWORD)"},
	{cluster, "token-file=", "", "send the bearer token in `FILE` (default: PARATIMER_TOKEN), as for Databricks"},
	{cluster, "cert=", "", "client certificate (PEM) in `FILE`; it is read again when it changes"},
	{cluster, "key=", "", "private key of the client certificate in `FILE`"},
	{cluster, "trust-host=", []string(nil), "also follow redirects to `HOST`; repeatable"},
	{cluster, "ca-file=", "", "also trust the certificates (PEM) in `FILE`"},
	{cluster, "insecure=", false, "do not verify certificates: another server can pose as the cluster"},
	{kerberos, "keytab", "", "log in to Kerberos with the key in `FILE` (default: the ticket from kinit)"},
	{kerberos, "principal=", "", "log in to Kerberos as `NAME`[/HOST][@REALM] (default: the only one in the keytab, or the ticket's)"},
	{driver, "spark", "", "watch the Spark application of the driver UI at `URL`, such as http://driver:4040"},
	{standalone, "kubernetes", false, "find drivers of Spark in the Kubernetes cluster of the kubeconfig or of this pod's service account, and reach them through its API server"},
	{standalone, "context", "", "the cluster and user of this `NAME` in the kubeconfig (default: its current context)"},
	{standalone, "namespace", "", "the Kubernetes namespace of the drivers, or * for all (default: that of the context or of this pod)"},
	{standalone, "spark-master", "", "find Spark applications on the page of a standalone master at `URL`, such as http://master:8080"},
	{driver, "spark-history", "", "read the result of a run from the Spark history server at `URL`, such as http://host:18080"},
	{learning, "no-history", false, "neither use nor extend the history"},
	{remembered, "state-dir", "", "keep the history in `DIR` (default: paratimer in the XDG state folder, ~/.local/state)"},
	{alerting, "alertmanager", "", "post alerts to the Alertmanager at `URL`, or to several, comma-separated"},
	{alerting, "repost=", atLeast(0.1, time.Minute), "repeat firing alerts to Alertmanager every `TIME`; they end there after four missing repeats"},
	{alerting, "webhook", "", "post alerts to `URL`, in the format of Alertmanager's webhooks"},
	{alerting, "webhook-template=", "", "JSON body of the webhook: slack, teams, pagerduty, opsgenie, or the template in `FILE`"},
	{alerting, "webhook-secret-file=", "", "sign the webhook's body with the secret in `FILE`, or send it as the key of PagerDuty or Opsgenie (default: PARATIMER_WEBHOOK_SECRET)"},
	{alerting, "exec", "", "run `COMMAND` for each alert, with its JSON on standard input"},
	{alerting, "exec-template=", "", "input of the command of --exec: mail, or the template in `FILE`"},
	{alerting, "link", "", "link alerts to the page at `URL`, such as 'https://watch/q/{{ .Workflow.ID }}/'"},
	{alerting, "exec-timeout=", atLeast(0.001, 30*time.Second), "kill the command of --exec and its children after `TIME`"},
	{alerting, "drain=", atLeast(0, 10*time.Second), "at the end, wait up to `TIME` for alerts to be sent"},
	{alerting, "dry-run", false, "print alerts to stderr as lines of JSON, and send nothing"},
	{measured, "metrics", "", "serve Prometheus metrics at `ADDRESS`; a port alone, such as :9188, is local"},
	{measured, "metrics-linger=", time.Duration(0), "serve metrics for `TIME` after the end, so that the end is scraped"},
	{measured, "metrics-textfile=", "", "write metrics to `FILE`.prom, for a node exporter's textfile collector"},
	{served, "serve-token-file=", "", "require the token in `FILE` (default: PARATIMER_SERVE_TOKEN), as a bearer token or a password"},
	{served, "serve-cert=", "", "serve over TLS with the certificate (PEM) in `FILE`; it is read again when it changes"},
	{served, "serve-key=", "", "private key of the certificate in `FILE`"},
	{served, "serve-client-ca=", "", "accept client certificates issued by those (PEM) in `FILE`"},
	{collecting, "collect", "", "receive key groups from paratimer-tap at `ADDRESS`; a port alone, such as :9190, is local"},
	{collecting, "collect-token-file=", "", "accept only the token in `FILE` (default: PARATIMER_COLLECT_TOKEN, else a generated one for local addresses)"},
	{collecting, "lambda=", between(1, 8192, 2000), "use the `N` largest keys of each map"},
	{collecting, "capacity=", between(0, 35*8192, 0), "count `N` keys of all maps one by one (default: 35 times lambda)"},
	{"OpenLineage: " + attaching + ", watch", "openlineage=", "", "post the start, progress and end of runs to the OpenLineage service at `URL`; reads OPENLINEAGE_NAMESPACE and OPENLINEAGE_API_KEY"},
	{"man", "out!, o", "", "write all pages into `FOLDER`; it is created if missing"},
	{"man", "output!", OneOf{"roff", "markdown"}, "write `FORMAT`; of markdown, all commands at once"},
}
