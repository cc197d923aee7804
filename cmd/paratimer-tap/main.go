//go:build unix

// Command paratimer-tap wraps the command of a Hadoop Streaming job and measures its key groups.
//
// The command runs as if the tap did not exist: the same bytes, exit code, signals, and standard error. Any fault of
// the tap itself only stops the measuring.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/measure"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	if len(args) > 0 && args[0] == "job" {
		return printSettings(args[1:])
	}
	o, err := parse(args, os.Getenv)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(usage)
		return 0
	case err != nil:
		say(err.Error() + "; see paratimer-tap --help")
		return 2
	case o.version:
		fmt.Println("paratimer-tap " + version())
		return 0
	}
	t, noTask := readTask(o.side, os.Getenv, ancestors)
	path, err := lookUp(o.command[0], os.Getenv("PATH"), noTask == nil)
	if err != nil {
		return fail(err)
	}
	if o.spool == "" {
		o.spool = logFolder(os.Getenv)
	}
	switch {
	case o.trouble != "":
		say(o.trouble + "; the command is not affected")
	case noTask != nil:
		say("nothing is measured: " + noTask.Error())
	case o.collector == "" && o.spool == "":
		say("nothing is measured: PARATIMER_COLLECT is not set, and there is no log folder")
	}
	if noTask != nil || o.collector == "" && o.spool == "" {
		return fail(explain(path, replace(path, o.command)))
	}
	// Each task of a node has its own tap. The memory limit makes the garbage collector run early: 44 MB with the
	// usual lambda.
	debug.SetMemoryLimit(12<<20 + int64(o.lambda)*measure.KeyMemory)
	code, err := (&job{options: o, task: t, path: path}).run()
	if err != nil {
		return fail(explain(path, err))
	}
	return code
}

// printSettings runs the subcommand job, which prints the settings that a job needs for the jar.
func printSettings(args []string) int {
	text, err := printJob(args, os.Getenv)
	switch {
	case errors.Is(err, flag.ErrHelp):
		text = jobUsage
	case err != nil:
		say(err.Error() + "; see paratimer-tap job --help")
		return 2
	}
	fmt.Print(text)
	return 0
}

// fail prints the reason why the command does not run, and returns the exit code.
func fail(err error) int {
	say(err.Error())
	if start, ok := errors.AsType[*startError](err); ok {
		return start.code
	}
	return notRunnable
}

// say writes a message for people to the task's log, in one piece.
func say(line string) {
	_, _ = os.Stderr.WriteString("paratimer-tap: " + line + "\n")
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

const usage = `usage: paratimer-tap map|reduce [OPTION]... -- COMMAND [ARG]...
       paratimer-tap job hadoop|pig [OPTION]... JAR
       paratimer-tap --version

Runs the command of a Hadoop Streaming job as if paratimer-tap were not there,
and reports its key groups to a watcher (paratimer attach --collect). For a job without such commands, job prints what
it needs for the jar that measures within its tasks.

  --collect HOST:PORT  the watcher; default: PARATIMER_COLLECT
                       its token is in PARATIMER_TOKEN
  --spool DIR          where measurements go that no watcher takes; default: the
                       task's log folder
  --every TIME         how often a reduce reports its progress; default: 2s
  --lambda N           how many keys a map reports, the largest; default: 2000
  --show-keys          report keys as they are, not as hashes
`

// Options are the settings of the command line, with defaults from the environment.
type options struct {
	side      side
	command   []string
	collector string
	token     string
	spool     string
	every     time.Duration
	lambda    int
	show      bool
	version   bool
	// trouble is an error in the environment, which must not fail a job.
	trouble string
}

// lambda is the number of keys that NearestFit reports for each map.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 8.
const lambda = 2000

// every is the interval of a reduce's reports.
const every = 2 * time.Second

// parse parses a command line without the program's name. flag.ErrHelp means that help is requested.
func parse(args []string, get func(string) string) (options, error) {
	o := options{token: get("PARATIMER_TOKEN"), every: every, lambda: lambda}
	if env := get("PARATIMER_COLLECT"); env == "" || address(env) {
		o.collector = env
	} else {
		o.trouble = fmt.Sprintf("PARATIMER_COLLECT is HOST:PORT, not %q", env)
	}
	flags := o.flags()
	flags.BoolVar(&o.version, "version", false, "")
	word, err := scan(flags, args)
	if err != nil || o.version {
		return o, err
	}
	o.side, o.command = side(word), flags.Args()
	switch {
	case o.side != mapSide && o.side != reduceSide:
		return o, fmt.Errorf("the first word is map or reduce, not %q", string(o.side))
	case len(o.command) == 0:
		return o, errors.New("no command")
	}
	return o, o.valid()
}

func address(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && port != ""
}

const jobUsage = `usage: paratimer-tap job hadoop|pig [OPTION]... JAR

Prints what a job needs so that the jar measures its key groups: options of
hadoop jar, for a program that takes -D, or lines for the top of a Pig script.
The job's own classes stay as they are.

  --collect HOST:PORT  the watcher; default: PARATIMER_COLLECT
  --spool DIR, --every TIME, --lambda N, --show-keys
                       as those of paratimer-tap --help
`

// The jar's classes, and the job properties that select them.
const (
	collectorProperty = "mapreduce.job.map.output.collector.class"
	shuffleProperty   = "mapreduce.job.reduce.shuffle.consumer.plugin.class"
	mapClass          = "com.github.paratimer.tap.MapOutput"
	reduceClass       = "com.github.paratimer.tap.ReduceInput"
)

// printJob returns a job's settings for the jar, in the syntax of the program that starts the job. args are the
// arguments after "job".
func printJob(args []string, get func(string) string) (string, error) {
	o := options{collector: get("PARATIMER_COLLECT"), every: every, lambda: lambda}
	flags := o.flags()
	kind, err := scan(flags, args)
	if err != nil {
		return "", err
	}
	switch {
	case kind != "hadoop" && kind != "pig":
		return "", fmt.Errorf("the kind of job is hadoop or pig, not %q", kind)
	case flags.NArg() != 1:
		return "", errors.New("one JAR is needed: that of make tap-jar")
	case o.collector == "" && o.spool == "":
		return "", errors.New("give --collect HOST:PORT or --spool DIR for the measurements")
	}
	if err := o.valid(); err != nil {
		return "", err
	}
	jar := flags.Arg(0)
	if !strings.Contains(jar, "://") {
		if jar, err = filepath.Abs(jar); err != nil {
			return "", err
		}
	}
	return o.settings(kind, jar), nil
}

// settings formats the jar's settings, without default values: as options of GenericOptionsParser, for a shell, or as
// lines of a Pig script. There the token is a parameter of the script.
func (o *options) settings(kind, jar string) string {
	lines, between := []string{"REGISTER '" + jar + "';"}, "\n"
	set := func(name, value string) string { return "SET " + name + " '" + value + "';" }
	last := "SET paratimer.tap.token '$token';  -- pig -p token=\"$PARATIMER_TOKEN\""
	if kind == "hadoop" {
		// Hadoop 3 ships the folder of all jars at once, and drops one that is already on the cluster's file system.
		lines, between = []string{"-libjars " + quote(jar) + " -D mapreduce.client.libjars.wildcard=false"}, " \\\n  "
		set = func(name, value string) string { return "-D " + quote(name+"="+value) }
		last = "-D paratimer.tap.token=\"$PARATIMER_TOKEN\""
	}
	add := func(said bool, name string, value any) {
		if said {
			lines = append(lines, set(name, fmt.Sprint(value)))
		}
	}
	add(true, collectorProperty, mapClass)
	add(true, shuffleProperty, reduceClass)
	add(o.collector != "", "paratimer.tap.collect", o.collector)
	add(o.spool != "", "paratimer.tap.spool", o.spool)
	add(o.every != every, "paratimer.tap.every", fmt.Sprintf("%dms", o.every.Milliseconds()))
	add(o.lambda != lambda, "paratimer.tap.lambda", o.lambda)
	add(o.show, "paratimer.tap.show.keys", true)
	if o.collector != "" {
		lines = append(lines, last)
	}
	return strings.Join(lines, between) + "\n"
}

// quote quotes a word for a shell.
func quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// flags returns the flags for what is measured and where it is sent.
func (o *options) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.collector, "collect", o.collector, "")
	flags.StringVar(&o.spool, "spool", "", "")
	flags.DurationVar(&o.every, "every", o.every, "")
	flags.IntVar(&o.lambda, "lambda", o.lambda, "")
	flags.BoolVar(&o.show, "show-keys", false, "")
	return flags
}

// scan parses flags, which may stand before and after the first word. It returns that word.
func scan(flags *flag.FlagSet, args []string) (word string, err error) {
	err = flags.Parse(args)
	if word = flags.Arg(0); err == nil && word != "" {
		err = flags.Parse(flags.Args()[1:])
	}
	return word, err
}

// valid returns an error for the first invalid option.
func (o *options) valid() error {
	switch {
	case o.lambda < 1 || o.lambda > tap.MaxKeys:
		return fmt.Errorf("--lambda takes 1 to %d, not %d", tap.MaxKeys, o.lambda)
	case o.every < 100*time.Millisecond || o.every > time.Hour:
		return fmt.Errorf("--every takes 100ms to 1h, not %v", o.every)
	case o.collector != "" && !address(o.collector):
		return fmt.Errorf("--collect takes HOST:PORT, not %q", o.collector)
	}
	return nil
}
