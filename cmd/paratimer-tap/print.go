//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

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

// A property is a property of a job.
type property struct{ name, value string }

// printJob returns a job's settings for the jar, in the syntax of the program that starts the job. args are the
// arguments after "job".
func printJob(args []string, get func(string) string) (string, error) {
	o := options{collector: get("PARATIMER_COLLECT"), every: every, lambda: lambda}
	flags := flag.NewFlagSet("paratimer-tap job", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.measuring(flags)
	err := flags.Parse(args)
	kind := flags.Arg(0)
	if err == nil && kind != "" {
		err = flags.Parse(flags.Args()[1:])
	}
	if err != nil {
		return "", err
	}
	switch {
	case kind != "hadoop" && kind != "pig":
		return "", fmt.Errorf("a job is of hadoop or pig, not %q", kind)
	case flags.NArg() != 1:
		return "", errors.New("one JAR is needed: that of make tap-jar")
	case o.collector == "" && o.spool == "":
		return "", errors.New("--collect HOST:PORT or --spool DIR says where measurements go")
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
	if kind == "pig" {
		return o.pig(jar), nil
	}
	return o.hadoop(jar), nil
}

// properties returns the jar's settings without the token and without default values.
func (o *options) properties() []property {
	all := []property{{collectorProperty, mapClass}, {shuffleProperty, reduceClass}}
	add := func(said bool, name string, value any) {
		if said {
			all = append(all, property{"paratimer.tap." + name, fmt.Sprint(value)})
		}
	}
	add(o.collector != "", "collect", o.collector)
	add(o.spool != "", "spool", o.spool)
	add(o.every != every, "every", fmt.Sprintf("%dms", o.every.Milliseconds()))
	add(o.lambda != lambda, "lambda", o.lambda)
	add(o.show, "show.keys", true)
	return all
}

// hadoop formats the settings as options of GenericOptionsParser, for a shell.
func (o *options) hadoop(jar string) string {
	var b strings.Builder
	// Hadoop 3 ships the folder of all jars at once, and drops one that is already on the cluster's file system.
	fmt.Fprintf(&b, "-libjars %s -D mapreduce.client.libjars.wildcard=false", quote(jar))
	for _, p := range o.properties() {
		fmt.Fprintf(&b, " \\\n  -D %s", quote(p.name+"="+p.value))
	}
	if o.collector != "" {
		b.WriteString(" \\\n  -D paratimer.tap.token=\"$PARATIMER_TOKEN\"")
	}
	return b.String() + "\n"
}

// pig formats the settings as lines of a script. The token is a parameter of the script.
func (o *options) pig(jar string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "REGISTER '%s';\n", jar)
	for _, p := range o.properties() {
		fmt.Fprintf(&b, "SET %s '%s';\n", p.name, p.value)
	}
	if o.collector != "" {
		b.WriteString("SET paratimer.tap.token '$token';  -- pig -p token=\"$PARATIMER_TOKEN\"\n")
	}
	return b.String()
}

// quote quotes a word for a shell.
func quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// measuring defines the flags for what is measured and where it is sent.
func (o *options) measuring(flags *flag.FlagSet) {
	flags.StringVar(&o.collector, "collect", o.collector, "")
	flags.StringVar(&o.spool, "spool", "", "")
	flags.DurationVar(&o.every, "every", o.every, "")
	flags.IntVar(&o.lambda, "lambda", o.lambda, "")
	flags.BoolVar(&o.show, "show-keys", false, "")
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
