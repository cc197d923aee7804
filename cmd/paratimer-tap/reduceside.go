//go:build unix

package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/flow"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/groups"
)

// reduceSide runs the command and measures when it takes its input.
func (j *job) reduceSide() (int, error) {
	r, w, err := pipe()
	if err != nil {
		say("nothing is measured: " + err.Error())
		return j.plain()
	}
	meter := groups.New(j.task.format, j.options.show, groups.DefaultLimits())
	feeder, err := flow.NewFeeder(0, w, meter, j.care.do)
	if err != nil {
		_, _ = unix.Close(r), unix.Close(w)
		say("nothing is measured: " + err.Error())
		return j.plain()
	}
	theirs := os.NewFile(uintptr(r), "input")
	p, err := j.start(theirs, os.Stdout)
	_ = theirs.Close()
	if err != nil {
		return 0, err
	}
	leave(1)
	take := func() (b tap.Batch, any bool) {
		j.care.do(func() { b.Points, b.Open = meter.Take(feeder.Now()) })
		return b, len(b.Points) > 0 || b.Open != nil
	}
	rounds := j.rounds(take, meter.Full)
	fed := make(chan time.Duration)
	go func() {
		isWhole := feeder.Run()
		// The writer of the input then sees that the command reads no more.
		leave(0)
		if isWhole {
			fed <- feeder.Now()
		}
		close(fed)
	}()
	code := wait(p)
	ended, all := <-fed
	now := feeder.Now()
	j.care.do(func() { meter.End(now) })
	b, _ := take()
	b.Note = j.care.note()
	switch {
	case b.Note != "":
	case feeder.Coarse():
		b.Note = "groups are measured by 64 KiB: the pipe could not be narrowed"
	case all && now-ended > now/2 && now-ended > 10*time.Second:
		b.Note = note(fmt.Sprintf("%.0f of %.0f s came after the end of the input: no group has them",
			(now - ended).Seconds(), now.Seconds()))
	}
	rounds.End(b)
	return code, nil
}
