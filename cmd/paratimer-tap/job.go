//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/post"
)

// A job is one command with a tap around it.
type job struct {
	options options
	task    task
	path    string
	care    care
}

// run runs the command and returns its exit code. An error means that it could not be started.
func (j *job) run() (int, error) {
	switch {
	case j.task.why != "":
		return j.plain()
	case j.options.side == mapSide:
		return j.mapSide()
	}
	return j.reduceSide()
}

// start starts the command, and forwards signals to it.
func (j *job) start(in, out *os.File) (*os.Process, error) {
	caught := catch()
	p, err := start(j.path, j.options.command, []*os.File{in, out, os.Stderr})
	if err == nil {
		go forward(caught, p)
	}
	return p, err
}

// wait returns the command's exit code.
func wait(p *os.Process) int {
	s, err := p.Wait()
	if err != nil {
		say("the command's end is not known: " + err.Error())
		return notRunnable
	}
	return exitCode(s)
}

// rounds starts to send the batches that take returns.
func (j *job) rounds(take func() (tap.Batch, bool), full func() bool) *post.Rounds {
	p := post.New(post.Config{
		Collector: j.options.collector, Token: j.options.token, Spool: j.options.spool,
		Job: j.task.attempt.Job, Attempt: j.task.id, Say: say,
	})
	return post.Start(p, j.options.every, take, full)
}

func nothing() (tap.Batch, bool) { return tap.Batch{}, false }

// plain runs the command on the tap's own descriptors, and reports at its end why nothing was measured.
func (j *job) plain() (int, error) {
	p, err := j.start(os.Stdin, os.Stdout)
	if err != nil {
		return 0, err
	}
	rounds := j.rounds(nothing, nil)
	leave(0)
	leave(1)
	code := wait(p)
	rounds.End(tap.Batch{Note: j.task.why})
	return code, nil
}

// pipe returns both ends of a pipe that child processes do not inherit.
func pipe() (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		return 0, 0, err
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return p[0], p[1], nil
}
