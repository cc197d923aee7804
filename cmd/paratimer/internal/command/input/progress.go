package input

import (
	"context"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Open opens a recording by the command's flags, and shows the progress of reading and playing it on a terminal.
func Open(c *cli.Context, path string) (watch.Source, io.Closer, error) {
	p := command.NewProgress(c)
	src, file, err := open(c, path, p)
	if err != nil {
		p.Done()
		return nil, nil, err
	}
	return withProgress(src, path, p), progressCloser{file, p}, nil
}

// OpenToShow opens a recording for display. If the observations go to a terminal, the progress there covers only
// the reading before them; otherwise it is like Open.
func OpenToShow(c *cli.Context, path string) (watch.Source, io.Closer, error) {
	if !view.Terminal(c.App.Writer) {
		return Open(c, path)
	}
	p := command.NewProgress(c)
	defer p.Done()
	return open(c, path, p)
}

// mostTicks is the number of observations of a log unless --every says otherwise. A day's log has 86,400 seconds,
// and each costs a prediction.
const mostTicks = 300

func open(c *cli.Context, path string, p *command.Progress) (watch.Source, io.Closer, error) {
	every := c.Duration("every")
	src, file, err := openRecording(path, WorkflowID(c), every, readBytes(p, path))
	if err == nil && every == 0 {
		AtMost(src, mostTicks)
	}
	return src, file, err
}

// A progressCloser closes a file and removes its progress.
type progressCloser struct {
	io.Closer
	progress *command.Progress
}

// Close removes the progress before the file is closed.
func (c progressCloser) Close() error {
	c.progress.Done()
	return c.Closer.Close()
}

// readBytes shows how much of a file was read.
func readBytes(p *command.Progress, path string) func(bytes int) {
	return func(bytes int) {
		p.Show(func() string { return filepath.Base(path) + ": read " + units.Bytes(float64(bytes)) })
	}
}

// withProgress shows the progress of playing a source.
func withProgress(src watch.Source, path string, p *command.Progress) watch.Source {
	if p == nil {
		return src
	}
	return &counted{Source: src, path: path, progress: p}
}

type counted struct {
	watch.Source
	path     string
	progress *command.Progress
	n        int
}

// Next removes the progress when the source ends, since what follows may print.
func (s *counted) Next(ctx context.Context) (*dag.Snapshot, error) {
	snap, err := s.Source.Next(ctx)
	if err != nil {
		s.progress.Done()
		return snap, err
	}
	s.n++
	s.progress.Show(func() string {
		line := filepath.Base(s.path) + ": " + units.Count(s.n, "observation")
		if since := snap.Origin(); since.Known() {
			line += ", " + units.Seconds(snap.At.Seconds(since)) + " of the run"
		}
		return line
	})
	return snap, nil
}

// AtMost limits a log to about n snapshots; a log can be evaluated at any time. Recordings keep all of theirs.
func AtMost(src watch.Source, n int) {
	switch s := src.(type) {
	case *counted:
		AtMost(s.Source, n)
	case *fileSource:
		AtMost(s.Source, n)
	case *Profiled:
		AtMost(s.Source, n)
	case interface{ AtMost(n int) }:
		s.AtMost(n)
	}
}
