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
	"os"
	"runtime/debug"

	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/mapoutput"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	if len(args) > 0 && args[0] == "job" {
		return tell(args[1:])
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
	debug.SetMemoryLimit(12<<20 + int64(o.lambda)*mapoutput.KeyMemory)
	code, err := (&job{options: o, task: t, path: path}).run()
	if err != nil {
		return fail(explain(path, err))
	}
	return code
}

// tell runs the subcommand job, which prints the settings that a job needs for the jar.
func tell(args []string) int {
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

// fail prints why the command does not run and returns the exit code.
func fail(err error) int {
	say(err.Error())
	var start *startError
	if errors.As(err, &start) {
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
