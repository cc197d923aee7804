// Package input opens the inputs of commands: a cluster, recordings, profiles, and the stored history. It has the
// flags for these.
package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A Recording plays a recorded run. Its errors are usage errors. It closes its file when it ends.
type Recording struct {
	src    watch.Source
	file   io.Closer                // nil: it was read before, or the caller closes it
	stop   func()                   // removes the line on a terminal that shows the reading; nil: there is none
	isLast func(*dag.Snapshot) bool // nil: the recording's end is its end
	n      int                      // snapshots so far
	ended  bool
}

// Next returns a usage error for a damaged file. A file that is cut off after its first observation is not an error
// of usage: the run was not observed to its end.
func (r *Recording) Next(ctx context.Context) (*dag.Snapshot, error) {
	if r.ended {
		return nil, io.EOF
	}
	s, err := r.src.Next(ctx)
	missed, isMissed := errors.AsType[*dag.MissedError](err)
	switch {
	case err == nil:
		r.n++
		if r.isLast != nil && r.isLast(s) {
			r.end()
		}
		return s, nil
	case isMissed && r.n > 0:
		return nil, err
	case isMissed:
		return nil, &dag.MissedError{At: missed.At, Err: command.Usage("%w", missed.Err)}
	}
	r.end()
	if errors.Is(err, io.EOF) || ctx.Err() != nil || r.n > 0 && errors.As(err, new(*recording.CutOffError)) {
		return nil, err
	}
	return nil, command.Usage("%w", err)
}

// end closes the file. An error of that is ignored, because the file was only read.
func (r *Recording) end() {
	r.ended = true
	if r.stop != nil {
		r.stop()
	}
	if r.file != nil {
		_ = r.file.Close()
	}
}

// Until makes the recording end after the first snapshot for which isLast is true, whatever follows; nil: at its end.
func (r *Recording) Until(isLast func(*dag.Snapshot) bool) *Recording {
	r.isLast = isLast
	return r
}

// UntilAfter makes the recording end at a time of the run; 0: where it ends.
func (r *Recording) UntilAfter(end time.Duration) {
	r.isLast = func(s *dag.Snapshot) bool {
		since := s.Origin()
		return end > 0 && since.Known() && s.At.Sub(since) >= end
	}
}

// AtMost limits a log to about n snapshots; a log can be evaluated at any time. Recordings keep all of theirs.
func (r *Recording) AtMost(n int) {
	if s, ok := r.src.(interface{ AtMost(n int) }); ok {
		s.AtMost(n)
	}
}

// Used returns the resource usage of the tasks; nil if the recording has none.
func (r *Recording) Used() mapreduce.Used {
	if s, ok := r.src.(interface{ Used() mapreduce.Used }); ok {
		return s.Used()
	}
	return nil
}

// mostTicks is the number of observations of a log without --every. A day's log has 86,400 seconds,
// and each costs a prediction.
const mostTicks = 300

// Open opens a recording by the command's flags.
func Open(c *cli.Context, path string) (*Recording, error) {
	stop := command.Busy(c, filepath.Base(path))
	r, err := OpenRecording(path, optionsOf(c))
	if err != nil {
		stop()
		return nil, err
	}
	r.stop = stop
	if everyOf(c) == 0 {
		r.AtMost(mostTicks)
	}
	return r, nil
}

// OpenToShow opens a recording for display, from a file or for "-" from stdin. If the observations go to a terminal,
// only the reading before them is shown there.
func OpenToShow(c *cli.Context, path string) (*Recording, error) {
	if path == "-" {
		src, err := playStdin(c.App.Reader, optionsOf(c))
		return &Recording{src: src}, err
	}
	r, err := Open(c, path)
	if err == nil && view.Terminal(c.App.Writer) {
		r.stop()
	}
	return r, err
}

func optionsOf(c *cli.Context) recording.Options {
	return recording.Options{Workflow: WorkflowID(c), Every: everyOf(c)}
}

// everyOf returns the wait between the observations that are taken of a recording; 0: all are, unless --every is set.
func everyOf(c *cli.Context) time.Duration {
	if !c.IsSet("every") {
		return 0 // the default of commands for clusters is for polls
	}
	return c.Duration("every")
}

// queryID matches the cluster's ids of queries.
var queryID = regexp.MustCompile(`^(application|job)_\d+_\d+$`)

// OpenRecording opens a recording, history or an event log, depending on the content. A folder has history or event
// logs.
func OpenRecording(path string, o recording.Options) (*Recording, error) {
	if err := checkOptions(o); err != nil {
		return nil, err
	}
	f, err := infile.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && queryID.MatchString(path):
		return nil, command.Usage(
			"cannot read the recording: there is no file %s; for a query on the cluster use `paratimer attach` or `paratimer report`", path)
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "://"):
		return nil, command.Usage("%s is an address, not a file: download it first; `paratimer history add` reads webhdfs:// addresses", path)
	case err != nil:
		return nil, command.Usage("cannot read the recording: %w", err)
	}
	src, err := playFile(f, o)
	if err != nil {
		f.Close()
		return nil, command.Usage("%s: %w", path, err)
	}
	return &Recording{src: src, file: f}, nil
}

func checkOptions(o recording.Options) error {
	if err := spark.CheckID(o.Workflow); err != nil {
		return command.Usage("--sql: %w", err)
	}
	return nil
}

func playFile(f *os.File, o recording.Options) (watch.Source, error) {
	place := recording.LocalPlace(f.Name())
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		kind, in, err := recording.Sniff(f)
		switch {
		case err != nil:
			return nil, err
		case isOurs(kind):
			return playStream(kind, in, o)
		case !engine.IsPast(place):
			if what, then := kindOfFile(f.Name()); what != "" {
				return nil, fmt.Errorf("this is %s, not a recording: %s", what, then)
			}
			return nil, errors.New("neither a recording nor a job history file, Rumen trace or event log of Spark: " +
				"record one with `paratimer attach --record FILE`")
		}
	}
	past, err := engine.ReadPast(context.Background(), place)
	switch {
	case err != nil:
		return nil, err
	case len(past.Failed) > 0:
		return nil, pastError(past.Failed[0])
	}
	run, err := ChooseRun(past.Runs, o.Workflow)
	if err != nil {
		return nil, err
	}
	return run.Open(o)
}

// isOurs reports whether a recording is one of this program.
func isOurs(kind recording.Kind) bool {
	return kind == recording.OfObservations || kind == recording.OfAnswers
}

// playStdin plays a recording from a pipe. Observations are read one at a time.
func playStdin(in io.Reader, o recording.Options) (src watch.Source, err error) {
	if err := checkOptions(o); err != nil {
		return nil, err
	}
	kind, in, err := recording.Sniff(in)
	switch {
	case err == nil && isOurs(kind):
		src, err = playStream(kind, in, o)
	case err == nil:
		err = errors.New("- reads a recording; give histories and event logs as files")
	}
	if err != nil {
		return nil, command.Usage("stdin: %w", err)
	}
	return src, nil
}

// playStream plays a recording, which needs to be read only once.
func playStream(kind recording.Kind, in io.Reader, opt recording.Options) (watch.Source, error) {
	switch {
	case kind == recording.OfObservations && opt.Workflow != "":
		return nil, errors.New("--workflow chooses among recorded answers: a recording of observations has one workflow only")
	case kind == recording.OfObservations:
		return recording.NewReader(in)
	}
	rec, err := recording.ReadAnswers(in)
	if err != nil {
		return nil, err
	}
	src, err := engine.Replay(rec, opt)
	if err != nil {
		return nil, err
	}
	return &answers{src, rec}, nil
}

// answers is the source of recorded answers, which have the tasks' counters.
type answers struct {
	watch.Source
	recorded *recording.Answers
}

// Used is that of Recording.
func (a *answers) Used() mapreduce.Used { return mapreduce.UsedIn(a.recorded) }

// Played plays a source to its end, or to where it is cut off. The path is its name in errors.
func Played(ctx context.Context, path string, src watch.Source, each ...func(*dag.Snapshot)) (dag.Run, error) {
	run, err := WholeRun(ctx, src, each...)
	if ctx.Err() != nil {
		return run, err
	}
	if cut := new(recording.CutOffError); err != nil && (len(run.Window) == 0 || !errors.As(err, &cut)) {
		return run, command.Usage("%s: %w", path, err)
	}
	return run, nil
}

// WholeRun plays a source to its end.
func WholeRun(ctx context.Context, src watch.Source, see ...func(*dag.Snapshot)) (dag.Run, error) {
	var run dag.Run
	for {
		s, err := src.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return run, context.Cause(ctx)
		case errors.Is(err, io.EOF) && len(run.Window) == 0:
			return run, errors.New("no observation in it")
		case errors.Is(err, io.EOF):
			return run, nil
		case errors.As(err, new(*dag.MissedError)):
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
