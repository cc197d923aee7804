//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/groups"
)

const usage = `usage: paratimer-tap map|reduce [OPTION]... -- COMMAND [ARG]...
       paratimer-tap --version

Runs the command of a Hadoop Streaming job as if paratimer-tap were not there,
and tells a watcher (paratimer attach --collect) of its key groups.

  --collect HOST:PORT  the watcher; default: PARATIMER_COLLECT
                       its token is in PARATIMER_TOKEN
  --spool DIR          where measurements go that no watcher takes; default: the
                       task's log folder
  --every TIME         how often a reduce tells what it has done; default: 2s
  --lambda N           how many keys a map tells of, the largest; default: 2000
  --burst-bytes N      groups of so many bytes or fewer share their time with
                       others; default: 50
  --burst-groups N     they are told when there are more; default: 100
  --merge TIME         groups of one size and about this time are one point;
                       default: 500ms
  --show-keys          tell keys as they are, not as hashes
`

// Options are what the command line says, with what the environment says where it does not.
type options struct {
	side      side
	command   []string
	collector string
	token     string
	spool     string
	every     time.Duration
	lambda    int
	limits    groups.Limits
	show      bool
	version   bool
	// trouble is what is wrong with the environment: it must not fail a job.
	trouble string
}

// lambda is how many keys NearestFit's authors tell of each map.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 8.
const lambda = 2000

// most is what a burst may be: its sizes wait in memory.
const most = 1 << 16

// parse reads a command line without the program's name. flag.ErrHelp says that it asks for help.
func parse(args []string, get func(string) string) (options, error) {
	o := options{token: get("PARATIMER_TOKEN"), every: 2 * time.Second, lambda: lambda, limits: groups.DefaultLimits()}
	if env := get("PARATIMER_COLLECT"); env == "" || address(env) {
		o.collector = env
	} else {
		o.trouble = fmt.Sprintf("PARATIMER_COLLECT is HOST:PORT, not %q", env)
	}
	flags := flag.NewFlagSet("paratimer-tap", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.collector, "collect", o.collector, "")
	flags.StringVar(&o.spool, "spool", "", "")
	flags.DurationVar(&o.every, "every", o.every, "")
	flags.IntVar(&o.lambda, "lambda", o.lambda, "")
	flags.Int64Var(&o.limits.Bytes, "burst-bytes", o.limits.Bytes, "")
	flags.IntVar(&o.limits.Groups, "burst-groups", o.limits.Groups, "")
	flags.DurationVar(&o.limits.Near, "merge", o.limits.Near, "")
	flags.BoolVar(&o.show, "show-keys", false, "")
	flags.BoolVar(&o.version, "version", false, "")
	// Options may stand before and after the side.
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
	case o.lambda < 1 || o.lambda > tap.MaxKeys:
		return o, fmt.Errorf("--lambda takes 1 to %d, not %d", tap.MaxKeys, o.lambda)
	case o.limits.Bytes < 0 || o.limits.Bytes > most:
		return o, fmt.Errorf("--burst-bytes takes 0 to %d, not %d", most, o.limits.Bytes)
	case o.limits.Groups < 1 || o.limits.Groups > most:
		return o, fmt.Errorf("--burst-groups takes 1 to %d, not %d", most, o.limits.Groups)
	case o.limits.Near < 0 || o.limits.Near > time.Hour:
		return o, fmt.Errorf("--merge takes 0 to 1h, not %v", o.limits.Near)
	case o.every < 100*time.Millisecond || o.every > time.Hour:
		return o, fmt.Errorf("--every takes 100ms to 1h, not %v", o.every)
	case o.collector != "" && !address(o.collector):
		return o, fmt.Errorf("--collect takes HOST:PORT, not %q", o.collector)
	}
	return o, nil
}

func address(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && port != ""
}
