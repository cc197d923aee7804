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
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// queryID matches the cluster's ids of queries.
var queryID = regexp.MustCompile(`^(application|job)_\d+_\d+$`)

// OpenRecording opens a recording, history or an event log, depending on the content. A folder has history or
// event logs.
func OpenRecording(path, workflow string, every time.Duration) (watch.Source, io.Closer, error) {
	return openRecording(path, workflow, every, nil)
}

// openRecording is OpenRecording with a function that receives the number of bytes read so far of an event log; it
// may be nil.
func openRecording(path, workflow string, every time.Duration, read func(bytes int)) (watch.Source, io.Closer, error) {
	if every < 0 {
		return nil, nil, command.Usage("--every %v: it is 0 or more", every)
	}
	if err := spark.CheckID(workflow); err != nil {
		return nil, nil, command.Usage("--sql: %w", err)
	}
	f, err := infile.Open(path)
	if errors.Is(err, fs.ErrNotExist) && queryID.MatchString(path) {
		return nil, nil, command.Usage(
			"cannot read the recording: there is no file %s; of a query on the cluster `paratimer attach` and `paratimer report` tell", path)
	}
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "://") {
		return nil, nil, command.Usage("%s is an address, not a file: download it first; `paratimer history add` reads webhdfs:// addresses", path)
	}
	if err != nil {
		return nil, nil, command.Usage("cannot read the recording: %w", err)
	}
	src, err := playRecording(f, recording.Options{Workflow: workflow, Every: every}, read)
	if err != nil {
		f.Close()
		return nil, nil, command.Usage("%s: %w", path, err)
	}
	return &fileSource{Source: src}, f, nil
}

// A fileSource plays a file. Errors of the file are usage errors.
type fileSource struct {
	watch.Source
	seen bool // there was a snapshot
}

// Next returns a usage error for a damaged file. A file that is cut off after its first observation is not an error
// of usage: the run was not observed to its end.
func (r *fileSource) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := r.Source.Next(ctx)
	r.seen = r.seen || s != nil
	var missed *dag.MissedError
	var cut *recording.CutOffError
	switch {
	case err == nil, errors.Is(err, io.EOF), ctx.Err() != nil, r.seen &&
		(errors.As(err, &missed) || errors.As(err, &cut)):
		return s, err
	case errors.As(err, &missed):
		return nil, &dag.MissedError{At: missed.At, Err: command.Usage("%w", missed.Err)}
	}
	return nil, command.Usage("%w", err)
}

// UsedIn returns the resource usage of the tasks of a source of OpenRecording; nil if it has none.
func UsedIn(src watch.Source) mrjob.Used {
	if f, ok := src.(*fileSource); ok {
		if s, ok := f.Source.(interface{ Used() mrjob.Used }); ok {
			return s.Used()
		}
	}
	return nil
}

// PastError returns the error of a place without finished runs.
func PastError(f engine.PastError) error {
	if info, err := os.Stat(f.Place.Name); err == nil && info.IsDir() {
		if file := recordingIn(f.Place.Name); file != "" {
			return fmt.Errorf("this is a folder with recordings: give its files, such as %s", file)
		}
	}
	return f.Err
}

func playRecording(f *os.File, o recording.Options, read func(int)) (watch.Source, error) {
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
		case kind == recording.OfObservations, kind == recording.OfAnswers:
			return playStream(kind, in, o)
		case !engine.IsPast(place):
			return nil, notARecording(f.Name())
		}
	}
	past, err := engine.ReadPast(context.Background(), place)
	switch {
	case err != nil:
		return nil, err
	case len(past.Failed) > 0:
		return nil, PastError(past.Failed[0])
	}
	run, err := ChooseRun(past.Runs, o.Workflow)
	if err != nil {
		return nil, err
	}
	return run.Open(o, read)
}

// playStream plays a recording, which needs to be read only once.
func playStream(kind recording.Kind, in io.Reader, opt recording.Options) (watch.Source, error) {
	switch {
	case kind == recording.OfObservations && opt.Workflow != "":
		return nil, errors.New("--workflow chooses among recorded answers: a recording of observations holds one workflow only")
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

// Used implements the interface of UsedIn.
func (a *answers) Used() mrjob.Used { return mapreduce.Used(a.recorded) }

// IsRecording reports whether a file has recorded runs: a recording, or an engine's own history. Any folder may.
// exists is false if there is no such file, and the name is not that of a file.
func IsRecording(path string) (is, exists bool, err error) {
	_, err = os.Stat(path)
	switch {
	case err != nil && isPath(path):
		return false, false, command.Usage("cannot read it: %w", err)
	case err != nil:
		return false, false, nil // it names a query
	case engine.IsPast(recording.LocalPlace(path)):
		return true, true, nil
	}
	f, err := infile.Open(path)
	if err != nil {
		return false, true, command.Usage("cannot read it: %w", err)
	}
	defer f.Close()
	kind, _, err := recording.Sniff(f)
	if err != nil {
		return false, true, command.Usage("%s: %w", path, err)
	}
	return kind != recording.Unknown, true, nil
}

// isPath reports whether a name is that of a file, not of a query.
func isPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) ||
		slices.Contains([]string{
			".tape", ".yaml", ".yml", ".json", ".jsonl", ".gz", ".zst", ".zstd", ".lz4", ".zip",
			".jhist",
		}, filepath.Ext(name))
}
