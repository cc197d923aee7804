package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A RecordedRun is a run in a recording. Open may be called several times.
type RecordedRun struct {
	Name string // name for display
	Open func() (watch.Source, io.Closer, error)
}

// RecordedRuns returns the runs in files and folders. Job history of all paths is joined first, since a workflow
// has a file for each of its jobs. All workflows of it are taken, or the one of --workflow.
func RecordedRuns(c *cli.Context, paths []string) (out []RecordedRun, bad []error) {
	var jobs []*history.Job
	var from []string
	for _, path := range paths {
		isHistory, err := holdsHistory(path)
		var logs []spark.LogFile
		if err == nil && !isHistory && WorkflowID(c) == "" {
			logs, _ = spark.LocalLogs(c.Context, path) // OpenRecording returns the error of a file that is no log
		}
		switch {
		case err != nil:
			bad = append(bad, fmt.Errorf("cannot read the recording: %w", err))
		case len(logs) > 1:
			for _, f := range logs {
				out = append(out, RecordedRun{f.Name, func() (watch.Source, io.Closer, error) {
					return openLogFile(f, c.Duration("every"))
				}})
			}
		case !isHistory:
			out = append(out, RecordedRun{path, func() (watch.Source, io.Closer, error) {
				return Open(c, path)
			}})
		default:
			found, err := FindHistory(c.Context, path)
			if err != nil {
				bad = append(bad, fmt.Errorf("%s: %w", path, err))
				continue
			}
			jobs, from = append(jobs, found.Jobs...), append(from, path)
		}
	}
	if len(jobs) == 0 {
		return out, bad
	}
	workflows := history.Group(jobs)
	if id := c.String("workflow"); id != "" {
		one, err := history.Choose(workflows, id)
		if err != nil {
			return out, append(bad, err)
		}
		workflows = []*history.Workflow{one}
	}
	name := from[0]
	if len(from) > 1 {
		name = fmt.Sprintf("%s and %d more", name, len(from)-1)
	}
	for _, w := range workflows {
		out = append(out, RecordedRun{name, func() (watch.Source, io.Closer, error) {
			src, err := history.NewSource(w, c.Duration("every"))
			return src, io.NopCloser(nil), err
		}})
	}
	return out, bad
}

// openLogFile plays one of several event logs.
func openLogFile(f spark.LogFile, every time.Duration) (watch.Source, io.Closer, error) {
	log, err := f.Open()
	if err != nil {
		return nil, nil, command.Usage("%s: %w", f.Name, err)
	}
	src, err := spark.NewLogSource(log, recording.Options{Every: every})
	if err != nil {
		return nil, nil, command.Usage("%s: %w", f.Name, err)
	}
	return &fileSource{Source: src}, io.NopCloser(nil), nil
}

// holdsHistory reports whether a file or folder has job history, in which runs and files do not match one to one.
func holdsHistory(path string) (bool, error) {
	f, err := infile.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if spark.IsLog(path) || tez.IsHistory(path) {
		return false, nil
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return err == nil, err
	}
	kind, _, err := recording.Sniff(f)
	// The reader of the file reports any other problem.
	return err == nil && (kind == recording.History || kind == recording.Trace), nil
}

// TotalSeconds returns the length of a run in seconds: from the first submission to the last end.
func TotalSeconds(s *dag.Snapshot) float64 {
	end := s.Origin()
	for i := range s.Jobs {
		if t := s.Jobs[i].Finished; t.Known() && t > end {
			end = t
		}
	}
	if !s.State.Ended() {
		end = s.At
	}
	return end.Seconds(s.Origin())
}

// WholeRun plays a source to its end.
func WholeRun(ctx context.Context, src watch.Source, see ...func(*dag.Snapshot)) (dag.Run, error) {
	var run dag.Run
	for {
		s, err := src.Next(ctx)
		var missed *dag.MissedError
		switch {
		case ctx.Err() != nil:
			return run, context.Cause(ctx)
		case errors.Is(err, io.EOF) && len(run.Window) == 0:
			return run, errors.New("no observation in it")
		case errors.Is(err, io.EOF):
			return run, nil
		case errors.As(err, &missed):
		case err != nil:
			return run, fmt.Errorf("cannot play it to its end: %w", err)
		default:
			run = run.Append(s)
			for _, f := range see {
				f(s)
			}
		}
	}
}
