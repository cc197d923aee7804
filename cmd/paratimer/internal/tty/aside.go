package tty

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// mostAside is how many of the newest log lines are printed beside the first when the screen ends: more would push the
// last estimates out of a terminal of 24 lines.
const mostAside = 10

// An Aside is a stream for log output beside the screen. While a screen is up on the same terminal, output appears on
// the screen's log line and is kept until the screen ends. Otherwise it is written at once.
type Aside struct {
	w io.Writer

	mu   sync.Mutex
	show func(line string)
	kept *Tail // nil: no screen is up
}

// NewAside returns an Aside that writes to w.
func NewAside(w io.Writer) *Aside { return &Aside{w: w} }

// Fd returns the stream's file descriptor, to check for a terminal; ^0 if the stream is not a file.
func (a *Aside) Fd() uintptr {
	if f, ok := a.w.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Write writes p, or keeps it while a screen is up, and shows its last line there, without colours.
func (a *Aside) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil {
		return a.w.Write(p)
	}
	lines := strings.Split(strings.TrimRight(ansi.Strip(string(p)), "\n"), "\n")
	if line := strings.TrimSpace(lines[len(lines)-1]); line != "" {
		a.show(line)
	}
	return a.kept.Write(p)
}

// divert sends output to a screen from now on. show must return soon.
func (a *Aside) divert(show func(line string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show, a.kept = show, NewTail(mostAside)
}

// restore writes the output that was kept.
func (a *Aside) restore() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := io.WriteString(a.w, a.kept.String())
	a.kept = nil
	return err
}

// A Tail keeps the first line of a text and the newest others: they stay on the terminal after the screen has ended.
type Tail struct {
	most    int
	first   string
	lines   []string
	dropped bool
}

// NewTail returns a Tail that keeps most lines beside the first.
func NewTail(most int) *Tail { return &Tail{most: most} }

// Write adds whole lines. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if t.first == "" {
			t.first = line
			continue
		}
		t.lines = append(t.lines, line)
	}
	if over := len(t.lines) - t.most; over > 0 {
		t.lines, t.dropped = t.lines[over:], true
	}
	return len(p), nil
}

// First returns the first line, with its line end; empty before it has come.
func (t *Tail) First() string { return t.first }

// Newest returns the newest lines without the first.
func (t *Tail) Newest() string { return strings.Join(t.lines, "") }

// String returns everything that is kept; three dots stand for a gap.
func (t *Tail) String() string {
	gap := ""
	if t.dropped {
		gap = "     ...\n"
	}
	return t.first + gap + t.Newest()
}

// mostWaiting is how many frames wait for a terminal that takes nothing.
const mostWaiting = 16

// An Unheld shows live frames in its own goroutine, so that a blocked terminal, as after control-S, does not delay
// the watch. If the terminal is far behind, frames are dropped, but never the newest.
type Unheld struct {
	frames chan frame.Frame
	done   chan error // the error of show; closed when no more frames are shown
}

// NewUnheld returns an Unheld that calls show, which may block.
func NewUnheld(show func(frame.Tick) error) *Unheld {
	u := &Unheld{make(chan frame.Frame, mostWaiting), make(chan error, 1)}
	go func() {
		defer close(u.done)
		for f := range u.frames {
			if err := show(frame.Tick{Frame: f}); err != nil {
				u.done <- err
				return
			}
		}
	}()
	return u
}

// Show queues a frame. It returns the error of an earlier one. One goroutine at a time calls it.
func (u *Unheld) Show(tick frame.Tick) error {
	for {
		select {
		case err := <-u.done:
			return err
		case u.frames <- tick.Frame:
			return nil
		default:
		}
		select {
		case <-u.frames:
		default:
		}
	}
}

// Close waits until all queued frames are shown, and returns the error of show.
func (u *Unheld) Close() error {
	close(u.frames)
	if err := <-u.done; err != nil {
		return fmt.Errorf("cannot show a frame: %w", err)
	}
	return nil
}
