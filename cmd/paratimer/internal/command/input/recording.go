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

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// RecordingFlags returns the flags that select a part of a recording.
func RecordingFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{
			Name: "workflow", EnvVars: command.Env("workflow"),
			Usage: "choose a workflow, application or job by `ID` from recorded answers or history with several",
		},
		&cli.DurationFlag{
			Name: "every", EnvVars: command.Env("every"),
			Usage: "take one observation every `TIME`",
		},
	}, UnitFlags()...)
}

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
		return nil, nil, command.Usage("%s is an address, not a file: download it first; `paratimer import` reads webhdfs:// addresses", path)
	}
	if err != nil {
		return nil, nil, command.Usage("cannot read the recording: %w", err)
	}
	play := playRecording
	switch {
	case spark.IsLog(path):
		play = func(f *os.File, workflow string, every time.Duration) (watch.Source, error) {
			return playEventLog(f, workflow, every, read)
		}
	case tez.IsHistory(path):
		play = playTezHistory
	}
	src, err := play(f, workflow, every)
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

func playRecording(f *os.File, workflow string, every time.Duration) (watch.Source, error) {
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return playHistory(f.Name(), workflow, every)
	}
	kind, in, err := recording.Sniff(f)
	switch {
	case err != nil:
		return nil, err
	case kind == recording.History, kind == recording.Trace:
		return playHistory(f.Name(), workflow, every)
	case kind == recording.Unknown:
		return nil, notARecording(f.Name())
	}
	return playStream(kind, in, recording.Options{Workflow: workflow, Every: every})
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
	return engine.Replay(rec, opt)
}

// playEventLog plays a Spark event log: a file, a rolling log, or one of several in a folder or zip.
func playEventLog(f *os.File, workflow string, every time.Duration, read func(int)) (watch.Source, error) {
	logs, err := spark.LocalLogs(context.Background(), f.Name())
	if err != nil {
		return nil, err
	}
	for i := range logs {
		logs[i].Read = read
	}
	log, err := chosenLog(logs, workflow)
	if err != nil {
		return nil, err
	}
	return spark.NewLogSource(log, recording.Options{Workflow: workflow, Every: every})
}

// chosenLog reads the only log, or that of the application in a workflow's id, which may be the id of an attempt.
func chosenLog(logs []spark.LogFile, workflow string) (*spark.Log, error) {
	const named = 10
	switch len(logs) {
	case 0:
		return nil, errors.New("it is a zip without an event log")
	case 1:
		return logs[0].Open()
	}
	var other *spark.Log // a later attempt of the application
	app, _ := spark.AppOf(workflow)
	for _, f := range logs {
		if app == "" {
			break
		}
		log, err := f.Open()
		switch {
		case err != nil: // another log may be the right one
		case log.ID() == app:
			return log, nil
		case other == nil && log.Holds(app):
			other = log
		}
	}
	if other != nil {
		return other, nil
	}
	text, names := "it holds %d event logs: give one of them, or choose an application with --workflow:", []any{len(logs)}
	if app != "" {
		text, names = "it holds no event log of %s; it holds", []any{app}
	}
	for _, f := range logs[:min(len(logs), named)] {
		text, names = text+"\n  %s", append(names, f.Name)
	}
	if more := len(logs) - named; more > 0 {
		text, names = text+"\n  and %d more", append(names, more)
	}
	return nil, fmt.Errorf(text, names...)
}

// playTezHistory plays a DAG from Tez history: a file, or a folder of files.
func playTezHistory(f *os.File, workflow string, every time.Duration) (watch.Source, error) {
	log, err := TezHistory(context.Background(), f.Name())
	if err != nil {
		return nil, err
	}
	return tez.NewHistorySource(log, recording.Options{Workflow: workflow, Every: every})
}

// TezHistory reads Tez history in a local file or folder.
func TezHistory(ctx context.Context, path string) (*tez.Log, error) {
	folder, name := filepath.Split(filepath.Clean(path))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, name = path, "."
	}
	if folder == "" {
		folder = "."
	}
	return tez.ReadHistory(ctx, os.DirFS(folder), name)
}

// playHistory plays a workflow from a history file, a trace, or a folder of these.
func playHistory(path, workflow string, every time.Duration) (watch.Source, error) {
	found, err := FindHistory(context.Background(), path)
	if err != nil {
		return nil, err
	}
	w, err := history.Choose(history.Group(found.Jobs), workflow)
	if err != nil {
		return nil, err
	}
	return history.NewSource(w, every)
}

// FindHistory reads the history in a local file or folder. The root of the file system is the file's folder, so
// that a job's configuration is found there.
func FindHistory(ctx context.Context, path string) (*history.Find, error) {
	folder, name := filepath.Split(filepath.Clean(path))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, name = path, "."
	}
	if folder == "" {
		folder = "."
	}
	found, err := history.ReadFiles(ctx, os.DirFS(folder), name)
	if err != nil {
		return nil, err
	}
	if len(found.Jobs) == 0 {
		if file := recordingIn(path); file != "" {
			return nil, fmt.Errorf("this is a folder with recordings: give its files, such as %s", file)
		}
		return nil, found.Nothing()
	}
	return found, nil
}

// FileKind returns the kind of a file, if it exists. A folder counts as history.
func FileKind(path string) (kind recording.Kind, exists bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil && isPath(path):
		return recording.Unknown, false, command.Usage("cannot read it: %w", err)
	case err != nil:
		return recording.Unknown, false, nil // it names a query
	}
	if spark.IsLog(path) || tez.IsHistory(path) {
		return recording.EventLog, true, nil
	}
	if info.IsDir() {
		return recording.History, true, nil
	}
	f, err := infile.Open(path)
	if err != nil {
		return recording.Unknown, true, command.Usage("cannot read it: %w", err)
	}
	defer f.Close()
	if kind, _, err = recording.Sniff(f); err != nil {
		return kind, true, command.Usage("%s: %w", path, err)
	}
	return kind, true, nil
}

// isPath reports whether a name is that of a file, not of a query.
func isPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) ||
		slices.Contains([]string{
			".tape", ".yaml", ".yml", ".json", ".jsonl", ".gz", ".zst", ".zstd", ".lz4", ".zip",
			".jhist",
		}, filepath.Ext(name))
}
