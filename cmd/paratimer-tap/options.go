//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"time"
)

const usage = `usage: paratimer-tap map|reduce [OPTION]... -- COMMAND [ARG]...
       paratimer-tap job hadoop|pig [OPTION]... JAR
       paratimer-tap --version

Runs the command of a Hadoop Streaming job as if paratimer-tap were not there,
and tells a watcher (paratimer attach --collect) of its key groups. For a job without such commands, job prints what
it needs for the jar that measures within its tasks.

  --collect HOST:PORT  the watcher; default: PARATIMER_COLLECT
                       its token is in PARATIMER_TOKEN
  --spool DIR          where measurements go that no watcher takes; default: the
                       task's log folder
  --every TIME         how often a reduce tells what it has done; default: 2s
  --lambda N           how many keys a map tells of, the largest; default: 2000
  --show-keys          tell keys as they are, not as hashes
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
	flags := flag.NewFlagSet("paratimer-tap", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.measuring(flags)
	flags.BoolVar(&o.version, "version", false, "")
	// Options may appear before and after the side.
	err := flags.Parse(args)
	if rest := flags.Args(); err == nil && len(rest) > 0 {
		o.side = side(rest[0])
		err = flags.Parse(rest[1:])
	}
	if err != nil || o.version {
		return o, err
	}
	o.command = flags.Args()
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
