package command

import (
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// A Progress shows the progress of a command on a terminal, in a line that it replaces. It shows nothing in the
// first second. A nil Progress never shows anything.
type Progress struct {
	out   io.Writer
	now   func() time.Time
	next  time.Time // when the line may be replaced again
	shown bool
}

const (
	progressAfter = time.Second
	progressEvery = 250 * time.Millisecond
)

// NewProgress returns a Progress on stderr. It is nil if stderr is not a terminal with control sequences, and with
// --quiet or --plain.
func NewProgress(c *cli.Context) *Progress {
	if c.Bool("quiet") || c.Bool("plain") || !view.Terminal(c.App.ErrWriter) || Getenv(c)("TERM") == "dumb" {
		return nil
	}
	p := progressOn(c.App.ErrWriter, time.Now)
	c.App.Metadata[progressKey] = p
	return p
}

// progressKey is the metadata key of the newest Progress of an app.
const progressKey = "progress"

// removeProgress removes the line that a command has left when it ends early. It is a cli.AfterFunc.
func removeProgress(c *cli.Context) error {
	if p, ok := c.App.Metadata[progressKey].(*Progress); ok {
		p.Done()
	}
	return nil
}

func progressOn(out io.Writer, now func() time.Time) *Progress {
	return &Progress{out: out, now: now, next: now().Add(progressAfter)}
}

// Show replaces the line if enough time has passed.
func (p *Progress) Show(line func() string) {
	if p == nil {
		return
	}
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.shown, p.next = true, now.Add(progressEvery)
	_, _ = io.WriteString(p.out, "\r\x1b[K"+view.Escape(line())) // a closed terminal is not an error of the command
}

// Done removes the line.
func (p *Progress) Done() {
	if p == nil || !p.shown {
		return
	}
	p.shown = false
	_, _ = io.WriteString(p.out, "\r\x1b[K")
}
