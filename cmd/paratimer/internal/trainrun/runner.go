package trainrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Runner makes the runs of a design that a file does not have yet.
type Runner struct {
	Command Template
	Design  []ernest.DesignRow
	File    *File
	Repeat  int           // how often each row is run, at least 1
	Retry   int           // how often a run that failed is tried again
	Timeout time.Duration // of a run; 0: none
	Run     func(ctx context.Context, command string) Outcome
	Show    Display
}

// A Display shows how far it is.
type Display interface {
	Begin(Step, Outlook)
	End(Step, Outcome, Outlook)
}

// A Step is a run to make.
type Step struct {
	Number, Of int // among the runs that the design asks for, those that the file had included
	Row        ernest.DesignRow
	Attempt    int // from 1
}

// An Outlook is how long things take, as far as is known.
type Outlook struct {
	This, Rest Range // the run that was begun, and all after it
}

// A Failure is a run that did not succeed, however often it was tried.
type Failure struct {
	Row ernest.DesignRow
	Outcome
}

// hopeless is how many runs one after another may fail before the command is taken to be broken.
const hopeless = 3

// ErrHopeless is Go's where the command seems to be broken.
var ErrHopeless = fmt.Errorf("%d runs one after another have failed: the command does not work", hopeless)

var errTimeout = errors.New("it did not end in time")

// Cheapest sorts rows by what a run of them takes at most: its share of the work, the smaller one first.
func Cheapest(rows []ernest.DesignRow) []ernest.DesignRow {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b ernest.DesignRow) int {
		return cmp.Or(cmp.Compare(share(a), share(b)), cmp.Compare(a.Scale, b.Scale), cmp.Compare(a.Machines, b.Machines))
	})
	return rows
}

func share(r ernest.DesignRow) float64 { return r.Scale / float64(r.Machines) }

// Todo are the runs that the file does not have, the cheapest first; each row once before any is repeated.
func (r *Runner) Todo() []Step {
	rows := Cheapest(r.Design)
	var steps []Step
	number := 0
	for round := range r.Repeat {
		for _, row := range rows {
			number++
			if r.File.Count(row) <= round {
				steps = append(steps, Step{Number: number, Of: r.Repeat * len(rows), Row: row, Attempt: 1})
			}
		}
	}
	return steps
}

// Go makes the runs. A run that fails is told, left out of the file, and does not stop the others. The error is that of the
// context, of the file, or ErrHopeless.
func (r *Runner) Go(ctx context.Context) (failed []Failure, err error) {
	todo, inARow := r.Todo(), 0
	for i := 0; i < len(todo); {
		step := todo[i]
		r.Show.Begin(step, r.outlook(todo[i:]))
		out := r.one(ctx, r.Command.Fill(step.Row))
		if ctx.Err() != nil && out.Err != nil {
			return failed, context.Cause(ctx)
		}
		if out.Err == nil {
			if err := r.File.Add(rowOf(step.Row, out.Took)); err != nil {
				return failed, err
			}
			inARow, i = 0, i+1
		} else if step.Attempt <= r.Retry {
			todo[i].Attempt++
		} else {
			failed = append(failed, Failure{step.Row, out})
			inARow, i = inARow+1, i+1
		}
		r.Show.End(step, out, r.outlook(todo[i:]))
		if ctx.Err() != nil {
			return failed, context.Cause(ctx)
		}
		if inARow == hopeless {
			return failed, ErrHopeless
		}
	}
	return failed, nil
}

func (r *Runner) one(ctx context.Context, command string) Outcome {
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, fmt.Errorf("%w, %v", errTimeout, r.Timeout))
		defer cancel()
	}
	return r.Run(ctx, command)
}

// shortest is what a time is at least: a row of no time at all cannot be fitted.
const shortest = time.Microsecond

// rowOf is a timed run, to the microsecond.
func rowOf(r ernest.DesignRow, took time.Duration) ernest.Row {
	s := max(took, shortest).Seconds()
	return ernest.Row{Machines: float64(r.Machines), Scale: r.Scale, Seconds: math.Round(s*1e6) / 1e6}
}

// outlook is how long the first of the steps takes, and all others.
func (r *Runner) outlook(steps []Step) Outlook {
	f := NewForecast(r.File.Rows)
	var o Outlook
	for i, s := range steps {
		if i == 0 {
			o.This = f.Row(s.Row)
		} else {
			o.Rest = o.Rest.Plus(f.Row(s.Row))
		}
	}
	return o
}
