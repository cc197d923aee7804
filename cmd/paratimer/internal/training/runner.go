// Package training has the training runs of Ernest (NSDI 2016, §3.3): tables of runs, recorded runs, and the runs of a
// design. For these it runs a command once for each row, the cheapest first, measures its time, and stores the times
// in a CSV file that a later call continues.
//
// The file is a complete table of successful runs at any time.
//
// For the queueing models it reads and writes job files, the demands of MapReduce jobs on a shared cluster, and learns
// them from recorded runs: CPU time from the tasks' counters, disk and network time as bytes divided by given rates.
// docs/job.schema.json describes them. Reading is strict: every fault is reported with its position.
package training

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/shell"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Runner makes the runs of a design that the file lacks.
type Runner struct {
	Command Template
	Design  []ernest.DesignRow
	File    *File
	Repeat  int           // how often each row is run, at least 1
	AtOnce  int           // how many runs are made at the same time (§4.1), 0 for 1
	Timeout time.Duration // of a run; 0: none
	Run     func(ctx context.Context, command string) shell.Outcome
	Show    io.Writer // gets a line for each run that has ended
}

// A Step is a run to make.
type Step struct {
	Number, Of int // among the runs of the design, including those in the file
	Row        ernest.DesignRow
}

// hopeless is the number of failed runs in a row after which Go ends.
const hopeless = 3

// ErrHopeless is the error of Go after that number of failed runs in a row, as the command is probably wrong.
var ErrHopeless = fmt.Errorf("%d runs one after another have failed: the command does not work", hopeless)

// Todo returns the runs that the file lacks, the cheapest first; each row once before any is repeated.
func (r *Runner) Todo() []Step {
	rows := slices.Clone(r.Design)
	share := func(r ernest.DesignRow) float64 { return r.Scale / float64(r.Machines) } // of the work, for a machine
	slices.SortStableFunc(rows, func(a, b ernest.DesignRow) int {
		return cmp.Or(cmp.Compare(share(a), share(b)), cmp.Compare(a.Scale, b.Scale),
			cmp.Compare(a.Machines, b.Machines))
	})
	var steps []Step
	number := 0
	for round := range r.Repeat {
		for _, row := range rows {
			number++
			if r.File.Count(row) <= round {
				steps = append(steps, Step{Number: number, Of: r.Repeat * len(rows), Row: row})
			}
		}
	}
	return steps
}

// Go makes the runs, and counts those that failed. A failed run is shown, left out of the file, and does not stop the
// others. The error is that of the context, of the file, or ErrHopeless.
func (r *Runner) Go(ctx context.Context) (failed int, err error) {
	todo, inARow := r.Todo(), 0
	for len(todo) > 0 {
		batch := todo[:min(max(1, r.AtOnce), len(todo))]
		todo = todo[len(batch):]
		outcomes := r.together(ctx, batch)
		for i, step := range batch {
			out := outcomes[i]
			switch {
			case out.Err == nil:
				took := max(out.Took.Round(time.Microsecond), time.Microsecond) // the model cannot fit a time of 0
				row := ernest.Row{Machines: float64(step.Row.Machines), Scale: step.Row.Scale, Seconds: took.Seconds()}
				if err := r.File.Add(row); err != nil {
					return failed, err
				}
				inARow = 0
			case ctx.Err() != nil:
				continue // it was interrupted, it did not fail
			default:
				failed++
				inARow++
			}
			_, _ = io.WriteString(r.Show, line(step, out, len(batch)-i-1+len(todo)))
			if inARow == hopeless {
				return failed, ErrHopeless
			}
		}
		if ctx.Err() != nil {
			return failed, context.Cause(ctx)
		}
	}
	return failed, nil
}

// together makes runs at the same time.
func (r *Runner) together(ctx context.Context, batch []Step) []shell.Outcome {
	outcomes := make([]shell.Outcome, len(batch))
	var wait sync.WaitGroup
	for i, step := range batch {
		wait.Go(func() {
			ctx, cancel := ctx, context.CancelFunc(func() {})
			if r.Timeout > 0 {
				ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, fmt.Errorf("it did not end in time, %v", r.Timeout))
			}
			defer cancel()
			outcomes[i] = r.Run(ctx, r.Command.Fill(step.Row))
		})
	}
	wait.Wait()
	return outcomes
}

// line describes a run that has ended. left is the number of runs to come.
func line(s Step, out shell.Outcome, left int) string {
	text, rest := units.Exact(out.Took), "that was all"
	if out.Err != nil {
		text = fmt.Sprintf("failed, %s, after %s", view.Escape(out.Err.Error()), text)
		if out.Output != "" {
			text += ": " + view.Escape(out.Output[strings.LastIndexByte(out.Output, '\n')+1:])
		}
	}
	if left > 0 {
		rest = units.Count(left, "run") + " left"
	}
	return fmt.Sprintf("%*d/%d  %s: %s; %s\n", len(fmt.Sprint(s.Of)), s.Number, s.Of, name(s.Row), text, rest)
}

// Preview describes the runs that Go would make, a line for each.
func (r *Runner) Preview() string {
	var b strings.Builder
	for _, s := range r.Todo() {
		fmt.Fprintf(&b, "%d/%d  %s: %s\n", s.Number, s.Of, name(s.Row), view.Escape(r.Command.Fill(s.Row)))
	}
	return cmp.Or(b.String(), "nothing to run: all runs are in the file\n")
}
